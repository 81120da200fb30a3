/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes to a text, collected in any order and made at once, so that offsets stay those of the text. */
#ifndef DEMO_SPLICE_H
#define DEMO_SPLICE_H

#include <stddef.h>

struct splice {
	size_t at;    /* offset in the old text [bytes] */
	size_t cut;   /* bytes that go */
	char *insert; /* text that comes, owned by the list */
};

/* Zero-initialised it is empty. */
struct splices {
	struct splice *items;
	size_t n;
	size_t cap;
};

/** splices_add() - takes ownership of @insert; insertions at one place keep their order */
void splices_add(struct splices *s, size_t at, size_t cut, char *insert);

/** splices_apply() - the new text, NUL-terminated, owned by the caller; cuts must not overlap */
char *splices_apply(struct splices *s, const char *text, size_t len, size_t *ret_len);
void splices_deinit(struct splices *s);

#define _cleanup_splices_ __attribute__((cleanup(splices_deinit)))

#endif
