/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a set of patches does to a build: the measurements of both, made in turns, become a verdict. Pure.
 * Rules and their order: docs/proof.md.
 */
#ifndef CONTROLLER_VALIDATE_VERDICT_H
#define CONTROLLER_VALIDATE_VERDICT_H

#include <stdbool.h>

#include "judge/judge.h"

/* How far a build came. */
enum build_state {
	BUILD_MEASURED,
	BUILD_COLLIDES,	 /* a patch does not apply */
	BUILD_UNCHANGED, /* the patches change nothing in the source */
	BUILD_FAILED,
	BUILD_SAME,   /* its artifact is the base's */
	BUILD_UNTRIED /* it was built, and no trial measured anything */
};

/* A build of the table; index 0 is the base. */
struct validated {
	enum build_state state;
	const struct measurement *m; /* [n], over all of its trials */
	size_t n;
	const char *why; /* of a state that is no measurement */
};

enum effect {
	EFFECT_REPAIRS,
	EFFECT_BREAKS,
	EFFECT_NONE,
	EFFECT_CONTROL_MOVED,
	EFFECT_SLOWER, /* rw-p resident, and not by windows */
	EFFECT_UNCLEAR,
	EFFECT_UNTESTED, /* it does not apply, build, load, or end */
	EFFECTS
};
/** effect_name() - "repairs", "breaks", "no effect", "control moved", "slower, not quantised", ... */
const char *effect_name(enum effect e);

struct effect_verdict {
	enum effect effect;
	char rule[32];	  /* that led there */
	char reason[512]; /* with the figures */
};

/** validate_effect() - @row against @base; @ret is always written */
void validate_effect(const struct validated *base, const struct validated *row,
		     struct effect_verdict *ret);

/** validate_state() - what the base is by itself: good, bad, or weak with the reason */
void validate_state(const struct validated *base, struct judgement *ret);

#endif
