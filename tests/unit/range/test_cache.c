// SPDX-License-Identifier: GPL-2.0-or-later
/* What is kept is what a walk would give, whatever happened to the repository or the files since. */
#include "unit/range/kit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "range/cache/image.h"
#include "range/range.h"

/* One question, asked in several ways. */
struct question {
	const char *repo;
	const char *good[2];
	const char *bad;
	const char *path;
	bool first_parent;
	bool may_be_empty;
};

static int open_range(const struct question *q, const char *cache, struct range **ret,
		      struct err *err)
{
	struct range_spec spec = { .repo = q->repo,
				   .good = q->good,
				   .n_good = q->good[1] ? 2 : 1,
				   .bad = q->bad,
				   .paths = &q->path,
				   .n_paths = q->path ? 1 : 0,
				   .first_parent = q->first_parent,
				   .may_be_empty = q->may_be_empty,
				   .cache_dir = cache };

	return range_open(&spec, ret, err);
}

static void assert_same(const struct range *a, const struct range *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->n_walked, b->n_walked);
	assert_string_equal(a->bad_id, b->bad_id);
	assert_int_equal(a->bad_node, b->bad_node);
	assert_int_equal(a->n_good, b->n_good);
	for (size_t i = 0; i < a->n_good; i++)
		assert_string_equal(a->good_ids[i], b->good_ids[i]);
	assert_int_equal(a->n_bases, b->n_bases);
	for (size_t i = 0; i < a->n_bases; i++)
		assert_string_equal(a->base_ids[i], b->base_ids[i]);
	for (size_t i = 0; i < a->n; i++) {
		const struct range_commit *x = &a->commits[i], *y = &b->commits[i];

		assert_string_equal(x->id, y->id);
		assert_string_equal(x->subject, y->subject);
		assert_int_equal(x->date_s, y->date_s);
		assert_int_equal(x->merge, y->merge);
		assert_int_equal(x->n_parents, y->n_parents);
		for (uint32_t p = 0; p < x->n_parents; p++)
			assert_int_equal(a->parents[x->parents + p], b->parents[y->parents + p]);
	}
}

/* With the cache as without it, errors and all. Return: 1 if nothing was walked; -1 for an error. */
static int try(const struct question *q, const char *cache)
{
	_cleanup_(range_destroy_p) struct range *kept = NULL, *walked = NULL;
	struct err err = { 0 }, err_walked = { 0 };
	int rc = open_range(q, cache, &kept, &err);

	assert_int_equal(rc, open_range(q, NULL, &walked, &err_walked));
	assert_int_equal(err.kind, err_walked.kind);
	assert_string_equal(err.msg, err_walked.msg);
	if (rc < 0)
		return -1;
	assert_false(walked->cached);
	assert_same(kept, walked);
	return kept->cached;
}

static bool ask(const struct question *q, const char *cache)
{
	return try(q, cache) == 1;
}

/* The only file in the cache. */
static char *kept_file(const char *cache)
{
	_cleanup_free_ char *path = str_printf("%s/history", cache);
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *d;
	char *found = NULL;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		assert_null(found);
		found = str_printf("%s/%s", path, d->d_name);
	}
	return found;
}

static void read_kept(const char *path, char **data, size_t *len)
{
	struct err err = { 0 };

	assert_int_equal(fs_read(path, SIZE_MAX, data, len, &err), 0);
}

static void write_kept(const char *path, const char *data, size_t len)
{
	struct err err = { 0 };

	assert_int_equal(fs_write(path, data, len, &err), 0);
}

static void kept_stamp(const char *path, char ret[STAMP_SIZE])
{
	_cleanup_free_ char *data = NULL;
	struct image_head head;
	size_t len;

	read_kept(path, &data, &len);
	assert_true(len >= sizeof(head));
	memcpy(&head, data, sizeof(head));
	memcpy(ret, head.stamp, STAMP_SIZE - 1);
	ret[STAMP_SIZE - 1] = '\0';
}

/* A history of six commits in x, with a side branch; the question is about all of it. */
static char *small_repo(const char *name)
{
	char *repo = kit_path("%s", name);

	free(kit_sh("git init -q -b main '%s'", repo));
	free(kit_commit(repo, "x", "0", "zero"));
	free(kit_git(repo, "tag old"));
	for (int i = 1; i < 4; i++) {
		_cleanup_free_ char *text = str_printf("%d", i);

		free(kit_commit(repo, "x", text, text));
		free(kit_git(repo, "tag c%d", i));
	}
	free(kit_git(repo, "checkout -q -b side c1"));
	free(kit_commit(repo, "y", "side", "on the side"));
	free(kit_git(repo, "checkout -q main"));
	free(kit_git(repo, "merge -q --no-ff -m together side"));
	free(kit_git(repo, "tag new"));
	return repo;
}

#define SMALL(repo_)                                             \
	(struct question)                                        \
	{                                                        \
		.repo = (repo_), .good = { "old" }, .bad = "new" \
	}

static void the_second_answer_is_kept_and_the_same(void **state)
{
	static const char *const paths[] = { NULL, "a", "a/b/y", "c/z" };
	int kept = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		_cleanup_free_ char *repo = kit_random_repo(seed, 60, DATES_ANY);
		_cleanup_free_ char *cache = kit_path("cache-%lu", (unsigned long)seed);

		/* All first, then all again: no question gets the answer of another one. */
		for (int again = 0; again < 2; again++)
			for (size_t i = 0; i < 2 * ARRAY_SIZE(paths); i++) {
				struct question q = { .repo = repo,
						      .good = { "c3", i % 3 ? "c5" : NULL },
						      .bad = "c59",
						      .path = paths[i / 2],
						      .first_parent = i % 2,
						      .may_be_empty = true };
				int rc = try(&q, cache);

				assert_true(again ? rc != 0 : rc <= 0);
				kept += rc == 1;
			}
	}
	assert_true(kept > 8);
}

static void an_empty_answer_is_one_only_where_it_may_be(void **state)
{
	_cleanup_free_ char *repo = small_repo("empty");
	_cleanup_free_ char *cache = kit_path("cache-empty");
	struct question q = SMALL(repo);

	(void)state;
	q.path = "nothing";
	q.may_be_empty = true;
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	q.may_be_empty = false;
	assert_false(ask(&q, cache)); /* the same error as without */
}

static void repacked_is_looked_through_once(void **state)
{
	_cleanup_free_ char *repo = small_repo("repacked");
	_cleanup_free_ char *cache = kit_path("cache-repacked");
	_cleanup_free_ char *file = NULL;
	char before[STAMP_SIZE], after[STAMP_SIZE], again[STAMP_SIZE];
	struct question q = SMALL(repo);

	(void)state;
	assert_false(ask(&q, cache));
	file = kept_file(cache);
	kept_stamp(file, before);
	free(kit_git(repo, "gc -q --prune=now"));
	assert_true(ask(&q, cache));
	kept_stamp(file, after);
	assert_string_not_equal(before, after);
	assert_true(ask(&q, cache));
	kept_stamp(file, again);
	assert_string_equal(after, again);
	/* Fetched into: something came, nothing went. */
	free(kit_commit(repo, "z", "more", "more"));
	assert_true(ask(&q, cache));
	kept_stamp(file, again);
	assert_string_not_equal(after, again);
}

static void a_lost_candidate_is_missed(void **state)
{
	_cleanup_free_ char *repo = small_repo("lost");
	_cleanup_free_ char *cache = kit_path("cache-lost");
	_cleanup_free_ char *id = kit_git(repo, "rev-parse c2");
	struct question q = SMALL(repo);
	struct range *r;
	struct err err = { 0 };

	(void)state;
	assert_false(ask(&q, cache));
	free(kit_sh("cd '%s/.git/objects/%.2s' && mv %s '%s'", repo, id, id + 2, repo));
	assert_int_equal(open_range(&q, cache, &r, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, id));
	free(kit_sh("mv '%s/%s' '%s/.git/objects/%.2s'", repo, id + 2, repo, id));
	assert_true(ask(&q, cache));
	/* Pruned altogether, ends and all. */
	free(kit_git(repo, "tag -d new"));
	free(kit_git(repo, "reset -q --hard old"));
	free(kit_git(repo, "branch -D side"));
	free(kit_git(repo, "tag -d c1 c2 c3"));
	free(kit_git(repo, "reflog expire --expire=now --all"));
	free(kit_git(repo, "gc -q --prune=now"));
	assert_false(ask(&q, cache));
}

/* Only the pack knows the candidate, and the directories of loose objects stay as they are. */
static void a_lost_pack_is_missed(void **state)
{
	_cleanup_free_ char *repo = small_repo("lost-pack");
	_cleanup_free_ char *cache = kit_path("cache-lost-pack");
	struct question q = SMALL(repo);

	(void)state;
	free(kit_git(repo, "rev-parse c2 | git -C '%s' pack-objects -q .git/objects/pack/pack",
		     repo));
	free(kit_git(repo, "prune-packed -q"));
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	free(kit_sh("cd '%s/.git/objects/pack' && mkdir ../../kept && mv pack-* ../../kept", repo));
	assert_int_equal(try(&q, cache), -1);
	free(kit_sh("cd '%s/.git/objects/pack' && mv ../../kept/* .", repo));
	assert_true(ask(&q, cache));
}

static void lost_alternates_are_missed(void **state)
{
	_cleanup_free_ char *whole = small_repo("whole");
	_cleanup_free_ char *repo = kit_path("borrower");
	_cleanup_free_ char *cache = kit_path("cache-borrower");
	struct question q = SMALL(repo);

	(void)state;
	free(kit_sh("git clone -q --bare --shared '%s' '%s'", whole, repo));
	/* The ends are its own, so that they are found whatever becomes of the rest. */
	free(kit_sh("cd '%s' && a=objects/info/alternates && for r in old new; do git cat-file "
		    "commit $r >c && mv $a . && git hash-object -t commit -w --literally c "
		    ">/dev/null && mv alternates $a; done",
		    repo));
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	free(kit_sh("mv '%s/objects/info/alternates' '%s'", repo, repo));
	assert_false(ask(&q, cache));
	free(kit_sh("mv '%s/alternates' '%s/objects/info'", repo, repo));
	assert_true(ask(&q, cache));
	/* What the alternate loses is lost here. */
	free(kit_sh("mv '%s/.git/objects' '%s/away'", whole, whole));
	assert_false(ask(&q, cache));
}

static void another_repository_in_its_place_is_noticed(void **state)
{
	_cleanup_free_ char *repo = small_repo("place");
	_cleanup_free_ char *cache = kit_path("cache-place");
	struct question q = SMALL(repo);

	(void)state;
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	free(kit_sh("mv '%s' '%s.was'", repo, repo));
	free(kit_sh("git init -q '%s'", repo));
	free(kit_commit(repo, "x", "else", "zero"));
	free(kit_git(repo, "tag old"));
	free(kit_commit(repo, "x", "other", "one"));
	free(kit_git(repo, "tag new"));
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	/* A clone of the first one there: the ids are known, and all is found. */
	free(kit_sh("rm -rf '%s' && git clone -q '%s.was' '%s'", repo, repo, repo));
	assert_true(ask(&q, cache));
}

static void a_moved_branch_is_another_question(void **state)
{
	_cleanup_free_ char *repo = small_repo("moved");
	_cleanup_free_ char *cache = kit_path("cache-moved");
	struct question q = SMALL(repo);

	(void)state;
	q.bad = "main";
	assert_false(ask(&q, cache));
	free(kit_commit(repo, "x", "further", "further"));
	assert_false(ask(&q, cache));
	free(kit_git(repo, "reset -q --hard HEAD^"));
	assert_true(ask(&q, cache));
}

static void what_is_laid_over_the_history_counts(void **state)
{
	_cleanup_free_ char *repo = small_repo("overlaid");
	_cleanup_free_ char *cache = kit_path("cache-overlaid");
	_cleanup_free_ char *ids = kit_git(repo, "rev-parse c3 c1");
	struct question q = SMALL(repo);

	(void)state;
	ids[40] = ' ';
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	kit_write(repo, ".git/info/grafts", ids);
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	free(kit_sh("rm '%s/.git/info/grafts'", repo));
	assert_true(ask(&q, cache));
	free(kit_git(repo, "replace --graft c3 c1"));
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
	free(kit_git(repo, "pack-refs --all"));
	assert_true(ask(&q, cache));
	setenv("GIT_NO_REPLACE_OBJECTS", "1", 1);
	assert_true(ask(&q, cache)); /* the first answer */
	unsetenv("GIT_NO_REPLACE_OBJECTS");
	free(kit_git(repo, "replace -d c3"));
	assert_true(ask(&q, cache));
}

/* A kept file that is not as it was written: walked again, right, and mended. */
static void assert_mended(const struct question *q, const char *cache, const char *file,
			  const char *data, size_t len)
{
	_cleanup_(range_destroy_p) struct range *r = NULL, *again = NULL;
	struct err err = { 0 };

	write_kept(file, data, len);
	assert_int_equal(open_range(q, cache, &r, &err), 0);
	assert_false(r->cached);
	assert_int_equal(open_range(q, cache, &again, &err), 0);
	assert_true(again->cached);
	assert_same(r, again);
}

static void spoiled_files_cost_the_walk_only(void **state)
{
	_cleanup_free_ char *repo = small_repo("spoiled");
	_cleanup_free_ char *cache = kit_path("cache-spoiled");
	_cleanup_free_ char *file = NULL;
	_cleanup_free_ char *data = NULL;
	struct question q = SMALL(repo);
	size_t len;

	(void)state;
	assert_false(ask(&q, cache));
	file = kept_file(cache);
	read_kept(file, &data, &len);
	for (size_t cut = 0; cut < len; cut += 13)
		assert_mended(&q, cache, file, data, cut);
	for (size_t i = 0; i < len; i += i < sizeof(struct image_head) ? 1 : 7) {
		data[i] ^= (char)(1 << i % 8);
		assert_mended(&q, cache, file, data, len);
		data[i] ^= (char)(1 << i % 8);
	}
	/* Well-sealed, but of another version. */
	data[offsetof(struct image_head, version)]++;
	image_seal(data, len);
	assert_mended(&q, cache, file, data, len);
	/* No file at all. */
	free(kit_sh("rm '%s' && mkdir '%s'", file, file));
	assert_false(ask(&q, cache));
}

static void the_answer_to_another_question_is_none(void **state)
{
	_cleanup_free_ char *repo = small_repo("owner");
	_cleanup_free_ char *cache = kit_path("cache-owner");
	_cleanup_free_ char *other = kit_path("cache-other");
	_cleanup_free_ char *file = NULL, *other_file = NULL;
	_cleanup_free_ char *data = NULL;
	struct question q = SMALL(repo);
	size_t len;

	(void)state;
	assert_false(ask(&q, cache));
	file = kept_file(cache);
	q.path = "x";
	assert_false(ask(&q, other));
	other_file = kept_file(other);
	read_kept(other_file, &data, &len);
	q.path = NULL;
	assert_mended(&q, cache, file, data, len);
}

static void weights_are_kept_beside_the_range(void **state)
{
	_cleanup_free_ char *repo = small_repo("weights");
	_cleanup_free_ char *cache = kit_path("cache-weights");
	struct range_spec nowhere = { .cache_dir = NULL }, somewhere = { .cache_dir = cache };
	_cleanup_(range_destroy_p) struct range *r = NULL, *again = NULL, *packed = NULL;
	_cleanup_(range_destroy_p) struct range *uncached = NULL;
	uint32_t weights[16];
	struct question q = SMALL(repo);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(open_range(&q, cache, &r, &err), 0);
	assert_null(r->weights);
	for (uint32_t i = 0; i < r->n; i++)
		weights[i] = i / 2 + 1;
	range_keep_weights(&nowhere, r, weights);
	assert_int_equal(open_range(&q, NULL, &uncached, &err), 0);
	range_keep_weights(&somewhere, uncached, weights); /* nowhere to keep them */
	range_keep_weights(&somewhere, r, weights);
	assert_int_equal(open_range(&q, cache, &again, &err), 0);
	assert_non_null(again->weights);
	assert_memory_equal(again->weights, weights, r->n * sizeof(*weights));
	free(kit_git(repo, "gc -q"));
	assert_int_equal(open_range(&q, cache, &packed, &err), 0);
	assert_true(packed->cached);
	assert_memory_equal(packed->weights, weights, r->n * sizeof(*weights));
	assert_true(ask(&q, cache));
}

static void a_dir_that_cannot_be_written_costs_the_speed_only(void **state)
{
	_cleanup_free_ char *repo = small_repo("unwritable");
	_cleanup_free_ char *file = kit_path("a-file");
	_cleanup_free_ char *cache = str_printf("%s/below", file);
	struct question q = SMALL(repo);

	(void)state;
	free(kit_sh("touch '%s'", file));
	assert_false(ask(&q, cache));
	assert_false(ask(&q, cache));
}

static void a_full_disk_costs_the_speed_only(void **state)
{
	_cleanup_free_ char *repo = small_repo("full");
	_cleanup_free_ char *cache = kit_path("cache-full");
	_cleanup_free_ char *file = NULL;
	struct rlimit was, none = { 0 };
	struct question q = SMALL(repo);

	(void)state;
	/* The program ignores SIGXFSZ no more than SIGPIPE; a full disk sends neither. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = (struct rlimit){ .rlim_cur = 100, .rlim_max = was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_false(ask(&q, cache));
	assert_false(ask(&q, cache));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	file = kept_file(cache); /* not even a beginning of one is left */
	assert_null(file);
	assert_false(ask(&q, cache));
	assert_true(ask(&q, cache));
}

static void what_was_not_used_for_longest_makes_room(void **state)
{
	_cleanup_free_ char *repo = small_repo("cap");
	_cleanup_free_ char *cache = kit_path("cache-cap");
	_cleanup_free_ char *big = str_printf("%s/history/big.range", cache);
	_cleanup_free_ char *file = NULL;
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct question q = SMALL(repo);
	struct stat st;
	int fd;

	(void)state;
	assert_false(ask(&q, cache));
	file = kept_file(cache);
	assert_int_equal(utimensat(AT_FDCWD, file, old, 0), 0);
	assert_true(ask(&q, cache)); /* used: no longer the oldest */
	assert_int_equal(stat(file, &st), 0);
	assert_true(st.st_mtime > clock_date_s() - 3600);
	fd = open(big, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	if (posix_fallocate(fd, 0, 257 << 20) != 0) {
		close(fd);
		unlink(big);
		skip();
	}
	close(fd);
	assert_int_equal(utimensat(AT_FDCWD, big, old, 0), 0);
	q.path = "x";
	assert_false(ask(&q, cache));
	assert_false(fs_exists(big));
	assert_true(fs_exists(file));
	assert_true(ask(&q, cache));
}

static int one_of_many(const struct question *q, const char *cache, const struct range *want)
{
	for (int i = 0; i < 30; i++) {
		struct range_spec spec = { .cache_dir = cache };
		_cleanup_(range_destroy_p) struct range *r = NULL;
		_cleanup_free_ uint32_t *weights = xcalloc(want->n, sizeof(*weights));
		struct err err = { 0 };

		if (open_range(q, cache, &r, &err) < 0 || r->n != want->n)
			return 1;
		for (uint32_t k = 0; k < r->n; k++)
			weights[k] = k + 1;
		for (size_t k = 0; k < r->n; k++)
			if (strcmp(r->commits[k].id, want->commits[k].id) != 0 ||
			    (r->weights && r->weights[k] != weights[k]))
				return 1;
		range_keep_weights(&spec, r, weights);
		if (i % 10 == 9) {
			_cleanup_free_ char *all = str_printf("%s/history", cache);

			fs_remove_tree(all, &err);
		}
	}
	return 0;
}

static void many_at_once_get_the_same(void **state)
{
	_cleanup_free_ char *repo = small_repo("many");
	_cleanup_free_ char *cache = kit_path("cache-many");
	_cleanup_(range_destroy_p) struct range *want = NULL;
	struct question q = SMALL(repo);
	struct err err = { 0 };
	pid_t pids[6];

	(void)state;
	assert_int_equal(open_range(&q, NULL, &want, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i])
			_exit(one_of_many(&q, cache, want));
	}
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	ask(&q, cache);
	assert_true(ask(&q, cache));
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
		cmocka_unit_test(the_second_answer_is_kept_and_the_same),
		cmocka_unit_test(an_empty_answer_is_one_only_where_it_may_be),
		cmocka_unit_test(repacked_is_looked_through_once),
		cmocka_unit_test(a_lost_candidate_is_missed),
		cmocka_unit_test(a_lost_pack_is_missed),
		cmocka_unit_test(lost_alternates_are_missed),
		cmocka_unit_test(another_repository_in_its_place_is_noticed),
		cmocka_unit_test(a_moved_branch_is_another_question),
		cmocka_unit_test(what_is_laid_over_the_history_counts),
		cmocka_unit_test(spoiled_files_cost_the_walk_only),
		cmocka_unit_test(the_answer_to_another_question_is_none),
		cmocka_unit_test(weights_are_kept_beside_the_range),
		cmocka_unit_test(a_dir_that_cannot_be_written_costs_the_speed_only),
		cmocka_unit_test(a_full_disk_costs_the_speed_only),
		cmocka_unit_test(what_was_not_used_for_longest_makes_room),
		cmocka_unit_test(many_at_once_get_the_same),
	};

	return cmocka_run_group_tests(tests, start, end);
}
