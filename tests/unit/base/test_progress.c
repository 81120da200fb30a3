// SPDX-License-Identifier: GPL-2.0-or-later
/* One live line on a terminal (a real pty, read by a small emulation), dated lines elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/progress/line.h"
#include "base/str.h"
#include "unit/base/screen.h"

static const char *last_row(const struct screen *s)
{
	return s->text[s->row];
}

static int setup(void **state)
{
	(void)state;
	setenv("TERM", "xterm", 1);
	unsetenv("TMUX");
	return unsetenv("NO_COLOR");
}

static void the_live_line_says_where_the_run_is(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	open_screen(&s, 200);
	p = progress_create(s.slave, false);
	progress_step(p, 3, 8, "4f2a9b1 drm/amdgpu: a subject", 90 * NS_PER_S + NS_PER_MS * 500);
	progress_stage(p, "probe", 12 * NS_PER_S);
	clock_sleep_ms(110);
	progress_detail(p, "%d windows", 4);
	look(&s);
	assert_string_equal(last_row(&s), "step 3 of ~8  probe 0 s of ~12 s  4 windows  "
					  "ETA 1 min 30 s  4f2a9b1 drm/amdgpu: a subject");
	assert_int_equal(s.row, 0);
	assert_true(s.colours > 0);
	progress_destroy(p);
	look(&s);
	assert_string_equal(last_row(&s), "");
	close_screen(&s);
}

static void what_is_overdue_is_not_promised(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	open_screen(&s, 200);
	p = progress_create(s.slave, false);
	progress_step(p, 2, 8, "4f2a9b1", 50 * NS_PER_MS);
	progress_stage(p, "probe", 300 * NS_PER_MS);
	look(&s);
	assert_non_null(strstr(last_row(&s), "probe 0 s of ~1 s  "));
	clock_sleep_ms(700);
	look(&s);
	assert_string_equal(last_row(&s), "step 2 of ~8  probe 0 s  4f2a9b1");
	progress_destroy(p);
	close_screen(&s);
}

static void it_moves_without_being_called(void **state)
{
	struct screen s;
	struct progress *p;
	size_t before;

	(void)state;
	open_screen(&s, 80);
	p = progress_create(s.slave, false);
	progress_stage(p, "build", -1);
	look(&s);
	before = s.bytes;
	clock_sleep_ms(1200);
	look(&s);
	assert_true(s.bytes > before);
	assert_string_equal(last_row(&s), "build 1 s  ");
	progress_destroy(p);
	close_screen(&s);
}

static void late_stage_counts_from_its_beginning(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	open_screen(&s, 80);
	p = progress_create(s.slave, false);
	progress_stage_since(p, "walk", clock_now_ns() - 7 * NS_PER_S, -1);
	look(&s);
	assert_string_equal(last_row(&s), "walk 7 s  ");
	progress_destroy(p);
	close_screen(&s);
}

static void lines_that_stay_are_left_in_order(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	open_screen(&s, 80);
	p = progress_create(s.slave, false);
	progress_step(p, 1, 2, "abc", -1);
	progress_event(p, "good: %s", "0 windows");
	progress_stage(p, "boot", -1);
	progress_warn(p, "slow");
	look(&s);
	assert_string_equal(s.text[0], "good: 0 windows");
	assert_string_equal(s.text[1], "warning: slow");
	assert_string_equal(s.text[2], "step 1 of ~2  boot 0 s  abc");
	progress_destroy(p);
	look(&s);
	assert_string_equal(s.text[1], "warning: slow");
	assert_string_equal(s.text[2], "");
	close_screen(&s);
}

static void it_never_wraps_whatever_the_width(void **state)
{
	(void)state;
	for (unsigned short width = 1; width < 90; width++) {
		struct screen s;
		struct progress *p;

		open_screen(&s, width);
		p = progress_create(s.slave, false);
		progress_step(p, 12, 16,
			      "0123456 caf\xc3\xa9 \xe6\xbc\xa2\xe5\xad\x97 and more words",
			      5 * NS_PER_S);
		progress_stage(p, "build", NS_PER_S);
		look(&s);
		assert_in_range(s.widest, width > 4 ? 3 : 0, width > 20 ? width - 3 : width - 1);
		progress_destroy(p);
		close_screen(&s);
	}
}

static void a_resized_terminal_is_followed(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	open_screen(&s, 100);
	p = progress_create(s.slave, false);
	progress_step(p, 1, 9, "a name that is much longer than forty columns, surely so", -1);
	look(&s);
	assert_true(strlen(last_row(&s)) > 60);
	resize(&s, 40);
	clock_sleep_ms(110);
	progress_tick(p);
	look(&s);
	assert_int_equal(strlen(last_row(&s)), 37);
	assert_non_null(strstr(last_row(&s), "..."));
	assert_int_equal(s.row, 0);
	progress_destroy(p);
	close_screen(&s);
}

static void where_lines_reflow_the_rows_above_are_cleared_too(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	setenv("TMUX", "x", 1);
	open_screen(&s, 100);
	p = progress_create(s.slave, false);
	progress_event(p, "stays");
	progress_step(p, 1, 9, "a name that is much longer than forty columns, surely so", -1);
	look(&s);
	/* What tmux does: 71 columns become rows of 40 and 31. */
	assert_int_equal(s.col, 70);
	memcpy(s.text[2], s.text[1] + 40, 30);
	s.text[1][40] = '\0';
	s.row = 2;
	s.col = 30;
	resize(&s, 40);
	clock_sleep_ms(110);
	progress_tick(p);
	look(&s);
	unsetenv("TMUX");
	assert_string_equal(s.text[0], "stays");
	assert_int_equal(s.row, 1);
	assert_int_equal(strlen(s.text[1]), 37);
	assert_string_equal(s.text[2], "");
	progress_destroy(p);
	close_screen(&s);
}

static void no_color_is_heeded(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	setenv("NO_COLOR", "1", 1);
	open_screen(&s, 80);
	p = progress_create(s.slave, false);
	progress_stage(p, "build", -1);
	progress_warn(p, "x");
	look(&s);
	assert_int_equal(s.colours, 0);
	progress_destroy(p);
	close_screen(&s);
	unsetenv("NO_COLOR");
}

static void quiet_shows_only_warnings(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	open_screen(&s, 80);
	p = progress_create(s.slave, true);
	progress_step(p, 1, 2, "x", -1);
	progress_stage(p, "build", -1);
	progress_event(p, "not seen");
	progress_warn(p, "seen");
	clock_sleep_ms(300);
	progress_tick(p);
	progress_destroy(p);
	look(&s);
	assert_string_equal(s.text[0], "warning: seen");
	assert_string_equal(s.text[1], "");
	close_screen(&s);
}

/* What was written to a plain file, each date (checked) replaced by "D". */
static char *plain_text(FILE *f)
{
	struct buf out = { 0 };
	char line[512], *ms;

	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		assert_true(strlen(line) > 22);
		assert_int_equal(line[10], ' ');
		assert_memory_equal(line + 19, "Z  ", 3);
		/* A slow machine may take a millisecond or two. */
		ms = strstr(line, " ms");
		if (ms)
			ms[-1] = '0';
		buf_printf(&out, "D  %s", line + 22);
	}
	fclose(f);
	return buf_take(&out);
}

static void use_all(struct progress *p)
{
	progress_event(p, "start");
	progress_step(p, 3, 8, "4f2a9b1 subject", 90 * NS_PER_S);
	progress_stage(p, "build", -1);
	for (int i = 0; i < 100; i++)
		progress_tick(p);
	progress_stage(p, "probe", -1);
	progress_detail(p, "1 windows");
	progress_detail(p, "2 windows");
	progress_stage(p, NULL, -1);
	progress_event(p, "bad\nlines\033[2J");
	progress_destroy(p);
}

static const char plain_want[] = "D  start\n"
				 "D  step 3 of ~8: 4f2a9b1 subject\n"
				 "D  step 3 of ~8, 4f2a9b1: build 0 ms\n"
				 "D  step 3 of ~8, 4f2a9b1: probe 0 ms, 2 windows\n"
				 "D  bad lines?[2J\n";

static void elsewhere_there_is_a_dated_line_per_event_and_stage(void **state)
{
	FILE *f = tmpfile();
	_cleanup_free_ char *text = NULL;

	(void)state;
	use_all(progress_create(f, false));
	text = plain_text(f);
	assert_string_equal(text, plain_want);
}

/* What a worker's own display tells, one line each. */
static char *told(void (*say)(struct progress *p))
{
	FILE *f = tmpfile();
	struct progress *p = progress_relay(f);
	struct buf out = { 0 };
	char line[512];

	say(p);
	progress_destroy(p);
	rewind(f);
	while (fgets(line, sizeof(line), f))
		buf_puts(&out, line);
	fclose(f);
	return buf_take(&out);
}

static void say_a_trial(struct progress *p)
{
	progress_step(p, 1, 2, "not told: it is the run's", -1);
	progress_stage(p, "build", 3 * NS_PER_S);
	clock_sleep_ms(300);
	progress_detail(p, "7 of 9 objects");
	progress_detail(p, "too soon after the last");
	progress_event(p, "two\nlines");
	progress_warn(p, "mind this");
	progress_stage(p, NULL, -1);
}

static void worker_tells_what_it_does(void **state)
{
	_cleanup_free_ char *got = told(say_a_trial);

	(void)state;
	assert_string_equal(got, "stage 3000000000 build\ndetail 7 of 9 objects\nevent two lines\n"
				 "warn mind this\nstage -1 \n");
}

static void each_worker_has_a_line_of_its_own(void **state)
{
	struct screen s;
	struct progress *p;

	(void)state;
	open_screen(&s, 80);
	p = progress_create(s.slave, false);
	progress_event(p, "before");
	progress_workers(p, 2);
	progress_step(p, 4, 9, "2 candidates at once", -1);
	progress_worker(p, 1, "4f2a9b1 drm/amdgpu: a subject");
	progress_relayed(p, 1, "stage 3000000000 boot");
	progress_relayed(p, 1, "detail 7 windows");
	progress_relayed(p, 1, "no such line");
	progress_relayed(p, 2, "stage 1 of a third one");
	look(&s);
	assert_string_equal(s.text[0], "before");
	assert_string_equal(s.text[1], "worker 1  idle  ");
	assert_string_equal(s.text[2],
			    "worker 2  boot 0 s of ~3 s  7 windows  4f2a9b1 drm/amdgpu: a "
			    "subject");
	assert_string_equal(s.text[3], "step 4 of ~9  2 candidates at once");
	progress_relayed(p, 0, "event said so");
	look(&s);
	assert_string_equal(s.text[1], "worker 1: said so");
	assert_string_equal(s.text[2], "worker 1  idle  ");
	assert_string_equal(s.text[4], "step 4 of ~9  2 candidates at once");
	progress_workers(p, 0);
	look(&s);
	assert_string_equal(s.text[2], "step 4 of ~9  2 candidates at once");
	assert_string_equal(s.text[3], "");
	progress_destroy(p);
	look(&s);
	assert_string_equal(s.text[1], "worker 1: said so");
	assert_string_equal(s.text[2], "");
	close_screen(&s);
}

static void workers_elsewhere_get_a_line_per_stage(void **state)
{
	_cleanup_free_ char *got = NULL;
	FILE *f = tmpfile();
	struct progress *p = progress_create(f, false);

	(void)state;
	progress_workers(p, 2);
	progress_worker(p, 0, "4f2a9b1 drm/amdgpu: a subject");
	progress_relayed(p, 0, "stage -1 boot");
	progress_relayed(p, 0, "stage -1 ");
	progress_relayed(p, 0, "warn mind this");
	progress_worker(p, 0, NULL);
	progress_destroy(p);
	got = plain_text(f);
	assert_string_equal(got, "D  worker 1: 4f2a9b1 drm/amdgpu: a subject\n"
				 "D  worker 1, 4f2a9b1: boot 0 ms\n"
				 "D  warning: worker 1: mind this\n");
}

static void a_dumb_terminal_gets_plain_lines(void **state)
{
	struct screen s;

	(void)state;
	setenv("TERM", "dumb", 1);
	open_screen(&s, 80);
	use_all(progress_create(s.slave, false));
	look(&s);
	setenv("TERM", "xterm", 1);
	assert_int_equal(s.row, 5);
	assert_string_equal(s.text[0] + 19, "Z  start");
	assert_int_equal(s.colours, 0);
	close_screen(&s);
}

static void no_progress_is_fine(void **state)
{
	(void)state;
	use_all(NULL);
	progress_warn(NULL, "x");
}

static void *hammer(void *arg)
{
	for (int i = 0; i < 300; i++) {
		progress_detail(arg, "%d", i);
		progress_tick(arg);
		progress_event(arg, "event");
		progress_stage(arg, i & 1 ? "build" : "boot", NS_PER_S);
	}
	return NULL;
}

static void threads_do_not_break_each_others_lines(void **state)
{
	FILE *f = tmpfile();
	struct progress *p = progress_create(f, false);
	_cleanup_free_ char *text = NULL;
	pthread_t t[4];
	size_t events = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(pthread_create(&t[i], NULL, hammer, p), 0);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		pthread_join(t[i], NULL);
	progress_destroy(p);
	text = plain_text(f);
	for (const char *s = text; (s = strstr(s, "D  event\n")); s++)
		events++;
	assert_int_equal(events, 4 * 300);
}

static void text_is_cut_between_characters(void **state)
{
	char got[8];

	(void)state;
	line_clean(got, sizeof(got), "abcdef\xc3\xa9");
	assert_string_equal(got, "abcdef");
	line_clean(got, sizeof(got), "\xff\x1b\xc2\x9b\xe6\xbc\xa2x");
	assert_string_equal(got, "???\xe6\xbc\xa2x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_live_line_says_where_the_run_is),
		cmocka_unit_test(what_is_overdue_is_not_promised),
		cmocka_unit_test(it_moves_without_being_called),
		cmocka_unit_test(late_stage_counts_from_its_beginning),
		cmocka_unit_test(lines_that_stay_are_left_in_order),
		cmocka_unit_test(it_never_wraps_whatever_the_width),
		cmocka_unit_test(a_resized_terminal_is_followed),
		cmocka_unit_test(where_lines_reflow_the_rows_above_are_cleared_too),
		cmocka_unit_test(no_color_is_heeded),
		cmocka_unit_test(quiet_shows_only_warnings),
		cmocka_unit_test(elsewhere_there_is_a_dated_line_per_event_and_stage),
		cmocka_unit_test(a_dumb_terminal_gets_plain_lines),
		cmocka_unit_test(worker_tells_what_it_does),
		cmocka_unit_test(each_worker_has_a_line_of_its_own),
		cmocka_unit_test(workers_elsewhere_get_a_line_per_stage),
		cmocka_unit_test(no_progress_is_fine),
		cmocka_unit_test(threads_do_not_break_each_others_lines),
		cmocka_unit_test(text_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
