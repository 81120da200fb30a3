// SPDX-License-Identifier: GPL-2.0-or-later
/* What is read of the kernel and of the runtime's log: texts as they are, and as they must not be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "guest-agent/probes/evidence/clock.h"
#include "guest-agent/probes/evidence/pathlog.h"
#include "guest-agent/probes/evidence/profile.h"
#include "guest-agent/probes/evidence/state.h"
#include "guest-agent/probes/evidence/trace.h"

/* One second on every clock, changed as said. */
static enum wire_doubt doubt(int64_t raw_ms, int64_t boot_ms, int64_t mono_ms, int64_t steal_ms)
{
	const struct moment start = { 5 * NS_PER_S, 7 * NS_PER_S, 9 * NS_PER_S, NS_PER_S };
	const struct moment end = { start.raw_ns + raw_ms * NS_PER_MS,
				    start.mono_ns + mono_ms * NS_PER_MS,
				    start.boot_ns + boot_ms * NS_PER_MS,
				    start.steal_ns + steal_ms * NS_PER_MS };

	return clock_doubt(&start, &end);
}

static void clocks_that_agree_leave_no_doubt(void **state)
{
	(void)state;
	assert_int_equal(doubt(1000, 1000, 1000, 0), DOUBT_NONE);
	assert_int_equal(doubt(1000, 1000, 1000, 240), DOUBT_NONE);
	assert_int_equal(doubt(16000, 16008, 16008, 0), DOUBT_NONE); /* slewed by 0.05 % */
	assert_int_equal(doubt(0, 0, 0, 19), DOUBT_NONE);
}

static void a_clock_that_leaps_voids_the_time(void **state)
{
	(void)state;
	assert_int_equal(doubt(1000, 1100, 1100, 0), DOUBT_CLOCKS);
	assert_int_equal(doubt(2000, 1000, 1000, 0), DOUBT_CLOCKS);
	assert_int_equal(doubt(-1, 0, 0, 0), DOUBT_CLOCKS);
}

static void a_suspend_and_stolen_time_are_noticed(void **state)
{
	(void)state;
	assert_int_equal(doubt(1000, 9000, 1000, 0), DOUBT_SUSPENDED);
	assert_int_equal(doubt(1000, 1000, 1000, 250), DOUBT_STOLEN);
	assert_int_equal(doubt(20, 20, 20, 20), DOUBT_STOLEN);
}

static void steal_is_the_eighth_column(void **state)
{
	(void)state;
	assert_int_equal(clock_steal_ticks("cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1"), 88);
	assert_int_equal(clock_steal_ticks("cpu  1 2 3 4 5 6 7"), 0);
	assert_int_equal(clock_steal_ticks("cpu0 1 2 3 4 5 6 7 88"), 0);
	assert_int_equal(clock_steal_ticks(""), 0);
}

static void moments_go_forward(void **state)
{
	struct moment start = moment_start(), end = moment_end();

	(void)state;
	assert_true(end.raw_ns >= start.raw_ns && end.boot_ns >= start.boot_ns);
}

static void rss_is_read_from_status(void **state)
{
	struct state s = { 0 };

	(void)state;
	state_rss("Name:\tx\nRssAnon:\t     140 kB\nRssFile:\t    5696 kB\nRssShmem:\t 0 kB\n", &s);
	assert_int_equal(s.anon_bytes, 140 * 1024);
	assert_int_equal(s.file_bytes, 5696 * 1024);
	state_rss("", &s);
	assert_int_equal(s.anon_bytes, 0);
	assert_true(state_now().anon_bytes > 0);
}

static const char pinned[] =
	":3:hip_memory.cpp           :620 : 0000012345 us: [pid:9 tid: 0x7f001] hipMemcpy ( ... )\n"
	":4:rocblit.cpp              :740 : 0000012346 us: [pid:9 tid: 0x7f001] HSA Async Copy on "
	"copy_engine=0x2, dst=0x7f10, src=0x7f20, size=33554432, forceSDMA=0, wait_event=0x0, "
	"completion_signal=0x7f30\n"
	":4:rocblit.cpp              :756 : 0000012347 us: [pid:9 tid: 0x7f001] HSA Async Copy "
	"dst=0x7f11, src=0x7f21, size=1048576, wait_event=0x0, completion_signal=0x7f31\n"
	":4:rocvirtual.cpp           :576 : 0000012348 us: [pid:9 tid: 0x7f001] Host wait on "
	"completion_signal=0x7f31\n";

static const char staged[] =
	":4:rocblit.cpp              :817 : 0000012346 us: [pid:9 tid: 0x7f001] HSA Async Copy "
	"staged H2D dst=0x7f10, src=0x7f20, size=4194304, completion_signal=0x7f30\n"
	":4:rocblit.cpp              :849 : 0000012346 us: [pid:9 tid: 0x7f001] HSA Async Copy "
	"staged D2H dst=0x7f10, src=0x7f20, size=99999999, completion_signal=0x7f30\n"
	":4:rocblit.cpp              :817 : 0000012347 us: [pid:9 tid: 0x7f001] HSA Async Copy "
	"staged H2D dst=0x7f11, src=0x7f21, size=4194304, completion_signal=0x7f31\n";

static void the_log_tells_pinned_from_staged(void **state)
{
	struct pathlog log;

	(void)state;
	pathlog_read(pinned, sizeof(pinned) - 1, &log);
	assert_int_equal(log.pinned_bytes, 33554432 + 1048576);
	assert_int_equal(log.staged_bytes, 0);
	assert_int_equal(pathlog_path(&log, 33554432), PATH_PINNED);
	pathlog_read(staged, sizeof(staged) - 1, &log);
	assert_int_equal(log.staged_bytes, 8388608);
	assert_int_equal(pathlog_path(&log, 8388608), PATH_STAGED);
}

static void a_log_that_tells_of_other_copies_proves_nothing(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"size=33554432",
		"Copy size=",
		"Copy size=99999999999999999999999",
		"Copy size=-5",
		"Copy size=1024",
	};
	struct pathlog log;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		pathlog_read(texts[i], strlen(texts[i]), &log);
		assert_int_equal(pathlog_path(&log, 33554432), PATH_UNKNOWN);
	}
}

static void calls_are_counted_by_what_they_return(void **state)
{
	static const char text[] =
		"# event histogram\n#\n# trigger info: "
		"hist:keys=ret:vals=hitcount:sort=hitcount\n#\n\n"
		"{ ret:          0 } hitcount:          4\n"
		"{ ret:        -16 } hitcount:    4123456\n\nTotals:\n    Hits: 4123460\n";
	uint64_t calls, busy;

	(void)state;
	trace_histogram(text, &calls, &busy);
	assert_int_equal(calls, 4123460);
	assert_int_equal(busy, 4123456);
	trace_histogram("{ ret: 18446744073709551600 } hitcount: 7\n"
			"{ ret: 4294967280 } hitcount: 2\n{ ret: 0 } hitcount: 1\n",
			&calls, &busy);
	assert_int_equal(calls, 10);
	assert_int_equal(busy, 9);
	trace_histogram("{ ret:", &calls, &busy);
	assert_int_equal(calls, 0);
	trace_histogram("{ ret: 1 } hitcount: 99999999999999999999999", &calls, &busy);
	assert_int_equal(calls, 0);
}

static void the_drivers_time_is_from_its_entry_to_its_return(void **state)
{
	static const char text[] =
		"# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		"    copy-regimes-77      [000] .....    12.000100: driver_in: "
		"(amdgpu_hmm+0x0/0x1)\n"
		"    copy-regimes-77      [000] .....    13.002100: driver_out: (form+0x1/0x2 <- "
		"x)\n"
		"    copy-regimes-77      [000] .....    13.002200: driver_in: "
		"(amdgpu_hmm+0x0/0x1)\n"
		"    copy-regimes-77      [000] .....    13.002300: driver_out: (form+0x1/0x2 <- "
		"x)\n"
		"    copy-regimes-77      [000] .....    13.002400: driver_in: "
		"(amdgpu_hmm+0x0/0x1)\n";
	uint64_t calls;
	int64_t ns;

	(void)state;
	trace_inside(text, &calls, &ns);
	assert_int_equal(calls, 2);
	assert_int_equal(ns, 1002100000);
	trace_inside("driver_in: driver_out:\n: driver_in:\n 9.9: driver_out:", &calls, &ns);
	assert_int_equal(calls, 0);
	trace_inside(" 99999999999999999999.000001: driver_in: x\n 1.0: driver_out: y", &calls,
		     &ns);
	assert_int_equal(calls, 0);
}

static void a_function_ends_where_the_next_begins(void **state)
{
	static const char text[] = "ffffffff81000100 T before\nffffffff81000200 T hmm_range_fault\n"
				   "ffffffffc0000010 t other\t[mod]\nffffffff81000280 t after\n"
				   "ffffffff81000210 T hmm_range_fault_more\n";
	struct profile_span s = profile_find(text, "hmm_range_fault");

	(void)state;
	assert_int_equal(s.start, 0xffffffff81000200);
	assert_int_equal(s.end, 0xffffffff81000210);
	s = profile_find(text, "other");
	assert_int_equal(s.end, 0);
	s = profile_find(text, "hmm_range");
	assert_int_equal(s.start, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_that_agree_leave_no_doubt),
		cmocka_unit_test(a_clock_that_leaps_voids_the_time),
		cmocka_unit_test(a_suspend_and_stolen_time_are_noticed),
		cmocka_unit_test(steal_is_the_eighth_column),
		cmocka_unit_test(moments_go_forward),
		cmocka_unit_test(rss_is_read_from_status),
		cmocka_unit_test(the_log_tells_pinned_from_staged),
		cmocka_unit_test(a_log_that_tells_of_other_copies_proves_nothing),
		cmocka_unit_test(calls_are_counted_by_what_they_return),
		cmocka_unit_test(the_drivers_time_is_from_its_entry_to_its_return),
		cmocka_unit_test(a_function_ends_where_the_next_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
