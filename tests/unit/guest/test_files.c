// SPDX-License-Identifier: GPL-2.0-or-later
/* The files a guest boots from: kernel image, modules, libraries, initramfs of this machine. */
#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/spawn.h"
#include "guest/image/closure.h"
#include "guest/image/image.h"
#include "guest/image/initramfs.h"
#include "guest/image/keep.h"
#include "guest/image/modules.h"

static char work[] = "/tmp/test-guest-files.XXXXXX";
static char image[256], modules_dir[256];

static char *in_work(const char *name)
{
	return str_printf("%s/%s", work, name);
}

static void need_kernel(void)
{
	if (!*image)
		skip();
}

static void a_bzimage_becomes_a_small_elf_with_its_segments(void **state)
{
	_cleanup_buf_ struct buf elf = { 0 };
	const Elf64_Ehdr *eh;
	struct err err;

	(void)state;
	need_kernel();
	assert_int_equal(image_extract(image, &elf, &err), 0);
	eh = (const Elf64_Ehdr *)elf.data;
	assert_memory_equal(eh->e_ident, ELFMAG, SELFMAG);
	assert_int_equal(eh->e_shnum, 0);
	for (unsigned int i = 0; i < eh->e_phnum; i++) {
		const Elf64_Phdr *ph = (const Elf64_Phdr *)(elf.data + eh->e_phoff) + i;

		assert_true(ph->p_offset + ph->p_filesz <= elf.len);
	}
}

static void a_vmlinux_is_taken_plain_and_compressed(void **state)
{
	_cleanup_free_ char *plain = in_work("vmlinux"), *packed = in_work("vmlinux.xz");
	const char *const argv[] = { "xz", "-0", "-k", plain, NULL };
	struct spawn s = { .argv = argv, .limit_ms = 120000 };
	_cleanup_buf_ struct buf first = { 0 }, second = { 0 }, third = { 0 };
	struct spawn_result r;
	struct err err;

	(void)state;
	need_kernel();
	assert_int_equal(image_extract(image, &first, &err), 0);
	assert_int_equal(fs_write(plain, first.data, first.len, &err), 0);
	assert_int_equal(spawn_run(&s, &r, &err), 0);
	assert_int_equal(r.exit_code, 0);
	assert_int_equal(image_extract(plain, &second, &err), 0);
	assert_int_equal(image_extract(packed, &third, &err), 0);
	assert_int_equal(second.len, first.len);
	assert_memory_equal(second.data, first.data, first.len);
	assert_int_equal(third.len, first.len);
}

static void what_is_no_whole_kernel_is_refused_in_words(void **state)
{
	_cleanup_free_ char *path = in_work("cut");
	_cleanup_free_ char *data = NULL;
	struct err err;
	size_t len;

	(void)state;
	need_kernel();
	assert_int_equal(fs_read(image, 1 << 28, &data, &len, &err), 0);
	for (size_t cut = 0; cut < len; cut = cut ? cut * 7 : 1) {
		_cleanup_buf_ struct buf elf = { 0 };

		assert_int_equal(fs_write(path, data, cut, &err), 0);
		assert_int_equal(image_extract(path, &elf, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.msg, path));
	}
	for (size_t at = 0x1f0; at < 0x260; at++) {
		_cleanup_buf_ struct buf elf = { 0 };
		char kept = data[at];

		data[at] = (char)~kept; /* refused or not, it must be borne */
		assert_int_equal(fs_write(path, data, len < 65536 ? len : 65536, &err), 0);
		image_extract(path, &elf, &err);
		data[at] = kept;
	}
	assert_int_equal(image_extract("/nowhere/vmlinuz", &(struct buf){ 0 }, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
}

static void assert_fault(const char *path, const char *words)
{
	struct err err = { 0 };

	assert_int_equal(image_check(path, &err), -1);
	assert_int_equal(err.kind, ERR_BOOT);
	assert_non_null(strstr(err.msg, path));
	if (!strstr(err.msg, words))
		fail_msg("'%s' does not say '%s'", err.msg, words);
}

static void a_candidates_kernel_is_checked_where_it_lies(void **state)
{
	_cleanup_free_ char *path = in_work("own");
	_cleanup_buf_ struct buf elf = { 0 };
	struct err err;
	char *note;

	(void)state;
	need_kernel();
	assert_int_equal(image_extract(image, &elf, &err), 0);
	assert_int_equal(fs_write(path, elf.data, elf.len, &err), 0);
	assert_int_equal(image_check(path, &err), 0);
	assert_fault(image, "no x86-64 kernel"); /* a bzImage is none that is booted in place */
	for (size_t len = 0; len < elf.len; len = len ? len * 5 : 1) {
		assert_int_equal(fs_write(path, elf.data, len, &err), 0);
		assert_fault(path, len > sizeof(Elf64_Ehdr) ? "cut short" : "no x86-64 kernel");
	}
	while ((note = memmem(elf.data, elf.len, "Xen\0", 4)) != NULL)
		note[0] = 'x';
	assert_int_equal(fs_write(path, elf.data, elf.len, &err), 0);
	assert_fault(path, "CONFIG_PVH");
	assert_int_equal(image_check("/nowhere/vmlinux", &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
}

static void a_module_stands_after_all_it_needs(void **state)
{
	static const char *const names[] = { "amdgpu", "virtio_console" };
	struct modules m = { 0 };
	struct err err;

	(void)state;
	need_kernel();
	assert_int_equal(modules_resolve(modules_dir, names, 2, &m, &err), 0);
	assert_non_null(modules_find(&m, "amdgpu"));
	assert_non_null(modules_find(&m, "drm"));
	assert_ptr_equal(modules_find(&m, "virtio-console"), modules_find(&m, "virtio_console"));
	for (size_t i = 0; i < m.n; i++)
		for (size_t d = 0; d < m.items[i].depends.n; d++) {
			const struct module *dep = modules_find(&m, m.items[i].depends.items[d]);

			assert_non_null(dep);
			assert_true(dep < &m.items[i]);
		}
	modules_deinit(&m);
}

static void a_module_that_is_not_there_is_named(void **state)
{
	static const char *const names[] = { "no_such_module" };
	struct modules m = { 0 };
	struct err err;

	(void)state;
	need_kernel();
	assert_int_equal(modules_resolve(modules_dir, names, 1, &m, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "no_such_module"));
	assert_int_equal(modules_resolve("/nowhere/6.1", names, 1, &m, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
}

static void the_closure_of_a_program_is_what_ldd_says(void **state)
{
	const char *const argv[] = { "ldd", AGENT, NULL };
	_cleanup_buf_ struct buf out = { 0 };
	struct spawn s = { .argv = argv, .capture = &out, .limit_ms = 60000 };
	_cleanup_(closure_deinit) struct closure c = { 0 };
	struct spawn_result r;
	struct err err;

	(void)state;
	assert_int_equal(closure_add(&c, AGENT, &err), 0);
	assert_true(c.n >= 2);
	assert_int_equal(spawn_run(&s, &r, &err), 0);
	for (size_t i = 0; i < c.n; i++) {
		const char *name = strrchr(c.items[i].guest, '/') + 1;

		assert_true(fs_exists(c.items[i].host));
		if (!strstr(out.data, name))
			fail_msg("%s is not needed", name);
	}
	for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n")) {
		char name[128];
		bool found = false;

		if (sscanf(line, " %127s => ", name) != 1 || strstr(name, "vdso"))
			continue;
		for (size_t i = 0; i < c.n; i++)
			found = found || str_ends(c.items[i].guest,
						  strrchr(name, '/') ? strrchr(name, '/') : name);
		if (!found)
			fail_msg("%s is missing", name);
	}
}

static void what_is_no_program_is_refused(void **state)
{
	_cleanup_(closure_deinit) struct closure c = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(closure_add(&c, "/etc/passwd", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(closure_add(&c, "/nowhere", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
}

static size_t find_member(const char *cpio, const char *name, char *text, size_t size)
{
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	size_t n = 0;

	archive_read_support_format_cpio(a);
	assert_int_equal(archive_read_open_filename(a, cpio, 65536), ARCHIVE_OK);
	while (archive_read_next_header(a, &e) == ARCHIVE_OK) {
		if (strcmp(archive_entry_pathname(e), name) != 0)
			continue;
		n = (size_t)archive_entry_size(e);
		if (text) {
			la_ssize_t got = archive_read_data(a, text, size - 1);

			text[got > 0 ? got : 0] = '\0';
		}
	}
	archive_read_free(a);
	return n;
}

/* The line of a kernel module, or none: Debian 13 has what guests boot with in the kernel itself. */
static bool is_built_in(const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/modules.builtin", modules_dir);
	_cleanup_free_ char *file = str_printf("/%s.ko\n", name);
	_cleanup_free_ char *text = NULL;
	struct err err;

	assert_int_equal(fs_read(path, 1 << 20, &text, NULL, &err), 0);
	return strstr(text, file) != NULL;
}

static void the_initramfs_holds_agent_probe_and_modules_and_is_cached(void **state)
{
	static const char *const names[] = { "virtio_pci", "virtio_console", "drm" };
	static const char *const probes[] = { PROBE };
	struct guest_spec spec = { .agent = AGENT, .probes = probes, .n_probes = 1 };
	_cleanup_free_ char *path = NULL, *again = NULL, *other = NULL;
	_cleanup_buf_ struct buf boot = { 0 };
	struct modules m = { 0 };
	struct stat first, second;
	char text[8192];
	struct err err;

	(void)state;
	need_kernel();
	assert_int_equal(modules_resolve(modules_dir, names, 3, &m, &err), 0);
	assert_int_equal(initramfs_make(&spec, &m, work, &path, &err), 0);
	assert_true(find_member(path, "init", NULL, 0) > 10000);
	assert_true(find_member(path, "usr/libexec/amdgpu-bisect/copy-regimes", NULL, 0) > 10000);
	assert_true(find_member(path, "lib/modules/drm.ko", text, sizeof(text)) > 10000);
	assert_memory_equal(text, ELFMAG, SELFMAG);
	find_member(path, "etc/amdgpu-bisect/modules", text, sizeof(text));
	assert_non_null(strstr(text, "drm /lib/modules/drm.ko "));
	for (size_t i = 0; i < 2; i++) {
		_cleanup_free_ char *line =
			str_printf("%s /lib/modules/%s.ko ", names[i], names[i]);

		assert_int_equal(strstr(text, line) == NULL, is_built_in(names[i]));
		if (!is_built_in(names[i]))
			buf_printf(&boot, "%s\n", names[i]);
	}
	*text = '\0';
	find_member(path, "etc/amdgpu-bisect/boot", text, sizeof(text));
	assert_string_equal(text, boot.data ? boot.data : "");

	assert_int_equal(stat(path, &first), 0);
	assert_int_equal(initramfs_make(&spec, &m, work, &again, &err), 0);
	assert_string_equal(path, again);
	assert_int_equal(stat(path, &second), 0);
	assert_int_equal(first.st_ino, second.st_ino);

	spec.n_probes = 0;
	assert_int_equal(initramfs_make(&spec, &m, work, &other, &err), 0);
	assert_string_not_equal(path, other);
	modules_deinit(&m);
}

static void without_modules_the_initramfs_is_another_with_the_same_agent(void **state)
{
	static const char *const names[] = { "drm" };
	struct guest_spec spec = { .agent = AGENT };
	_cleanup_free_ char *full = NULL, *bare = NULL;
	struct modules m = { 0 }, none = { 0 };
	char text[256] = "";
	struct err err;

	(void)state;
	need_kernel();
	assert_int_equal(modules_resolve(modules_dir, names, 1, &m, &err), 0);
	assert_int_equal(initramfs_make(&spec, &m, work, &full, &err), 0);
	assert_int_equal(initramfs_make(&spec, &none, work, &bare, &err), 0);
	assert_string_not_equal(full, bare);
	assert_int_equal(find_member(bare, "init", NULL, 0), find_member(full, "init", NULL, 0));
	assert_int_equal(find_member(bare, "lib/modules/drm.ko", NULL, 0), 0);
	assert_true(find_member(full, "lib/modules/drm.ko", NULL, 0) > 0);
	assert_int_equal(find_member(bare, "etc/amdgpu-bisect/modules", text, sizeof(text)), 0);
	assert_int_equal(find_member(bare, "etc/amdgpu-bisect/boot", text, sizeof(text)), 0);
	modules_deinit(&m);
}

static void the_same_agent_elsewhere_gives_the_same_initramfs_under_the_same_name(void **state)
{
	_cleanup_free_ char *agent = in_work("agent-copy"), *dir = in_work("second");
	_cleanup_free_ char *manifest = NULL, *text = NULL, *a = NULL, *b = NULL;
	struct guest_spec spec = { .agent = AGENT };
	struct modules none = { 0 };
	char sum_a[65], sum_b[65];
	struct err err;

	(void)state;
	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(fs_copy(AGENT, agent, &err), 0);
	assert_int_equal(initramfs_make(&spec, &none, work, &a, &err), 0);
	spec.agent = agent;
	assert_int_equal(initramfs_make(&spec, &none, dir, &b, &err), 0);
	assert_string_equal(strrchr(a, '/'), strrchr(b, '/'));
	assert_int_equal(fs_sha256_file(a, sum_a, &err), 0);
	assert_int_equal(fs_sha256_file(b, sum_b, &err), 0);
	assert_string_equal(sum_a, sum_b);

	manifest = str_printf("%s.manifest", b);
	assert_int_equal(fs_read(manifest, 1 << 20, &text, NULL, &err), 0);
	assert_non_null(strstr(text, "\nfile /init "));
	assert_non_null(strstr(text, "\npackage libc6 "));

	/* another agent is another initramfs */
	free(b);
	b = NULL;
	assert_int_equal(fs_copy(PROBE, agent, &err), 0);
	assert_int_equal(initramfs_make(&spec, &none, dir, &b, &err), 0);
	assert_string_not_equal(strrchr(a, '/'), strrchr(b, '/'));
}

static void of_the_cache_what_was_used_last_is_kept(void **state)
{
	static const char *const names[] = { "keep-a", "keep-b", "keep-c", "other" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = in_work(names[i]);
		struct timespec t[2] = { { .tv_sec = (time_t)i + 1 }, { .tv_sec = (time_t)i + 1 } };

		assert_int_equal(fs_write(path, "x", 1, &err), 0);
		assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
	}
	{
		_cleanup_free_ char *a = in_work("keep-a"), *b = in_work("keep-b"),
				    *c = in_work("keep-c"), *other = in_work("other");

		_cleanup_free_ char *of_a = in_work("keep-a.manifest"),
				    *of_b = in_work("keep-b.manifest");

		assert_int_equal(fs_write(of_a, "x", 1, &err), 0);
		assert_int_equal(fs_write(of_b, "x", 1, &err), 0);
		keep_used(a);
		keep_newest(work, "keep-", 2);
		assert_true(fs_exists(of_a));
		assert_false(fs_exists(of_b));
		assert_true(fs_exists(a));
		assert_false(fs_exists(b));
		assert_true(fs_exists(c));
		assert_true(fs_exists(other));
	}
}

static int set_up(void **state)
{
	glob_t g = { 0 };

	(void)state;
	glob("/boot/vmlinuz-*", 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc && !*image; i++) {
		snprintf(modules_dir, sizeof(modules_dir), "/lib/modules/%s",
			 g.gl_pathv[i] + strlen("/boot/vmlinuz-"));
		if (fs_is_dir(modules_dir))
			str_copy(image, sizeof(image), g.gl_pathv[i]);
	}
	globfree(&g);
	return mkdtemp(work) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return fs_remove_tree(work, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bzimage_becomes_a_small_elf_with_its_segments),
		cmocka_unit_test(a_vmlinux_is_taken_plain_and_compressed),
		cmocka_unit_test(what_is_no_whole_kernel_is_refused_in_words),
		cmocka_unit_test(a_candidates_kernel_is_checked_where_it_lies),
		cmocka_unit_test(a_module_stands_after_all_it_needs),
		cmocka_unit_test(a_module_that_is_not_there_is_named),
		cmocka_unit_test(the_closure_of_a_program_is_what_ldd_says),
		cmocka_unit_test(what_is_no_program_is_refused),
		cmocka_unit_test(of_the_cache_what_was_used_last_is_kept),
		cmocka_unit_test(the_initramfs_holds_agent_probe_and_modules_and_is_cached),
		cmocka_unit_test(without_modules_the_initramfs_is_another_with_the_same_agent),
		cmocka_unit_test(
			the_same_agent_elsewhere_gives_the_same_initramfs_under_the_same_name),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
