// SPDX-License-Identifier: GPL-2.0-or-later
/* Building ahead, with a script that notes what it is asked in the place of `amdgpu-bisect build`. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "controller/ahead/ahead.h"
#include "unit/range/kit.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccc"
#define D "dddddddddddddddddddddddddddddddddddddddd"

/* What the script does with an id is the content of the file WORK/ID; it leaves marks there. */
static const char script[] = "#!/bin/sh\n"
			     "for id; do :; done\n"
			     "cd \"${0%/*}\" || exit 128\n"
			     "echo \"$@\" >>calls\n"
			     "trap 'echo $id >>stopped; kill $!; exit 130' TERM\n"
			     "echo $id >>begun\n"
			     ". ./$id\n";

struct bench {
	char *work;
	char *program;
	struct store *store;
	struct options o;
	struct build_kernel kernel;
	struct ahead *a;
};

static void put(const struct bench *b, const char *id, const char *does)
{
	_cleanup_free_ char *path = str_printf("%s/%s", b->work, id);
	struct err err;

	assert_int_equal(fs_write(path, does, strlen(does), &err), 0);
}

static void bench_start(struct bench *b, const char *name)
{
	struct ahead_spec spec = { .o = &b->o, .kernel = &b->kernel, .repo = "/the repo" };
	struct err err;

	*b = (struct bench){ .work = kit_path("%s", name) };
	b->program = str_printf("%s/program", b->work);
	b->kernel.release = xstrdup("6.1.0-57-amd64");
	options_default(CMD_RUN, &b->o);
	assert_int_equal(options_set(&b->o, "build.cc", "gcc \"12\"\\ # ;", ORIGIN_FLAG, &err), 0);
	assert_int_equal(options_set(&b->o, "build.release", "older", ORIGIN_FLAG, &err), 0);
	assert_int_equal(options_set(&b->o, "bisect.path", "drv one", ORIGIN_RUN, &err), 0);
	assert_int_equal(options_set(&b->o, "bisect.path", "drv/two", ORIGIN_RUN, &err), 0);
	assert_int_equal(fs_mkdirs(b->work, &err), 0);
	assert_int_equal(fs_write(b->program, script, strlen(script), &err), 0);
	assert_int_equal(chmod(b->program, 0755), 0);
	assert_int_equal(store_create(b->work, &b->store, &err), 0);
	spec.dir = b->work;
	spec.store = b->store;
	spec.program = b->program;
	if (ahead_open(&spec, &b->a, &err) < 0)
		fail_msg("%s", err.msg);
}

static void bench_end(struct bench *b)
{
	ahead_close(b->a);
	store_close(b->store);
	options_deinit(&b->o);
	free(b->kernel.release);
	free(b->program);
	free(b->work);
}
#define _cleanup_bench_ __attribute__((cleanup(bench_end)))

static char *mark(const struct bench *b, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", b->work, name);
	char *text = NULL;
	struct err err;

	if (!fs_exists(path) || fs_read(path, 1 << 20, &text, NULL, &err) < 0)
		return xstrdup("");
	return text;
}

static void expect_mark(const struct bench *b, const char *name, const char *want)
{
	_cleanup_free_ char *text = mark(b, name);

	assert_string_equal(text, want);
}

static void wait_mark(const struct bench *b, const char *name, const char *want)
{
	for (int i = 0; i < 1000; i++) {
		_cleanup_free_ char *text = mark(b, name);

		if (strcmp(text, want) == 0)
			return;
		clock_sleep_ms(10);
	}
	expect_mark(b, name, want);
}

static int add_event(int64_t date_s, const char *kind, const char *text, void *arg)
{
	(void)date_s;
	assert_string_equal(kind, "ahead");
	/* "built ID MS ms": the time is not the same twice. */
	buf_printf(arg, "%.*s ", (int)(strcspn(text, " ") + 2), text);
	return 0;
}

/* All that is stored, as "built a used a ". */
static void expect_events(const struct bench *b, const char *want)
{
	_cleanup_buf_ struct buf text = { 0 };
	struct err err;

	assert_int_equal(store_each_event(b->store, add_event, &text, &err), 0);
	assert_string_equal(text.data ? text.data : "", want);
}

static void plan(struct bench *b, const char *x, const char *y)
{
	const char *ids[] = { x, y };

	ahead_plan(b->a, ids, y ? 2 : 1);
}

static int need(struct bench *b, const char *id)
{
	int64_t start = clock_now_ns();

	ahead_need(b->a, id, NULL);
	ahead_have(b->a, id);
	return (int)((clock_now_ns() - start) / NS_PER_MS);
}

static const char quick[] = "echo built $id; echo $id >>ended\n";
static const char slow[] = "sleep 60 & wait\n";
static const char second[] = "sleep 1; echo built $id; echo $id >>ended\n";

static void what_is_planned_is_built_in_order_and_used(void **state)
{
	_cleanup_bench_ struct bench b;

	(void)state;
	bench_start(&b, "order");
	put(&b, B, quick);
	put(&b, C, quick);
	plan(&b, B, C);
	assert_true(ahead_foresees(b.a, C) && !ahead_foresees(b.a, D));
	need(&b, A);
	clock_sleep_ms(200);
	expect_mark(&b, "begun", ""); /* not before the guest is at work */
	ahead_go(b.a);
	wait_mark(&b, "ended", B "\n" C "\n");
	clock_sleep_ms(200);
	need(&b, C);
	expect_events(&b, "built b built c used c ");
	need(&b, C); /* once more: nothing is saved again */
	ahead_go(b.a);
	clock_sleep_ms(200);
	expect_mark(&b, "begun", B "\n" C "\n");
	expect_events(&b, "built b built c used c ");
}

static void the_loser_is_stopped_at_once(void **state)
{
	_cleanup_bench_ struct bench b;

	(void)state;
	bench_start(&b, "loser");
	put(&b, B, slow);
	put(&b, C, quick);
	plan(&b, B, C);
	ahead_go(b.a);
	wait_mark(&b, "begun", B "\n");
	plan(&b, D, NULL);
	assert_true(need(&b, C) < 1000);
	expect_mark(&b, "stopped",
		    B "\n"); /* and C was not begun by us, but is left to the caller */
	expect_mark(&b, "begun", B "\n");
	expect_events(&b, "stopped b ");
}

static void what_is_being_built_and_needed_goes_on(void **state)
{
	_cleanup_bench_ struct bench b;

	(void)state;
	bench_start(&b, "goes-on");
	put(&b, B, second);
	put(&b, C, slow);
	plan(&b, B, C);
	ahead_go(b.a);
	wait_mark(&b, "begun", B "\n");
	assert_true(need(&b, B) > 500);
	expect_mark(&b, "ended", B "\n");
	clock_sleep_ms(200);
	expect_mark(&b, "begun", B "\n"); /* C has lost */
	expect_events(&b, "built b used b ");
}

/* An end that is built already is tested, while what comes after goes on. */
static void what_is_planned_still_goes_on(void **state)
{
	_cleanup_bench_ struct bench b;

	(void)state;
	bench_start(&b, "still");
	put(&b, B, quick);
	put(&b, C, second);
	plan(&b, B, C);
	ahead_go(b.a);
	wait_mark(&b, "begun", B "\n" C "\n");
	clock_sleep_ms(100);
	ahead_go(b.a); /* takes note of B */
	assert_true(need(&b, B) < 500);
	ahead_go(b.a);
	wait_mark(&b, "ended", B "\n" C "\n");
	expect_mark(&b, "stopped", "");
	expect_mark(&b, "begun", B "\n" C "\n");
}

static void a_failure_costs_a_line(void **state)
{
	_cleanup_bench_ struct bench b;
	const char *ids[] = { A, B, C, D };

	(void)state;
	bench_start(&b, "failure");
	put(&b, A, "echo failed $id: a.c:1: error: no; exit 125\n");
	put(&b, B, "echo no disk >&2; exit 128\n");
	put(&b, C, "kill -9 $$\n");
	put(&b, D, "echo cached $id; echo $id >>ended\n");
	ahead_plan(b.a, ids, 4);
	ahead_go(b.a);
	wait_mark(&b, "ended", D "\n");
	clock_sleep_ms(200);
	assert_true(need(&b, A) < 500);
	ahead_go(b.a);
	clock_sleep_ms(200);
	expect_mark(&b, "begun", A "\n" B "\n" C "\n" D "\n"); /* none twice */
	expect_mark(&b, "candidates/bbbbbbbbbbbb/ahead.log", "no disk\n");
	expect_events(&b, "built a failed b failed c used a ");
}

/* What failed ahead has still to be built, and must not wait for what only may come next. */
static void a_failure_that_is_needed_stops_the_others(void **state)
{
	_cleanup_bench_ struct bench b;

	(void)state;
	bench_start(&b, "needed-failure");
	put(&b, B, "exit 128\n");
	put(&b, C, slow);
	plan(&b, B, C);
	ahead_go(b.a);
	wait_mark(&b, "begun", B "\n" C "\n");
	clock_sleep_ms(200);
	assert_true(need(&b, B) < 1000);
	expect_mark(&b, "stopped", C "\n");
	expect_events(&b, "failed b stopped c ");
}

/* Only who may lift it waits for idle work to its end, which on a busy machine may never come. */
static void idle_work_that_cannot_be_lifted_is_not_waited_for(void **state)
{
	_cleanup_bench_ struct bench b;
	uid_t uid = geteuid();
	int took;

	(void)state;
	bench_start(&b, "unlifted");
	put(&b, B, "chrt --idle --pid 0 $$; echo $id >>idle; sleep 60 & wait\n");
	plan(&b, B, NULL);
	ahead_go(b.a);
	wait_mark(&b, "idle", B "\n");
	clock_sleep_ms(300);
	assert_true(uid != 0 || seteuid(65534) == 0);
	took = need(&b, B);
	assert_true(uid != 0 || seteuid(0) == 0);
	assert_true(took >= 300 && took < 5000);
	expect_mark(&b, "stopped", B "\n");
	expect_events(&b, "stopped b ");
}

static void the_end_stops_all(void **state)
{
	struct bench b;
	int64_t t;

	(void)state;
	bench_start(&b, "end");
	put(&b, B, slow);
	put(&b, C, quick);
	plan(&b, B, C);
	ahead_go(b.a);
	wait_mark(&b, "begun", B "\n");
	t = clock_now_ns();
	ahead_close(b.a);
	b.a = NULL;
	assert_true(clock_now_ns() - t < 10 * NS_PER_S);
	expect_mark(&b, "stopped", B "\n");
	expect_mark(&b, "begun", B "\n");
	expect_events(&b, "stopped b ");
	bench_end(&b);
}

/* All that makes a key arrives, whatever ./bisect.conf says. */
static void the_options_arrive(void **state)
{
	_cleanup_bench_ struct bench b;
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_free_ char *calls = NULL, *conf = NULL, *flag = NULL;
	char *argv[2] = { NULL };
	struct err err;

	(void)state;
	bench_start(&b, "options");
	put(&b, B, quick);
	plan(&b, B, NULL);
	ahead_go(b.a);
	wait_mark(&b, "ended", B "\n");
	calls = mark(&b, "calls");
	conf = str_printf("%s/ahead.conf", b.work);
	flag = str_printf("--config %s --repo /the repo --dir %s " B, conf, b.work);
	assert_non_null(strstr(calls, "build --idle --quiet "));
	assert_non_null(strstr(calls, flag));

	argv[0] = str_printf("--config=%s", conf);
	if (options_parse(CMD_BUILD, 1, argv, &o, &err) < 0)
		fail_msg("%s", err.msg);
	free(argv[0]);
	assert_string_equal(options_str(&o, OPT_CC), "gcc \"12\"\\ # ;");
	assert_string_equal(options_str(&o, OPT_RELEASE), "6.1.0-57-amd64");
	assert_int_equal(options_list(&o, OPT_PATH)->n, 2);
	assert_string_equal(options_list(&o, OPT_PATH)->items[0], "drv one");
	assert_string_equal(options_list(&o, OPT_PATH)->items[1], "drv/two");
	assert_string_equal(options_str(&o, OPT_SCOPE), "unit");
	assert_false(options_given(&o, OPT_SOURCE));
}

static void nothing_is_built_by_none(void **state)
{
	const char *ids[] = { A };

	(void)state;
	ahead_plan(NULL, ids, 1);
	assert_false(ahead_foresees(NULL, A));
	ahead_need(NULL, A, NULL);
	ahead_have(NULL, A);
	ahead_go(NULL);
	ahead_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_planned_is_built_in_order_and_used),
		cmocka_unit_test(the_loser_is_stopped_at_once),
		cmocka_unit_test(what_is_being_built_and_needed_goes_on),
		cmocka_unit_test(what_is_planned_still_goes_on),
		cmocka_unit_test(a_failure_costs_a_line),
		cmocka_unit_test(a_failure_that_is_needed_stops_the_others),
		cmocka_unit_test(idle_work_that_cannot_be_lifted_is_not_waited_for),
		cmocka_unit_test(the_end_stops_all),
		cmocka_unit_test(the_options_arrive),
		cmocka_unit_test(nothing_is_built_by_none),
	};
	int failed;

	kit_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return failed;
}
