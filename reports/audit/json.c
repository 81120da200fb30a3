// SPDX-License-Identifier: GPL-2.0-or-later
/* An audit for programs: see audit.h and schema/audit.schema.json. */
#include "reports/audit/audit.h"

static void put_side(struct json_out *j, const char *key, const char *repo, const char *rev,
		     const char *id)
{
	json_out_object(j, key);
	json_out_str(j, "repository", repo);
	json_out_str(j, "revision", rev);
	json_out_str(j, "commit", id);
	json_out_end(j);
}

static void put_commit(struct json_out *j, const struct audit_report_commit *c)
{
	json_out_str(j, "commit", c->id);
	json_out_str(j, "subject", c->subject);
	json_out_int(j, "authored_s", c->authored_s);
}

static void put_list(struct json_out *j, const char *key, const struct strv *v)
{
	json_out_list(j, key);
	for (size_t i = 0; i < v->n; i++)
		json_out_str(j, NULL, v->items[i]);
	json_out_end(j);
}

static void put_finding(struct json_out *j, const struct audit_report_finding *f)
{
	json_out_object(j, NULL);
	json_out_str(j, "rank", f->rank);
	json_out_str(j, "reason", f->reason);
	json_out_object(j, "follow_up");
	put_commit(j, &f->follow_up);
	json_out_bool(j, "fixes_tag", f->fixes_tag);
	json_out_bool(j, "stable_tag", f->stable_tag);
	json_out_str(j, "stable_queue", audit_queue(f));
	json_out_str(j, "stable_queue_why", audit_queue_why(f));
	json_out_end(j);
	json_out_object(j, "change");
	put_commit(j, &f->change);
	json_out_str(j, "in_tree_as", f->tree_commit);
	json_out_str(j, "known_by", f->how);
	json_out_end(j);
	json_out_int(j, "days", f->days);
	put_list(j, "functions", f->functions);
	json_out_object(j, "lines");
	json_out_int(j, "removed", f->removed);
	json_out_int(j, "undone", f->undone);
	json_out_int(j, "undone_in_tree", f->in_tree);
	json_out_int(j, "beside", f->beside);
	json_out_end(j);
	json_out_str(j, "effect", f->effect);
	json_out_str(j, "effect_rule", f->effect_rule);
	json_out_str(j, "effect_why", f->effect_why);
	json_out_end(j);
}

void audit_json(const struct audit_report *r, struct json_out *j)
{
	json_out_object(j, NULL);
	json_out_str(j, "format", "amdgpu-bisect audit");
	json_out_int(j, "version", 1);
	json_out_str(j, "tool", r->tool);
	put_side(j, "upstream", r->upstream_repo, r->upstream_rev, r->upstream_id);
	put_side(j, "tree", r->tree_repo, r->tree_rev, r->tree_id);
	put_list(j, "paths", r->paths);
	json_out_str(j, "since", r->since);
	json_out_int(j, "distance_days", r->distance_days);
	json_out_str(j, "min_rank", r->min_rank);
	json_out_object(j, "counts");
	json_out_int(j, "upstream", (int64_t)r->n_upstream);
	json_out_int(j, "tree", (int64_t)r->n_tree);
	json_out_int(j, "carried", (int64_t)r->n_carried);
	json_out_int(j, "picked", (int64_t)r->n_picked);
	json_out_int(j, "lacking", (int64_t)r->n_lacking);
	json_out_int(j, "there_in_other_words", (int64_t)r->n_there);
	json_out_end(j);
	json_out_str(j, "tested", r->tested);
	json_out_str(j, "tree_verdict", r->tree_word);
	json_out_str(j, "tree_why", r->tree_why);
	json_out_list(j, "findings");
	for (size_t i = 0; i < r->n; i++)
		put_finding(j, &r->findings[i]);
	json_out_end(j);
	json_out_end(j);
}
