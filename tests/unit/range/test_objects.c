// SPDX-License-Identifier: GPL-2.0-or-later
/* Every commit and tree is what git cat-file says it is, however it is kept; damage is named. */
#include "unit/range/kit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/objects/objects.h"
#include "range/objects/places.h"
#include "range/pack/unpack.h"

#define COMMITS 90

/* What git says an object holds. */
struct truth {
	git_oid id;
	git_object_t type;
	const unsigned char *data;
	size_t len;
};

struct truths {
	char *text; /* of git cat-file --batch; the contents lie in it */
	struct truth *items;
	size_t n;
};

static void truths_deinit(struct truths *t)
{
	free(t->text);
	free(t->items);
}

#define _cleanup_truths_ __attribute__((cleanup(truths_deinit)))

/* Commits and trees, those of alternates too; replacements apply. */
static struct truths ask_git(const char *repo)
{
	_cleanup_free_ char *file = str_printf("%s.truth", repo);
	struct truths t = { 0 };
	size_t len;
	struct err err;

	free(kit_sh("exec 2>/dev/null; cd '%s' && git cat-file --batch-all-objects "
		    "--batch-check='%%(objectname) %%(objecttype)' | grep -E 'commit|tree' | "
		    "cut -c1-40 | git cat-file --batch >'%s'",
		    repo, file));
	assert_int_equal(fs_read(file, 64 << 20, &t.text, &len, &err), 0);
	for (char *p = t.text; p < t.text + len;) {
		struct truth *one;
		char type[8];

		t.items = xrealloc(t.items, t.n + 1, sizeof(*t.items));
		one = &t.items[t.n++];
		assert_int_equal(git_oid_fromstrn(&one->id, p, 40), 0);
		assert_int_equal(sscanf(p + 40, " %7s %zu", type, &one->len), 2);
		one->type = git_object_string2type(type);
		one->data = (unsigned char *)strchr(p, '\n') + 1;
		p = (char *)one->data + one->len + 1;
	}
	assert_true(t.n > COMMITS);
	return t;
}

/* An open repository and one reader. */
struct opened {
	git_repository *repo;
	struct objects *objects;
	struct reader *reader;
};

static struct opened open_all(const char *path)
{
	struct opened o = { 0 };
	struct err err = { 0 };

	if (gitlib_open(path, &o.repo, &err) < 0 || objects_open(o.repo, &o.objects, &err) < 0 ||
	    reader_create(o.objects, &o.reader, &err) < 0)
		fail_msg("%s", err.msg);
	return o;
}

static void opened_deinit(struct opened *o)
{
	reader_destroy(o->reader);
	objects_destroy(o->objects);
	git_repository_free(o->repo);
}

#define _cleanup_opened_ __attribute__((cleanup(opened_deinit)))

static bool is_true(struct reader *r, const struct truth *t, struct err *err)
{
	const unsigned char *data;
	size_t len;

	if (reader_object(r, &t->id, t->type, &data, &len, err) < 0)
		return false;
	if (len != t->len || memcmp(data, t->data, len) != 0)
		fail_msg("%s has another content", git_oid_tostr_s(&t->id));
	return true;
}

static void expect_truths(struct reader *r, const struct truths *t)
{
	struct err err = { 0 };

	for (size_t i = 0; i < t->n; i++)
		if (!is_true(r, &t->items[i], &err))
			fail_msg("%s", err.msg);
}

static char *head_as_line(const git_oid *id, const struct commit_head *head)
{
	_cleanup_buf_ struct buf b = { 0 };
	char hex[COMMIT_ID_SIZE];

	gitlib_hex(id, hex);
	buf_printf(&b, "%s ", hex);
	gitlib_hex(&head->tree, hex);
	buf_printf(&b, "%s %lld", hex, (long long)head->date_s);
	for (size_t i = 0; i < head->n_parents; i++) {
		gitlib_hex(&head->parents[i], hex);
		buf_printf(&b, " %s", hex);
	}
	return buf_take(&b);
}

static char *ask_log(const char *repo)
{
	return kit_sh("cd '%s' && git log --all --format='%%H %%T %%ct %%P' 2>/dev/null", repo);
}

/* Tree, date and parents as git log shows them. Gives how many commits had a generation. */
static unsigned int expect_log(struct reader *r, const char *log)
{
	_cleanup_free_ char *text = xstrdup(log);
	_cleanup_strv_ struct strv lines = { 0 };
	unsigned int with_generation = 0;

	kit_lines(text, &lines);
	assert_true(lines.n > 0);
	for (size_t i = 0; i < lines.n; i++) {
		_cleanup_free_ char *line = NULL;
		struct commit_head head;
		struct err err = { 0 };
		git_oid id;

		assert_int_equal(git_oid_fromstrn(&id, lines.items[i], 40), 0);
		if (reader_commit(r, &id, &head, &err) < 0)
			fail_msg("%s", err.msg);
		line = head_as_line(&id, &head);
		if (str_ends(lines.items[i], " ")) /* a root */
			lines.items[i][strlen(lines.items[i]) - 1] = '\0';
		assert_string_equal(line, lines.items[i]);
		with_generation += head.generation > 0;
	}
	return with_generation;
}

static unsigned int expect_heads(struct reader *r, const char *repo)
{
	_cleanup_free_ char *log = ask_log(repo);

	return expect_log(r, log);
}

static unsigned int expect_all(const char *repo)
{
	_cleanup_truths_ struct truths truths = ask_git(repo);
	_cleanup_opened_ struct opened o = open_all(repo);

	expect_truths(o.reader, &truths);
	return expect_heads(o.reader, repo);
}

/* How many of all commits and trees are read here, without libgit2; each of them is right. */
static size_t count_own(const char *repo, size_t *all)
{
	_cleanup_truths_ struct truths truths = ask_git(repo);
	_cleanup_free_ char *dir = kit_git(repo, "rev-parse --git-path objects");
	_cleanup_free_ char *full = *dir == '/' ? xstrdup(dir) : str_printf("%s/%s", repo, dir);
	struct places places;
	struct unpacker u;
	size_t own = 0;

	places_open(full, &places);
	assert_int_equal(unpacker_init(&u, 1 << 16), 0); /* so small that bases get lost */
	for (size_t i = 0; i < truths.n * places.n_packs; i++) {
		const struct truth *t = &truths.items[i / places.n_packs];
		unsigned int no = (unsigned int)(i % places.n_packs);
		struct content content;
		const char *why = NULL;
		uint64_t offset;

		if (!pack_find(&places.packs[no], t->id.id, &offset))
			continue;
		if (unpack(&u, &places.packs[no], no, offset, &content, &why) < 0)
			fail_msg("%s: %s", git_oid_tostr_s(&t->id), why);
		assert_int_equal(content.type, t->type);
		assert_int_equal(content.len, t->len);
		assert_memory_equal(content.data, t->data, t->len);
		own++;
	}
	unpacker_deinit(&u);
	places_close(&places);
	*all = truths.n;
	return own;
}

static void put_commit(FILE *f, unsigned int k, uint64_t *seed)
{
	fprintf(f, "commit refs/heads/main\nmark :%u\n", k + 1);
	fprintf(f, "author A <a@example.org> 1 +0000\n");
	fprintf(f, "committer C <c@example.org> %u +0000\ndata <<E\n%u\nE\n", 1700000000 + 60 * k,
		k);
	if (k && k != 40) /* commit 40 is a second root, merged by 42 */
		fprintf(f, "from :%u\n", k == 41 ? 40 : k);
	if (k >= 10 && k % 7 == 0)
		fprintf(f, "merge :%u\nmerge :%u\nmerge :%u\n", k - 1, k - 2, k - 4);
	else if (k >= 10 && k % 11 == 0)
		fprintf(f, "merge :%u\n", k - 3);
	for (unsigned int i = 0; i < (k && k != 40 ? 2 : 300); i++) {
		unsigned int n = k && k != 40 ? kit_rand(seed, 300) : i;

		fprintf(f, "M 100644 inline %sfile-%03u\ndata 9\n%08x\n\n", n % 3 ? "" : "sub/", n,
			kit_rand(seed, 1u << 30));
	}
	fprintf(f, "\n");
}

/* Commits [from, to) of a history with octopus merges, two roots, and trees that make long deltas. */
static void feed(const char *repo, unsigned int from, unsigned int to)
{
	_cleanup_free_ char *stream = str_printf("%s.stream", repo);
	uint64_t seed = from + 1;
	FILE *f = fopen(stream, "w");

	assert_non_null(f);
	for (unsigned int k = from; k < to; k++) {
		if (k == 40)
			fprintf(f, "reset refs/heads/main\n\n");
		put_commit(f, k, &seed);
	}
	fclose(f);
	free(kit_git(repo,
		     "-c fastimport.unpackLimit=1 fast-import --quiet --force "
		     "--import-marks-if-exists=marks --export-marks=marks <'%s'",
		     stream));
}

/* The same for all, so it is made once and copied. */
static char *make_history(const char *name)
{
	static char *first;
	char *repo = kit_path("%s", name);

	if (!first) {
		first = kit_path("history");
		free(kit_sh("git init -q -b main --bare '%s'", first));
		for (unsigned int k = 0; k < COMMITS; k += 30)
			feed(first, k, k + 30);
	}
	free(kit_sh("exec cp -r '%s' '%s'", first, repo));
	return repo;
}

static void every_way_of_packing_gives_what_git_gives(void **state)
{
	static const char *const ways[] = {
		"true", /* three packs of fast-import */
		"git repack -q -adf",
		"git repack -q -adf --depth=250 --window=50",
		"git -c repack.useDeltaBaseOffset=false repack -q -adf --depth=50",
		"git -c pack.compression=0 repack -q -adF",
		/* offsets beyond 256 bytes in the table of eight bytes */
		("git repack -q -adf; cd objects/pack; chmod u+w *; rm -f *.idx *.rev; "
		 "git index-pack --index-version=2,0x100 *.pack >/dev/null"),
		"git repack -q -ad; git multi-pack-index write",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		_cleanup_free_ char *name = str_printf("way-%zu", i);
		_cleanup_free_ char *repo = make_history(name);
		_cleanup_free_ char *deltas = NULL;
		size_t all;
		size_t own;

		free(kit_sh("cd '%s' && { %s; }", repo, ways[i]));
		deltas = kit_sh("cd '%s' && git verify-pack -v objects/pack/*.idx | "
				"grep -cE 'tree .* [0-9]+ [0-9a-f]{40}$'",
				repo);
		assert_true(atoi(deltas) > 20);
		assert_int_equal(expect_all(repo), 0);
		own = count_own(repo, &all);
		assert_int_equal(own, all);
	}
}

static void what_is_not_read_here_comes_from_libgit2(void **state)
{
	static const char *const ways[] = {
		/* loose */
		"mkdir p; mv objects/pack/* p; for f in p/*.pack; do git unpack-objects -q <$f; "
		"done",
		"git repack -q -adf; cd objects/pack; chmod u+w *; rm -f *.idx *.rev; "
		"git index-pack --index-version=1 *.pack >/dev/null",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		_cleanup_free_ char *name = str_printf("other-%zu", i);
		_cleanup_free_ char *repo = make_history(name);
		size_t all;

		free(kit_sh("cd '%s' && { %s; }", repo, ways[i]));
		expect_all(repo);
		assert_int_equal(count_own(repo, &all), 0);
	}
}

static void alternates_are_followed(void **state)
{
	_cleanup_free_ char *first = make_history("lender");
	_cleanup_free_ char *second = kit_path("middle");
	_cleanup_free_ char *third = kit_path("borrower");
	size_t all;
	size_t own;

	(void)state;
	free(kit_git(first, "repack -q -adf"));
	free(kit_sh("git clone -q --bare --shared '%s' '%s'", first, second));
	free(kit_sh("git clone -q --shared '%s' '%s'", second, third));
	free(kit_sh("printf '# lent\\n../../../middle/objects\\n../../../none\\n' "
		    ">'%s/.git/objects/info/alternates'",
		    third));
	free(kit_git(third, "commit -q --allow-empty -m loose"));
	expect_all(third);
	own = count_own(third, &all);
	assert_int_equal(own, all - 1);
}

static void the_commit_graph_says_what_the_commits_say(void **state)
{
	static const char *const ways[] = {
		("for r in main~60 main~30 main; do git rev-parse $r | "
		 "git commit-graph write --split=no-merge --stdin-commits; done"),
		"git commit-graph write --reachable",
		"git -c commitGraph.generationVersion=1 commit-graph write --reachable",
	};
	_cleanup_free_ char *repo = make_history("graph");
	_cleanup_free_ char *files = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		free(kit_sh("cd '%s' && %s && git commit-graph verify --no-progress", repo,
			    ways[i]));
		if (i == 0)
			files = kit_sh("ls '%s'/objects/info/commit-graphs/*.graph | wc -l", repo);
		assert_int_equal(expect_all(repo), COMMITS);
		free(kit_git(repo, "config core.commitGraph false"));
		assert_int_equal(expect_all(repo), 0);
		free(kit_git(repo, "config core.commitGraph true"));
	}
	assert_string_equal(files, "3");
}

static void replacements_and_grafts_count_as_in_git(void **state)
{
	static const char *const ways[] = {
		"git replace main~3 main~30",
		"git replace main~3^{tree} main~30^{tree}; git replace main~30^{tree} "
		"main~31^{tree}",
		"git replace --graft main~5 main~40 main~50 main~60; git replace --graft main~7",
		"{ echo '# a remark'; echo; echo $(git rev-parse main~4 main~20 main~30); "
		"git rev-parse main~10; echo $(git rev-parse main~4 main~6); echo nonsense; "
		"echo $(git rev-parse main~12) short; } >g && mv g info/grafts",
		"git replace main~3 main~30; echo $(git rev-parse main~3 main~8) >info/grafts",
		"git replace main~3 main~30; git config core.useReplaceRefs false",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		_cleanup_free_ char *name = str_printf("overlay-%zu", i);
		_cleanup_free_ char *repo = make_history(name);
		_cleanup_opened_ struct opened o = { 0 };
		bool last = i + 1 == ARRAY_SIZE(ways);

		free(kit_git(repo, "commit-graph write --reachable"));
		free(kit_sh("cd '%s' && { %s; }", repo, ways[i]));
		assert_int_equal(expect_all(repo), last ? COMMITS : 0);
		o = open_all(repo);
		assert_int_equal(objects_overlaid(o.objects), !last);
	}
}

static void a_shallow_clone_ends_where_git_ends_it(void **state)
{
	_cleanup_free_ char *repo = make_history("deep");
	_cleanup_free_ char *clone = kit_path("shallow");
	_cleanup_opened_ struct opened o = { 0 };
	_cleanup_free_ char *n = NULL;

	(void)state;
	free(kit_sh("git clone -q --bare --depth 5 'file://%s' '%s'", repo, clone));
	n = kit_git(clone, "rev-list --count HEAD");
	assert_true(atoi(n) < COMMITS);
	o = open_all(clone);
	expect_heads(o.reader, clone);
	assert_true(objects_overlaid(o.objects));
}

static void replacements_in_a_circle_are_named(void **state)
{
	_cleanup_free_ char *repo = make_history("circle");
	_cleanup_free_ char *a = kit_git(repo, "rev-parse main~3");
	_cleanup_free_ char *b = kit_git(repo, "rev-parse main~5");
	_cleanup_opened_ struct opened o = { 0 };
	struct commit_head head;
	struct err err = { 0 };
	git_oid id;

	(void)state;
	free(kit_git(repo, "update-ref refs/replace/%s %s", a, b));
	free(kit_git(repo, "update-ref refs/replace/%s %s", b, a));
	o = open_all(repo);
	git_oid_fromstr(&id, a);
	assert_int_equal(reader_commit(o.reader, &id, &head, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, a));
	assert_non_null(strstr(err.msg, "git replace -l"));
}

/* Reads everything out of a repository that somebody broke; gives how much could not be read. */
static size_t count_named(const char *repo, const struct truths *truths)
{
	_cleanup_opened_ struct opened o = open_all(repo);
	size_t named = 0;

	for (size_t i = 0; i < truths->n; i++) {
		const struct truth *t = &truths->items[i];
		struct err err = { 0 };

		if (is_true(o.reader, t, &err))
			continue;
		named++;
		if (err.kind != ERR_HOST || !strstr(err.msg, git_oid_tostr_s(&t->id)) ||
		    !strstr(err.msg, "git fsck"))
			fail_msg("%s", err.msg);
	}
	return named;
}

static void damage_is_named_and_never_believed(void **state)
{
	_cleanup_free_ char *repo = make_history("damaged");
	_cleanup_truths_ struct truths truths = { 0 };
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ char *pack = NULL;
	size_t named = 0;
	uint64_t seed = 1;
	struct err err;
	size_t len;

	(void)state;
	free(kit_sh("cd '%s' && git repack -q -adf && chmod u+w objects/pack/*", repo));
	truths = ask_git(repo);
	path = kit_sh("echo '%s'/objects/pack/*.pack", repo);
	assert_int_equal(fs_read(path, 64 << 20, &pack, &len, &err), 0);
	for (unsigned int i = 0; i < 150; i++) {
		size_t at = 12 + kit_rand(&seed, (uint32_t)len - 12 - 20);
		char kept = pack[at];

		pack[at] ^= (char)(1u << kit_rand(&seed, 8));
		assert_int_equal(fs_write(path, pack, len, &err), 0);
		named += count_named(repo, &truths);
		pack[at] = kept;
	}
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(fs_write(path, pack, kit_rand(&seed, (uint32_t)len), &err), 0);
		assert_int_equal(count_named(repo, &truths), truths.n);
	}
	assert_true(named > 150);
}

/* What a wrong offset or id leads to may be another object: git, too, believes an index. */
static void a_damaged_index_ends_nothing(void **state)
{
	_cleanup_free_ char *repo = make_history("index");
	_cleanup_truths_ struct truths truths = { 0 };
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ char *idx = NULL;
	uint64_t seed = 2;
	struct err err;
	size_t len;

	(void)state;
	free(kit_sh("cd '%s' && git repack -q -adf && chmod u+w objects/pack/*", repo));
	truths = ask_git(repo);
	path = kit_sh("echo '%s'/objects/pack/*.idx", repo);
	assert_int_equal(fs_read(path, 64 << 20, &idx, &len, &err), 0);
	for (unsigned int i = 0; i < 60; i++) {
		_cleanup_opened_ struct opened o = { 0 };
		size_t at = kit_rand(&seed, (uint32_t)len);
		char kept = idx[at];

		idx[at] = (char)~idx[at];
		assert_int_equal(
			fs_write(path, idx, i % 10 ? len : kit_rand(&seed, (uint32_t)len), &err),
			0);
		idx[at] = kept;
		o = open_all(repo);
		for (size_t t = 0; t < truths.n; t++) {
			const unsigned char *data;
			size_t n;

			err = (struct err){ 0 };
			if (reader_object(o.reader, &truths.items[t].id, truths.items[t].type,
					  &data, &n, &err) < 0)
				assert_non_null(strstr(err.msg, "git fsck"));
		}
	}
}

static void a_cut_commit_graph_is_passed_over(void **state)
{
	_cleanup_free_ char *repo = make_history("graph-cut");
	_cleanup_free_ char *path = str_printf("%s/objects/info/commit-graph", repo);
	_cleanup_free_ char *graph = NULL;
	_cleanup_free_ char *log = NULL;
	struct err err;
	size_t len;

	(void)state;
	free(kit_git(repo, "commit-graph write --reachable"));
	assert_int_equal(fs_read(path, 64 << 20, &graph, &len, &err), 0);
	unlink(path);
	log = ask_log(repo); /* git would believe what is cut */
	for (size_t cut = 0; cut < len; cut += 1 + cut / 8) {
		_cleanup_opened_ struct opened o = { 0 };

		assert_int_equal(fs_write(path, graph, cut, &err), 0);
		o = open_all(repo);
		assert_int_equal(expect_log(o.reader, log), 0);
	}
}

struct job {
	struct opened *opened;
	const struct truths *truths;
	pthread_t thread;
};

static void *read_everything(void *arg)
{
	const struct job *job = arg;
	struct err err = { 0 };
	struct reader *r;

	if (reader_create(job->opened->objects, &r, &err) < 0)
		fail_msg("%s", err.msg);
	for (unsigned int round = 0; round < 3; round++)
		expect_truths(r, job->truths);
	reader_destroy(r);
	return NULL;
}

static void readers_do_not_disturb_each_other_nor_a_repack(void **state)
{
	_cleanup_free_ char *repo = make_history("threads");
	_cleanup_truths_ struct truths truths = ask_git(repo);
	_cleanup_opened_ struct opened o = open_all(repo);
	struct job jobs[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
		jobs[i] = (struct job){ .opened = &o, .truths = &truths };
		assert_int_equal(pthread_create(&jobs[i].thread, NULL, read_everything, &jobs[i]),
				 0);
	}
	free(kit_git(repo, "repack -q -adf"));
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		pthread_join(jobs[i].thread, NULL);
	expect_truths(o.reader, &truths);
}

static void packs_that_come_later_are_found(void **state)
{
	_cleanup_free_ char *repo = kit_path("later");
	_cleanup_opened_ struct opened o = { 0 };
	_cleanup_truths_ struct truths truths = { 0 };

	(void)state;
	free(kit_sh("git init -q -b main --bare '%s'", repo));
	feed(repo, 0, 30);
	o = open_all(repo);
	feed(repo, 30, COMMITS + 2);
	truths = ask_git(repo);
	expect_truths(o.reader, &truths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_of_packing_gives_what_git_gives),
		cmocka_unit_test(what_is_not_read_here_comes_from_libgit2),
		cmocka_unit_test(alternates_are_followed),
		cmocka_unit_test(the_commit_graph_says_what_the_commits_say),
		cmocka_unit_test(replacements_and_grafts_count_as_in_git),
		cmocka_unit_test(a_shallow_clone_ends_where_git_ends_it),
		cmocka_unit_test(replacements_in_a_circle_are_named),
		cmocka_unit_test(damage_is_named_and_never_believed),
		cmocka_unit_test(a_damaged_index_ends_nothing),
		cmocka_unit_test(a_cut_commit_graph_is_passed_over),
		cmocka_unit_test(readers_do_not_disturb_each_other_nor_a_repack),
		cmocka_unit_test(packs_that_come_later_are_found),
	};
	int rc;

	kit_start();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return rc;
}
