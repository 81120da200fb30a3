// SPDX-License-Identifier: GPL-2.0-or-later
/* What an audit knows of commits: words, functions and lines, held against real repositories. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "range/audit/audit.h"
#include "range/audit/outline.h"
#include "range/audit/record.h"
#include "range/audit/words.h"

#define ID "0123456789abcdef0123456789abcdef01234567"
#define S  "drm/amdgpu: fix the ring"

static void must(int rc, const struct err *err)
{
	if (rc < 0)
		fail_msg("%s", err->msg);
}

static void messages_speak_of_other_commits(void **state)
{
	static const struct {
		const char *message;
		enum audit_word word; /* of the first mention; AUDIT_WORDS: there is none */
		const char *id, *subject;
	} table[] = {
		/* tags */
		{ "s\n\nFixes: 0123456789ab (\"" S "\")\n", AUDIT_FIXES, "0123456789ab", S },
		{ "s\n\nfixes: 0123456 (\"" S "\")\n", AUDIT_FIXES, "0123456", S },
		{ "s\n\nFixes: commit 0123456789AB (\"" S "\")\n", AUDIT_FIXES, "0123456789ab", S },
		{ "s\n\nFixes: " ID "\n", AUDIT_FIXES, ID, NULL },
		{ "s\n\nFixes: 0123456789ab: " S "\n", AUDIT_FIXES, "0123456789ab", S },
		{ "s\n\nFixes: 0123456789ab (" S ")\n", AUDIT_FIXES, "0123456789ab", S },
		{ "s\n\nFixes: 0123456789ab (\"drm/amdgpu: fix the\nring\")\n", AUDIT_FIXES,
		  "0123456789ab", S },
		{ "s\n\nFixes: 0123456789ab (\"Revert \"" S "\"\")\n", AUDIT_FIXES, "0123456789ab",
		  "Revert \"" S "\"" },
		{ "s\n\nFixes: https://bugs.example.org/drm/amdgpu/1\n", AUDIT_WORDS, "", NULL },
		/* reverts */
		{ "Revert \"" S "\"\n\nIt hangs.\n", AUDIT_REVERTS, "", S },
		{ "s\n\nThis reverts commit " ID ".\n", AUDIT_REVERTS, ID, NULL },
		{ "s\n\nThis reverts commit\n" ID ".\n", AUDIT_REVERTS, ID, NULL },
		{ "Reapply \"" S "\"\n\nIt works.\n", AUDIT_REVERTS, "", "Revert \"" S "\"" },
		/* prose */
		{ "s\n\nBroken since commit 0123456789ab (\"" S "\").\n", AUDIT_BLAMES,
		  "0123456789ab", S },
		{ "s\n\nThe regression came with commit\n0123456789abcdef.\n", AUDIT_BLAMES,
		  "0123456789abcdef", NULL },
		{ "s\n\nIntroduced by \"" S "\".\n", AUDIT_BLAMES, "", S },
		{ "s\n\nSimilar to commit 0123456789ab (\"" S "\"), without the leak.\n",
		  AUDIT_NAMES, "0123456789ab", S },
		{ "s\n\nThis partially reverts commit 0123456789ab.\n", AUDIT_BLAMES,
		  "0123456789ab", NULL },
		{ "s\n\nAs commit 0123456789ab has it.\n\nThe rest is a fix.\n", AUDIT_NAMES,
		  "0123456789ab", NULL },
		/* what is none */
		{ "s\n\nThe value 0123456789ab is wrong.\n", AUDIT_WORDS, "", NULL },
		{ "s\n\nLink: https://x/commit/0123456789ab\n", AUDIT_WORDS, "", NULL },
		{ "s\n\nsee commit x/0123456789ab, a fix\n", AUDIT_WORDS, "", NULL },
		{ "s\n\ncommit " ID " upstream.\n", AUDIT_WORDS, "", NULL },
		{ "s\n\n(cherry picked from commit " ID ")\n", AUDIT_WORDS, "", NULL },
		{ "s\n\nIt says \"no: such thing\" once.\n", AUDIT_NAMES, "", "no: such thing" },
		{ "s\n\nIt says \"oops\".\n", AUDIT_WORDS, "", NULL },
		{ "s\n\nFixes: (\"", AUDIT_WORDS, "", NULL },
		{ "s\n\nFixes:", AUDIT_WORDS, "", NULL },
		{ "Revert \"", AUDIT_WORDS, "", NULL },
		{ "", AUDIT_WORDS, "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const char *message = table[i].message;
		struct audit_words w;
		enum audit_word word;
		const char *id, *subject;

		words_parse(message, strlen(message), &w);
		word = w.n_mentions ? w.mentions[0].word : AUDIT_WORDS;
		id = w.n_mentions ? w.mentions[0].id : "";
		subject = w.n_mentions ? w.mentions[0].subject : NULL;
		if (word != table[i].word || strcmp(id, table[i].id) != 0 ||
		    strcmp(subject ? subject : "", table[i].subject ? table[i].subject : "") != 0)
			fail_msg("%s: %d '%s' '%s'", message, word, id, subject ? subject : "");
		words_deinit(&w);
	}
}

static void tags_and_origins_are_told(void **state)
{
	static const char message[] = "s\n\ncommit " ID " upstream.\n\nText.\n\n"
				      "CC: Stable <stable@vger.kernel.org> # 6.1\n"
				      "(cherry picked from commit 0123456789ab0123456789ab)\n";
	static const char plain[] = "s\n\nCc: A <a@example.org>\n";
	struct audit_words w;

	(void)state;
	words_parse(message, strlen(message), &w);
	assert_true(w.cc_stable);
	assert_int_equal(w.n_origins, 2);
	assert_string_equal(w.origins[0], ID);
	assert_string_equal(w.origins[1], "0123456789ab0123456789ab");
	words_deinit(&w);
	words_parse(plain, strlen(plain), &w);
	assert_false(w.cc_stable);
	words_deinit(&w);
}

static void a_message_of_any_size_is_bounded(void **state)
{
	_cleanup_buf_ struct buf b = { 0 };
	struct audit_words w;

	(void)state;
	buf_puts(&b, "s\n\n");
	while (b.len < 1 << 20)
		buf_puts(&b,
			 "Fixes: 0123456789ab (\"" S "\")\nsince commit " ID " \"a: b c d e f\n");
	words_parse(b.data, b.len, &w);
	assert_int_equal(w.n_mentions, 64);
	words_deinit(&w);
	for (size_t len = 0; len < 600; len++) {
		words_parse(b.data, len, &w);
		words_deinit(&w);
	}
}

static void functions_are_found_in_kernel_style(void **state)
{
	static const char text[] = "#include <x.h>\n"		/* 1 */
				   "static int one(int a,\n"	/* 2 */
				   "\t\t       int b)\n"	/* 3 */
				   "{\n"			/* 4 */
				   "\tif (a) {\n"		/* 5 */
				   "\t}\n"			/* 6 */
				   "label:\n"			/* 7 */
				   "\treturn b;\n"		/* 8 */
				   "}\n"			/* 9 */
				   "\n"				/* 10 */
				   "int declared(int);\n"	/* 11 */
				   "static const int t[] = {\n" /* 12 */
				   "\tf(1),\n"			/* 13 */
				   "};\n"			/* 14 */
				   "void\n"			/* 15 */
				   "two(void)\n"		/* 16 */
				   "{}\n"			/* 17 */
				   "struct s *three (void)\n"	/* 18 */
				   "{\n"			/* 19 */
				   "#define X(a) \\\n"		/* 20 */
				   "\tx();";			/* 21 */
	static const char *const want[] = {
		NULL, "one", "one", "one", "one", "one", "one",	  "one",   "one",   NULL,   NULL,
		NULL, NULL,  NULL,  NULL,  "two", "two", "three", "three", "three", "three"
	};
	struct outline o;

	(void)state;
	outline_read(text, strlen(text), &o);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const char *have = outline_at(&o, (int)i + 1);

		if (strcmp(have ? have : "", want[i] ? want[i] : "") != 0)
			fail_msg("line %zu is in '%s'", i + 1, have ? have : "");
	}
	assert_null(outline_at(&o, 0));
	assert_null(outline_at(&o, 22));
	outline_deinit(&o);
}

static void a_line_is_known_however_indented(void **state)
{
	(void)state;
	assert_true(line_hash("\tif (amdgpu_ready)\n", 19) == line_hash("if (amdgpu_ready)", 17));
	assert_true(line_hash("if (amdgpu_ready)", 17) != line_hash("if (!amdgpu_ready)", 18));
	assert_true(line_hash("\t}", 2) == 0);
	assert_true(line_hash("\treturn r;", 10) == 0);
}

static struct audit_commit *get(struct audit_index *x, const char *id)
{
	struct audit_commit *c = NULL;
	struct err err = { 0 };

	must(audit_index_get(x, id, &c, &err), &err);
	must(audit_index_lines(x, c, &err), &err);
	return c;
}

static char *make_repo(const char *name, char *ids[3])
{
	char *repo = kit_path("%s", name);

	free(kit_sh("git init -q -b main '%s'", repo));
	ids[0] = kit_commit(repo, "d/a.c",
			    "int one(void)\n{\n\tcall_number(1);\n\tcall_number(2);\n}\n",
			    "drm/amdgpu: first");
	ids[1] = kit_commit(repo, "d/a.c",
			    "int one(void)\n{\n\tcall_number(3);\n\tcall_number(2);\n}\n\n"
			    "int two(void)\n{\n\tanother_line(1);\n}\n",
			    "drm/amdgpu: second");
	ids[2] = kit_commit(repo, "e/b.c", "int three(void)\n{\n\tanother_line(2);\n}\n",
			    "elsewhere");
	return repo;
}

static void lines_are_told_by_function(void **state)
{
	_cleanup_(audit_index_destroy_p) struct audit_index *x = NULL;
	char *ids[3];
	_cleanup_free_ char *repo = make_repo("lines", ids);
	const char *path = "d";
	struct err err = { 0 };
	struct audit_commit *c;

	(void)state;
	must(audit_index_open(repo, &path, 1, NULL, &x, &err), &err);
	c = get(x, ids[1]);
	assert_string_equal(c->subject, "drm/amdgpu: second");
	assert_false(c->wide);
	assert_int_equal(c->n_touches, 2);
	assert_string_equal(c->touches[0].path, "d/a.c");
	assert_string_equal(c->touches[0].function, "one");
	assert_int_equal(c->touches[0].added.n, 1);
	assert_true(c->touches[0].added.items[0] == line_hash("call_number(3);", 15));
	assert_true(c->touches[0].removed.items[0] == line_hash("call_number(1);", 15));
	assert_int_equal(c->touches[0].near.n, 2); /* the head, and the other call */
	assert_string_equal(c->touches[1].function, "two");
	assert_int_equal(c->touches[1].removed.n, 0);
	assert_int_equal(get(x, ids[2])->n_touches, 0); /* outside of the paths */
	for (size_t i = 0; i < 3; i++)
		free(ids[i]);
}

static void a_tree_is_told_by_function(void **state)
{
	_cleanup_(audit_tree_destroy_p) struct audit_tree *t = NULL;
	const struct audit_lines *lines = NULL;
	char *ids[3];
	_cleanup_free_ char *repo = make_repo("tree", ids);
	struct err err = { 0 };

	(void)state;
	must(audit_tree_open(repo, ids[1], &t, &err), &err);
	must(audit_tree_function(t, "d/a.c", "two", &lines, &err), &err);
	assert_non_null(lines);
	assert_int_equal(lines->n, 2); /* with its head */
	must(audit_tree_function(t, "d/a.c", "three", &lines, &err), &err);
	assert_null(lines);
	must(audit_tree_function(t, "d/none.c", "two", &lines, &err), &err);
	assert_null(lines);
	for (size_t i = 0; i < 3; i++)
		free(ids[i]);
}

static void a_sweep_is_wide(void **state)
{
	_cleanup_(audit_index_destroy_p) struct audit_index *x = NULL;
	_cleanup_free_ char *repo = kit_path("wide");
	_cleanup_free_ char *id = NULL;
	struct err err = { 0 };

	(void)state;
	free(kit_sh("git init -q -b main '%s'", repo));
	free(kit_commit(repo, "first", "x\n", "first"));
	for (int i = 0; i < 65; i++) {
		_cleanup_free_ char *name = str_printf("d/f%d.c", i);

		kit_write(repo, name, "int f(void)\n{\n\tsome_function_call();\n}\n");
	}
	id = kit_commit(repo, "d/last.c", "int f(void)\n{\n\tsome_function_call();\n}\n", "all");
	must(audit_index_open(repo, NULL, 0, NULL, &x, &err), &err);
	assert_true(get(x, id)->wide);
	assert_int_equal(get(x, id)->n_touches, 0);
}

static void a_history_is_all_that_touches_the_paths(void **state)
{
	_cleanup_free_ char *repo = kit_random_repo(11, 300, DATES_FORWARD);
	_cleanup_free_ char *want = kit_git(repo, "rev-list c299 -- a | sort");
	_cleanup_(range_destroy_p) struct range *r = NULL;
	const char *path = "a";
	const struct range_spec spec = {
		.repo = repo, .bad = "c299", .paths = &path, .n_paths = 1
	};
	_cleanup_strv_ struct strv have = { 0 };
	_cleanup_strv_ struct strv lines = { 0 };
	struct err err = { 0 };

	(void)state;
	must(audit_history(&spec, &r, &err), &err);
	kit_lines(want, &lines);
	for (size_t i = 0; i < r->n; i++)
		strv_add(&have, r->commits[i].id);
	strv_sort_once(&have);
	assert_true(lines.n > 10);
	assert_int_equal(have.n, lines.n);
	for (size_t i = 0; i < have.n; i++)
		assert_string_equal(have.items[i], lines.items[i]);
}

static void what_is_kept_need_not_be_read_again(void **state)
{
	_cleanup_free_ char *cache = kit_path("kept-cache");
	char *ids[3];
	_cleanup_free_ char *repo = make_repo("kept", ids);
	struct err err = { 0 };

	(void)state;
	for (size_t learnt = 3, round = 0; round < 2; round++, learnt = 0) {
		_cleanup_(audit_index_destroy_p) struct audit_index *x = NULL;

		must(audit_index_open(repo, NULL, 0, cache, &x, &err), &err);
		for (size_t i = 0; i < 3; i++)
			get(x, ids[i]);
		assert_int_equal(audit_index_learnt(x), learnt);
		assert_int_equal(get(x, ids[1])->touches[0].near.n, 2);
		audit_index_save(x);
	}
	for (size_t i = 0; i < 3; i++)
		free(ids[i]);
}

/* Every byte of a record, changed in each of its bits or cut away: refused, or read as something whole. */
static void no_record_can_hurt(void **state)
{
	_cleanup_(audit_index_destroy_p) struct audit_index *x = NULL;
	_cleanup_buf_ struct buf b = { 0 };
	char *ids[3];
	_cleanup_free_ char *repo = make_repo("record", ids);
	struct err err = { 0 };
	struct audit_commit c;
	const char *at;

	(void)state;
	must(audit_index_open(repo, NULL, 0, NULL, &x, &err), &err);
	record_put(&b, get(x, ids[1]));
	at = b.data;
	assert_true(record_take(&at, b.data + b.len, &c));
	assert_true(at == b.data + b.len);
	assert_string_equal(c.id, ids[1]);
	assert_int_equal(c.n_touches, 2);
	commit_deinit(&c);
	for (size_t i = 0; i < b.len; i++) {
		at = b.data;
		assert_false(record_take(&at, b.data + i, &c));
		assert_true(at == b.data);
	}
	for (size_t i = 0; i < 8 * b.len; i++) {
		b.data[i / 8] = (char)(b.data[i / 8] ^ (1 << i % 8));
		at = b.data;
		if (record_take(&at, b.data + b.len, &c))
			commit_deinit(&c);
		b.data[i / 8] = (char)(b.data[i / 8] ^ (1 << i % 8));
	}
	for (size_t i = 0; i < 3; i++)
		free(ids[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_speak_of_other_commits),
		cmocka_unit_test(tags_and_origins_are_told),
		cmocka_unit_test(a_message_of_any_size_is_bounded),
		cmocka_unit_test(functions_are_found_in_kernel_style),
		cmocka_unit_test(a_line_is_known_however_indented),
		cmocka_unit_test(lines_are_told_by_function),
		cmocka_unit_test(a_tree_is_told_by_function),
		cmocka_unit_test(a_sweep_is_wide),
		cmocka_unit_test(a_history_is_all_that_touches_the_paths),
		cmocka_unit_test(what_is_kept_need_not_be_read_again),
		cmocka_unit_test(no_record_can_hurt),
	};
	int rc;

	kit_start();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return rc;
}
