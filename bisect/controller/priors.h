/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How likely each candidate is before any trial: what the user suspects, what earlier runs found in other
 * trees, and what no build reads. A wrong prior costs steps, never the answer.
 */
#ifndef CONTROLLER_PRIORS_H
#define CONTROLLER_PRIORS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "range/range.h"

struct priors {
	double *factor; /* [n] > 0, against a candidate of which nothing is known; NULL: all alike */
	bool *idle;	/* [n] touches no file that any known build read; NULL: no build is known */
	size_t n_named;	    /* candidates that are a suspected or known change */
	size_t n_files;	    /* that touch a suspected file */
	size_t n_functions; /* that change a suspected function */
	size_t n_idle;
	struct strv strangers; /* what --suspect named and no candidate is the same change as */
	bool knows_builds;     /* what builds of this repository read is known */
};

/**
 * priors_make() - ask all that the options want to know
 * @spec:  the question that @range answers
 * @ret:   owned by the caller, priors_deinit()
 * @err:   ERR_USAGE: --suspect names no commit; ERR_HOST
 */
int priors_make(const struct options *o, const struct range_spec *spec, const struct range *range,
		struct priors *ret, struct err *err);
void priors_deinit(struct priors *p);

/**
 * priors_say() - what the hints come to, and which of them say nothing here
 * @o:          the same as for priors_make()
 * @n_left_out: candidates left out by --trust-deps, from halving_search_by()
 * @ret:        a line each is added, without an end of line
 */
void priors_say(const struct priors *p, const struct options *o, size_t n_left_out,
		struct strv *ret);

#endif
