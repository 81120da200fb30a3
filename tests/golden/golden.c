// SPDX-License-Identifier: GPL-2.0-or-later
/* Raw runs through wire, measure and judge: each directory's verdict must be the one it expects. */
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
#include "judge/judge.h"

#define FILE_MAX (16 << 20)

static struct err err;

/* Measures the samples of one file of lines; its other lines must decode as well. */
static size_t measure_file(const char *path, struct measurement m[MEASURE_MAX])
{
	_cleanup_free_ struct wire_sample *s = xcalloc(WIRE_SAMPLES_MAX, sizeof(*s));
	_cleanup_free_ char *text = NULL;
	size_t n = 0;
	int groups;

	if (fs_read(path, FILE_MAX, &text, NULL, &err))
		fail_msg("%s", err.msg);
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		struct wire_msg msg;

		if (wire_decode(line, (size_t)(end - line), &msg, &err))
			fail_msg("%s: %s", path, err.msg);
		if (msg.type == WIRE_SAMPLE && n < WIRE_SAMPLES_MAX)
			s[n++] = msg.sample;
	}
	groups = measure_samples(s, n, MEASURE_WINDOW_NS, m, &err);
	if (groups < 0)
		fail_msg("%s: %s", path, err.msg);
	return (size_t)groups;
}

static char *judge_case(const char *name)
{
	static struct measurement m[MEASURE_MAX];
	static struct baseline base;
	_cleanup_free_ char *run = str_printf("%s/%s/agent.jsonl", GOLDEN_DIR, name);
	_cleanup_free_ char *good = str_printf("%s/%s/baseline.jsonl", GOLDEN_DIR, name);
	struct judgement j;
	size_t n = measure_file(run, m);

	base.n = fs_exists(good) ? measure_file(good, base.m) : 0;
	judge(m, n, &base, NULL, &j);
	return str_printf("verdict %s\nrule %s\nwindows %u\npredicted %u\noff %u\nreason %s\n",
			  verdict_name(j.verdict), judge_rule_name(j.rule), j.windows, j.predicted,
			  j.off, j.reason);
}

static void every_recorded_run_yields_its_verdict(void **state)
{
	(void)state;
	cases_hold(GOLDEN_DIR, "rules", judge_case);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_recorded_run_yields_its_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
