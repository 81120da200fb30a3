/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of the demo history: which commit follows which, and what each one is for. Pure.
 *
 * Commit 0 is the untouched driver. Every parent comes before its children.
 */
#ifndef DEMO_PLAN_H
#define DEMO_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "demo/demo.h"

enum plan_kind {
	PLAN_ROOT,    /* the untouched driver */
	PLAN_PRELUDE, /* commit 1: gives the function its retry loop if the source dropped it */
	PLAN_EDIT,    /* harmless */
	PLAN_FAULT,   /* a fault begins */
	PLAN_MEND,    /* and ends */
	PLAN_CULPRIT,
	PLAN_MERGE
};

struct plan_commit {
	enum plan_kind kind;
	enum demo_fault fault; /* PLAN_FAULT, PLAN_MEND */
	uint32_t parents[2];
	uint32_t n_parents; /* 0: the root; 2: a merge, whose second parent is the side branch */
	uint32_t n_children;
};

struct plan_fault {
	uint32_t first;	   /* commit that has it first */
	uint32_t mend;	   /* commit that mends it */
	uint32_t n_broken; /* commits that have it */
};

struct plan {
	struct plan_commit *commits; /* [n], n = N + 1 */
	size_t n;
	uint32_t culprit;
	struct plan_fault faults[DEMO_FAULTS];
	uint64_t *ancestors; /* [n][words], a bit per commit, itself included */
	size_t words;
};

/**
 * plan_make() - draw a history
 * @commits: N, DEMO_COMMITS_MIN..DEMO_COMMITS_MAX
 * @seed:    all chance comes from it
 * @ret:     owned by the caller, plan_destroy()
 * @err:     ERR_USAGE: N out of bounds
 *
 * It holds: three merges at least, each with two commits or more on either side; the culprit is no
 * merge, is not near an end, and neither it nor its parent has a fault; no commit has two faults; a
 * fault begins and ends on one line of commits from which nothing forks, so merges have none.
 */
int plan_make(unsigned int commits, uint64_t seed, struct plan **ret, struct err *err);
void plan_destroy(struct plan *p);
DEFINE_CLEANUP(struct plan *, plan_destroy)

/** plan_has() - commit @ancestor is @commit or comes before it */
static inline bool plan_has(const struct plan *p, uint32_t commit, uint32_t ancestor)
{
	return p->ancestors[commit * p->words + ancestor / 64] >> (ancestor % 64) & 1;
}

/** plan_fault_at() - the fault that a commit has, or DEMO_FAULTS if none */
enum demo_fault plan_fault_at(const struct plan *p, uint32_t commit);

#endif
