// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The demo edits the core: harmless changes of mm/hmm.c and its header, which a build of the driver
 * alone would not see. One pair of commits edits the header and restores it: what is built before and
 * after the pair is the same.
 */
#include "base/str.h"
#include "demo/text/draw.h"

/* Of the harmless commits one in four edits the core, of those one in three the header. */
#define CORE_EVERY   4
#define HEADER_EVERY 3

/* The one child of a harmless commit, if that is harmless too and neither has a fault; else 0. */
static uint32_t harmless_heir(const struct plan *plan, uint32_t commit)
{
	const struct plan_commit *c = &plan->commits[commit];

	if (c->kind != PLAN_EDIT || c->n_children != 1 ||
	    plan_fault_at(plan, commit) != DEMO_FAULTS)
		return 0;
	for (uint32_t i = commit + 1; i < plan->n; i++) {
		const struct plan_commit *heir = &plan->commits[i];

		if (heir->kind == PLAN_EDIT && heir->parents[0] == commit &&
		    plan_fault_at(plan, i) == DEMO_FAULTS)
			return i;
	}
	return 0;
}

static void lay_pair(struct core *c, const struct plan *plan)
{
	uint32_t n = (uint32_t)plan->n;
	uint32_t from = prng_below(&c->rnd, n);

	for (uint32_t i = 0; i < n && !c->restore; i++) {
		c->touch = (from + i) % n;
		c->restore = harmless_heir(plan, c->touch);
	}
}

void core_begin(struct core *c, const struct edits *e, const struct plan *plan, uint64_t seed)
{
	*c = (struct core){
		.rnd = { .state = seed ^ UINT64_C(0x636f72652e2e2e2e) },
		.source = UINT32_MAX,
		.header = UINT32_MAX,
	};
	for (size_t i = e->n_files - e->n_core; i < e->n_files; i++)
		*(str_ends(e->files[i].path, ".h") ? &c->header : &c->source) = (uint32_t)i;
	c->phase = prng_below(&c->rnd, CORE_EVERY);
	if (c->header != UINT32_MAX)
		lay_pair(c, plan);
}

static void draw_pair(struct core *c, struct edits *e, uint32_t commit)
{
	struct edit *it = draw_new(e, commit, c->header);

	if (commit == c->touch) {
		it->number = draw_number(e, &c->rnd);
		it->slot = draw_slot(e, &c->rnd, c->header);
		it->kind = EDIT_MACRO;
		c->touched = it->changes;
		return;
	}
	it->changes = c->touched;
	it->number = 0;
	e->items[c->touched].latest = (uint32_t)e->n - 1;
}

/* A header may hold nothing that each of its readers would compile. */
static enum edit_kind kind_of(struct core *c, bool header, enum edit_kind drawn)
{
	static const enum edit_kind in_header[] = { EDIT_COMMENT, EDIT_MACRO, EDIT_ENUM };

	if (header)
		return in_header[prng_below(&c->rnd, ARRAY_SIZE(in_header))];
	/* Some are in the kernel, and not only in its source; the first is one. */
	return c->n_edits % 2 ? drawn : EDIT_KEPT;
}

bool core_draw(struct core *c, struct edits *e, const struct plan *plan, uint32_t commit)
{
	bool header = c->n_edits % HEADER_EVERY == HEADER_EVERY - 1;
	struct edit *it;

	if (!e->n_core || plan->commits[commit].kind != PLAN_EDIT)
		return false;
	if (c->restore && (commit == c->touch || commit == c->restore)) {
		draw_pair(c, e, commit);
		return true;
	}
	if (c->n_commits++ % CORE_EVERY != c->phase)
		return false;
	draw_edit(e, plan, &c->rnd, commit, header ? c->header : c->source);
	it = &e->items[e->n - 1];
	if (it->changes == e->n - 1)
		it->kind = kind_of(c, header, it->kind);
	c->n_edits++;
	return true;
}
