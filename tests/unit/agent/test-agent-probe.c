// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes that measure, hang, flood, lie and die: see test-agent-probe.h. */
#include "unit/agent/test-agent-probe.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/agent/probe.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "unit/agent/agent-rig.h"

static const struct wire_sample sample = {
	.regime = REGIME_RW_RESIDENT,
	.repeat = 2,
	.bytes = 8 << 20,
	.elapsed_ns = INT64_C(4016000000),
	.extents = 4,
	.resident = 4,
	.present = { 0xf },
	.pages_present = 2048,
	.restarts = 4,
	.calls = 5,
};

static char *sample_line(void)
{
	const struct wire_msg msg = { .type = WIRE_SAMPLE, .sample = sample };
	char line[WIRE_LINE_MAX];
	struct err err;
	int len = wire_encode(&msg, line, &err);

	assert_true(len > 0);
	return xstrndup(line, (size_t)len - 1);
}

static void probe(struct rig *r, const char *script, const char *args, uint32_t limit_ms)
{
	struct wire_msg m = { .type = WIRE_PROBE, .probe = { .probe = "p", .limit_ms = limit_ms } };
	_cleanup_free_ char *text = str_printf("#!/bin/sh\n%s\n", script);

	str_copy(m.probe.args, sizeof(m.probe.args), args);
	rig_file(r, "probes/p", text);
	rig_send(r, &m);
}

static void assert_note(struct rig *r, const char *words)
{
	struct wire_msg m = rig_hear(r);

	assert_int_equal(m.type, WIRE_NOTE);
	if (!strstr(m.note.text, words))
		fail_msg("'%s' does not say '%s'", m.note.text, words);
}

static void assert_end(struct rig *r, enum wire_probe_how how, int code)
{
	struct wire_msg m = rig_hear(r);

	assert_int_equal(m.type, WIRE_PROBE_END);
	assert_int_equal(m.probe_end.how, how);
	assert_int_equal(m.probe_end.code, code);
	rig_alive(r);
}

void samples_and_text_of_a_probe_come_through(void **state)
{
	_cleanup_free_ char *line = sample_line();
	_cleanup_free_ char *script = str_printf("echo 'a\tpattern: \033[31m'; sleep 0.1\n"
						 "echo '%s'; sleep 0.1\n"
						 "echo '%s' >&2; exit 3",
						 line, line);
	struct wire_msg m;

	probe(*state, script, "", 10000);
	assert_note(*state, "a pattern: ?[31m");
	m = rig_hear(*state);
	assert_int_equal(m.type, WIRE_SAMPLE);
	assert_memory_equal(&m.sample, &sample, sizeof(sample));
	/* On stderr it is text, whatever it looks like. */
	assert_note(*state, "\"type\"");
	assert_end(*state, PROBE_EXITED, 3);
}

void options_of_a_probe_are_its_words(void **state)
{
	probe(*state, "echo \"$#:$1:$2:$HOME\"", "  --sizes 4096,8192  ", 10000);
	assert_note(*state, "2:--sizes:4096,8192:");
	assert_end(*state, PROBE_EXITED, 0);
}

void a_sample_that_contradicts_itself_is_a_note(void **state)
{
	_cleanup_free_ char *line = sample_line();
	_cleanup_free_ char *script = NULL;

	strstr(line, "\"resident\":4")[strlen("\"resident\":")] = '3';
	script = str_printf("echo '%s'\necho '{\"type\":\"poweroff\"}'", line);
	probe(*state, script, "", 10000);
	assert_note(*state, "no sample");
	assert_note(*state, "no sample");
	assert_end(*state, PROBE_EXITED, 0);
}

void a_probe_that_hangs_is_killed_and_reported(void **state)
{
	int64_t start = clock_now_ns();

	probe(*state, "trap '' TERM INT; echo here; while :; do sleep 1; done", "", 500);
	assert_note(*state, "here");
	assert_note(*state, "not done after 500 ms");
	assert_end(*state, PROBE_HUNG, SIGKILL);
	assert_true(clock_now_ns() - start < 5 * NS_PER_S);
}

void a_probe_s_children_go_with_it(void **state)
{
	struct wire_msg m;
	pid_t child;
	int i;

	probe(*state, "sleep 1000 & echo $!; wait", "", 500);
	m = rig_hear(*state);
	assert_int_equal(m.type, WIRE_NOTE);
	child = atoi(m.note.text);
	assert_true(child > 1);
	assert_note(*state, "killed");
	assert_end(*state, PROBE_HUNG, SIGKILL);
	/* Here init reaps it; a killed process may be seen until then. */
	for (i = 0; i < 200 && !kill(child, 0); i++) {
		_cleanup_free_ char *path = str_printf("/proc/%d/stat", child);
		_cleanup_fclose_ FILE *f = fopen(path, "r");
		char state_letter = 'Z';

		if (!f || fscanf(f, "%*d %*s %c", &state_letter) != 1 || state_letter == 'Z')
			break;
		clock_sleep_ms(10);
	}
	assert_true(i < 200);
}

void a_child_that_keeps_the_pipe_does_not_keep_the_agent(void **state)
{
	int64_t start = clock_now_ns();

	probe(*state, "setsid sleep 5 & echo done; exit 0", "", 60000);
	assert_note(*state, "done");
	assert_end(*state, PROBE_EXITED, 0);
	assert_true(clock_now_ns() - start < 4 * NS_PER_S);
}

/* Messages up to the end of the probe, by type. */
static struct wire_msg count_to_end(struct rig *r, size_t *notes, size_t *samples)
{
	struct wire_msg m;

	*notes = *samples = 0;
	for (;;) {
		m = rig_hear(r);
		if (m.type == WIRE_NOTE)
			++*notes;
		else if (m.type == WIRE_SAMPLE)
			++*samples;
		else
			return m;
	}
}

void a_flood_is_bounded_and_ends_at_the_limit(void **state)
{
	size_t notes, samples;
	struct wire_msg m;

	probe(*state, "yes >&2 & exec yes", "", 1000);
	m = count_to_end(*state, &notes, &samples);
	assert_int_equal(m.type, WIRE_PROBE_END);
	assert_int_equal(m.probe_end.how, PROBE_HUNG);
	/* Two of the agent's own: why it was killed, and how much was left out. */
	assert_int_equal(notes, PROBE_NOTES_MAX + 2);
	assert_int_equal(samples, 0);
	rig_alive(*state);
}

void a_flood_of_samples_is_bounded(void **state)
{
	_cleanup_free_ char *line = sample_line();
	_cleanup_free_ char *script =
		str_printf("yes '%s' | head -n %d", line, WIRE_SAMPLES_MAX + 9);
	size_t notes, samples;
	struct wire_msg m;

	probe(*state, script, "", 60000);
	m = count_to_end(*state, &notes, &samples);
	assert_int_equal(m.type, WIRE_PROBE_END);
	assert_int_equal(m.probe_end.how, PROBE_EXITED);
	assert_int_equal(samples, WIRE_SAMPLES_MAX);
	assert_int_equal(notes, 1);
	rig_alive(*state);
}

void half_a_line_at_the_end_is_said_to_be(void **state)
{
	probe(*state, "printf '{\"type\":\"samp'", "", 10000);
	assert_note(*state, "middle of a line: {\"type\":\"samp");
	assert_end(*state, PROBE_EXITED, 0);
}

void a_line_that_is_too_long_is_cut(void **state)
{
	probe(*state, "head -c 100000 /dev/zero | tr '\\0' x; echo; echo next", "", 10000);
	assert_note(*state, "too long: xxxx");
	assert_note(*state, "next");
	assert_end(*state, PROBE_EXITED, 0);
}

void a_probe_killed_by_a_signal_says_which(void **state)
{
	probe(*state, "kill -SEGV $$", "", 10000);
	assert_end(*state, PROBE_SIGNALED, SIGSEGV);
}

void a_probe_that_is_not_there_fails(void **state)
{
	const struct wire_msg m = { .type = WIRE_PROBE,
				    .probe = { .probe = "absent", .limit_ms = 1000 } };

	rig_send(*state, &m);
	rig_fails(*state, WIRE_PROBE, "no probe");
	rig_alive(*state);
}
