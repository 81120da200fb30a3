// SPDX-License-Identifier: GPL-2.0-or-later
/* What the hints come to, in words, so that one which says nothing here is not taken for heard. */
#include "controller/priors.h"

#include "base/cleanup.h"

static void say_count(struct strv *ret, size_t n, const char *how, const char *why)
{
	if (n)
		strv_take(ret, str_printf("%zu candidate%s %s, %s", n,
					  n == 1 ? " weighs" : "s weigh", how, why));
}

/* Of a hint that was given and hits nothing. */
static void say_none(struct strv *ret, const struct options *o, enum option hint, size_t n,
		     const char *flag, const char *does)
{
	const struct strv *values = options_list(o, hint);

	if (values->n && !n)
		strv_take(ret, str_printf("no candidate %s %s%s: --%s changes nothing", does,
					  values->items[0], values->n > 1 ? " or the others" : "",
					  flag));
}

void priors_say(const struct priors *p, const struct options *o, size_t n_left_out,
		struct strv *ret)
{
	const char *unread = "since what they touch was read by no build";

	say_count(ret, p->n_named, "more",
		  "as a change that is suspected, or known from another run");
	for (size_t i = 0; i < p->strangers.n; i++)
		strv_take(ret, str_printf("no candidate is the same change as %s: that --suspect "
					  "changes nothing",
					  p->strangers.items[i]));
	say_count(ret, p->n_files, "more", "for the files they touch");
	say_none(ret, o, OPT_SUSPECT_FILE, p->n_files, "suspect-file", "touches");
	say_count(ret, p->n_functions, "more", "for the functions they change");
	say_none(ret, o, OPT_SUSPECT_FUNCTION, p->n_functions, "suspect-function", "changes");
	if (n_left_out)
		strv_take(ret, str_printf("%zu candidate%s left out, %s", n_left_out,
					  n_left_out == 1 ? "" : "s", unread));
	else
		say_count(ret, p->n_idle, "less", unread);
	if (options_bool(o, OPT_TRUST_DEPS) && !p->knows_builds)
		strv_add(ret, "--trust-deps leaves out nothing yet: no build of this repository "
			      "at this scope is known; a run has one when its ends are built");
}
