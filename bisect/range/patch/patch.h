/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patches for old commits: a known break is mended in memory before the checkout, so that it does not
 * hide the culprit. Nothing is written to the repository.
 *
 * A patch is a file (a diff, or mails with diffs) or a commit of the repository, which is picked as git
 * cherry-pick would, a merge by what it changed against its first parent. Conditions follow the name:
 * "fix.patch if-has v6.2 unless-has 8d3e1f0"; with several all must hold. A name may hold blanks; a file
 * counts before a revision of the same name, a directory does not.
 *
 * Each goes on top of those before it. A commit that has the picked one among its ancestors does not get
 * it, even if it was reverted since; nor does one that it would not change. A file is there already if it
 * can be taken away and not be applied, or if what could be taken away lies nearer to the lines it names
 * than where it could be applied. Elsewhere a patch that does not fit is an error of that commit's build.
 *
 * Stricter than git apply and git cherry-pick: binary files, submodules, files that swap their names, and
 * a renamed file that is looked for only in its directory and by its name.
 */
#ifndef RANGE_PATCH_H
#define RANGE_PATCH_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

/* Never written to after opening, but for what it remembers, under a lock: threads may share it. */
struct patches;

/**
 * patches_open() - read patches and resolve their conditions
 * @texts: [n] as above; n may be 0
 * @ret:   owned by the caller, patches_destroy()
 * @err:   ERR_USAGE: a text that is neither a file nor a revision, a file without a diff or over 16 MiB,
 *         a condition that names no commit, each with what is wrong; ERR_HOST
 */
int patches_open(const char *repo, const char *const *texts, size_t n, struct patches **ret,
		 struct err *err);
void patches_destroy(struct patches *p);
DEFINE_CLEANUP(struct patches *, patches_destroy)

/** patches_digest() - SHA-256 in hex of all contents and conditions; owned by the patches */
const char *patches_digest(const struct patches *p);

/**
 * patches_check_paths() - what is checked out must hold all that a patch changes, or it would be lost
 * @p:     NULL: there are none
 * @paths: all that is taken from a commit, [n_paths]; none: everything
 * @err:   ERR_USAGE: names the patch and the first file outside, with the option that takes it in
 */
int patches_check_paths(const struct patches *p, const char *const *paths, size_t n_paths,
			struct err *err);

/**
 * patches_for() - those that a commit gets, by conditions and by its content
 * @p:   NULL: there are none
 * @ret: their names as given, without conditions, in order; owned by the caller
 * @err: ERR_BUILD: one of them does not apply to this commit, with its name and the file
 */
int patches_for(const struct patches *p, const char *id, struct strv *ret, struct err *err);

/**
 * patches_content_key() - range_content_key() of what the commit becomes with its patches
 * @p: NULL: there are none
 *
 * The answers for the last few commits are remembered, here and in patches_for().
 */
int patches_content_key(const char *repo, const struct patches *p, const char *id,
			const char *const *paths, size_t n_paths, char ret[65], struct err *err);

#endif
