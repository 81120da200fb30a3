// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts of what is told beside an answer: see history.h. */
#include "reports/history/history.h"

#include <string.h>

const char *history_numbered(const struct report *r, const char *part, size_t n, const char *key)
{
	_cleanup_free_ char *full = str_printf("%s.%zu%s%s", part, n, *key ? "." : "", key);

	return report_fact(r, full);
}

static struct turn_part part(const struct report *r, size_t n, const char *name)
{
	_cleanup_free_ char *subject = str_printf("%s.subject", name);
	_cleanup_free_ char *proven = str_printf("%s.proven", name);
	_cleanup_free_ char *set = str_printf("%s.set", name);
	const char *yes = history_numbered(r, "turn", n, proven);

	return (struct turn_part){
		.commit = history_numbered(r, "turn", n, name),
		.subject = history_numbered(r, "turn", n, subject),
		.proven = yes && strcmp(yes, "yes") == 0,
		.set = history_numbered(r, "turn", n, set),
	};
}

bool history_turn(const struct report *r, size_t n, struct turn *ret)
{
	const char *kind = history_numbered(r, "turn", n, "kind");

	if (!kind)
		return false;
	*ret = (struct turn){
		.twice = strcmp(kind, "twice") == 0,
		.fresh = history_numbered(r, "turn", n, "fresh"),
		.stale = history_numbered(r, "turn", n, "stale"),
		.introducer = part(r, n, "introducer"),
		.repairer = part(r, n, "repairer"),
		.other = part(r, n, "other"),
	};
	return true;
}

bool history_is_mended(const struct report *r)
{
	return strcmp(report_state(r), "end") == 0 &&
	       strcmp(report_fact_or(r, "fork.state", ""), "mended") == 0;
}
