// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told beside an answer, for programs: see history.h. */
#include <stdlib.h>
#include <string.h>

#include "reports/history/history.h"

static void set_fact(struct json *obj, const char *name, const struct report *r, const char *key)
{
	json_set_str(obj, name, report_fact(r, key));
}

static void set_fork(struct json *root, const struct report *r)
{
	static const char *const keys[] = { "base", "end", "state", "story", "next" };
	struct json *obj;

	if (!report_fact(r, "fork.state")) {
		json_set_null(root, "fork");
		return;
	}
	obj = json_set_object(root, "fork");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		_cleanup_free_ char *key = str_printf("fork.%s", keys[i]);

		set_fact(obj, keys[i], r, key);
	}
}

static void set_inherited(struct json *root, const struct report *r)
{
	static const char *const keys[] = { "commit", "parent", "parent_subject", "end", "story" };
	struct json *arr = json_set_array(root, "inherited");

	for (size_t n = 0; history_numbered(r, "inherit", n, "story"); n++) {
		struct json *obj = json_push_object(arr);

		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			json_set_str(obj, keys[i], history_numbered(r, "inherit", n, keys[i]));
	}
}

static void set_ids(struct json *obj, const char *name, const char *ids)
{
	_cleanup_free_ char *copy = xstrdup(ids ? ids : "");
	struct json *arr = json_set_array(obj, name);
	char *save = NULL;

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		json_push_str(arr, w);
}

static void set_part(struct json *turn, const char *name, const struct turn_part *p)
{
	struct json *obj;

	if (!p->commit && !p->set) {
		json_set_null(turn, name);
		return;
	}
	obj = json_set_object(turn, name);
	json_set_str(obj, "commit", p->commit);
	json_set_str(obj, "subject", p->subject);
	json_set_bool(obj, "proven", p->proven);
	set_ids(obj, "set", p->set);
}

void history_json(struct json *root, const struct report *r)
{
	struct json *turns;
	struct turn t;

	set_fork(root, r);
	set_inherited(root, r);
	turns = json_set_array(root, "turns");
	for (size_t n = 0; history_turn(r, n, &t); n++) {
		struct json *obj = json_push_object(turns);

		json_set_str(obj, "kind", t.twice ? "twice" : "again");
		json_set_str(obj, "fresh", t.fresh);
		json_set_str(obj, "stale", t.stale);
		set_part(obj, "introducer", &t.introducer);
		set_part(obj, "repairer", &t.repairer);
		set_part(obj, "other", &t.other);
	}
}

void history_json_upstream(struct json *culprit, const struct report *r)
{
	struct json *obj;

	set_fact(culprit, "patch_id", r, "culprit.patch_id");
	if (!report_fact(r, "culprit.upstream")) {
		json_set_null(culprit, "upstream");
		return;
	}
	obj = json_set_object(culprit, "upstream");
	set_fact(obj, "commit", r, "culprit.upstream");
	set_fact(obj, "how", r, "culprit.upstream.how");
	set_fact(obj, "subject", r, "culprit.upstream.subject");
}

void history_json_blockers(struct json *set, const struct report *r)
{
	struct json *arr = json_set_array(set, "blockers");
	const char *text;

	for (size_t i = 0; (text = history_numbered(r, "set.blocker", i, "")); i++) {
		const char *hides = history_numbered(r, "set.blocker", i, "hides");
		struct json *obj = json_push_object(arr);
		uint64_t n = 0;

		json_set_str(obj, "text", text);
		json_set_int(obj, "hides",
			     hides && str_to_u64(hides, UINT32_MAX, &n) ? (int64_t)n : 0);
	}
}
