// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last stage where the user brought a program: it is run several times in one guest. What it ended with
 * and the last line that it printed are data; only what it did to the guest ends the trial.
 */
#include <string.h>

#include "base/clock.h"
#include "guest/talk/steps.h"

#define WORDS_MS 250 /* for what the kernel has said of it and the serial port is still printing */

static void keep_run(struct trial *t, int code, int64_t elapsed_ns, const char *output)
{
	t->runs = xrealloc(t->runs, t->n_runs + 1, sizeof(*t->runs));
	t->runs[t->n_runs++] = (struct trial_run){
		.code = code,
		.elapsed_ns = elapsed_ns,
		.output = xstrdup(output),
	};
}

static int run(struct session *s, const struct trial_spec *spec, int64_t limit_ms, struct err *err)
{
	struct wire_msg msg = { .type = WIRE_EXEC };
	char output[WIRE_TEXT_MAX] = "";
	int64_t begun = clock_now_ns();
	int r;

	/* Each run has a session's share of both: the agent bounds what one of them says. */
	s->notes = 0;
	s->deadline_ns = begun + (limit_ms + STEP_PROBE_GRACE_MS) * NS_PER_MS;
	str_copy(msg.exec.program, sizeof(msg.exec.program), spec->exec);
	str_copy(msg.exec.args, sizeof(msg.exec.args), spec->args ? spec->args : "");
	msg.exec.limit_ms = (uint32_t)limit_ms;
	r = session_send(s, &msg, -1, 0, err);
	while (r == 0) {
		r = session_next(s, &msg, err);
		if (r != 0)
			break;
		if (msg.type == WIRE_FAIL && msg.fail.of == WIRE_EXEC)
			return session_end(s, TRIAL_PROBE_FAILED, "%s", msg.fail.text);
		if (msg.type == WIRE_OUTPUT) {
			str_copy(output, sizeof(output), msg.output.text);
			continue;
		}
		if (msg.type != WIRE_PROBE_END)
			return step_unexpected(s, &msg, "output");
		r = step_ended(s, &msg, true);
		if (r == 0)
			keep_run(s->trial, msg.probe_end.code, clock_now_ns() - begun, output);
		return r;
	}
	return r;
}

int step_exec(struct session *s, const struct trial_spec *spec, int64_t limit_ms, struct err *err)
{
	struct trial *t = s->trial;
	int r = 0;

	s->note[0] = '\0';
	for (unsigned int i = 0; r == 0 && i < spec->repeats; i++) {
		r = run(s, spec, limit_ms, err);
		if (t->n_runs && t->runs[t->n_runs - 1].code)
			break;
		if (s->progress)
			progress_detail(s->progress, "run %u of %u", i + 1, spec->repeats);
	}
	str_copy(t->said, sizeof(t->said), s->note);
	if (r == 0) {
		session_settle(s, WORDS_MS);
		r = session_end(s, TRIAL_DONE, "%zu runs", t->n_runs);
	}
	return r;
}
