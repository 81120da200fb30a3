/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How edits are drawn, for the driver's files and for the core's; inside the demo room only. */
#ifndef DEMO_DRAW_H
#define DEMO_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "demo/prng.h"
#include "demo/text/edits.h"

/** draw_new() - one more edit, an addition until @changes is set; valid until the next one is made */
struct edit *draw_new(struct edits *e, uint32_t commit, uint32_t file);

/** draw_edit() - an addition to @file, or a change of one that the commit may change */
void draw_edit(struct edits *e, const struct plan *plan, struct prng *rnd, uint32_t commit,
	       uint32_t file);

/** draw_number() / draw_slot() - what the last edit writes / where an addition to @file may stand */
uint32_t draw_number(const struct edits *e, struct prng *rnd);
uint32_t draw_slot(const struct edits *e, struct prng *rnd, uint32_t file);

/* Which commits edit a core file. */
struct core {
	struct prng rnd;
	uint32_t source, header; /* index of the file, UINT32_MAX: none */
	uint32_t phase;		 /* chance: the first commit that does */
	uint32_t n_commits;	 /* harmless ones so far */
	uint32_t n_edits;	 /* of the core so far */
	uint32_t touch, restore; /* commits: the header is edited, and as it was before; 0: none */
	uint32_t touched;	 /* edit of the first */
};

/** core_begin() - by the seed; without core files nothing will be drawn */
void core_begin(struct core *c, const struct edits *e, const struct plan *plan, uint64_t seed);

/** core_draw() - draw the edits of a commit that edits the core; false if it does not */
bool core_draw(struct core *c, struct edits *e, const struct plan *plan, uint32_t commit);

#endif
