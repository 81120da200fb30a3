/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside validate/ only: what --apply gives, laid on the base as commits. */
#ifndef CONTROLLER_VALIDATE_SETS_H
#define CONTROLLER_VALIDATE_SETS_H

#include "controller/validate/verdict.h"
#include "range/pick/pick.h"

/* One row of the table: the base, or the base with a set, or with the first patches of one. */
struct build_row {
	char *name;		 /* for people */
	char id[COMMIT_ID_SIZE]; /* to build; of one that collides the base */
	char *why;		 /* of a state that is no measurement */
	char signature[65];
	struct wire_sample *samples; /* [n_samples] of all its trials */
	size_t n_samples;
	struct measurement *m; /* [MEASURE_MAX], @v.n of them */
	struct validated v;
	struct effect_verdict effect;
};

struct build_rows {
	struct build_row *items; /* [n]; 0: the base */
	size_t n;
};
void build_rows_deinit(struct build_rows *r);

/**
 * sets_lay() - rows for the base and each set
 * @sets: [n] "PATCH|REV[,PATCH|REV]..."; a directory is its *.patch files by name
 * @each: of a set with several patches, a row after each
 * @err:  ERR_USAGE: neither a file nor a revision, a merge; ERR_HOST
 */
int sets_lay(struct pick_store *picks, const char *repo, const char *base, const char *const *sets,
	     size_t n, bool each, struct build_rows *ret, struct err *err);

#endif
