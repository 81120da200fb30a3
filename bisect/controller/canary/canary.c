// SPDX-License-Identifier: GPL-2.0-or-later
/* The ladder: see canary.h. */
#include "controller/canary/canary.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

struct walk {
	const struct canary_ops *ops;
	void *arg;
	char failed[256]; /* what the module known good did */
	struct buf tried; /* names of the rungs that were taken */
};

__attribute__((format(printf, 2, 3))) static void say(const struct walk *w, const char *fmt, ...)
{
	_cleanup_buf_ struct buf line = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&line, fmt, ap);
	va_end(ap);
	w->ops->say(w->arg, line.data);
}

static int passes(struct walk *w, bool *ret, struct err *err)
{
	return w->ops->pass(w->arg, ret, w->failed, sizeof(w->failed), err);
}

/* 1: the rung was taken; 0: there is no such, or it failed. */
static int take(struct walk *w, enum card_rung rung)
{
	const char *name = card_rung_name(rung);
	struct err failed;
	int r = w->ops->reset(w->arg, rung, &failed);

	if (r < 0)
		say(w, "%s failed: %s", name, failed.msg);
	if (r > 0)
		buf_printf(&w->tried, "%s%s", w->tried.len ? ", " : "", name);
	return r > 0;
}

/* 1: it passes again; 0: nothing helped; -1. */
static int climb(struct walk *w, bool suspend, struct err *err)
{
	for (int rung = 0; rung < CARD_RUNGS; rung++) {
		bool sound = false;

		if ((rung == CARD_RUNG_SUSPEND && !suspend) || !take(w, (enum card_rung)rung))
			continue;
		if (passes(w, &sound, err) < 0)
			return -1;
		say(w, "after a %s the card %s%s", card_rung_name((enum card_rung)rung),
		    sound ? "works again" : "still fails: ", sound ? "" : w->failed);
		if (sound)
			return 1;
	}
	return 0;
}

int canary_walk(const struct canary_ops *ops, void *arg, bool suspend, enum canary *ret, char *why,
		size_t size, struct err *err)
{
	struct walk w = { .ops = ops, .arg = arg };
	bool sound = false;
	int r = passes(&w, &sound, err);

	*why = '\0';
	*ret = CANARY_SOUND;
	if (r < 0 || sound)
		return r;
	say(&w, "the card fails the module known good as well: %s", w.failed);
	r = climb(&w, suspend, err);
	snprintf(why, size, "it failed the module known good too (%s); %s%s", w.failed,
		 w.tried.len ? "tried: " : "it knows no reset", w.tried.len ? w.tried.data : "");
	buf_deinit(&w.tried);
	if (r > 0)
		*ret = CANARY_MENDED;
	if (r != 0)
		return r < 0 ? -1 : 0;
	r = ops->give_up(arg, why, err);
	*ret = r > 0 ? CANARY_OTHER : CANARY_LOST;
	return r < 0 ? -1 : 0;
}
