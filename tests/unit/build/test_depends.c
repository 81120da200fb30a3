// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files of the tree an artifact was made from: out of what Kbuild leaves behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "built.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/reads/depends.h"

/* A .cmd file, with the marker of an option as they all have, and the files it names. */
static void put_cmd(const struct built *b, const char *name, const char *source,
		    const char *const *deps)
{
	_cleanup_buf_ struct buf text = { 0 };

	buf_printf(&text, "savedcmd_x := gcc -c x\n\nsource_x := %s\n\ndeps_x := \\\n", source);
	buf_puts(&text, "    $(wildcard include/config/DRM) \\\n");
	for (; *deps; deps++)
		buf_printf(&text, "  %s \\\n", *deps);
	buf_puts(&text, "\nx: $(deps_x)\n");
	built_put(b, name, text.data);
}

static int setup(void **state)
{
	struct built *b = built_create(BUILD_SCOPE_UNIT);
	_cleanup_free_ char *own = NULL;
	_cleanup_free_ char *driver = NULL;

	built_put(b, "linux/" AMDGPU "/amdgpu_hmm.c",
		  "int amdgpu_hmm_range_get_pages(void)\n{\n}\n");
	built_put(b, "linux/" AMDGPU "/amdgpu_drv.c", "");
	built_put(b, "linux/" AMDGPU "/amdgpu.h", "");
	built_put(b, "linux/" AMD "/include/kgd.h", "");
	built_put(b, "linux/" AMD "/display/dc/dc.c", "");
	built_put(b, "linux/include/linux/hmm.h", "");
	built_put(b, "linux/include/linux/mm.h", "");
	built_put(b, "outside/stdarg.h", "");
	own = str_printf("%s/outside/stdarg.h", b->root);
	put_cmd(b, "linux/" AMDGPU "/.amdgpu_hmm.o.cmd", AMDGPU "/amdgpu_hmm.c",
		(const char *const[]){ "include/linux/hmm.h", AMDGPU "/../include/kgd.h",
				       "./" AMDGPU "/amdgpu.h", own, NULL });
	driver = str_printf("%s/linux/include/linux/mm.h", b->root);
	/* the mirror is built elsewhere, and names what is its own and what is the tree's */
	built_put(b, "mirror-unit-01234567/main.c", "");
	put_cmd(b, "mirror-unit-01234567/.main.o.cmd", "main.c",
		(const char *const[]){ driver, "include/linux/hmm.h", NULL });
	built_put(b, "mirror-unit-01234567/.unit.o.cmd", "cmd_x := cp x y\n");
	*state = b;
	return 0;
}

/* Stores the list, and compares what is loaded; an artifact named "." lies in the root itself. */
static void expect(const struct built *b, const char *want)
{
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_buf_ struct buf is = { 0 };
	struct err err = { 0 };

	if (depends_store(&b->steps, &err) < 0 || depends_load(b->root, ".", &files, &err) < 0)
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < files.n; i++)
		buf_printf(&is, "%s\n", files.items[i]);
	assert_string_equal(is.data ? is.data : "", want);
}

static void unit_is_made_of_what_its_compiler_read(void **state)
{
	expect(*state, AMDGPU "/amdgpu.h\n" AMDGPU "/amdgpu_hmm.c\n" AMD "/include/kgd.h\n"
			      "include/linux/hmm.h\ninclude/linux/mm.h\n");
}

static void module_is_made_of_all_its_objects(void **state)
{
	struct built *b = *state;

	b->spec.scope = BUILD_SCOPE_MODULE;
	built_put(b, "linux/" AMDGPU "/amdgpu_drv.o", "");
	built_put(b, "linux/" AMD "/display/dc/dc.o", "");
	put_cmd(b, "linux/" AMDGPU "/.amdgpu_drv.o.cmd", AMDGPU "/amdgpu_drv.c",
		(const char *const[]){ AMDGPU "/amdgpu.h", NULL });
	/* as it is since 6.13: relative to the directory that is built */
	put_cmd(b, "linux/" AMD "/display/dc/.dc.o.cmd", "../display/dc/dc.c",
		(const char *const[]){ "include/linux/mm.h", NULL });
	put_cmd(b, "mirror-module-01234567/.main.o.cmd", "include/linux/hmm.h",
		(const char *const[]){ NULL });
	built_put(b, "linux/" AMDGPU "/amdgpu.mod",
		  AMDGPU "/amdgpu_drv.o\n" AMDGPU "/../display/dc/dc.o\n");
	expect(b, AMDGPU "/amdgpu.h\n" AMDGPU "/amdgpu_drv.c\n" AMD "/display/dc/dc.c\n"
			 "include/linux/hmm.h\ninclude/linux/mm.h\n");
	/* as it was before 5.19: on one line, with symbols behind */
	built_put(b, "linux/" AMDGPU "/amdgpu.mod", AMDGPU "/amdgpu_drv.o\nprintk kfree\n");
	expect(b, AMDGPU "/amdgpu.h\n" AMDGPU "/amdgpu_drv.c\ninclude/linux/hmm.h\n");
}

static void list_that_would_lack_a_file_is_not_kept(void **state)
{
	static const char *const gone[] = { "linux/include/linux/hmm.h",
					    "linux/" AMDGPU "/.amdgpu_hmm.o.cmd" };
	const struct built *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", b->root, gone[i]);

		assert_int_equal(unlink(path), 0);
		expect(b, "");
	}
}

static void artifact_without_a_list_has_none(void **state)
{
	const struct built *b = *state;
	_cleanup_strv_ struct strv files = { 0 };
	struct err err = { 0 };

	assert_int_equal(depends_load(b->root, "of-old", &files, &err), 0);
	assert_int_equal(files.n, 0);
}

static void paths_are_brought_into_one_form(void **state)
{
	static const struct {
		const char *path, *normal;
	} table[] = {
		{ "a/../b/./c", "b/c" },
		{ "./a//b/", "a/b" },
		{ "/a/b/../../c", "/c" },
		{ "../a", "a" },
		{ "/a/../../b", "/b" },
		{ "a/..", "" },
		{ "drivers/x..y/z", "drivers/x..y/z" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		_cleanup_free_ char *is = depends_normal(table[i].path);

		assert_string_equal(is, table[i].normal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unit_is_made_of_what_its_compiler_read, setup,
						built_destroy),
		cmocka_unit_test_setup_teardown(module_is_made_of_all_its_objects, setup,
						built_destroy),
		cmocka_unit_test_setup_teardown(list_that_would_lack_a_file_is_not_kept, setup,
						built_destroy),
		cmocka_unit_test_setup_teardown(artifact_without_a_list_has_none, setup,
						built_destroy),
		cmocka_unit_test(paths_are_brought_into_one_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
