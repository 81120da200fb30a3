// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo names its commits, all alike, so that no subject gives the answer away. */
#include <string.h>

#include "base/str.h"
#include "demo/text/edits.h"
#include "demo/prng.h"

static const char *subsystem(const char *path)
{
	static const struct {
		const char *folder;
		const char *name;
	} all[] = {
		{ "mm/hmm.c", "mm/hmm" },	    { "linux/hmm.h", "mm/hmm" },
		{ "/amdgpu/", "drm/amdgpu" },	    { "/amdkfd/", "drm/amdkfd" },
		{ "/display/", "drm/amd/display" }, { "/pm/", "drm/amd/pm" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (strstr(path, all[i].folder))
			return all[i].name;
	}
	return "drm/amd";
}

char *edits_subject(const struct edits *e, const struct plan *plan, uint32_t commit, uint64_t seed)
{
	static const char *const verbs[] = { "rework", "tidy",	   "simplify", "clarify",
					     "update", "refine",   "adjust",   "clean up",
					     "unify",  "document", "prepare",  "tune" };
	static const char *const nouns[] = { "bounds",	    "defaults",	      "limits",
					     "bookkeeping", "helpers",	      "constants",
					     "comments",    "range handling", "error path",
					     "setup",	    "ordering",	      "checks" };
	struct prng rnd = { .state = seed ^ (uint64_t)commit << 32 };
	const struct plan_commit *c = &plan->commits[commit];
	const char *verb = verbs[prng_below(&rnd, ARRAY_SIZE(verbs))];
	const char *noun = nouns[prng_below(&rnd, ARRAY_SIZE(nouns))];
	const struct edit_file *file = &e->files[0];

	if (c->kind == PLAN_ROOT)
		return xstrdup("drm/amd: import the driver");
	if (c->kind == PLAN_MERGE)
		return str_printf("Merge branch 'amd-topic-%u'", c->parents[1]);
	for (size_t i = 0; i < e->n && e->items[i].commit <= commit; i++) {
		if (e->items[i].commit == commit)
			file = &e->files[e->items[i].file];
	}
	return str_printf("%s: %s %s in %s", subsystem(file->path), verb, noun, file->stem);
}
