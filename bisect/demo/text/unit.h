/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one function that matters, amdgpu_hmm_range_get_pages(), in the forms a commit of the demo can
 * give it. Pure.
 *
 * Two forms are known. To 6.18 or so the function retries hmm_range_fault() itself, behind a label
 * that a goto jumps back to. Later ones (and stable kernels with the same change) return at once:
 * there the history's commit 1 gives it such a loop first, so that the culprit has something to move
 * the read out of.
 */
#ifndef DEMO_UNIT_H
#define DEMO_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "demo/text/ctext.h"
#include "demo/demo.h"
#include "demo/text/splice.h"

enum unit_stage {
	UNIT_UNTOUCHED,
	UNIT_LOOP,    /* retries itself, and reads the sequence each time */
	UNIT_CULPRIT, /* reads it once, before the loop */
	UNIT_STAGES
};

struct unit {
	const char *text;  /* the whole file, not owned */
	struct ctext scan; /* of it */
	size_t from;	   /* the function [bytes], whole lines */
	size_t to;
	size_t include;		   /* where an #include <> can be added */
	bool has_loop;		   /* the source retries: UNIT_LOOP is UNIT_UNTOUCHED */
	char *stages[UNIT_STAGES]; /* the function's text */
	enum demo_culprit culprit; /* what UNIT_CULPRIT is; the others are UNIT_LOOP and a statement more */
};

/** unit_has_function() - the text defines amdgpu_hmm_range_get_pages() */
bool unit_has_function(const char *text, size_t len);

/**
 * unit_init() - find the function and make its forms
 * @path: for messages
 * @text: NUL-terminated, must outlive @ret
 * @err:  ERR_USAGE: what was looked for and not found, or a function that has the defect already
 */
int unit_init(const char *path, const char *text, size_t len, struct unit *ret, struct err *err);
void unit_deinit(struct unit *u);

/**
 * unit_splice() - changes that bring the untouched file to a form
 * @fault: planted at the function's start, or DEMO_FAULTS for none
 */
void unit_splice(const struct unit *u, enum unit_stage stage, enum demo_fault fault,
		 struct splices *ret);

#endif
