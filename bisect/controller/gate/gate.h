/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate: what is told apart of its two sides, and what it leaves behind for CI. */
#ifndef CONTROLLER_GATE_H
#define CONTROLLER_GATE_H

#include <stdbool.h>

#include "base/progress.h"
#include "build/package/package.h"
#include "options.h"
#include "store/store.h"

/* One of the two: a revision of the repository, or a kernel's packages. */
struct gate_side {
	const char *what; /* as the user said it */
	bool is_package;
	struct package_kernel package; /* of a package */
	char id[COMMIT_ID_SIZE];       /* the commit that is built */
};

struct gate_sides {
	struct gate_side old, new;
	char *repo; /* that both commits are in; of packages one that was made of their sources */
};

/**
 * gate_open_sides() - find both, unpack packages, and have a commit for each
 * @o:   --old, --new and --repo
 * @dir: the gate's directory: the history of two packages is made in it
 * @ret: owned by the caller, gate_close_sides()
 * @err: ERR_USAGE: what is missing, or a revision held against a package; ERR_HOST; ERR_STOPPED
 */
int gate_open_sides(const struct options *o, const char *dir, struct progress *progress,
		    struct gate_sides *ret, struct err *err);
void gate_close_sides(struct gate_sides *s);

/** gate_use() - the options of a side's kernel, where it is a package; before its lab_check() */
int gate_use(struct options *o, const struct gate_side *side, struct err *err);

/**
 * gate_hold() - what a gate's bisection needs of packages, before it goes on without the gate
 * @o:   of the stored run: --new, if its kernel was packages
 * @ret: their pieces, unpacked again if the cache gave them up, and held there; untouched if there are none
 * @err: ERR_STOPPED. Packages that are gone or changed are none: which piece is missing is said when it is looked for.
 */
int gate_hold(const struct options *o, struct progress *progress, struct package_kernel *ret,
	      struct err *err);

/** gate_budget_ms() - "30m", "90s", "2h" or "" for none [ms]; ERR_USAGE for anything else */
int gate_budget_ms(const char *text, int64_t *ret, struct err *err);

/**
 * gate_publish() - DIR/NAME.junit.xml, DIR/NAME.ktap and DIR/NAME.evidence of a run
 * @run: the run's directory
 */
int gate_publish(struct store *s, const char *run, const char *dir, const char *name,
		 struct err *err);

#endif
