/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A commit's files into a plain directory, writing only what differs, so make sees true timestamps. */
#ifndef RANGE_CHECKOUT_H
#define RANGE_CHECKOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct patches;

struct checkout_stats {
	uint32_t written; /* files created or rewritten */
	uint32_t removed;
	uint64_t bytes; /* written [bytes] */
};

/**
 * checkout_sync() - make the paths in @dest hold exactly what @to holds there
 * @repo:  repository
 * @patches: laid over both commits as patches_for() says, or NULL
 * @from:  full id of the commit @dest is known to hold in these paths, or NULL: every file is
 *         compared by content, and files that @to lacks are removed (build outputs stay: only names
 *         that @from or any source suffix marks as source; see the implementation's essay)
 * @to:    full id
 * @paths: limited paths, [n_paths] >= 1; only these are touched
 * @dest:  directory that stands for the repository's root
 * @ret:   what was done, may be NULL
 * @err:   ERR_BUILD if a name or a link of @to would leave @dest, which is the commit's own fault;
 *         ERR_HOST with the path or object; @dest may then hold a mixture (pass NULL next time)
 */
int checkout_sync(const char *repo, const struct patches *patches, const char *from, const char *to,
		  const char *const *paths, size_t n_paths, const char *dest,
		  struct checkout_stats *ret, struct err *err);

#endif
