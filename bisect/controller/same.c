// SPDX-License-Identifier: GPL-2.0-or-later
/* Between build and guest: what was tried already. See same.h. */
#include "controller/same.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest/guest.h"

#define PREFIX "same as "
#define DIGITS 12

bool same_counts(enum store_role role)
{
	return role == ROLE_SEARCH || role == ROLE_MERGE_BASE || role == ROLE_TURN;
}

/* Ends that the artifact brings about itself, whatever machine it is tried on. */
static bool is_its_own(const char *rule)
{
	static const enum trial_end own[] = {
		TRIAL_PANIC,	    TRIAL_LOAD_FAILED, TRIAL_LOAD_HUNG, TRIAL_OOPS,
		TRIAL_PROBE_FAILED, TRIAL_PROBE_HUNG,  TRIAL_LOCKUP,	TRIAL_OOM,
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (strcmp(rule, trial_end_name(own[i])) == 0)
			return true;
	return false;
}

static bool tells(const struct store_trial *t)
{
	return t->ended && !t->same_as[0] &&
	       (t->v.verdict == VERDICT_GOOD || t->v.verdict == VERDICT_BAD ||
		(t->v.verdict == VERDICT_SKIP && is_its_own(t->v.rule)));
}

static bool is(const char *a, const char *b)
{
	return *a && strcmp(a, b) == 0;
}

const struct store_trial *same_find(const struct store_trial *t, size_t n, const char *key,
				    const char *signature, const char *asked)
{
	const struct store_trial *ret = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!tells(&t[i]) || !is(asked, t[i].asked) ||
		    (!is(signature, t[i].v.signature) && !is(key, t[i].key)))
			continue;
		if (ret && ret->v.verdict != t[i].v.verdict)
			return NULL;
		ret = ret ? ret : &t[i];
	}
	return ret;
}

const char *same_reason(const char *reason)
{
	const char *id = reason + strlen(PREFIX);

	if (!str_starts(reason, PREFIX) || strspn(id, "0123456789abcdef") != DIGITS ||
	    !str_starts(id + DIGITS, ": "))
		return reason;
	return id + DIGITS + 2;
}

void same_take(const struct store_trial *from, struct store_verdict *ret)
{
	_cleanup_free_ char *reason =
		str_printf(PREFIX "%.*s: %s", DIGITS, from->commit, from->v.reason);
	char signature[sizeof(ret->signature)];

	memcpy(signature, ret->signature, sizeof(signature));
	*ret = from->v;
	memcpy(ret->signature, signature, sizeof(signature));
	/* Cut, it would be another blocker than the one it is. */
	if (strlen(reason) < sizeof(ret->reason))
		str_copy(ret->reason, sizeof(ret->reason), reason);
}

size_t same_counted(const struct store_trial *t, size_t n)
{
	size_t ret = 0;

	for (size_t i = 0; i < n; i++)
		ret += t[i].same_as[0] != '\0';
	return ret;
}
