// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole demos out of a toy source, looked at with the git program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/str.h"
#include "demo/demo.h"

#include "unit/demo/toy.h"

#define UNIT TOY_DRIVER "/amdgpu/amdgpu_hmm.c"

static char top[] = "/tmp/test-demo-XXXXXX";
static struct err err;

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	for (int i = 0; i < 3; i++) {
		static const char *const forms[] = { TOY_LABEL, TOY_PARTS, TOY_DROPPED };
		_cleanup_free_ char *dir = str_printf("%s/source-%d", top, i);

		toy_source(dir, "amdgpu/amdgpu_hmm.c", forms[i]);
	}
	free(toy_run("tar -C %s --exclude=*.o --exclude=*.cmd -czf %s/source-0.tar.gz source-0",
		     top, top));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return fs_remove_tree(top, &err);
}

static void make(const char *source, const char *dir, unsigned int commits, uint64_t seed,
		 struct demo *ret)
{
	_cleanup_free_ char *from = str_printf("%s/%s", top, source);
	_cleanup_free_ char *to = str_printf("%s/%s", top, dir);
	_cleanup_free_ char *cache = str_printf("%s/cache", top);
	struct demo_spec spec = {
		.source = from,
		.dir = to,
		.driver = TOY_DRIVER,
		.commits = commits,
		.seed = seed,
		.cache_dir = cache,
	};

	if (demo_make(&spec, ret, &err))
		fail_msg("%s", err.msg);
}

/* A commit of the history, as git tells it, and what its parents hand down to it. */
struct node {
	char id[COMMIT_ID_SIZE];
	char tree[COMMIT_ID_SIZE];
	char parents[2][COMMIT_ID_SIZE];
	int n_parents;
	bool bad;
	bool had[DEMO_FAULTS];
	bool mended[DEMO_FAULTS];
};

static size_t walk(const struct demo *d, struct node *nodes, size_t max)
{
	_cleanup_free_ char *out =
		toy_run("git -C %s log --topo-order --reverse --format='%%H %%T %%P'", d->repo);
	char *rest = out;
	size_t n = 0;

	for (char *line; (line = strsep(&rest, "\n")) && *line; n++) {
		struct node *at = &nodes[n];

		assert_true(n < max);
		*at = (struct node){ 0 };
		at->n_parents = sscanf(line, "%40s %40s %40s %40s", at->id, at->tree,
				       at->parents[0], at->parents[1]) -
				2;
	}
	return n;
}

static void hand_down(const struct demo *d, struct node *nodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			bool parent = !strcmp(nodes[k].id, nodes[i].parents[0]) ||
				      !strcmp(nodes[k].id, nodes[i].parents[1]);

			/* Each commit changes something, a merge against both its parents. */
			assert_true(!parent || strcmp(nodes[i].tree, nodes[k].tree));
			nodes[i].bad |= parent && nodes[k].bad;
			for (int f = 0; f < DEMO_FAULTS; f++) {
				nodes[i].had[f] |= parent && nodes[k].had[f];
				nodes[i].mended[f] |= parent && nodes[k].mended[f];
			}
		}
		nodes[i].bad |= !strcmp(nodes[i].id, d->culprit_id);
		for (int f = 0; f < DEMO_FAULTS; f++) {
			nodes[i].had[f] |= !strcmp(nodes[i].id, d->planted[f].id);
			nodes[i].mended[f] |= !strcmp(nodes[i].id, d->planted[f].mended_id);
		}
	}
}

static void check_code(const struct demo *d, const struct node *at, bool first, bool looped)
{
	static const char *const marks[] = {
		[DEMO_FAULT_BUILD] = "notifier_stamp",
		[DEMO_FAULT_OOPS] = "*last = 0",
		[DEMO_FAULT_HANG] = "for (;;)",
		[DEMO_FAULT_SLOW] = "msleep(330)",
	};
	_cleanup_free_ char *text = toy_run("git -C %s cat-file blob %s:" UNIT, d->repo, at->id);
	const char *label = strstr(text, "\nretry:");
	const char *read = strstr(text, "notifier_seq = ");

	assert_non_null(read);
	assert_int_equal(label != NULL, !first || looped);
	if (label)
		assert_int_equal(read < label, at->bad);
	for (int f = 0; f < DEMO_FAULTS; f++)
		assert_int_equal(strstr(text, marks[f]) != NULL, at->had[f] && !at->mended[f]);
}

/* Names that the edits of a commit's files have defined, one a line. */
static char *names(const struct demo *d, const char *id)
{
	return toy_run("git -C %s grep -hoE '(amdgpu|dc)_[a-z]+_(limit|depth|weight|quota|stride|"
		       "burst|slack|grain)_[0-9]+' %s -- '*.c' | sort -u",
		       d->repo, id);
}

static void check_merge(const struct demo *d, const struct node *at)
{
	_cleanup_free_ char *merged = names(d, at->id);

	for (int i = 0; i < 2; i++) {
		_cleanup_free_ char *side = names(d, at->parents[i]);
		char *rest = side;

		for (char *name; (name = strsep(&rest, "\n"));)
			assert_non_null(strstr(merged, name));
	}
}

static void check_graph(const struct demo *d, bool looped)
{
	struct node nodes[DEMO_COMMITS_DEFAULT + 1];
	size_t n = walk(d, nodes, ARRAY_SIZE(nodes));
	unsigned int merges = 0;

	assert_int_equal(n, d->commits + 1);
	assert_string_equal(nodes[0].id, d->good_id);
	assert_string_equal(nodes[n - 1].id, d->bad_id);
	hand_down(d, nodes, n);
	for (size_t i = 0; i < n; i++) {
		check_code(d, &nodes[i], i == 0, looped);
		if (nodes[i].n_parents == 2)
			check_merge(d, &nodes[i]);
		merges += nodes[i].n_parents == 2;
	}
	assert_true(nodes[n - 1].bad && merges >= 3);
}

static void each_commit_holds_what_its_ancestors_did(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		_cleanup_free_ char *source = str_printf("source-%d", i);
		_cleanup_free_ char *dir = str_printf("graph-%d", i);
		struct demo d;

		make(source, dir, i ? DEMO_COMMITS_MIN : DEMO_COMMITS_DEFAULT, 5 + (uint64_t)i, &d);
		check_graph(&d, i < 2);
		demo_deinit(&d);
	}
}

static void git_finds_nothing_to_complain_about(void **state)
{
	struct demo d;

	(void)state;
	make("source-0", "fsck", DEMO_COMMITS_DEFAULT, 1, &d);
	assert_int_equal(toy_number("git -C %s fsck --strict --full 2>&1 | wc -l", d.repo), 0);
	assert_int_equal(toy_number("git -C %s status --porcelain | wc -l", d.repo), 0);
	assert_int_equal(toy_number("cd %s && git bisect start %s %s >&2 && git bisect run sh -c "
				    "'f=%s; r=$(grep -n \"seq = \" $f | cut -d: -f1); "
				    "l=$(grep -n ^retry: $f | cut -d: -f1); [ $r -gt $l ]' >&2 && "
				    "test $(git rev-parse refs/bisect/bad) = %s && echo 7",
				    d.repo, d.bad_id, d.good_id, UNIT, d.culprit_id),
			 7);
	demo_deinit(&d);
}

static void the_first_commit_is_the_untouched_driver_alone(void **state)
{
	struct demo d;

	(void)state;
	make("source-0", "first", DEMO_COMMITS_MIN, 2, &d);
	free(toy_run("mkdir %s/plain && git -C %s archive %s | tar -C %s/plain -x", top, d.repo,
		     d.good_id, top));
	assert_int_equal(toy_number("diff -r --no-dereference --exclude=kernel --exclude=*.o "
				    "--exclude=*.cmd %s/plain %s/source-0 | wc -l",
				    top, top),
			 0);
	assert_int_equal(toy_number("find %s/plain -name '*.o' -o -name '*.cmd' -o -name kernel | "
				    "wc -l",
				    top),
			 0);
	assert_int_equal(toy_number("find %s/plain -name amdgpu_b.c -perm -100 | wc -l", top), 1);
	demo_deinit(&d);
}

static void only_compiled_files_are_edited(void **state)
{
	_cleanup_free_ char *changed = NULL;
	struct demo d;

	(void)state;
	make("source-0", "files", DEMO_COMMITS_DEFAULT, 4, &d);
	changed = toy_run("git -C %s diff --name-only %s %s", d.repo, d.good_id, d.bad_id);
	assert_non_null(strstr(changed, "amdgpu_hmm.c"));
	assert_non_null(strstr(changed, "amdgpu_a.c"));
	assert_non_null(strstr(changed, "dc_a.c"));
	assert_null(strstr(changed, "unlisted.c"));
	assert_null(strstr(changed, "none.c"));
	assert_null(strstr(changed, "Makefile"));
	/* What makes amdgpu_b.c a program stays. */
	assert_int_equal(toy_number("git -C %s ls-tree HEAD " TOY_DRIVER "/amdgpu/amdgpu_b.c | "
				    "grep -c ^100755",
				    d.repo),
			 1);
	demo_deinit(&d);
}

static void source_seed_and_number_decide_every_id(void **state)
{
	struct demo a, b, c, e;

	(void)state;
	make("source-0", "same-a", DEMO_COMMITS_MIN, 3, &a);
	make("source-0.tar.gz", "same-b", DEMO_COMMITS_MIN, 3, &b);
	make("source-0", "same-c", DEMO_COMMITS_MIN, 30, &c);
	make("source-0", "same-d", DEMO_COMMITS_MIN + 1, 3, &e);
	assert_string_equal(a.good_id, b.good_id);
	assert_string_equal(a.bad_id, b.bad_id);
	assert_string_equal(a.culprit_id, b.culprit_id);
	assert_string_equal(a.good_id, c.good_id);
	assert_string_not_equal(a.bad_id, c.bad_id);
	assert_string_not_equal(a.bad_id, e.bad_id);
	demo_deinit(&a);
	demo_deinit(&b);
	demo_deinit(&c);
	demo_deinit(&e);
}

static void no_subject_tells_what_a_commit_is_for(void **state)
{
	_cleanup_free_ char *subjects = NULL;
	struct demo d;

	(void)state;
	make("source-2", "subjects", DEMO_COMMITS_DEFAULT, 6, &d);
	subjects = toy_run("git -C %s log --no-merges --format=%%s %s..%s | grep -vE "
			   "'^drm/(amdgpu|amd/display): [a-z ]+ in [a-z_]+$' || true",
			   d.repo, d.good_id, d.bad_id);
	assert_string_equal(subjects, "");
	demo_deinit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_commit_holds_what_its_ancestors_did),
		cmocka_unit_test(git_finds_nothing_to_complain_about),
		cmocka_unit_test(the_first_commit_is_the_untouched_driver_alone),
		cmocka_unit_test(only_compiled_files_are_edited),
		cmocka_unit_test(source_seed_and_number_decide_every_id),
		cmocka_unit_test(no_subject_tells_what_a_commit_is_for),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
