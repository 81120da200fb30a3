/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 of what comes in parts; for a text or a file as a whole there is fs_sha256_text() and _file(). */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>

#include "base/cleanup.h"

struct digest;

/** digest_create() - nothing is in it yet; never NULL */
struct digest *digest_create(void);
void digest_destroy(struct digest *d);
DEFINE_CLEANUP(struct digest *, digest_destroy)

/** digest_add() - the next @len bytes */
void digest_add(struct digest *d, const void *data, size_t len);

/** digest_hex() - 64 hex digits and a NUL; after it @d is as new */
void digest_hex(struct digest *d, char ret[65]);

#endif
