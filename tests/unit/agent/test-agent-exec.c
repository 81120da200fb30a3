// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of the user's: what they print, what they lack. See test-agent-exec.h. */
#include "unit/agent/test-agent-exec.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest-agent/agent/probe.h"
#include "unit/agent/agent-rig.h"

static void exec(struct rig *r, const char *program, const char *args, uint32_t limit_ms)
{
	struct wire_msg m = { .type = WIRE_EXEC, .exec = { .limit_ms = limit_ms } };

	str_copy(m.exec.program, sizeof(m.exec.program), program);
	str_copy(m.exec.args, sizeof(m.exec.args), args);
	rig_send(r, &m);
}

static void script(struct rig *r, const char *text)
{
	_cleanup_free_ char *whole = str_printf("#!/bin/sh\n%s\n", text);

	rig_file(r, "probes/own", whole);
	exec(r, "own", "", 10000);
}

static void assert_note(struct rig *r, const char *words)
{
	struct wire_msg m = rig_hear(r);

	assert_int_equal(m.type, WIRE_NOTE);
	if (!strstr(m.note.text, words))
		fail_msg("'%s' does not say '%s'", m.note.text, words);
}

static void assert_ends(struct rig *r, const char *result, enum wire_probe_how how, int code)
{
	struct wire_msg m = rig_hear(r);

	assert_int_equal(m.type, WIRE_OUTPUT);
	assert_string_equal(m.output.text, result);
	m = rig_hear(r);
	assert_int_equal(m.type, WIRE_PROBE_END);
	assert_int_equal(m.probe_end.how, how);
	assert_int_equal(m.probe_end.code, code);
	rig_alive(r);
}

void the_last_line_of_a_program_is_its_result(void **state)
{
	script(*state, "echo one; echo; echo two; echo '{\"metrics\":{\"a\":1}}'; exit 1");
	assert_note(*state, "one");
	assert_note(*state, "two");
	assert_ends(*state, "{\"metrics\":{\"a\":1}}", PROBE_EXITED, 1);
}

void a_result_needs_no_line_break(void **state)
{
	script(*state, "echo one; printf '{}'");
	assert_note(*state, "one");
	assert_ends(*state, "{}", PROBE_EXITED, 0);
}

void a_program_that_prints_nothing_has_an_empty_result(void **state)
{
	script(*state, "exit 125");
	assert_ends(*state, "", PROBE_EXITED, 125);
}

void a_result_comes_from_stdout_alone(void **state)
{
	script(*state, "echo out; sleep 0.2; echo err >&2");
	assert_note(*state, "err");
	assert_ends(*state, "out", PROBE_EXITED, 0);
}

void a_line_too_long_for_a_result_is_none(void **state)
{
	script(*state, "echo short; head -c 2000 /dev/zero | tr '\\0' x; echo");
	assert_note(*state, "short");
	assert_note(*state, "xxxx");
	assert_ends(*state, "", PROBE_EXITED, 0);
}

void what_a_program_finds_beside_it_comes_first(void **state)
{
	rig_file(*state, "probes/sleep", "#!/bin/sh\necho mine $1\n");
	script(*state, "sleep 3");
	assert_ends(*state, "mine 3", PROBE_EXITED, 0);
}

void a_program_of_the_guest_is_run_by_its_path(void **state)
{
	exec(*state, "/bin/echo", "  two  words ", 10000);
	assert_ends(*state, "two words", PROBE_EXITED, 0);
}

void a_flood_of_a_program_is_bounded_and_keeps_its_result(void **state)
{
	size_t notes = 0;
	struct wire_msg m;

	script(*state, "yes | head -n 100000; echo result");
	while ((m = rig_hear(*state)).type == WIRE_NOTE)
		notes++;
	/* One of the agent's own: how much was left out. */
	assert_int_equal(notes, PROBE_EXEC_NOTES_MAX + 1);
	assert_int_equal(m.type, WIRE_OUTPUT);
	assert_string_equal(m.output.text, "result");
	assert_int_equal(rig_hear(*state).type, WIRE_PROBE_END);
	rig_alive(*state);
}

void a_program_that_hangs_gives_what_it_had(void **state)
{
	rig_file(*state, "probes/own", "#!/bin/sh\necho half; sleep 1000\n");
	exec(*state, "own", "", 500);
	assert_note(*state, "not done after 500 ms");
	assert_ends(*state, "half", PROBE_HUNG, SIGKILL);
}

void a_missing_interpreter_is_named(void **state)
{
	rig_file(*state, "probes/own", "#! /opt/none/python9 -u\nprint(1)\n");
	exec(*state, "own", "", 10000);
	assert_note(*state, "its interpreter /opt/none/python9 is not in this guest");
	assert_ends(*state, "", PROBE_EXITED, 127);
}

void a_missing_library_is_named(void **state)
{
	exec(*state, NEEDS_LIBRARY, "", 10000);
	assert_note(*state, "libmissing-here.so");
	assert_ends(*state, "", PROBE_EXITED, 127);
}

void what_is_no_program_is_said_to_be_none(void **state)
{
	rig_file(*state, "probes/own", "just text\n");
	exec(*state, "own", "", 10000);
	assert_note(*state, "neither a program of this machine nor a script");
	assert_ends(*state, "", PROBE_EXITED, 126);
}

void a_program_that_is_not_there_fails(void **state)
{
	exec(*state, "/opt/none/program", "", 10000);
	rig_fails(*state, WIRE_EXEC, "/opt/none/program");
	rig_alive(*state);
}

void memory_is_taken_from_the_program_first(void **state)
{
	script(*state, "cat /proc/self/oom_score_adj");
	assert_ends(*state, "1000", PROBE_EXITED, 0);
}
