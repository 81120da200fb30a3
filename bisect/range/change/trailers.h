/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: which other commit a message says that it is. Pure. */
#ifndef RANGE_CHANGE_TRAILERS_H
#define RANGE_CHANGE_TRAILERS_H

#include <stddef.h>

#include "range/change/change.h"

/**
 * trailers_parse() - the commit that a message names as the same change
 * @message: [len], any bytes
 * @ret:     12 to 40 lower-case hex digits; empty if it names none
 *
 * What names an upstream commit counts before a pick: a stable commit's message ends with what the
 * upstream message said. Of several upstreams the first counts, as it stands on top; of several picks the
 * last one, as each of them adds its own below.
 *
 * Return: SAME_UPSTREAM, SAME_PICK or SAME_NOT.
 *
 * Source, by example:
 *   Documentation/process/stable-kernel-rules.rst: "commit ID upstream.", "[ Upstream commit ID ]"
 *   git-cherry-pick(1) -x: "(cherry picked from commit ID)"
 *   Ubuntu, "Kernel Stable Release Updates": "(cherry picked from commit ID linux-next)",
 *     "(backported from commit ID)", and older "(cherry picked from ID tree)"
 *   SUSE, kernel-source's README: "Git-commit: ID"
 *   CentOS Stream's kernel: "commit ID", then "Author: ..." below a "JIRA:" or "Upstream Status:"
 *   openEuler: "commit ID", then "category: ..."
 */
enum same_how trailers_parse(const char *message, size_t len, char ret[COMMIT_ID_SIZE]);

#endif
