/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an image is made of, as text beside it; its name comes from there. Inside the guest room only. */
#ifndef GUEST_MANIFEST_H
#define GUEST_MANIFEST_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

#define MANIFEST_SUFFIX ".manifest"
#define MANIFEST_IMAGE	"image " /* begins the line with the image's own digest and size */
#define MANIFEST_MAX	((size_t)4 << 20)

/* Zero-initialised it is empty. */
struct manifest {
	struct buf inputs; /* what the content depends on, and nothing else */
	struct buf about;  /* for people: where it came from */
	struct strv paths; /* files of this machine that went in */
	const char *hide;  /* a temporary directory, whose name is left out; or NULL */
};

void manifest_deinit(struct manifest *m);
#define _cleanup_manifest_ _cleanup_(manifest_deinit)

/** manifest_say() - one line of the inputs: the form of the image, a parameter */
__attribute__((format(printf, 2, 3))) void manifest_say(struct manifest *m, const char *fmt, ...);

/**
 * manifest_file() - a file goes in: "file GUEST SHA256" in the inputs, its path in the rest
 * @err: ERR_USAGE: cannot be read
 */
int manifest_file(struct manifest *m, const char *guest, const char *host, struct err *err);

/** manifest_key() - 64 hex digits: other inputs, other key; where they lie and when they were written is none */
void manifest_key(const struct manifest *m, char ret[65]);

/**
 * manifest_write() - into "IMAGE.manifest": inputs, the image's digest, paths, and the packages that dpkg
 * knows them by
 * @image: path of the image, whole
 * Without dpkg there are no packages in it.
 */
int manifest_write(const struct manifest *m, const char *image, struct err *err);

/** manifest_inputs_len() - how much of a manifest's text is its inputs, which its name comes from [bytes] */
size_t manifest_inputs_len(const char *text);

#endif
