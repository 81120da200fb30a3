/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: first lines of messages, kept from the one time that a commit is unpacked, so that
 * candidates need not be unpacked again.
 */
#ifndef RANGE_WALK_SUBJECTS_H
#define RANGE_WALK_SUBJECTS_H

#include <stddef.h>
#include <stdint.h>

#define SUBJECT_NONE UINT32_MAX

/* Zero-initialised it is empty. */
struct subjects {
	unsigned char **chunks; /* [n_chunks] */
	size_t n_chunks;
	size_t used; /* [bytes] of the last one */
};
void subjects_deinit(struct subjects *s);

/**
 * subjects_keep() - the first line of a commit's message
 * @text: [len] raw content of the commit
 * Return: a name for it, or SUBJECT_NONE if it is too long to be worth it.
 */
uint32_t subjects_keep(struct subjects *s, const unsigned char *text, size_t len);

/** subjects_get() - the line, raw, [*len] bytes */
const unsigned char *subjects_get(const struct subjects *s, uint32_t name, size_t *len);

#endif
