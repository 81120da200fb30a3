// SPDX-License-Identifier: GPL-2.0-or-later
/* The user's rules as text: see rule.h. Before the first trial. */
#include "judge/rule.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "wire/wire.h"

static const char *const kind_names[] = {
	[RULE_EXIT] = "exit",
	[RULE_METRIC] = "metric",
	[RULE_CONSOLE] = "console",
};
static_assert(ARRAY_SIZE(kind_names) == RULE_KINDS, "a kind has no name");

/*
 * As the kernel prints them, after the time. Source: kernel/panic.c, arch/x86/kernel/dumpstack.c,
 * arch/x86/mm/fault.c, kernel/hung_task.c, kernel/watchdog.c, kernel/rcu/tree_stall.h,
 * kernel/locking/lockdep.c, mm/kasan/report.c, lib/ubsan.c, lib/refcount.c, amdgpu_job.c. The first line
 * of a WARN has had its place before or after the processor's number.
 */
static const struct {
	const char *name, *regex;
} presets[] = {
	{ "oops",
	  "^BUG: (kernel NULL pointer|unable to handle)|^kernel BUG at |^general protection "
	  "fault|Oops: |invalid opcode: |divide error: | \\[#[0-9]+\\]" },
	{ "warn", "^WARNING: (CPU: [0-9]+ PID: |[^ ]+:[0-9]+ at |at [^ ]+\\+0x)" },
	{ "panic", "Kernel panic - not syncing" },
	{ "hung-task", "^INFO: task .* blocked for more than [0-9]+ seconds" },
	{ "lockup", "soft lockup|hard LOCKUP|detected (stall|stalls)|workqueue lockup" },
	{ "lockdep", "^WARNING: (possible (circular|recursive) locking|possible irq lock inversion|"
		     "inconsistent lock state|.*-safe -> .*-unsafe lock order|Nested lock was not|"
		     "bad unlock balance|bad contention|held lock freed|.* still has locks held|"
		     "lock held when returning|suspicious RCU usage|chain_key collision)|"
		     "BUG: Invalid wait context|DEBUG_LOCKS_WARN_ON" },
	{ "kasan", "^BUG: KASAN: " },
	{ "ubsan", "^UBSAN: " },
	{ "refcount", "refcount_t: " },
	{ "gpu-hang", "ring [^ ]+ timeout|GPU reset begin|VM_L2_PROTECTION_FAULT" },
};

const char *rule_presets(void)
{
	static char all[160];
	size_t at = 0;

	for (size_t i = 0; !*all && i < ARRAY_SIZE(presets); i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i ? "|" : "",
				       presets[i].name);
	return all;
}

static int bad_rule(const char *text, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "the rule '%s': want exit, metric NAME, console %s or console /REGEX/, "
		       "and may begin with NAME:",
		       text, rule_presets());
}

/* Back-references make glibc's matching exponential, and the text it is held against is a guest's. */
static bool has_back_reference(const char *s)
{
	for (; *s; s++)
		if (*s == '\\' && *++s >= '1' && *s <= '9')
			return true;
		else if (!*s)
			break;
	return false;
}

static int compile(const char *text, const char *regex, struct rule *rule, struct err *err)
{
	char why[128];
	int code;

	if (has_back_reference(regex))
		return err_set(err, ERR_USAGE, "the rule '%s': a pattern may not refer back (\\1)",
			       text);
	code = regcomp(&rule->regex, regex, REG_EXTENDED | REG_NOSUB);
	if (!code)
		return 0;
	regerror(code, &rule->regex, why, sizeof(why));
	return err_set(err, ERR_USAGE, "the rule '%s': %s", text, why);
}

static int console(const char *text, struct rule *rule, struct err *err)
{
	size_t len = strlen(rule->what);

	if (len > 2 && rule->what[0] == '/' && rule->what[len - 1] == '/') {
		_cleanup_free_ char *regex = xstrndup(rule->what + 1, len - 2);

		return compile(text, regex, rule, err);
	}
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
		if (strcasecmp(presets[i].name, rule->what) == 0) {
			if (!rule->name[0])
				str_copy(rule->name, sizeof(rule->name), presets[i].name);
			return compile(text, presets[i].regex, rule, err);
		}
	return bad_rule(text, err);
}

/* "NAME: " goes to the rule, if it is there. */
static const char *take_name(const char *text, struct rule *rule)
{
	size_t len = strcspn(text, ": ");

	if (text[len] != ':' || !len || len >= sizeof(rule->name))
		return text;
	snprintf(rule->name, sizeof(rule->name), "%.*s", (int)len, text);
	if (!wire_name_ok(rule->name)) {
		rule->name[0] = '\0';
		return text;
	}
	text += len + 1;
	return text + strspn(text, " ");
}

static int parse(const char *text, struct rule *rule, struct err *err)
{
	const char *rest = take_name(text, rule);
	size_t len = strcspn(rest, " ");
	bool ok;

	for (unsigned int k = 0; k < RULE_KINDS; k++) {
		if (strlen(kind_names[k]) != len || strncmp(rest, kind_names[k], len) != 0)
			continue;
		rule->kind = k;
		rest += len;
		rest += strspn(rest, " ");
		if (!str_copy(rule->what, sizeof(rule->what), rest))
			return bad_rule(text, err);
		if (k == RULE_CONSOLE)
			return console(text, rule, err);
		ok = k == RULE_METRIC ? wire_name_ok(rule->what) : !rule->what[0];
		return ok ? 0 : bad_rule(text, err);
	}
	return bad_rule(text, err);
}

static int add(struct rules *r, const char *text, struct err *err)
{
	struct rule *rule = &r->items[r->n];

	if (r->n == RULES_MAX)
		return err_set(err, ERR_USAGE, "more than %d rules", RULES_MAX);
	*rule = (struct rule){ 0 };
	if (parse(text, rule, err) < 0)
		return -1;
	if (!rule->name[0])
		str_copy(rule->name, sizeof(rule->name), kind_names[rule->kind]);
	r->n++;
	if (rule->kind == RULE_METRIC && rules_find(r, RULE_METRIC) != rule)
		return err_set(err, ERR_USAGE,
			       "the rule '%s': one metric is judged, and another rule has one",
			       text);
	return 0;
}

int rules_parse(const char *const *texts, size_t n, struct rules *ret, struct err *err)
{
	static const char *const by_code[] = { "exit" };
	_cleanup_(rules_deinit) struct rules r = { 0 };

	if (!n) {
		texts = by_code;
		n = 1;
	}
	for (size_t i = 0; i < n; i++)
		if (add(&r, texts[i], err) < 0)
			return -1;
	*ret = r;
	r.n = 0;
	return 0;
}

void rules_deinit(struct rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].kind == RULE_CONSOLE)
			regfree(&r->items[i].regex);
	r->n = 0;
}

const struct rule *rules_find(const struct rules *r, enum rule_kind kind)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].kind == kind)
			return &r->items[i];
	return NULL;
}
