/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The harmless edits: definitions and comments that are added between a file's functions, and later
 * changed. What a file holds at a commit is what all edits among the commit's ancestors make of the
 * untouched file, so that a merge holds both sides' edits. Pure.
 */
#ifndef DEMO_EDITS_H
#define DEMO_EDITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "demo/plan.h"
#include "demo/text/splice.h"
#include "demo/text/unit.h"

enum edit_kind {
	EDIT_COMMENT,
	EDIT_CONSTANT, /* compiled, and dropped by the compiler */
	EDIT_KEPT,     /* a constant that stays in the object file */
	EDIT_FUNCTION,
	EDIT_ENUM,
	EDIT_KINDS, /* of those drawn for the driver's files */
	EDIT_MACRO = EDIT_KINDS
};

/* A file that may be edited. */
struct edit_file {
	char *path; /* within the repository, owned by the edits */
	char *stem; /* its name as part of an identifier, owned by the edits */
	char *text; /* untouched, NUL-terminated, owned by the edits */
	size_t len;
	struct ctext scan;
};

struct edit {
	uint32_t commit;
	uint32_t file;
	uint32_t slot; /* offset in the untouched file */
	uint32_t
		number; /* what is written; differs from all others; 0: what was added is taken out */
	uint32_t
		changes; /* index of the addition whose number this one replaces; its own: an addition */
	uint32_t latest; /* of an addition: the last edit that changed it */
	enum edit_kind kind;
};

struct edits {
	struct edit_file *files; /* [n_files]; the first is the unit's */
	size_t n_files;
	size_t n_core; /* of them, the last ones: core files */
	struct unit unit;
	struct edit *items; /* [n], in the order of their commits */
	size_t n;
	size_t cap;
};

/**
 * edits_add_file() - one more file that may be edited; the first must be the unit's
 * @path: copied
 * @text: NUL-terminated; ownership passes, also on failure
 * @err:  ERR_USAGE: the unit's function has a form not known
 *
 * Return: 1; 0 if it has no place for an edit; -1 with @err filled.
 */
int edits_add_file(struct edits *e, const char *path, char *text, size_t len, struct err *err);

/** edits_add_core() - the same for a core file; these come after all others */
int edits_add_core(struct edits *e, const char *path, char *text, size_t len, struct err *err);

/** edits_draw() - give each PLAN_EDIT commit its edits, by the seed; no commit stays empty */
void edits_draw(struct edits *e, const struct plan *plan, uint64_t seed);
void edits_deinit(struct edits *e);

/** edits_changed() - sets changed[n_files]: files that differ between a commit and its first parent */
void edits_changed(const struct edits *e, const struct plan *plan, uint32_t commit,
		   unsigned char *changed);

/** edits_text() - what a file holds at a commit; owned by the caller */
char *edits_text(const struct edits *e, const struct plan *plan, uint32_t file, uint32_t commit,
		 size_t *ret_len);

/** edits_subject() - a subject line that tells nothing about what the commit is for; owned */
char *edits_subject(const struct edits *e, const struct plan *plan, uint32_t commit, uint64_t seed);

#endif
