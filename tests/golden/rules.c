// SPDX-License-Identifier: GPL-2.0-or-later
/* Raw runs of a user's program through wire, console and rules: each directory's verdict must be its `expect`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "golden/cases.h"
#include "guest/guest.h"
#include "guest/talk/console.h"
#include "judge/rule.h"
#include "wire/wire.h"

#define FILE_MAX (1 << 20)
#define RUNS_MAX GAP_RUNS_MAX

static struct err err;

/* A trial of a program, as its guest told it. */
struct told {
	struct rule_run runs[RUNS_MAX];
	char *output[RUNS_MAX];
	size_t n;
	char note[WIRE_TEXT_MAX];
};

static void told_deinit(struct told *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->output[i]);
}

/* NULL if the case has no such file. */
static char *read_part(const char *name, const char *part)
{
	_cleanup_free_ char *path = str_printf("%s/%s/%s", GOLDEN_DIR, name, part);
	char *text = NULL;

	if (fs_exists(path) && fs_read(path, FILE_MAX, &text, NULL, &err))
		fail_msg("%s", err.msg);
	return text;
}

/* As the controller takes them: the line before a run's end is its output, and a failure is the last run. */
static bool tell(const char *name, const char *part, struct told *ret)
{
	_cleanup_free_ char *text = read_part(name, part);
	char output[WIRE_TEXT_MAX] = "";
	bool failed = false;

	*ret = (struct told){ 0 };
	for (char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		struct wire_msg msg;

		if (wire_decode(line, (size_t)(end - line), &msg, &err))
			fail_msg("%s/%s: %s", name, part, err.msg);
		if (msg.type == WIRE_OUTPUT)
			str_copy(output, sizeof(output), msg.output.text);
		else if (msg.type == WIRE_NOTE)
			str_copy(ret->note, sizeof(ret->note), msg.note.text);
		if (msg.type != WIRE_PROBE_END)
			continue;
		assert_int_equal(msg.probe_end.how, PROBE_EXITED);
		assert_true(ret->n < RUNS_MAX && !failed);
		failed = msg.probe_end.code != 0;
		ret->output[ret->n] = xstrdup(output);
		ret->runs[ret->n] = (struct rule_run){ msg.probe_end.code, ret->output[ret->n] };
		ret->n++;
		output[0] = '\0';
	}
	return text;
}

static void parse_rules(const char *name, struct rules *ret)
{
	_cleanup_free_ char *text = read_part(name, "rules");
	_cleanup_strv_ struct strv lines = { 0 };
	char *save = NULL;

	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l;
	     l = strtok_r(NULL, "\n", &save))
		strv_add(&lines, l);
	if (rules_parse((const char *const *)lines.items, lines.n, ret, &err) < 0)
		fail_msg("%s: %s", name, err.msg);
}

static void take_end(const char *name, const char *part, const struct rules *r, struct spread *ret)
{
	struct told t;

	if (tell(name, part, &t) && rules_spread(r, t.runs, t.n, ret, &err) < 0)
		fail_msg("%s/%s: %s", name, part, err.msg);
	told_deinit(&t);
}

/* What the kernel said, from the candidate's modules on; and what of it ended the trial. */
static char *hear(const char *name, struct console *c)
{
	_cleanup_free_ char *before = read_part(name, "console-before.log");
	_cleanup_free_ char *text = read_part(name, "console.log");

	console_init(c, "/nowhere");
	if (before)
		console_feed(c, before, strlen(before));
	console_forget(c);
	console_listen(c);
	if (text)
		console_feed(c, text, strlen(text));
	return console_heard(c);
}

static enum rule_end claimed(const char *name)
{
	_cleanup_free_ char *text = read_part(name, "claimed");

	if (!text)
		return RULE_END_NONE;
	if (strcmp(text, "good\n") != 0 && strcmp(text, "bad\n") != 0)
		fail_msg("%s/claimed: neither good nor bad", name);
	return *text == 'g' ? RULE_END_GOOD : RULE_END_BAD;
}

static char *judge_case(const char *name)
{
	_cleanup_(rules_deinit) struct rules r;
	_cleanup_(console_deinit) struct console c;
	_cleanup_(told_deinit) struct told t = { 0 };
	_cleanup_free_ char *heard = hear(name, &c);
	struct gap_ends ends = { 0 };
	struct rule_verdict v;
	struct rule_facts f;

	parse_rules(name, &r);
	if (!tell(name, "agent.jsonl", &t))
		fail_msg("%s: no agent.jsonl", name);
	take_end(name, "good.jsonl", &r, &ends.good);
	take_end(name, "bad.jsonl", &r, &ends.bad);
	f = (struct rule_facts){
		.runs = t.runs,
		.n = t.n,
		.note = t.note,
		.console = heard,
		.ended = *c.panic  ? trial_end_name(TRIAL_PANIC)
			 : *c.oops ? trial_end_name(TRIAL_OOPS)
				   : NULL,
		.why = *c.panic ? c.panic : c.oops,
		.claimed = claimed(name),
		.ends = &ends,
	};
	rules_judge(&r, &f, &v);
	return str_printf("verdict %s\nrule %s\nreason %s\n", verdict_name(v.verdict), v.rule,
			  v.reason);
}

static void every_recorded_program_yields_its_verdict(void **state)
{
	(void)state;
	cases_hold(GOLDEN_DIR, NULL, judge_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recorded_program_yields_its_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
