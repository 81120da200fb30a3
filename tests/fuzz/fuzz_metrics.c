// SPDX-License-Identifier: GPL-2.0-or-later
/* A program's last line, as it comes out of a guest; and the same bytes as a rule and as a console. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "fuzz.h"
#include "judge/rule.h"
#include "wire/metrics.h"

static void metrics(const char *text, size_t len)
{
	struct wire_metric m[WIRE_METRICS_MAX];
	struct err err = { 0 };
	int n = wire_metrics_parse(text, len, m, &err);

	assert(n <= WIRE_METRICS_MAX && n != 0);
	if (n < 0)
		assert(err.kind == ERR_PROTOCOL && err.msg[0]);
	for (int i = 0; i < n; i++)
		assert(wire_name_ok(m[i].name) && isfinite(m[i].value) &&
		       fabs(m[i].value) <= WIRE_METRIC_MAX);
}

static void judged(const char *text)
{
	const char *const texts[] = { "exit", "metric copy_ms", "console warn", "console oops" };
	const struct rule_run run = { 0, text };
	struct rule_facts f = {
		.runs = &run, .n = 1, .note = text, .console = text, .claimed = RULE_END_GOOD
	};
	struct rules r;
	struct rule_verdict v;
	struct err err;

	if (rules_parse(texts, ARRAY_SIZE(texts), &r, &err) < 0)
		assert(!"the rules are good ones");
	rules_judge(&r, &f, &v);
	assert(v.rule[0] && v.reason[0]);
	rules_deinit(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);

	metrics((const char *)data, size);
	judged(text);
	return 0;
}
