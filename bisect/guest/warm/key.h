/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a saved guest was made from; inside the guest room only. */
#ifndef GUEST_KEY_H
#define GUEST_KEY_H

#include "guest/attempt.h"

/**
 * warm_key() - digest of all that a saved guest depends on
 * @a:   the guest to be restored; its spec says which packed modules it is saved with
 * @ret: 16 hex digits and a NUL
 * @err: ERR_HOST: a file or a version that cannot be had
 */
int warm_key(struct attempt *a, char ret[17], struct err *err);

#endif
