// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to go on with: see next.h. */
#include "reports/next/next.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Whose copies set the band of the controls; a program has none. */
static const char *band_commit(const struct report *r)
{
	int64_t trial = strtoll(report_fact_or(r, "band.trial", "0"), NULL, 10);

	for (size_t i = 0; !report_is_own(r) && i < r->n_trials; i++)
		if (r->trials[i].trial == trial)
			return r->trials[i].commit;
	return NULL;
}

/* Return: false if there is nothing to hold the culprit against. */
static bool put_ends(struct buf *b, const struct report *r, int digits)
{
	size_t n = 0;

	for (size_t i = 0; i < r->parents.n; i++) {
		if (report_is_carried(r, r->parents.items[i]))
			continue;
		buf_printf(b, " --%s %.*s", r->fix ? "bad" : "good", digits, r->parents.items[i]);
		n++;
	}
	buf_printf(b, " --%s %.*s", r->fix ? "good" : "bad", digits, r->culprit);
	return n > 0;
}

char *next_again(const struct report *r, const struct report_asked *asked, int digits)
{
	const char *band = band_commit(r);
	_cleanup_buf_ struct buf b = { 0 };

	if (!r->culprit || !asked)
		return NULL;
	buf_printf(&b, "amdgpu-bisect %s --repo ", r->metric ? "run --no-prove" : "test");
	buf_shell(&b, report_fact_or(r, "repo", "."));
	buf_puts(&b, r->metric ? asked->run : asked->test);
	if (!r->metric) {
		if (band)
			buf_printf(&b, " --good %.*s", digits, band);
		buf_printf(&b, " %.*s", digits, r->culprit);
		return buf_take(&b);
	}
	if (r->fix)
		buf_puts(&b, " --find fix");
	return put_ends(&b, r, digits) ? buf_take(&b) : NULL;
}

void next_commands(const struct report *r, const struct report_asked *asked, struct strv *ret)
{
	_cleanup_buf_ struct buf show = { 0 };
	char *again = next_again(r, asked, 12);

	if (!r->culprit)
		return;
	buf_puts(&show, "git -C ");
	buf_shell(&show, report_fact_or(r, "repo", "."));
	buf_printf(&show, " show %.12s", r->culprit);
	strv_add(ret, show.data);
	if (again)
		strv_take(ret, again);
}
