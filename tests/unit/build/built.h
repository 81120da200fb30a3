/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of build/reads: a tree as it is after a build, in a directory of its own. */
#ifndef TESTS_BUILT_H
#define TESTS_BUILT_H

#include "build/steps.h"

#define AMD    "drivers/gpu/drm/amd"
#define AMDGPU AMD "/amdgpu"

struct built {
	char root[32];
	struct build_spec spec;
	struct tree tree;
	struct steps steps; /* of the two above; its output is the root */
};

/** built_create() - an empty one; owned by the caller, built_destroy() */
struct built *built_create(enum build_scope scope);

/** built_destroy() - with its directory; a cmocka teardown */
int built_destroy(void **state);

/** built_put() - a file, by its name from the root, and the directories it lies in */
void built_put(const struct built *b, const char *name, const char *text);

#endif
