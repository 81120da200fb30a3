// SPDX-License-Identifier: GPL-2.0-or-later
/* Repositories that were damaged, or made to do harm: one line that names what is wrong, and at once. */
#include "unit/range/kit.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/range.h"

#define FANS	1032 /* bytes of an index before its ids */
#define HANGS_S 280  /* what goes on for ever ends the test, just before ctest would */

/* Three commits that change "drv/a.c", all objects loose; the cache is beside it. */
struct history {
	char *repo;
	char *cache;
	char *c[3];
};

static struct history make_history(const char *name)
{
	struct history h = { .repo = kit_path("%s", name), .cache = kit_path("%s.cache", name) };
	static const char *const texts[] = { "0\n", "1\n", "2\n" };

	free(kit_sh("git init -q -b main '%s'", h.repo));
	for (size_t i = 0; i < ARRAY_SIZE(h.c); i++)
		h.c[i] = kit_commit(h.repo, "drv/a.c", texts[i], "step");
	return h;
}

static void history_deinit(struct history *h)
{
	for (size_t i = 0; i < ARRAY_SIZE(h->c); i++)
		free(h->c[i]);
	free(h->repo);
	free(h->cache);
}

#define _cleanup_history_ __attribute__((cleanup(history_deinit)))

static int try(const struct history *h, const char *good, const char *bad, const char *path,
	       size_t *n, struct err *err)
{
	struct range_spec spec = { .repo = h->repo,
				   .good = &good,
				   .n_good = 1,
				   .bad = bad,
				   .paths = &path,
				   .n_paths = 1,
				   .cache_dir = h->cache };
	_cleanup_(range_destroy_p) struct range *r = NULL;

	*err = (struct err){ 0 };
	if (range_open(&spec, &r, err) < 0)
		return -1;
	*n = r->n;
	return 0;
}

/* Whole, with as many candidates. */
static void expect(const struct history *h, const char *good, const char *bad, size_t want)
{
	struct err err;
	size_t n;

	if (try(h, good, bad, "drv", &n, &err) < 0)
		fail_msg("%s..%s: %s", good, bad, err.msg);
	assert_int_equal(n, want);
}

static void expect_line(const struct history *h, const char *good, const char *bad,
			enum err_kind kind, const char *words)
{
	struct err err;
	size_t n;

	if (try(h, good, bad, "drv", &n, &err) == 0)
		fail_msg("%s..%s was read, want '%s'", good, bad, words);
	if (err.kind != kind || !strstr(err.msg, words))
		fail_msg("%s: '%s', want '%s'", err_kind_name(err.kind), err.msg, words);
}

static void put(const char *path, const void *data, size_t len)
{
	struct err err;

	free(kit_sh("rm -rf '%s'", path));
	assert_int_equal(fs_write(path, data, len, &err), 0);
}

static char *loose_path(const char *repo, const char *id)
{
	return str_printf("%s/.git/objects/%.2s/%s", repo, id, id + 2);
}

/* An object file with this head and body. */
static void put_loose(const char *path, const char *head, const void *body, size_t len)
{
	struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(1);
	_cleanup_buf_ struct buf b = { 0 };
	_cleanup_free_ char *deflated = NULL;
	size_t room;

	buf_add(&b, head, strlen(head) + 1);
	buf_add(&b, body, len);
	room = libdeflate_zlib_compress_bound(deflater, b.len);
	deflated = xmalloc(room);
	put(path, deflated, libdeflate_zlib_compress(deflater, b.data, b.len, deflated, room));
	libdeflate_free_compressor(deflater);
}

/* Of a commit that is an end, one on the way, and a tree: each is read on another way. */
static void damaged_loose_objects_are_named(void **state)
{
	static const char *const heads[] = {
		"commit 0",    "commit 3",   "tree 0",	      "commit 1000000000000",
		"commit -1",   "commit",     "nothing 10",    "commit 99999999999999999999999",
		"commit 0010", "commit 1 0", "commit 150000", "",
	};
	_cleanup_history_ struct history h = make_history("loose");
	_cleanup_free_ char *tree = kit_git(h.repo, "rev-parse main~1^{tree}");
	const char *const ids[] = { h.c[2], h.c[1], tree };

	(void)state;
	alarm(HANGS_S);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		_cleanup_free_ char *path = loose_path(h.repo, ids[i]);
		_cleanup_free_ char *whole = NULL;
		struct err err;
		size_t len;

		assert_int_equal(fs_read(path, 1 << 20, &whole, &len, &err), 0);
		for (size_t cut = 0; cut < len; cut += 1 + len / 16) {
			put(path, whole, cut);
			expect_line(&h, h.c[0], h.c[2], ERR_HOST, ids[i]);
		}
		for (size_t k = 0; k < ARRAY_SIZE(heads); k++) {
			put_loose(path, heads[k], whole, len);
			expect_line(&h, h.c[0], h.c[2], ERR_HOST, ids[i]);
		}
		free(kit_sh("rm '%s'; mkfifo '%s'", path, path));
		expect_line(&h, h.c[0], h.c[2], ERR_HOST, ids[i]);
		put(path, whole, len);
	}
	expect(&h, h.c[0], h.c[2], 2);
	alarm(0);
}

/* What is damaged in a pack, where libgit2 would read it as well, and whole in a file of its own. */
static void a_whole_copy_is_found_beside_a_damaged_one(void **state)
{
	_cleanup_history_ struct history h = make_history("copy");
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ char *idx = NULL;
	_cleanup_free_ char *grown = NULL;
	struct err err;
	size_t len;

	(void)state;
	free(kit_sh("cd '%s' && mkdir keep && cp -r .git/objects/?? keep && git repack -q -ad && "
		    "git prune-packed -q && chmod u+w .git/objects/pack/*",
		    h.repo));
	path = kit_sh("echo '%s'/.git/objects/pack/*.idx", h.repo);
	assert_int_equal(fs_read(path, 1 << 20, &idx, &len, &err), 0);
	/* The offsets, before two hashes: each leads a quarter of a gigabyte behind the pack. */
	for (size_t i = 0; i < 12; i++)
		idx[len - 40 - 48 + 4 * i] = 0x10;
	put(path, idx, len);
	expect_line(&h, h.c[0], h.c[2], ERR_HOST, h.c[2]);
	expect_line(&h, "main~2", "main", ERR_HOST, "outside its pack");
	/* Longer than its count says, by what libgit2 lets pass: all that follows is read askew. */
	grown = xmalloc(len + 8);
	memcpy(grown, idx, FANS);
	memset(grown + FANS, 0, 2);
	memcpy(grown + FANS + 2, idx + FANS, len - FANS);
	put(path, grown, len + 2);
	expect_line(&h, "main~2", "main", ERR_HOST, h.c[2]);
	free(kit_sh("cd '%s' && cp -r keep/* .git/objects", h.repo));
	expect(&h, h.c[0], h.c[2], 2);
	expect(&h, "main~2", "main", 2);
}

static void alternates_are_read_as_git_reads_them(void **state)
{
	/* Each stands for a line; %s is the other's object directory, whose last letter may be quoted. */
	static const char *const lines[] = {
		"%ss\n",
		"\"%ss\"\n",
		"\"%s\\163\"\n",
		"# none\n.\n../objects\n\"\n\"\\9\"\n\n%ss",
	};
	_cleanup_history_ struct history h = make_history("lender");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_free_ char *repo = kit_path("borrower-%zu", i);
		_cleanup_free_ char *most = str_printf("%s/.git/object", h.repo);
		const char *hole = strstr(lines[i], "%s");
		_cleanup_free_ char *text =
			str_printf("%.*s%s%s", (int)(hole - lines[i]), lines[i], most, hole + 2);
		struct history borrower = { .repo = repo, .cache = h.cache };

		free(kit_sh("git clone -q --shared '%s' '%s'", h.repo, repo));
		kit_write(repo, ".git/objects/info/alternates", text);
		free(kit_git(repo, "cat-file -e HEAD~1"));
		expect(&borrower, "HEAD~2", "HEAD", 2);
		expect(&borrower, h.c[0], h.c[2], 2);
	}
}

/* A hundred lines that lead to each other, in twenty places: each is looked at once. */
static void alternates_in_circles_end(void **state)
{
	_cleanup_history_ struct history h = make_history("circles");
	_cleanup_buf_ struct buf lines = { 0 };

	(void)state;
	alarm(HANGS_S);
	for (unsigned int i = 0; i < 20; i++)
		buf_printf(&lines, "%s/place-%u\n.\n../objects\n./../objects\n%s/.git/objects\n",
			   h.repo, i, h.repo);
	for (unsigned int i = 0; i < 20; i++) {
		_cleanup_free_ char *name = str_printf("place-%u/info/alternates", i);

		kit_write(h.repo, name, lines.data);
	}
	kit_write(h.repo, ".git/objects/info/alternates", lines.data);
	expect(&h, h.c[0], h.c[2], 2);
	expect(&h, h.c[0], h.c[2], 2);
	alarm(0);
}

/* A pipe that nobody writes to, where files belong: it is not waited for. */
static void pipes_are_no_files(void **state)
{
	static const char *const names[] = { "info/grafts", "shallow", "objects/info/alternates",
					     "objects/info/commit-graphs/commit-graph-chain" };
	_cleanup_history_ struct history h = make_history("pipes");

	(void)state;
	alarm(HANGS_S);
	expect(&h, h.c[0], h.c[2], 2);
	free(kit_sh("cd '%s'/history && for f in *; do rm \"$f\"; mkfifo \"$f\"; done", h.cache));
	expect(&h, h.c[0], h.c[2], 2);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		free(kit_sh("cd '%s/.git' && mkdir -p objects/info/commit-graphs && mkfifo '%s'",
			    h.repo, names[i]));
		if (i < 2)
			expect_line(&h, h.c[0], h.c[2], ERR_HOST, "is no file");
		else
			expect(&h, h.c[0], h.c[2], 2);
		free(kit_sh("rm '%s/.git/%s'", h.repo, names[i]));
	}
	alarm(0);
}

static void refs_to_nothing_are_told(void **state)
{
	_cleanup_history_ struct history h = make_history("refs");
	_cleanup_free_ char *path = loose_path(h.repo, h.c[2]);
	_cleanup_free_ char *ref = str_printf("%s/.git/refs/replace/%s", h.repo, h.c[1]);

	(void)state;
	free(kit_git(h.repo, "replace %s %s", h.c[1], h.c[0]));
	expect_line(&h, h.c[0], h.c[2], ERR_USAGE, "share no history"); /* it counts */
	for (size_t i = 0; i < 3; i++) {
		static const char *const texts[] = { "", "nothing\n", "1234567890\n" };

		put(ref, texts[i], strlen(texts[i]));
		expect_line(&h, h.c[0], h.c[2], ERR_HOST, "refs/replace/");
	}
	free(kit_sh("rm '%s' '%s'", ref, path));
	expect_line(&h, h.c[0], "main", ERR_HOST, h.c[2]);
	expect_line(&h, h.c[0], h.c[2], ERR_USAGE, "fetch it first");
}

/* libgit2 takes no such commit for an end; why is for it to say, and not for an older failure. */
static void words_are_of_this_failure(void **state)
{
	_cleanup_history_ struct history h = make_history("words");
	_cleanup_free_ char *odd =
		kit_sh("cd '%s' && git cat-file commit %s | sed '/^committer/d' | "
		       "git hash-object -t commit -w --literally --stdin",
		       h.repo, h.c[2]);
	struct err err;
	size_t n;

	(void)state;
	assert_int_equal(try(&h, h.c[0], odd, "drv", &n, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	if (!strstr(err.msg, "parse"))
		fail_msg("%s", err.msg);
}

static void paths_have_bounds(void **state)
{
	_cleanup_history_ struct history h = make_history("paths");
	_cleanup_buf_ struct buf deep = { 0 };
	_cleanup_strv_ struct strv many = { 0 };
	struct range_spec spec = { .repo = h.repo, .n_good = 1, .bad = h.c[2] };
	const char *good = h.c[0];
	struct range *r = NULL;
	struct err err;
	size_t n;

	(void)state;
	alarm(HANGS_S);
	for (size_t i = 0; i < 100000; i++)
		buf_puts(&deep, "a/");
	assert_int_equal(try(&h, h.c[0], h.c[2], deep.data, &n, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "longer than"));
	for (size_t i = 0; i < 100000; i++)
		strv_addf(&many, "%s-%zu/x", i % 2 ? "drv" : "other", i);
	strv_add(&many, "drv/a.c");
	strv_add(&many, "drv");
	strv_add(&many, "drv-5");
	spec.good = &good;
	spec.paths = (const char *const *)many.items;
	spec.n_paths = many.n;
	assert_int_equal(range_open(&spec, &r, &err), 0);
	assert_int_equal(r->n, 2);
	range_destroy(r);
	alarm(0);
}

static int start(void **state)
{
	(void)state;
	kit_start();
	return 0;
}

static int end(void **state)
{
	(void)state;
	kit_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_loose_objects_are_named),
		cmocka_unit_test(a_whole_copy_is_found_beside_a_damaged_one),
		cmocka_unit_test(alternates_are_read_as_git_reads_them),
		cmocka_unit_test(alternates_in_circles_end),
		cmocka_unit_test(pipes_are_no_files),
		cmocka_unit_test(refs_to_nothing_are_told),
		cmocka_unit_test(words_are_of_this_failure),
		cmocka_unit_test(paths_have_bounds),
	};

	return cmocka_run_group_tests(tests, start, end);
}
