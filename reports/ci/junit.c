// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run as JUnit XML, as Jenkins, GitLab and others read it. Foreign text goes through buf_html(), whose
 * entities are XML's as well, and which lets nothing through that XML 1.0 has no character for.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "reports/ci/cases.h"
#include "reports/words.h"

#define SECONDS(ns) ((double)(ns) / NS_PER_S)

static const char *const elements[] = { "", "failure", "skipped", "error" };
static_assert(ARRAY_SIZE(elements) == CI_STATES, "a state has no element");

static void put_attribute(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, " %s=\"", name);
	buf_html(b, value);
	buf_puts(b, "\"");
}

static void put_counts(struct buf *b, size_t n, const size_t count[CI_STATES], int64_t ns)
{
	buf_printf(b,
		   " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
		   n, count[CI_FAIL], count[CI_ERROR], count[CI_SKIP], SECONDS(ns));
}

static void put_case(struct buf *b, const struct ci_suite *s, const struct ci_case *c)
{
	buf_printf(b, "    <testcase classname=\"amdgpu-bisect.%s\"", s->name);
	put_attribute(b, "name", c->name);
	buf_printf(b, " time=\"%.3f\"", SECONDS(c->elapsed_ns));
	if (c->state == CI_PASS) {
		buf_puts(b, "/>\n");
		return;
	}
	buf_printf(b, ">\n      <%s", elements[c->state]);
	put_attribute(b, "message", c->reason);
	if (c->state != CI_SKIP) /* of the common schemas none gives it a type */
		put_attribute(b, "type", c->rule);
	buf_puts(b, "/>\n    </testcase>\n");
}

/* What the verdicts rest on, without the options: those are in the JSON report. */
static void put_properties(struct buf *b, const struct report *r)
{
	static const char *const keys[] = {
		"tool.version", "kernel.release", "kernel.source", "build.cc",
		"guest.accel",	"scope",	  "good.0",	   "bad",
		"test.commit",	"culprit.commit", "run.outcome",
	};

	buf_puts(b, "    <properties>\n");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *value = report_fact(r, keys[i]);

		if (!value)
			continue;
		buf_puts(b, "      <property");
		put_attribute(b, "name", keys[i]);
		put_attribute(b, "value", value);
		buf_puts(b, "/>\n");
	}
	buf_puts(b, "    </properties>\n");
}

/* "2026-08-20 09:00:00Z" as xs:dateTime; anything else is left out. */
static void put_timestamp(struct buf *b, const struct report *r)
{
	const char *text = report_fact_or(r, "run.started", "");
	unsigned int y, mon, d, h, min, sec;

	if (sscanf(text, "%4u-%2u-%2u %2u:%2u:%2uZ", &y, &mon, &d, &h, &min, &sec) == 6)
		buf_printf(b, " timestamp=\"%04u-%02u-%02uT%02u:%02u:%02u\"", y, mon, d, h, min,
			   sec);
}

static void put_suite(struct buf *b, const struct report *r, const struct ci_suite *s, bool first)
{
	buf_printf(b, "  <testsuite name=\"%s\"", s->name);
	put_counts(b, s->n, s->count, s->elapsed_ns);
	put_timestamp(b, r);
	buf_puts(b, ">\n");
	if (first)
		put_properties(b, r);
	for (size_t i = 0; i < s->n; i++)
		put_case(b, s, &s->cases[i]);
	buf_puts(b, "  </testsuite>\n");
}

int report_junit(struct store *s, struct buf *ret, struct err *err)
{
	struct ci_report c;
	struct report r;
	size_t n = 0, count[CI_STATES] = { 0 };
	int64_t ns = 0;

	if (report_load(s, &r, err))
		return -1;
	ci_collect(&r, &c);
	for (size_t i = 0; i < c.n; i++) {
		n += c.suites[i].n;
		ns = clock_add_ns(ns, c.suites[i].elapsed_ns);
		for (size_t k = 0; k < CI_STATES; k++)
			count[k] += c.suites[i].count[k];
	}
	buf_puts(ret, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<testsuites name=\"amdgpu-bisect\"");
	put_counts(ret, n, count, ns);
	buf_puts(ret, ">\n");
	for (size_t i = 0; i < c.n; i++)
		put_suite(ret, &r, &c.suites[i], i == 0);
	buf_puts(ret, "</testsuites>\n");
	ci_deinit(&c);
	report_deinit(&r);
	return 0;
}
