/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many trials at once: by --workers, the cards, and what this machine can bear. */
#ifndef CONTROLLER_TEAM_SIZE_H
#define CONTROLLER_TEAM_SIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "options.h"

struct team_size {
	size_t n;	   /* >= 1 */
	struct strv cards; /* [n] addresses for that many guests; or none: as --gpu says */
	char why[160];	   /* for people */
};
void team_size_deinit(struct team_size *s);

/**
 * team_size() - what a run's options come to on this machine
 * @kept:       directory of quarantined cards, which are left out; or NULL
 * @candidates: of the range
 * @err:        ERR_USAGE: a card that is named cannot be passed, or there are too few for --workers;
 *              ERR_HOST: all cards are in quarantine
 */
int team_size(const struct options *o, const char *kept, size_t candidates, struct team_size *ret,
	      struct err *err);

/* What a machine has for guests. */
struct team_host {
	unsigned int cores;
	uint64_t memory_mib; /* that is free, or can be had */
	unsigned int guest_cores;
	uint64_t guest_mib;
};

/** team_bears() - how many guests at once: a core for each besides its own, and memory for a build too; >= 1 */
size_t team_bears(const struct team_host *h);

/**
 * team_pays() - how many trials at once are soonest done, at most @most
 * Of k candidates at once what is left shrinks to 1 / (k + 1), but k are to be built one after another.
 * @build_ns, @guest_ns: what one candidate takes
 */
size_t team_pays(size_t candidates, size_t most, int64_t build_ns, int64_t guest_ns);

#endif
