// SPDX-License-Identifier: GPL-2.0-or-later
/* An audit for people: see audit.h. */
#include <string.h>

#include "base/clock.h"
#include "reports/audit/audit.h"
#include "reports/words.h"

#define FUNCTIONS_SHOWN 4
#define SHORT_ID	12

const char *audit_queue(const struct audit_report_finding *f)
{
	return f->stable_tag ? "yes" : f->fixes_tag ? "maybe" : "no";
}

const char *audit_queue_why(const struct audit_report_finding *f)
{
	if (f->stable_tag)
		return "it asks for it with Cc: stable, so where it is missing it did not apply, "
		       "or came "
		       "later";
	if (f->fixes_tag)
		return "it has Fixes: but no Cc: stable, so somebody must have picked it up";
	return "it has neither Fixes: nor Cc: stable";
}

const char *audit_reason_text(const char *reason)
{
	static const char *const texts[][2] = {
		{ "reverts", "reverts" },
		{ "fixes", "Fixes:" },
		{ "blames", "blames, in prose," },
		{ "names", "speaks of" },
		{ "rewrites", "names nobody and rewrites what was written by" },
		{ "beside", "names nobody and changes lines beside those of" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strcmp(texts[i][0], reason) == 0)
			return texts[i][1];
	return reason;
}

static void put_head(const struct audit_report *r, struct buf *ret)
{
	_cleanup_buf_ struct buf paths = { 0 };

	for (size_t i = 0; i < r->paths->n; i++)
		buf_printf(&paths, "%s%s", i ? " " : "", r->paths->items[i]);
	buf_puts(ret, "Audit of ");
	buf_plain(ret, r->tree_rev);
	buf_printf(ret, " (%.*s) against ", SHORT_ID, r->tree_id);
	buf_plain(ret, r->upstream_rev);
	buf_printf(ret, " (%.*s)", SHORT_ID, r->upstream_id);
	if (paths.len) {
		buf_puts(ret, " in ");
		buf_plain(ret, paths.data);
	}
	if (r->since) {
		buf_puts(ret, ", changes since ");
		buf_plain(ret, r->since);
	}
	buf_printf(ret,
		   "\n%zu upstream commits: the tree has %zu, %zu of them picked, and lacks %zu.\n",
		   r->n_upstream, r->n_carried, r->n_picked, r->n_lacking);
	if (r->n_there)
		buf_printf(ret, "%zu more follow-up%s the tree has in other words.\n", r->n_there,
			   r->n_there == 1 ? "" : "s");
}

static void put_count(const struct audit_report *r, struct buf *ret)
{
	static const char *const ranks[] = { "certain", "strong", "likely", "possible" };
	const char *between = "";

	if (!r->n) {
		buf_printf(ret, "No follow-up is missing that is %s or surer.\n", r->min_rank);
		return;
	}
	buf_printf(ret, "%zu follow-up%s missing: ", r->n, r->n == 1 ? " is" : "s are");
	for (size_t k = 0; k < ARRAY_SIZE(ranks); k++) {
		size_t n = 0;

		for (size_t i = 0; i < r->n; i++)
			n += strcmp(r->findings[i].rank, ranks[k]) == 0;
		if (n) {
			buf_printf(ret, "%s%zu %s", between, n, ranks[k]);
			between = ", ";
		}
	}
	buf_puts(ret, ".\n");
}

static void put_commit(struct buf *b, const struct audit_report_commit *c)
{
	char date[32];

	clock_date_text(c->authored_s, date, sizeof(date));
	buf_printf(b, "%.*s %s (%.10s)", SHORT_ID, c->id, c->subject, date);
}

static void put_functions(const struct audit_report_finding *f, struct buf *ret)
{
	_cleanup_buf_ struct buf b = { 0 };

	for (size_t i = 0; i < f->functions->n && i < FUNCTIONS_SHOWN; i++)
		buf_printf(&b, "%s%s()", i ? "; " : "", f->functions->items[i]);
	if (f->functions->n > FUNCTIONS_SHOWN)
		buf_printf(&b, "; %zu more", f->functions->n - FUNCTIONS_SHOWN);
	buf_plain_wrapped(ret, "both change", b.data ? b.data : "no function");
}

static void put_lines(const struct audit_report_finding *f, struct buf *ret)
{
	_cleanup_buf_ struct buf b = { 0 };

	if (f->undone)
		buf_printf(&b, "of %u that it takes away %u %s the change's, %u still in the tree",
			   f->removed, f->undone, f->undone == 1 ? "was" : "were", f->in_tree);
	if (f->beside)
		buf_printf(&b, "%s%u right beside the change's", b.len ? "; " : "", f->beside);
	if (b.len)
		buf_plain_wrapped(ret, "lines", b.data);
}

static void put_finding(const struct audit_report *r, const struct audit_report_finding *f,
			size_t i, struct buf *ret)
{
	_cleanup_buf_ struct buf b = { 0 };

	buf_printf(&b, "%zu. %s: ", i, f->rank);
	put_commit(&b, &f->follow_up);
	buf_puts(ret, "\n");
	buf_plain_cut(ret, b.data, 100, false);
	buf_puts(ret, "\n");
	b.len = 0;
	buf_printf(&b, "%s ", audit_reason_text(f->reason));
	put_commit(&b, &f->change);
	buf_printf(&b, ", %d day%s before", f->days, f->days == 1 ? "" : "s");
	buf_plain_wrapped(ret, "why", b.data);
	b.len = 0;
	buf_printf(&b, "the change is there as %.*s (known by: %s)", SHORT_ID, f->tree_commit,
		   f->how);
	buf_plain_wrapped(ret, "the tree", b.data);
	put_functions(f, ret);
	put_lines(f, ret);
	b.len = 0;
	buf_printf(&b, "would a stable queue have it? %s: %s", audit_queue(f), audit_queue_why(f));
	buf_plain_wrapped(ret, "tags", b.data);
	b.len = 0;
	if (f->effect) {
		buf_printf(&b, "%s%s (%s): %s",
			   strcmp(f->effect, "repairs") == 0 ? "completes the pair: it " : "",
			   f->effect, f->effect_rule, f->effect_why);
		buf_plain_wrapped(ret, "tried", b.data);
		return;
	}
	buf_printf(&b, "amdgpu-bisect test --apply %.*s %.*s", SHORT_ID, f->follow_up.id, SHORT_ID,
		   r->tree_id);
	buf_plain_wrapped(ret, "try it", b.data);
}

static void put_tried(const struct audit_report *r, struct buf *ret)
{
	_cleanup_buf_ struct buf b = { 0 };
	size_t repairs = 0;

	if (!r->tested)
		return;
	for (size_t i = 0; i < r->n; i++)
		repairs += r->findings[i].effect && strcmp(r->findings[i].effect, "repairs") == 0;
	buf_printf(ret, "\nTried on the tree: %zu of %zu findings %s the pair.\n", repairs, r->n,
		   repairs == 1 ? "completes" : "complete");
	buf_printf(&b, "%s: %s", r->tree_word, r->tree_why);
	buf_plain_wrapped(ret, "by itself", b.data);
	buf_plain_wrapped(ret, "raw data", r->tested);
}

void audit_text(const struct audit_report *r, struct buf *ret)
{
	put_head(r, ret);
	put_count(r, ret);
	for (size_t i = 0; i < r->n; i++)
		put_finding(r, &r->findings[i], i + 1, ret);
	put_tried(r, ret);
}
