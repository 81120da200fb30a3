// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run as KTAP, version 1, as the kernel's own test tools read it.
 * Source: Documentation/dev-tools/ktap.rst
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "reports/ci/cases.h"
#include "reports/words.h"

static const char *const directives[] = { "", "", "SKIP", "ERROR" };
static_assert(ARRAY_SIZE(directives) == CI_STATES, "a state has no directive");

/* A description is anything but a hash sign and a line break: after a hash sign a directive begins. */
static void put_description(struct buf *b, const char *s)
{
	_cleanup_buf_ struct buf plain = { 0 };

	buf_plain(&plain, s);
	for (const char *p = plain.data ? plain.data : ""; *p; p++) {
		if (*p == '#')
			buf_puts(b, "%23");
		else
			buf_add(b, p, 1);
	}
}

/* Its own words come first, so that no foreign one can make the line a "# Subtest:". */
static void put_diagnosis(struct buf *b, const struct ci_case *c)
{
	if (c->state == CI_FAIL || c->state == CI_ERROR) {
		buf_puts(b, "  # rule ");
		buf_plain(b, c->rule);
		buf_puts(b, ": ");
		buf_plain(b, c->reason);
		buf_puts(b, "\n");
	}
	if (c->elapsed_ns)
		buf_printf(b, "  # time: %" PRId64 " ms\n", c->elapsed_ns / NS_PER_MS);
}

static void put_case(struct buf *b, const struct ci_case *c, size_t n)
{
	bool ok = c->state == CI_PASS || c->state == CI_SKIP;

	put_diagnosis(b, c);
	buf_printf(b, "  %s %zu ", ok ? "ok" : "not ok", n);
	put_description(b, c->name);
	if (*directives[c->state]) {
		buf_printf(b, " # %s ", directives[c->state]);
		put_description(b, c->reason);
	}
	buf_puts(b, "\n");
}

static void put_suite(struct buf *b, const struct ci_suite *s, size_t n)
{
	bool ok = !s->count[CI_FAIL] && !s->count[CI_ERROR];

	buf_printf(b, "  KTAP version 1\n  # Subtest: %s\n  1..%zu\n", s->name, s->n);
	for (size_t i = 0; i < s->n; i++)
		put_case(b, &s->cases[i], i + 1);
	buf_printf(b, "%s %zu %s%s\n", ok ? "ok" : "not ok", n, s->name,
		   s->count[CI_SKIP] == s->n ? " # SKIP" : "");
}

int report_ktap(struct store *s, struct buf *ret, struct err *err)
{
	struct ci_report c;
	struct report r;

	if (report_load(s, &r, err))
		return -1;
	ci_collect(&r, &c);
	buf_printf(ret, "KTAP version 1\n1..%zu\n", c.n);
	for (size_t i = 0; i < c.n; i++)
		put_suite(ret, &c.suites[i], i + 1);
	ci_deinit(&c);
	report_deinit(&r);
	return 0;
}
