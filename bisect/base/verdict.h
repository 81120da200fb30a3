/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A verdict is data that every room may hold; judge/ makes it, search/ and store/ use it. */
#ifndef BASE_VERDICT_H
#define BASE_VERDICT_H

#include <stdbool.h>

enum verdict {
	VERDICT_NONE,	/* not tried yet */
	VERDICT_GOOD,
	VERDICT_BAD,
	VERDICT_SKIP,	/* cannot be tested: does not build, boot or load */
	VERDICT_WEAK,	/* tested, not conclusive: try again; a second weak becomes a skip */
	VERDICT_HOST,	/* no verdict: the rig itself failed */
	VERDICT_COUNT
};

/** verdict_name() - "none", "good", "bad", "skip", "weak", "host"; never NULL */
const char *verdict_name(enum verdict v);

/** verdict_parse() - the inverse; false for any other text */
bool verdict_parse(const char *name, enum verdict *ret);

#endif
