// SPDX-License-Identifier: GPL-2.0-or-later
/* An audit as SARIF 2.1.0: see audit.h. A rule per reason, a result per finding. */
#include <string.h>

#include "base/cleanup.h"
#include "reports/audit/audit.h"

static const struct rule {
	const char *reason, *id, *name, *text;
} rules[] = {
	{ "reverts", "half-applied/reverts", "RevertedUpstream",
	  "The tree carries a change that upstream reverted." },
	{ "fixes", "half-applied/fixes", "FixedUpstream",
	  "The tree carries a change without the commit whose Fixes: names it." },
	{ "blames", "half-applied/blames", "BlamedUpstream",
	  "The tree carries a change that a later upstream commit blames in prose." },
	{ "names", "half-applied/names", "NamedUpstream",
	  "The tree carries a change that a later upstream commit speaks of." },
	{ "rewrites", "half-applied/rewrites", "RewrittenUpstream",
	  "The tree carries a change whose lines an untagged upstream commit rewrote soon after." },
	{ "beside", "half-applied/beside", "AmendedUpstream",
	  "The tree carries a change beside whose lines an untagged upstream commit changed "
	  "more." },
};

static const char *level_of(const char *rank)
{
	if (strcmp(rank, "certain") == 0)
		return "error";
	return strcmp(rank, "possible") == 0 ? "note" : "warning";
}

static size_t rule_of(const char *reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (strcmp(rules[i].reason, reason) == 0)
			return i;
	return 0;
}

static void put_text(struct json_out *j, const char *key, const char *text)
{
	json_out_object(j, key);
	json_out_str(j, "text", text);
	json_out_end(j);
}

static void put_driver(struct json_out *j, const struct audit_report *r)
{
	json_out_object(j, "tool");
	json_out_object(j, "driver");
	json_out_str(j, "name", "amdgpu-bisect audit");
	json_out_str(j, "version", r->tool);
	json_out_list(j, "rules");
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		json_out_object(j, NULL);
		json_out_str(j, "id", rules[i].id);
		json_out_str(j, "name", rules[i].name);
		put_text(j, "shortDescription", rules[i].text);
		json_out_end(j);
	}
	json_out_end(j);
	json_out_end(j);
	json_out_end(j);
}

/* "PATH: FUNCTION" as a place: no line, as the tree's own is not looked for. */
static void put_location(struct json_out *j, const char *both)
{
	const char *colon = strstr(both, ": ");
	_cleanup_free_ char *path = xstrndup(both, colon ? (size_t)(colon - both) : strlen(both));

	json_out_object(j, NULL);
	json_out_object(j, "physicalLocation");
	json_out_object(j, "artifactLocation");
	json_out_str(j, "uri", path);
	json_out_end(j);
	json_out_end(j);
	if (colon) {
		json_out_list(j, "logicalLocations");
		json_out_object(j, NULL);
		json_out_str(j, "name", colon + 2);
		json_out_str(j, "kind", "function");
		json_out_end(j);
		json_out_end(j);
	}
	json_out_end(j);
}

static void put_result(struct json_out *j, const struct audit_report_finding *f)
{
	size_t rule = rule_of(f->reason);
	_cleanup_free_ char *pair = str_printf("%s %s", f->change.id, f->follow_up.id);
	_cleanup_free_ char *text =
		str_printf("%.12s (%s) is missing: it %s %.12s (%s), which the tree has as %.12s",
			   f->follow_up.id, f->follow_up.subject, audit_reason_text(f->reason),
			   f->change.id, f->change.subject, f->tree_commit);

	json_out_object(j, NULL);
	json_out_str(j, "ruleId", rules[rule].id);
	json_out_int(j, "ruleIndex", (int64_t)rule);
	json_out_str(j, "level", level_of(f->rank));
	put_text(j, "message", text);
	json_out_list(j, "locations");
	for (size_t i = 0; i < f->functions->n && i < 10; i++)
		put_location(j, f->functions->items[i]);
	json_out_end(j);
	json_out_object(j, "partialFingerprints");
	json_out_str(j, "changeAndFollowUp/v1", pair);
	json_out_end(j);
	json_out_object(j, "properties");
	json_out_str(j, "rank", f->rank);
	json_out_str(j, "stableQueue", audit_queue(f));
	if (f->effect)
		json_out_str(j, "effect", f->effect);
	json_out_end(j);
	json_out_end(j);
}

void audit_sarif(const struct audit_report *r, struct json_out *j)
{
	json_out_object(j, NULL);
	json_out_str(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_out_str(j, "version", "2.1.0");
	json_out_list(j, "runs");
	json_out_object(j, NULL);
	put_driver(j, r);
	json_out_list(j, "results");
	for (size_t i = 0; i < r->n; i++)
		put_result(j, &r->findings[i]);
	json_out_end(j);
	json_out_object(j, "properties");
	json_out_str(j, "tree", r->tree_id);
	json_out_str(j, "upstream", r->upstream_id);
	json_out_end(j);
	json_out_end(j);
	json_out_end(j);
	json_out_end(j);
}
