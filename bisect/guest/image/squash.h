/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files into one read-only file system; inside the guest room only. */
#ifndef GUEST_SQUASH_H
#define GUEST_SQUASH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct squash_file {
	const char *guest; /* path in the image, with a leading slash */
	const char *host;
	bool unpack; /* it is compressed, and goes in plain */
};

/**
 * squash_make() - a squashfs of these files, each owned by root, times 0, modes 0644 and 0755
 * @files: [n]
 * @path:  made beside it first, then renamed: never half an image
 * @err:   ERR_USAGE: no mksquashfs; ERR_HOST: no room (said before anything is written), disk
 *
 * The same files give the same bytes. Nothing is compressed: an emulated CPU would take longer to
 * unpack it than the host takes to hand it over.
 */
int squash_make(const struct squash_file *files, size_t n, const char *path, struct err *err);

#endif
