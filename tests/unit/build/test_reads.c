// SPDX-License-Identifier: GPL-2.0-or-later
/* What make would not find out: files that hide others, and what no compiler notes down. */
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
#include "build/reads/hidden.h"
#include "build/reads/inventory.h"

static const char *const paths[] = { AMD, "include/linux/hmm.h" };

static bool there(const struct built *b, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", b->root, name);

	return fs_exists(path);
}

static int setup(void **state)
{
	struct built *b = built_create(BUILD_SCOPE_MODULE);

	b->spec.paths = paths;
	b->spec.n_paths = 2;
	built_put(b, "linux/" AMDGPU "/a.c", "");
	built_put(b, "linux/" AMDGPU "/a.o", "");
	built_put(b, "linux/" AMDGPU "/.a.o.cmd",
		  "cmd_a := gcc\n\nsource_a := " AMDGPU "/a.c\n\ndeps_a := \\\n"
		  "  " AMD "/include/ids.h \\\n  include/linux/hmm.h \\\n\na: $(deps_a)\n");
	built_put(b, "linux/" AMDGPU "/b.o", "");
	built_put(b, "linux/" AMDGPU "/.b.o.cmd",
		  "cmd_b := gcc\n\nsource_b := " AMDGPU "/b.c\n\ndeps_b := \\\n"
		  "  " AMD "/include/myids.h \\\n\nb: $(deps_b)\n");
	built_put(b, "linux/" AMDGPU "/Makefile", "obj-m := a.o b.o\n");
	built_put(b, "linux/" AMD "/include/ids.h", "");
	built_put(b, "linux/" AMD "/notes.rst", "");
	built_put(b, "linux/include/linux/hmm.h", "");
	built_put(b, "linux/include/linux/mm.h", "");
	built_put(b, "linux/kernel/fork.o", "");
	built_put(b, "linux/kernel/.fork.o.cmd",
		  "source_f := kernel/fork.c\n\ndeps_f := \\\n  include/linux/hmm.h \\\n\n");
	built_put(b, "mirror-module-01234567/main.o", "");
	built_put(b, "mirror-module-01234567/.main.o.cmd",
		  "source_m := main.c\n\ndeps_m := \\\n  /x/" AMD "/include/ids.h \\\n\n");
	*state = b;
	return 0;
}

/* Looks at the tree as before a build; the number of objects that must be compiled again. */
static unsigned int mend(const struct built *b)
{
	_cleanup_(inventory_deinit) struct inventory now = { 0 };
	unsigned int removed = 0;
	struct err err = { 0 };

	if (inventory_take(&b->steps, &now, &err) < 0 ||
	    hidden_mend(&b->steps, &now, &removed, &err) < 0)
		fail_msg("%s", err.msg);
	return removed;
}

static void inventory_is_of_the_paths_and_no_outputs(void **state)
{
	_cleanup_(inventory_deinit) struct inventory i = { 0 };
	const struct built *b = *state;
	struct err err = { 0 };

	assert_int_equal(inventory_take(&b->steps, &i, &err), 0);
	assert_int_equal(i.sources.n, 3);
	assert_string_equal(i.sources.items[0], AMDGPU "/a.c");
	assert_string_equal(i.sources.items[1], AMD "/include/ids.h");
	assert_string_equal(i.sources.items[2], "include/linux/hmm.h");
	assert_int_equal(i.others.n, 1);
	assert_true(str_starts(i.others.items[0], AMDGPU "/Makefile 17 "));
}

static void whole_tree_is_looked_at_whole(void **state)
{
	_cleanup_(inventory_deinit) struct inventory i = { 0 };
	struct built *b = *state;
	struct err err = { 0 };

	b->spec.whole = true;
	assert_int_equal(inventory_take(&b->steps, &i, &err), 0);
	assert_int_equal(i.sources.n, 4);
	assert_string_equal(i.sources.items[3], "include/linux/mm.h");
}

static void header_that_appears_is_for_those_who_read_its_name(void **state)
{
	const struct built *b = *state;

	assert_int_equal(mend(b), 0);
	built_put(b, "linux/" AMDGPU "/ids.h", "");
	assert_int_equal(mend(b), 2);
	assert_false(there(b, "linux/" AMDGPU "/a.o"));
	assert_false(there(b, "mirror-module-01234567/main.o"));
	assert_true(there(b, "linux/" AMDGPU "/b.o"));
	/* what was compiled since then has seen it */
	built_put(b, "linux/" AMDGPU "/a.o", "");
	assert_int_equal(mend(b), 0);
	assert_true(there(b, "linux/" AMDGPU "/a.o"));
}

static void header_that_vanishes_is_for_those_who_read_its_name(void **state)
{
	const struct built *b = *state;
	_cleanup_free_ char *path = str_printf("%s/linux/" AMDGPU "/ids.h", b->root);

	built_put(b, "linux/" AMDGPU "/ids.h", "");
	assert_int_equal(mend(b), 0); /* of before the first build */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mend(b), 2); /* the other one is found from now on */
	assert_false(there(b, "linux/" AMDGPU "/a.o"));
	assert_true(there(b, "linux/" AMDGPU "/b.o"));
	built_put(b, "linux/" AMDGPU "/a.o", "");
	assert_int_equal(mend(b), 0);
	built_put(b, "linux/" AMDGPU "/ids.h", "");
	assert_int_equal(mend(b), 2);
}

static void objects_of_the_kernel_are_looked_at_where_they_see_it(void **state)
{
	struct built *b = *state;

	assert_int_equal(mend(b), 0);
	built_put(b, "linux/" AMDGPU "/hmm.h", "");
	assert_int_equal(mend(b), 1); /* a.o: the kernel itself is not built */
	assert_true(there(b, "linux/kernel/fork.o"));
	b->spec.scope = BUILD_SCOPE_KERNEL;
	built_put(b, "linux/" AMD "/hmm.h", "");
	assert_int_equal(mend(b), 2);
	assert_false(there(b, "linux/kernel/fork.o"));
}

static void other_files_that_appear_hide_nothing(void **state)
{
	const struct built *b = *state;

	assert_int_equal(mend(b), 0);
	built_put(b, "linux/" AMDGPU "/new.c", "");
	built_put(b, "linux/" AMDGPU "/new.h", "");
	built_put(b, "linux/" AMDGPU "/s.h", ""); /* the end of a name is not the name */
	built_put(b, "linux/" AMDGPU "/ids.h.rst", "");
	assert_int_equal(mend(b), 0);
}

static void digest_of_what_no_compiler_reads_follows_makefiles(void **state)
{
	const struct built *b = *state;
	char digest[3][65];

	for (size_t i = 0; i < 3; i++) {
		_cleanup_(inventory_deinit) struct inventory now = { 0 };
		struct err err = { 0 };

		assert_int_equal(inventory_take(&b->steps, &now, &err), 0);
		inventory_digest(&now, digest[i]);
		if (i == 0)
			built_put(b, "linux/" AMDGPU "/a.c", "int other;\n");
		else
			built_put(b, "linux/" AMDGPU "/Makefile", "obj-m := a.o\n");
	}
	assert_string_equal(digest[0], digest[1]);
	assert_string_not_equal(digest[1], digest[2]);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, setup, built_destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(inventory_is_of_the_paths_and_no_outputs),
		IN_TREE(whole_tree_is_looked_at_whole),
		IN_TREE(header_that_appears_is_for_those_who_read_its_name),
		IN_TREE(header_that_vanishes_is_for_those_who_read_its_name),
		IN_TREE(objects_of_the_kernel_are_looked_at_where_they_see_it),
		IN_TREE(other_files_that_appear_hide_nothing),
		IN_TREE(digest_of_what_no_compiler_reads_follows_makefiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
