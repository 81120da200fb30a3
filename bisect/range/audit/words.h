/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what a commit's message says of other commits. Pure. */
#ifndef RANGE_AUDIT_WORDS_H
#define RANGE_AUDIT_WORDS_H

#include "range/audit/audit.h"

/**
 * words_parse() - all that a message says of other commits
 * @message: [len], any bytes; of more than 64 KiB the rest is not read
 * @ret:     owned by the caller, words_deinit(); 64 mentions and 8 origins at most
 *
 * Source, by example:
 *   Documentation/process/submitting-patches.rst: 'Fixes: 54a4f0239f2e ("KVM: MMU: make ...")'
 *   git-revert(1): 'Revert "SUBJECT"', "This reverts commit ID."
 *   Documentation/process/stable-kernel-rules.rst: "Cc: stable@vger.kernel.org"
 */
void words_parse(const char *message, size_t len, struct audit_words *ret);
void words_deinit(struct audit_words *w);

#endif
