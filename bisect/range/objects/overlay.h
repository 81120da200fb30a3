/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what is laid over the history, replacements, grafts and shallow ends. */
#ifndef RANGE_OBJECTS_OVERLAY_H
#define RANGE_OBJECTS_OVERLAY_H

#include "range/keymap.h"
#include "range/objects/commit.h"

struct graft {
	size_t first; /* into grafted */
	size_t n;
};

/* Written by overlay_read() and never again. Zero-initialised it is empty. */
struct overlay {
	struct keymap replaced; /* object → index into replacements */
	struct ids replacements;
	struct keymap grafts; /* commit → index into graft */
	struct graft *graft;
	size_t n_grafts, cap_grafts;
	struct ids grafted; /* the parents that grafts give */
};

/** overlay_read() - refs/replace/, info/grafts and shallow; ERR_HOST for what cannot be read */
int overlay_read(git_repository *repo, struct overlay *ret, struct err *err);
void overlay_deinit(struct overlay *o);

/** overlay_check() - ERR_HOST for a ref under refs/replace/ that is damaged: libgit2 leaves such out */
int overlay_check(git_repository *repo, struct err *err);

/** overlay_any() - true if anything is laid over the history */
bool overlay_any(const struct overlay *o);

/**
 * overlay_add_grafts() - the lines of a grafts file: a commit and the parents it gets
 * @text: [len]; lines that are something else are left out, as git leaves them out
 */
void overlay_add_grafts(struct overlay *o, const char *text, size_t len);

/**
 * overlay_replaced() - the object to read in place of @id, which may be @id itself
 * @ret: the object at the end of the chain of replacements
 *
 * Return: 0, or -1 if the chain is longer than git follows.
 */
int overlay_replaced(const struct overlay *o, const git_oid *id, git_oid *ret);

/** overlay_graft() - true and the parents that a graft gives @id, [n] */
bool overlay_graft(const struct overlay *o, const git_oid *id, const git_oid **parents, size_t *n);

#endif
