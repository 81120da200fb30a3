/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What earlier runs on this machine found: a culprit of one tree is a suspect in another. */
#ifndef CONTROLLER_KNOWN_H
#define CONTROLLER_KNOWN_H

#include "range/change/change.h"

/**
 * known_culprits() - the culprits that runs below the state directory have proven
 * @ret: owned by the caller, known_free(); only ids and patch-ids are filled, for identity_same()
 *
 * Of the newest runs, at most 64; what cannot be read is left out, since it only costs a hint.
 */
size_t known_culprits(struct identity **ret);
void known_free(struct identity *known, size_t n);

#endif
