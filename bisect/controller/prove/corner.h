/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside prove/ only: what a corner comes to, as facts and for people. */
#ifndef CONTROLLER_PROVE_CORNER_H
#define CONTROLLER_PROVE_CORNER_H

#include "controller/loop/loop.h"
#include "range/pick/pick.h"

/* A corner: the facts "proof.KEY.*" that the reports read, and what its trial should find. */
struct corner {
	const char *key;
	const char *words; /* for people: "the tip without it" */
	enum store_role role;
	bool is_new; /* it should be as after the culprit */
};
extern const struct corner corner_tip_without, corner_tip_with_followup, corner_good_end_with;

/** corner_put() - one fact of a corner; NULL takes it back */
int corner_put(struct run *r, const struct corner *c, const char *key, const char *value,
	       struct err *err);

/** corner_missing() - it cannot be had; @files: that collide, or NULL */
__attribute__((format(printf, 5, 6))) int corner_missing(struct run *r, const struct corner *c,
							 const struct strv *files, struct err *err,
							 const char *fmt, ...);

/** corner_collides() - the same for a change that does not apply; @what: "taking it away" */
int corner_collides(struct run *r, const struct corner *c, const struct pick *p, const char *what,
		    struct err *err);

/**
 * corner_try() - make its trial, or take what is stored; said and stored
 * @id:   commit to try
 * @more: expected trials after it
 * @ret:  true: it is what it should be
 */
int corner_try(struct run *r, const struct corner *c, const char *id, unsigned int more, bool *ret,
	       struct err *err);

#endif
