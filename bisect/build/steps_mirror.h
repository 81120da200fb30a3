/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mirror, made in its own directory. Inner to the steps. */
#ifndef BUILD_STEPS_MIRROR_H
#define BUILD_STEPS_MIRROR_H

#include "base/err.h"
#include "build/steps.h"

/**
 * steps_mirror_make() - make the mirror and collect it
 * @dir: steps_mirror_dir(), with its sources in place
 *
 * make is not asked at all if every file that the mirror was made of is as it was: most commits touch no
 * header that it reads, and make takes a second and more to find nothing to do.
 */
int steps_mirror_make(const struct steps *s, const char *dir, struct artifact *a, struct err *err);

#endif
