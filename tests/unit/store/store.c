// SPDX-License-Identifier: GPL-2.0-or-later
/* The store with a real file: what is written is read back, by the writer and beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/str.h"
#include "store/store.h"

#define ID_A "1111111111111111111111111111111111111111"
#define ID_B "2222222222222222222222222222222222222222"

static struct store *s;
static char *dir;
static struct err err;

static int setup(void **state)
{
	char template[] = "/tmp/test-store-XXXXXX";

	(void)state;
	dir = str_printf("%s/a/run", mkdtemp(template));
	return store_create(dir, &s, &err);
}

static int teardown(void **state)
{
	(void)state;
	store_close(s);
	s = NULL;
	dir[strlen(dir) - strlen("/a/run")] = '\0';
	fs_remove_tree(dir, &err);
	free(dir);
	return 0;
}

static void reopen(bool write)
{
	store_close(s);
	s = NULL;
	assert_int_equal(store_open(dir, write, &s, &err), 0);
}

/* A second one, as a worker has it, with rows of both between each other. */
static void a_worker_writes_beside_the_controller(void **state)
{
	const struct store_verdict v = { .verdict = VERDICT_GOOD, .rule = "no-windows" };
	_cleanup_free_ struct store_trial *t = NULL;
	struct store *worker = NULL, *third = NULL;
	int64_t mine, theirs;
	size_t n;

	(void)state;
	assert_int_equal(store_join(dir, &worker, &err), 0);
	assert_true(store_lock_fd(s) >= 0);
	assert_int_equal(store_lock_fd(worker), -1);
	assert_int_equal(store_begin(s, ID_A, ROLE_SEARCH, &mine, &err), 0);
	assert_int_equal(store_begin(worker, ID_B, ROLE_SEARCH, &theirs, &err), 0);
	assert_true(mine != theirs);
	assert_int_equal(store_place(worker, theirs, "worker 2, 0000:03:00.0", &err), 0);
	assert_int_equal(store_end(worker, theirs, &v, &err), 0);
	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_false(t[0].ended);
	assert_string_equal(t[0].where, "");
	assert_true(t[1].ended);
	assert_string_equal(t[1].where, "worker 2, 0000:03:00.0");
	assert_int_equal(t[1].n_stages, 0);
	store_close(worker);
	/* It took no lock, and left that of the controller where it is. */
	assert_int_equal(store_open(dir, true, &third, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	err = (struct err){ 0 };
}

static void the_last_value_of_a_fact_counts(void **state)
{
	char *value = NULL;

	(void)state;
	assert_int_equal(store_set(s, "guest.accel", "kvm", &err), 0);
	assert_int_equal(store_set(s, "guest.accel", "tcg", &err), 0);
	reopen(false);
	assert_int_equal(store_get(s, "guest.accel", &value, &err), 0);
	assert_string_equal(value, "tcg");
	free(value);
	assert_int_equal(store_get(s, "guest", &value, &err), 0);
	assert_null(value);
	reopen(true);
	assert_int_equal(store_set(s, "guest.accel", NULL, &err), 0);
	assert_int_equal(store_get(s, "guest.accel", &value, &err), 0);
	assert_null(value);
}

static void copies_under_the_kernels_probes_are_kept_apart(void **state)
{
	const struct wire_sample measured = { .regime = REGIME_RW_ABSENT,
					      .bytes = 1,
					      .extents = 1 };
	const struct wire_sample seen = { .regime = REGIME_RW_RESIDENT,
					  .bytes = 4 << 20,
					  .extents = 2,
					  .resident = 2,
					  .present[0] = 3,
					  .pages_present = 1024,
					  .elapsed_ns = INT64_C(2030000000),
					  .evidence = true,
					  .hmm_calls = 4021,
					  .hmm_busy = 4017,
					  .driver_calls = 2,
					  .driver_ns = INT64_C(2003610000) };
	_cleanup_free_ struct store_trial *trials = NULL;
	struct wire_sample *out = NULL;
	int64_t trial, other;
	size_t n;

	(void)state;
	assert_int_equal(store_begin(s, ID_A, ROLE_SEARCH, &trial, &err), 0);
	assert_int_equal(store_samples(s, trial, &measured, 1, &err), 0);
	assert_int_equal(store_kernel(s, trial, &seen, 1, &err), 0);
	assert_int_equal(store_begin(s, ID_B, ROLE_SEARCH, &other, &err), 0);
	reopen(true);
	assert_int_equal(store_trial_kernel(s, trial, &out, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_memory_equal(out, &seen, sizeof(seen));
	free(out);
	assert_int_equal(store_trial_samples(s, trial, &out, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_false(out->evidence);
	free(out);
	assert_int_equal(store_trial_kernel(s, other, &out, &n, &err), 0);
	assert_int_equal(n, 0);
	assert_null(out);
	assert_int_equal(store_trials(s, &trials, &n, &err), 0);
	assert_int_equal(trials[0].n_stages, 0);
	assert_int_equal(store_stage(s, other, "kernel", 0, "{\"type\":\"poweroff\"}", &err), 0);
	assert_int_equal(store_trial_kernel(s, other, &out, &n, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "kernel's probes"));
}

static void what_was_built_is_read_beside_the_stages(void **state)
{
	const struct store_artifact a = { .key = "a1b2", .asked = "c3", .config = "d4" };
	const struct store_artifact bare = { .key = "e5" };
	const struct store_verdict v = { .verdict = VERDICT_GOOD, .signature = "f6" };
	struct store_trial *t = NULL;
	int64_t one, two;
	size_t n;

	(void)state;
	assert_int_equal(store_begin(s, ID_A, ROLE_SEARCH, &one, &err), 0);
	assert_int_equal(store_stage(s, one, "build", 5, "built", &err), 0);
	assert_int_equal(store_artifact(s, one, &a, &err), 0);
	assert_int_equal(store_patches(s, one, "x.patch\ny.patch", &err), 0);
	assert_int_equal(store_stage(s, one, "boot", 6, NULL, &err), 0);
	assert_int_equal(store_end(s, one, &v, &err), 0);
	assert_int_equal(store_begin(s, ID_B, ROLE_SEARCH, &two, &err), 0);
	assert_int_equal(store_artifact(s, two, &bare, &err), 0);
	assert_int_equal(store_same(s, two, ID_A, &err), 0);
	reopen(false);
	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_int_equal(t[0].n_stages, 2);
	assert_string_equal(t[0].stages[1].stage, "boot");
	assert_string_equal(t[0].key, "a1b2");
	assert_string_equal(t[0].asked, "c3");
	assert_string_equal(t[0].config, "d4");
	assert_string_equal(t[0].patches, "x.patch\ny.patch");
	assert_string_equal(t[0].same_as, "");
	assert_string_equal(t[0].v.signature, "f6");
	assert_int_equal(t[1].n_stages, 0);
	assert_string_equal(t[1].key, "e5");
	assert_string_equal(t[1].asked, "");
	assert_string_equal(t[1].config, "");
	assert_string_equal(t[1].same_as, ID_A);
	free(t);
}

/* A file may hold anything; what does not fit or is no id is not taken for one. */
static void rows_beside_the_stages_are_bounded(void **state)
{
	_cleanup_free_ char *lots = xcalloc(1, 4096);
	struct store_trial *t = NULL;
	int64_t trial;
	size_t n;

	(void)state;
	memset(lots, 'x', 4095);
	assert_int_equal(store_begin(s, ID_A, ROLE_SEARCH, &trial, &err), 0);
	assert_int_equal(store_stage(s, trial, "artifact", 0, lots, &err), 0);
	assert_int_equal(store_stage(s, trial, "artifact", 0, NULL, &err), 0);
	assert_int_equal(store_patches(s, trial, lots, &err), 0);
	assert_int_equal(store_same(s, trial, lots, &err), 0);
	for (int i = 0; i < 20; i++)
		assert_int_equal(store_stage(s, trial, "build", i, NULL, &err), 0);
	assert_int_equal(store_stage(s, trial, "artifact", 0, "a b c d", &err), 0);
	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	assert_int_equal(t->n_stages, ARRAY_SIZE(t->stages));
	assert_string_equal(t->key, "a");
	assert_string_equal(t->config, "c");
	assert_string_equal(t->same_as, "");
	assert_int_equal(strlen(t->patches), sizeof(t->patches) - 1);
	free(t);
}

static int append_fact(const char *key, const char *value, void *arg)
{
	buf_printf(arg, "%s=%s;", key, value);
	return 0;
}

static int stop_at_once(const char *key, const char *value, void *arg)
{
	(void)key;
	(void)value;
	++*(int *)arg;
	return 42;
}

static void facts_come_by_key_and_the_reader_may_stop(void **state)
{
	_cleanup_buf_ struct buf all = { 0 };
	int called = 0;

	(void)state;
	assert_int_equal(store_set(s, "b", "1", &err), 0);
	assert_int_equal(store_set(s, "a", "'; DROP TABLE fact; --", &err), 0);
	assert_int_equal(store_set(s, "c", "x", &err), 0);
	assert_int_equal(store_set(s, "c", NULL, &err), 0);
	assert_int_equal(store_set(s, "b", "2", &err), 0);
	assert_int_equal(store_each_fact(s, append_fact, &all, &err), 0);
	assert_string_equal(all.data, "a='; DROP TABLE fact; --;b=2;");
	assert_int_equal(store_each_fact(s, stop_at_once, &called, &err), 42);
	assert_int_equal(called, 1);
}

static void candidates_come_back_in_topological_order(void **state)
{
	char first[] = "amd: \xc3\xa4 <b>&\"'\x01", second[] = "";
	struct store_candidate in[] = { { ID_B, second, 1 }, { ID_A, first, 0 } };
	struct store_candidate *out;
	size_t n;

	(void)state;
	assert_int_equal(store_candidates(s, &out, &n, &err), 0);
	assert_int_equal(n, 0);
	store_candidates_free(out, n);
	assert_int_equal(store_add_candidates(s, in, 2, &err), 0);
	reopen(false);
	assert_int_equal(store_candidates(s, &out, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_string_equal(out[0].id, ID_A);
	assert_string_equal(out[0].subject, first);
	assert_int_equal(out[1].node, 1);
	assert_string_equal(out[1].subject, "");
	store_candidates_free(out, n);
}

static void candidates_are_stored_all_or_none(void **state)
{
	struct store_candidate in[] = { { ID_A, NULL, 0 }, { ID_A, NULL, 1 } };
	struct store_candidate *out;
	size_t n;

	(void)state;
	assert_int_equal(store_add_candidates(s, in, 2, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_int_equal(store_candidates(s, &out, &n, &err), 0);
	assert_int_equal(n, 0);
	store_candidates_free(out, n);
	assert_int_equal(store_add_candidates(s, in, 1, &err), 0);
}

static void a_trial_comes_back_with_stages_and_verdict(void **state)
{
	struct store_verdict v = { .verdict = VERDICT_BAD,
				   .rule = "mechanism",
				   .reason = "six of six",
				   .windows = 6,
				   .predicted = 6,
				   .off = 1,
				   .signature = "abc" };
	struct store_trial *t;
	int64_t one, two;
	size_t n;

	(void)state;
	assert_int_equal(store_begin(s, ID_A, ROLE_GOOD_END, &one, &err), 0);
	assert_int_equal(store_stage(s, one, "build", 7, NULL, &err), 0);
	assert_int_equal(store_stage(s, one, "boot", 8, "12 modules", &err), 0);
	assert_int_equal(store_end(s, one, &v, &err), 0);
	assert_int_equal(store_begin(s, ID_B, ROLE_SEARCH, &two, &err), 0);
	assert_int_equal(one, 1);
	assert_int_equal(two, 2);
	reopen(false);
	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_string_equal(t[0].commit, ID_A);
	assert_int_equal(t[0].role, ROLE_GOOD_END);
	assert_true(t[0].ended);
	assert_int_equal(t[0].v.verdict, VERDICT_BAD);
	assert_string_equal(t[0].v.rule, v.rule);
	assert_string_equal(t[0].v.reason, v.reason);
	assert_string_equal(t[0].v.signature, v.signature);
	assert_int_equal(t[0].v.windows, 6);
	assert_int_equal(t[0].v.off, 1);
	assert_int_equal(t[0].n_stages, 2);
	assert_string_equal(t[0].stages[1].stage, "boot");
	assert_int_equal(t[0].stages[1].elapsed_ns, 8);
	assert_true(t[0].begun_s > 0);
	assert_false(t[1].ended);
	assert_int_equal(t[1].n_stages, 0);
	free(t);
}

static void a_trial_ends_once_and_must_exist(void **state)
{
	struct store_verdict v = { .verdict = VERDICT_GOOD };
	struct wire_sample w = { .bytes = 1 };
	int64_t trial;

	(void)state;
	assert_int_equal(store_begin(s, ID_A, ROLE_TEST, &trial, &err), 0);
	assert_int_equal(store_end(s, trial, &v, &err), 0);
	assert_int_equal(store_end(s, trial, &v, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_int_equal(store_end(s, trial + 1, &v, &err), -1);
	assert_int_equal(store_stage(s, trial + 1, "boot", 1, NULL, &err), -1);
	assert_int_equal(store_samples(s, trial + 1, &w, 1, &err), -1);
}

static void samples_come_back_whole(void **state)
{
	struct wire_sample in[3] = {
		{ .regime = REGIME_RW_RESIDENT,
		  .bytes = UINT64_C(2) << 30,
		  .offset = 4096,
		  .elapsed_ns = INT64_C(1024000000000),
		  .extents = 1024,
		  .resident = 2,
		  .pages_present = 99,
		  .restarts = 3,
		  .calls = 4,
		  .repeat = 5 },
		{ .regime = REGIME_RW_ABSENT, .bytes = 1, .warmup = true, .extents = 1 },
		{ .regime = REGIME_R_RESIDENT,
		  .bytes = 1,
		  .result = -14,
		  .read_permission = true,
		  .extents = 1,
		  .resident = 1 },
	};
	struct wire_sample *out;
	int64_t trial;
	size_t n;

	(void)state;
	in[0].present[0] = UINT64_C(1) << 63;
	in[0].present[15] = 1;
	in[2].present[0] = 1;
	assert_int_equal(store_begin(s, ID_A, ROLE_SEARCH, &trial, &err), 0);
	assert_int_equal(store_samples(s, trial, in, 3, &err), 0);
	reopen(false);
	assert_int_equal(store_trial_samples(s, trial, &out, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_memory_equal(out, in, sizeof(in));
	free(out);
	assert_int_equal(store_trial_samples(s, trial + 1, &out, &n, &err), 0);
	assert_int_equal(n, 0);
	free(out);
}

static int append_event(int64_t date_s, const char *kind, const char *text, void *arg)
{
	assert_true(date_s > 0);
	buf_printf(arg, "%s: %s\n", kind, text);
	return 0;
}

static void events_come_in_order(void **state)
{
	_cleanup_buf_ struct buf all = { 0 };

	(void)state;
	assert_int_equal(store_event(s, "start", &err, "%d candidates", 64), 0);
	assert_int_equal(store_event(s, "empty", &err, "%s", ""), 0);
	assert_int_equal(store_each_event(s, append_event, &all, &err), 0);
	assert_string_equal(all.data, "start: 64 candidates\nempty: \n");
}

static void a_reader_beside_the_writer_sees_each_row_at_once(void **state)
{
	_cleanup_(store_close_p) struct store *reader = NULL;
	char *value;

	(void)state;
	assert_int_equal(store_open(dir, false, &reader, &err), 0);
	for (int i = 0; i < 20; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(store_set(s, "step", text, &err), 0);
		assert_int_equal(store_get(reader, "step", &value, &err), 0);
		assert_string_equal(value, text);
		free(value);
	}
	assert_int_equal(store_set(reader, "step", "x", &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
}

/* The command line shell is what a curious user has at hand. */
static void rows_can_only_be_added(void **state)
{
	_cleanup_free_ char *command = NULL;
	_cleanup_free_ char *value = NULL;

	(void)state;
	if (system("command -v sqlite3 >/dev/null") != 0)
		skip();
	assert_int_equal(store_set(s, "key", "value", &err), 0);
	command = str_printf("sqlite3 %s/run.db \"DELETE FROM fact\" 2>/dev/null", dir);
	assert_int_not_equal(system(command), 0);
	assert_int_equal(store_get(s, "key", &value, &err), 0);
	assert_string_equal(value, "value");
}

static void role_names_parse_back(void **state)
{
	enum store_role r;

	(void)state;
	for (enum store_role i = 0; i < ROLES; i++) {
		assert_true(store_role_parse(store_role_name(i), &r));
		assert_int_equal(r, i);
	}
	assert_false(store_role_parse("", &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_worker_writes_beside_the_controller, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_last_value_of_a_fact_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(facts_come_by_key_and_the_reader_may_stop, setup,
						teardown),
		cmocka_unit_test_setup_teardown(candidates_come_back_in_topological_order, setup,
						teardown),
		cmocka_unit_test_setup_teardown(candidates_are_stored_all_or_none, setup, teardown),
		cmocka_unit_test_setup_teardown(a_trial_comes_back_with_stages_and_verdict, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_trial_ends_once_and_must_exist, setup, teardown),
		cmocka_unit_test_setup_teardown(samples_come_back_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(copies_under_the_kernels_probes_are_kept_apart,
						setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_built_is_read_beside_the_stages, setup,
						teardown),
		cmocka_unit_test_setup_teardown(rows_beside_the_stages_are_bounded, setup,
						teardown),
		cmocka_unit_test_setup_teardown(events_come_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_beside_the_writer_sees_each_row_at_once,
						setup, teardown),
		cmocka_unit_test_setup_teardown(rows_can_only_be_added, setup, teardown),
		cmocka_unit_test(role_names_parse_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
