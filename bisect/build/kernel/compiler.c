// SPDX-License-Identifier: GPL-2.0-or-later
/* Several compilers by kernel version: see compiler.h. */
#include "build/kernel/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "build/build.h"

#define MEANT "want \"4.19..5.17 gcc-10\", either end of which may be missing"

void compiler_rules_deinit(struct compiler_rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].cc);
	free(r->items);
	*r = (struct compiler_rules){ 0 };
}

/* "5.17" or "5.17.3" and nothing else. */
static bool parse_version(const char *text, struct kversion *ret)
{
	_cleanup_free_ char *again = NULL;

	if (!kversion_parse(text, ret))
		return false;
	again = ret->has_sublevel
			? str_printf("%u.%u.%u", ret->version, ret->patchlevel, ret->sublevel)
			: str_printf("%u.%u", ret->version, ret->patchlevel);
	return strcmp(again, text) == 0;
}

/* An end as it was written: without a sublevel it stands for all of that series. */
static int compare(const struct kversion *v, const struct kversion *end)
{
	if (v->version != end->version)
		return v->version < end->version ? -1 : 1;
	if (v->patchlevel != end->patchlevel)
		return v->patchlevel < end->patchlevel ? -1 : 1;
	if (!end->has_sublevel || v->sublevel == end->sublevel)
		return 0;
	return v->sublevel < end->sublevel ? -1 : 1;
}

static int parse_rule(const char *text, struct compiler_rule *ret, struct err *err)
{
	size_t skip = strspn(text, " \t");
	size_t len = strcspn(text + skip, " \t");
	_cleanup_free_ char *range = xstrndup(text + skip, len);
	const char *cc = text + skip + len + strspn(text + skip + len, " \t");
	struct compiler_rule r = { 0 };
	char *to = strstr(range, "..");

	if (!to)
		return err_set(err, ERR_USAGE, "compiler '%s' names no range of versions; " MEANT,
			       text);
	*to = '\0';
	to += 2;
	r.has_from = *range != '\0';
	r.has_to = *to != '\0';
	if ((r.has_from && !parse_version(range, &r.from)) ||
	    (r.has_to && !parse_version(to, &r.to)))
		return err_set(err, ERR_USAGE, "compiler '%s': '%s' is no kernel version; " MEANT,
			       text, r.has_from && !parse_version(range, &r.from) ? range : to);
	if (!r.has_from && !r.has_to)
		return err_set(err, ERR_USAGE,
			       "compiler '%s' is for all versions; name such a one with --cc",
			       text);
	if (r.has_from && r.has_to && compare(&r.from, &r.to) > 0)
		return err_set(err, ERR_USAGE, "compiler '%s': %s is after %s; turn them round",
			       text, range, to);
	if (!*cc)
		return err_set(err, ERR_USAGE, "compiler '%s' names no compiler; " MEANT, text);
	r.cc = xstrdup(cc);
	*ret = r;
	return 0;
}

int compiler_rules_parse(const char *const *texts, size_t n, struct compiler_rules *ret,
			 struct err *err)
{
	struct compiler_rules r = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct compiler_rule rule;

		if (parse_rule(texts[i], &rule, err) < 0) {
			compiler_rules_deinit(&r);
			return -1;
		}
		r.items = xrealloc(r.items, r.n + 1, sizeof(*r.items));
		r.items[r.n++] = rule;
	}
	*ret = r;
	return 0;
}

const char *compiler_for(const struct compiler_rules *r, const struct kversion *v)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct compiler_rule *rule = &r->items[i];

		if ((!rule->has_from || compare(v, &rule->from) >= 0) &&
		    (!rule->has_to || compare(v, &rule->to) <= 0))
			return rule->cc;
	}
	return NULL;
}

int build_compiler_check(const char *text, struct err *err)
{
	_cleanup_(compiler_rules_deinit) struct compiler_rules r = { 0 };

	return compiler_rules_parse(&text, 1, &r, err);
}
