// SPDX-License-Identifier: GPL-2.0-or-later
/* copy-regimes on machines that lack something: the agent says how it ended, and goes on. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent-rig.h"
#include "base/cleanup.h"
#include "base/str.h"

#define PLAIN COPY_REGIMES " --runtime none --sizes 65536,131072 --repeats 1"

/* What a probe run came to. */
struct outcome {
	uint32_t samples;
	enum wire_probe_how how;
	int32_t code;
	char notes[4096];
	struct wire_sample last;
};

static struct outcome run(struct rig *r, const char *script, uint32_t limit_ms)
{
	static unsigned int number;
	struct wire_msg m = { .type = WIRE_PROBE, .probe.limit_ms = limit_ms };
	_cleanup_free_ char *text = str_printf("#!/bin/sh\n%s\n", script);
	_cleanup_free_ char *file = str_printf("probes/p%u", ++number);
	struct outcome o = { 0 };

	str_copy(m.probe.probe, sizeof(m.probe.probe), file + strlen("probes/"));
	rig_file(r, file, text);
	rig_send(r, &m);
	for (;;) {
		m = rig_hear(r);
		if (m.type == WIRE_PROBE_END)
			break;
		if (m.type == WIRE_SAMPLE) {
			o.last = m.sample;
			o.samples++;
		} else {
			assert_int_equal(m.type, WIRE_NOTE);
			snprintf(o.notes + strlen(o.notes), sizeof(o.notes) - strlen(o.notes),
				 "%s\n", m.note.text);
		}
	}
	o.how = m.probe_end.how;
	o.code = m.probe_end.code;
	return o;
}

/* It ends so, says that, and the next probe of the same agent is whole. */
static void expect(struct rig *r, const char *script, uint32_t limit_ms, enum wire_probe_how how,
		   int code, const char *words)
{
	struct outcome o = run(r, script, limit_ms);

	if (o.how != how || o.code != code || !strstr(o.notes, words))
		fail_msg("%s: how %d, code %d: %s", script, (int)o.how, o.code, o.notes);
	o = run(r, "exec " PLAIN, 20000);
	assert_int_equal(o.code, 0);
	assert_int_equal(o.samples, 1 + 2 * 3);
	rig_alive(r);
}

static void a_probe_that_is_killed(void **state)
{
	expect(*state, PLAIN "; kill -KILL $$", 20000, PROBE_SIGNALED, SIGKILL, "");
}

static void a_probe_in_d_state(void **state)
{
	expect(*state, "exec " STUCK, 1000, PROBE_HUNG, SIGKILL, "(state D");
}

static void a_probe_that_may_have_no_memory(void **state)
{
	expect(*state, "ulimit -v 20000; exec " PLAIN " --sizes 33554432", 20000, PROBE_EXITED, 1,
	       "cannot reserve");
}

static void a_library_that_is_missing(void **state)
{
	expect(*state, "LD_LIBRARY_PATH=" GPU "/broken exec " COPY_REGIMES " --runtime hip", 20000,
	       PROBE_EXITED, 77, "no library: libamdhip64.so.7 is there, but not whole");
}

static void proc_that_is_hidden(void **state)
{
	if (geteuid())
		skip();
	expect(*state, "exec unshare -m sh -c 'mount -t tmpfs x /proc; exec " PLAIN "'", 20000,
	       PROBE_EXITED, 1, "cannot open /proc/self/pagemap");
}

static void a_file_system_that_is_read_only(void **state)
{
	if (geteuid())
		skip();
	expect(*state,
	       "exec unshare -m sh -c 'mount -t tmpfs -o ro x /mnt; exec " PLAIN " --file /mnt/x'",
	       20000, PROBE_EXITED, 1,
	       "cannot make the source file /mnt/x (see --file): Read-only file system");
}

static void a_file_system_that_is_full(void **state)
{
	if (geteuid())
		skip();
	expect(*state,
	       "exec unshare -m sh -c 'mount -t tmpfs -o size=64k x /mnt; exec " PLAIN
	       " --file /mnt/x'",
	       20000, PROBE_EXITED, 1, "No space left on device");
}

static void a_kernel_without_huge_pages_leaves_the_field_empty(void **state)
{
	struct outcome o;

	if (geteuid())
		skip();
	o = run(*state, "exec unshare -m sh -c 'mount -t tmpfs x /sys; exec " PLAIN "'", 20000);
	assert_int_equal(o.code, 0);
	assert_int_equal(o.samples, 7);
	assert_string_equal(o.last.thp, "");
	assert_int_equal(o.last.regime, REGIME_RW_RESIDENT);
	assert_true(o.last.after);
	rig_alive(*state);
}

static void sources_on_several_file_systems_are_told_apart(void **state)
{
	struct outcome o;

	if (geteuid())
		skip();
	o = run(*state,
		"exec unshare -m sh -c 'mount -t tmpfs x /mnt; mkdir /mnt/l; "
		"mount -t ramfs x /mnt/l; " PLAIN " --file /mnt/x --file /mnt/l/x'",
		20000);
	assert_int_equal(o.code, 0);
	assert_int_equal(o.samples, 2 * 7);
	assert_string_equal(o.last.file_system, "ramfs");
	rig_alive(*state);
}

int main(void)
{
#define WITH_AGENT(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		WITH_AGENT(a_probe_that_is_killed),
		WITH_AGENT(a_probe_in_d_state),
		WITH_AGENT(a_probe_that_may_have_no_memory),
		WITH_AGENT(a_library_that_is_missing),
		WITH_AGENT(proc_that_is_hidden),
		WITH_AGENT(a_file_system_that_is_read_only),
		WITH_AGENT(a_file_system_that_is_full),
		WITH_AGENT(a_kernel_without_huge_pages_leaves_the_field_empty),
		WITH_AGENT(sources_on_several_file_systems_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
