// SPDX-License-Identifier: GPL-2.0-or-later
/* RPM packages of a kernel, honest and hostile: which belong together, what lands where, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "build/package/names.h"
#include "build/package/package.h"
#include "build/package/rpm.h"

#define PAYLOAD_MAX (1 << 16)

static char dir[40];
static struct err err;

static int setup(void **state)
{
	(void)state;
	err = (struct err){ 0 };
	strcpy(dir, "/tmp/build-rpm-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return fs_remove_tree(dir, &err);
}

static char *at(const char *name)
{
	return str_printf("%s/%s", dir, name);
}

static void put32(struct buf *b, uint32_t v)
{
	const unsigned char bytes[] = { (unsigned char)(v >> 24), (unsigned char)(v >> 16),
					(unsigned char)(v >> 8), (unsigned char)v };

	buf_add(b, bytes, sizeof(bytes));
}

/* A header of these tags, each with a text; a NULL text ends them. */
struct tag {
	uint32_t tag;
	const char *text;
};

static void put_header(struct buf *b, const struct tag *tags)
{
	_cleanup_buf_ struct buf index = { 0 };
	_cleanup_buf_ struct buf store = { 0 };
	uint32_t n = 0;

	for (; tags[n].text; n++) {
		put32(&index, tags[n].tag);
		put32(&index, 6);
		put32(&index, (uint32_t)store.len);
		put32(&index, 1);
		buf_add(&store, tags[n].text, strlen(tags[n].text) + 1);
	}
	buf_add(b, "\x8e\xad\xe8\x01\0\0\0\0", 8);
	put32(b, n);
	put32(b, (uint32_t)store.len);
	buf_add(b, index.data, index.len);
	buf_add(b, store.data, store.len);
}

struct file {
	const char *name, *text, *link;
	mode_t mode;
};

static void put_payload(struct buf *b, const struct file *files)
{
	_cleanup_free_ char *data = xmalloc(PAYLOAD_MAX);
	struct archive *a = archive_write_new();
	size_t len = 0;

	archive_write_set_format_cpio_newc(a);
	archive_write_add_filter_gzip(a);
	assert_int_equal(archive_write_open_memory(a, data, PAYLOAD_MAX, &len), ARCHIVE_OK);
	for (; files->name; files++) {
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, files->name);
		archive_entry_set_filetype(e, files->link ? AE_IFLNK : AE_IFREG);
		archive_entry_set_perm(e, files->mode ? files->mode : 0644);
		archive_entry_set_size(e, files->link ? 0 : (la_int64_t)strlen(files->text));
		if (files->link)
			archive_entry_set_symlink(e, files->link);
		assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
		if (!files->link)
			archive_write_data(a, files->text, strlen(files->text));
		archive_entry_free(e);
	}
	archive_write_close(a);
	archive_write_free(a);
	buf_add(b, data, len);
}

static void put_lead(struct buf *b)
{
	static const char zeros[91];

	buf_add(b, "\xed\xab\xee\xdb\x03", 5); /* of version 3 */
	buf_add(b, zeros, sizeof(zeros));
	put_header(b, (const struct tag[]){ { 1000, "1234567" }, { 0, NULL } });
}

static char *write_file(const char *name, const struct buf *b)
{
	char *path = at(name);

	assert_int_equal(fs_write(path, b->data, b->len, &err), 0);
	return path;
}

/* A package whose header says what its name does, unless @says is another. */
static char *rpm_saying(const char *file, const char *says, const struct file *files)
{
	_cleanup_buf_ struct buf b = { 0 };
	struct rpm_name n;

	assert_true(rpm_parse_name(says, &n));
	put_lead(&b);
	put_header(&b,
		   (const struct tag[]){ { 1000, n.name },
					 { 1001, n.version },
					 { 1002, n.release },
					 { 1022, strcmp(n.arch, "src") == 0 ? "x86_64" : n.arch },
					 { 1044, strcmp(n.arch, "src") == 0 ? NULL : "x.src.rpm" },
					 { 0, NULL } });
	put_payload(&b, files);
	return write_file(file, &b);
}

static char *rpm(const char *file, const struct file *files)
{
	return rpm_saying(file, file, files);
}
#define FILES(...) ((const struct file[]){ __VA_ARGS__, { 0 } })

static int unpack(const char *path)
{
	_cleanup_free_ char *root = at("root");

	assert_int_equal(fs_mkdirs(root, &err), 0);
	return package_unpack(path, root, &err);
}

static void says(const char *why)
{
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, why))
		fail_msg("'%s' does not say '%s'", err.msg, why);
}

static void refused(const char *name, const char *why)
{
	_cleanup_free_ char *path =
		rpm("kernel-core-6.8.9-300.fc40.x86_64.rpm", FILES({ .name = name, .text = "x" }));
	_cleanup_free_ char *root = at("root");

	assert_int_equal(unpack(path), -1);
	says(why);
	assert_int_equal(fs_remove_tree(root, &err), 0);
}

static bool there(const char *name)
{
	_cleanup_free_ char *path = at(name);

	return fs_exists(path);
}

static void names_have_four_parts(void **state)
{
	struct rpm_name n;

	(void)state;
	assert_true(rpm_parse_name("kernel-modules-core-6.8.9-300.fc40.x86_64.rpm", &n));
	assert_string_equal(n.name, "kernel-modules-core");
	assert_string_equal(n.version, "6.8.9");
	assert_string_equal(n.release, "300.fc40");
	assert_string_equal(n.arch, "x86_64");
	assert_false(rpm_parse_name("kernel-6.8.9.x86_64.rpm", &n));
	assert_false(rpm_parse_name("-6.8.9-1.x86_64.rpm", &n));
	assert_false(rpm_parse_name("kernel-6.8.9-1..rpm", &n));
	assert_false(rpm_parse_name("kernel-6.8.9-1.x86_64.deb", &n));
	assert_false(rpm_parse_name("kernel-6\033.8-1.x86_64.rpm", &n));
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
	(void)state;
	refused("./lib/modules/../../evil", "leads elsewhere");
	refused("/lib/modules/..", "leads elsewhere");
	refused("./usr/src/kernels/../../../../evil/Module.symvers", "leads elsewhere");
	refused("lib/modules/a\033[2Jb", "leads elsewhere");
	assert_false(there("evil"));
}

static void what_a_kernel_needs_lands_where_it_is_looked_for(void **state)
{
	_cleanup_free_ char *red =
		rpm("kernel-core-6.8.9-300.fc40.x86_64.rpm",
		    FILES({ .name = "./lib/modules/6.8.9/vmlinuz", .text = "x" },
			  { .name = "./etc/never", .text = "x" },
			  { .name = "./lib/modules/6.8.9/build", .link = "/" },
			  { .name = "./usr/src/kernels/6.8.9/Module.symvers", .text = "x" },
			  { .name = "./usr/src/kernels/6.8.9/Makefile", .text = "x" }));
	_cleanup_free_ char *devel = rpm(
		"kernel-default-devel-6.4.0-150600.21.1.x86_64.rpm",
		FILES({ .name = "/usr/src/linux-6.4.0-150600.21-obj/x86_64/default/Module.symvers",
			.text = "x" }));
	_cleanup_free_ char *tree =
		rpm("kernel-source-6.4.0-150600.21.1.noarch.rpm",
		    FILES({ .name = "/usr/src/linux-6.4.0-150600.21/Makefile", .text = "x" },
			  { .name = "/usr/src/linux-6.4.0-150600.21/scripts/a.sh",
			    .text = "x",
			    .mode = 0755 }));
	_cleanup_free_ char *source = rpm("kernel-6.8.9-300.fc40.src.rpm",
					  FILES({ .name = "linux-6.8.9.tar.xz", .text = "x" },
						{ .name = "kernel.spec", .text = "x" }));
	_cleanup_free_ char *script = at("root/usr/src/linux-source-6.4.0-150600.21/scripts/a.sh");

	(void)state;
	assert_int_equal(unpack(red), 0);
	assert_int_equal(unpack(devel), 0);
	assert_int_equal(unpack(tree), 0);
	assert_int_equal(unpack(source), 0);
	assert_true(there("root/lib/modules/6.8.9/vmlinuz"));
	assert_true(there("root/usr/src/kernels/6.8.9/Module.symvers"));
	assert_true(there("root/usr/src/kernels/6.4.0-150600.21-default/Module.symvers"));
	assert_true(there("root/usr/src/linux-source-6.4.0-150600.21/Makefile"));
	assert_true(there("root/usr/src/linux-source-6.8.9.tar.xz"));
	assert_int_equal(access(script, X_OK), 0);
	assert_false(there("root/etc"));
	assert_false(there("root/lib/modules/6.8.9/build"));
	assert_false(there("root/usr/src/kernels/6.8.9/Makefile"));
	assert_false(there("root/kernel.spec"));
}

/* The tarball without it is not what the kernel was built of; the words may lie across what is read at once. */
static void a_source_whose_patch_changes_the_driver_is_refused(void **state)
{
	_cleanup_buf_ struct buf patch = { 0 };

	(void)state;
	for (unsigned int shift = 0; shift < 3; shift++) {
		_cleanup_free_ char *path = NULL;

		patch.len = 0;
		buf_puts(&patch, "--- a/Makefile\n+++ b/Makefile\n");
		while (patch.len < (16u << 10) - 10 - shift)
			buf_puts(&patch, " ");
		buf_puts(&patch, "\n+++ b/drivers/gpu/drm/amd/amdgpu/amdgpu_hmm.c\n");
		path = rpm("kernel-6.8.9-300.fc40.src.rpm",
			   FILES({ .name = "patch-6.8-redhat.patch", .text = patch.data }));
		assert_int_equal(unpack(path), -1);
		says("patch-6.8-redhat.patch changes drivers/gpu/drm/amd");
	}
}

static void other_patches_are_left_out(void **state)
{
	_cleanup_free_ char *path = rpm("kernel-6.8.9-300.fc40.src.rpm",
					FILES({ .name = "patch-6.8-redhat.patch",
						.text = "--- a/Makefile\n+++ b/Makefile\n" }));

	(void)state;
	assert_int_equal(unpack(path), 0);
	assert_false(there("root/patch-6.8-redhat.patch"));
}

static void a_package_that_is_not_what_it_is_named_is_refused(void **state)
{
	_cleanup_free_ char *path = rpm_saying("kernel-core-6.8.9-300.fc40.x86_64.rpm",
					       "kernel-core-6.8.8-300.fc40.x86_64.rpm",
					       FILES({ .name = "x", .text = "x" }));

	(void)state;
	assert_int_equal(rpm_check_name(path, &err), -1);
	says("its header says that it is kernel-core-6.8.8-300.fc40.x86_64.rpm");
}

/* Lengths are believed only as far as the file goes, before anything is made for them. */
static void lengths_of_a_header_are_bounded(void **state)
{
	static const struct {
		uint32_t n, size;
		const char *why;
	} cases[] = { { 0, 16, "larger than any" },
		      { 70000, 16, "larger than any" },
		      { UINT32_MAX, UINT32_MAX, "larger than any" },
		      { 1, 0x7fffffff, "larger than any" },
		      { 1, 1 << 20, "cut off" },
		      { 65535, 16, "cut off" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_buf_ struct buf b = { 0 };
		_cleanup_free_ char *path = NULL;

		put_lead(&b);
		buf_add(&b, "\x8e\xad\xe8\x01\0\0\0\0", 8);
		put32(&b, cases[i].n);
		put32(&b, cases[i].size);
		path = write_file("x.rpm", &b);
		assert_int_equal(unpack(path), -1);
		says(cases[i].why);
	}
}

/* No beginning of a package is taken for a whole one. */
static void a_cut_package_is_refused_wherever_it_ends(void **state)
{
	_cleanup_free_ char *path = rpm("kernel-core-6.8.9-300.fc40.x86_64.rpm",
					FILES({ .name = "./lib/modules/6.8.9/a", .text = "a" },
					      { .name = "./lib/modules/6.8.9/b", .text = "b" }));
	_cleanup_free_ char *root = at("root");
	struct stat st;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	/* the last 8 bytes are gzip's own sums, the trailer of the archive is before them */
	for (off_t len = st.st_size - 40; len >= 0; len -= 7) {
		assert_int_equal(truncate(path, len), 0);
		assert_int_equal(unpack(path), -1);
		says(path);
		assert_int_equal(fs_remove_tree(root, &err), 0);
	}
}

/* Which of these names are one kernel's; NULL: why not is in err. */
static char *found(const char *image, const char *const *names)
{
	_cleanup_(package_set_deinit) struct package_set set = { 0 };
	_cleanup_strv_ struct strv all = { 0 };
	_cleanup_buf_ struct buf b = { 0 };

	for (; *names; names++)
		strv_add(&all, *names);
	strv_sort_once(&all);
	if (rpm_find("d", &all, image, &set, &err) <= 0)
		return NULL;
	buf_puts(&b, set.version);
	for (size_t i = 0; i < set.files.n; i++)
		buf_printf(&b, " %s", set.files.items[i] + 2);
	return buf_take(&b);
}
#define FOUND(image, ...) found(image, (const char *const[]){ __VA_ARGS__, NULL })

#define FC(name) name "-6.8.9-300.fc40.x86_64.rpm"

static void packages_of_red_hat_belong_together(void **state)
{
	const char *const all[] = { FC("kernel"),
				    FC("kernel-core"),
				    FC("kernel-modules"),
				    FC("kernel-modules-core"),
				    FC("kernel-modules-extra"),
				    FC("kernel-devel"),
				    FC("kernel-debuginfo"),
				    "kernel-6.8.9-300.fc40.src.rpm",
				    NULL };
	_cleanup_free_ char *one = found(NULL, all);
	_cleanup_free_ char *none = NULL;

	(void)state;
	assert_string_equal(
		one, "6.8.9-300.fc40 " FC("kernel-core") " " FC("kernel-modules") " " FC("kernel-"
											 "modules-"
											 "core") " " FC(
			     "kernel-modules-extra") " " FC("kernel-devel") " kernel-6.8.9-300."
									    "fc40.src.rpm");
	none = FOUND(NULL, FC("kernel-core"), FC("kernel-modules"),
		     "kernel-devel-6.8.8-300.fc40.x86_64.rpm", "kernel-6.8.9-300.fc40.src.rpm");
	assert_null(none);
	says("lacks kernel-devel-*.x86_64.rpm of version 6.8.9-300.fc40");
	none = FOUND(NULL, FC("kernel-core"), FC("kernel-modules"), FC("kernel-devel"));
	assert_null(none);
	says("lacks kernel-*.src.rpm");
	none = FOUND(NULL, FC("kernel-core"), "kernel-core-6.8.8-300.fc40.x86_64.rpm");
	assert_null(none);
	says("several kernels, kernel-core-6.8.8-300.fc40 and kernel-core-6.8.9-300.fc40");
	none = FOUND(FC("kernel-devel"), FC("kernel-core"), FC("kernel-devel"));
	assert_null(none);
	says("holds no kernel's image");
	none = FOUND(FC("kernel"), FC("kernel-core"), FC("kernel"));
	assert_null(none);
	says("holds no kernel's image");
}

/* Of one version SUSE counts the builds of each package apart. */
static void packages_of_suse_belong_together(void **state)
{
	_cleanup_free_ char *one = FOUND(NULL, "kernel-default-6.4.0-150600.23.7.3.x86_64.rpm",
					 "kernel-default-devel-6.4.0-150600.23.7.3.x86_64.rpm",
					 "kernel-source-6.4.0-150600.23.7.2.noarch.rpm",
					 "kernel-default-devel-6.4.0-150600.23.6.1.x86_64.rpm",
					 "kernel-devel-6.4.0-150600.23.7.2.noarch.rpm");
	_cleanup_free_ char *none = NULL;

	(void)state;
	assert_string_equal(one,
			    "6.4.0-150600.23.7.3 kernel-default-6.4.0-150600.23.7.3.x86_64.rpm "
			    "kernel-default-devel-6.4.0-150600.23.7.3.x86_64.rpm "
			    "kernel-source-6.4.0-150600.23.7.2.noarch.rpm");
	none = FOUND(NULL, "kernel-default-6.4.0-150600.23.7.3.x86_64.rpm",
		     "kernel-default-devel-6.4.0-150600.23.7.3.x86_64.rpm",
		     "kernel-source-6.4.0-150600.23.8.2.noarch.rpm");
	assert_null(none);
	says("lacks kernel-source-*.rpm of version 6.4.0-150600.23.7.3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_four_parts),
		cmocka_unit_test_setup_teardown(names_that_lead_elsewhere_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_a_kernel_needs_lands_where_it_is_looked_for,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_source_whose_patch_changes_the_driver_is_refused,
						setup, teardown),
		cmocka_unit_test_setup_teardown(other_patches_are_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(a_package_that_is_not_what_it_is_named_is_refused,
						setup, teardown),
		cmocka_unit_test_setup_teardown(lengths_of_a_header_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cut_package_is_refused_wherever_it_ends, setup,
						teardown),
		cmocka_unit_test_setup_teardown(packages_of_red_hat_belong_together, setup,
						teardown),
		cmocka_unit_test_setup_teardown(packages_of_suse_belong_together, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
