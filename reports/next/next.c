// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to go on with: see next.h. */
#include "reports/next/next.h"

#include <string.h>

#include "base/cleanup.h"

/* Whether a shell takes it for one word without quotes. */
static bool is_word(const char *s)
{
	return *s &&
	       s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789%+,-./:=@_^~")] == '\0' &&
	       *s != '~';
}

void next_word(struct buf *b, const char *s)
{
	if (is_word(s)) {
		buf_puts(b, s);
		return;
	}
	buf_puts(b, "'");
	for (; *s; s++)
		if (*s == '\'')
			buf_puts(b, "'\\''");
		else
			buf_add(b, s, 1);
	buf_puts(b, "'");
}

static void put_option(struct buf *b, const char *flag, const char *value)
{
	buf_printf(b, " --%s ", flag);
	next_word(b, value);
}

/* What tried the run's commits, as far as it was not what is tried without being asked for. */
static void put_asked(struct buf *b, const struct report *r)
{
	static const struct {
		const char *key, *flag, *unless;
	} asked[] = {
		{ "option.build.scope", "scope", "unit" },
		{ "option.guest.probelimit", "probe-limit", "0" },
		{ "option.probe.repeats", "repeats", "3" },
		{ "option.probe.exec", "exec", "" },
		{ "option.probe.execargs", "exec-args", "" },
		{ "option.probe.pack", "pack", "" },
		{ "option.probe.rule", "rule", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		const char *value = report_fact(r, asked[i].key);
		_cleanup_free_ char *copy = xstrdup(value ? value : "");
		char *save = NULL;

		if (!value || strcmp(value, asked[i].unless) == 0)
			continue;
		for (char *v = strtok_r(copy, "\n", &save); v; v = strtok_r(NULL, "\n", &save))
			put_option(b, asked[i].flag, v);
	}
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

char *next_again(const struct report *r, int digits)
{
	_cleanup_buf_ struct buf b = { 0 };

	if (!r->culprit)
		return NULL;
	buf_printf(&b, "amdgpu-bisect %s --repo ", r->metric ? "run --no-prove" : "test");
	next_word(&b, report_fact_or(r, "repo", "."));
	if (report_is_own(r))
		put_asked(&b, r);
	if (!r->metric) {
		buf_printf(&b, " %.*s", digits, r->culprit);
		return buf_take(&b);
	}
	if (r->fix)
		buf_puts(&b, " --find fix");
	return put_ends(&b, r, digits) ? buf_take(&b) : NULL;
}

void next_commands(const struct report *r, struct strv *ret)
{
	_cleanup_buf_ struct buf show = { 0 };
	char *again = next_again(r, 12);

	if (!r->culprit)
		return;
	buf_puts(&show, "git -C ");
	next_word(&show, report_fact_or(r, "repo", "."));
	buf_printf(&show, " show %.12s", r->culprit);
	strv_add(ret, show.data);
	if (again)
		strv_take(ret, again);
}
