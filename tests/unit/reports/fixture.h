/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs made with the real store, as the loop would have written them. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "store/store.h"

#define FIXTURE_CANDIDATES 64
#define FIXTURE_CULPRIT	   41

/** fixture_id() - a full id for a candidate; node -1 is the good end */
void fixture_id(int node, char ret[COMMIT_ID_SIZE]);

/** fixture_facts() - what the loop writes before its first trial, and the candidates */
void fixture_facts(struct store *s);

/** fixture_trial() - one whole trial that ends with a verdict */
void fixture_trial(struct store *s, int node, enum store_role role, enum verdict v);

/** fixture_ends() - both ends, as they should be */
void fixture_ends(struct store *s);

/** fixture_search() - halving down to the culprit, with skips and a weak on the way */
void fixture_search(struct store *s);

/** fixture_proven() - a run from its start to a proven culprit */
void fixture_proven(struct store *s);

#endif
