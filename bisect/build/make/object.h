/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Object files and modules, read with libelf. */
#ifndef BUILD_OBJECT_H
#define BUILD_OBJECT_H

#include "base/err.h"
#include "base/str.h"

/** object_undefined() - names of the symbols an object wants from elsewhere; weak ones may stay so */
int object_undefined(const char *path, struct strv *ret, struct err *err);

struct object_identity {
	char srcversion[64]; /* or empty */
	char build_id[65];   /* hex, or empty */
	struct strv depends; /* module names */
	char vermagic[256];
};
void object_identity_deinit(struct object_identity *id);

/**
 * object_identity() - what a module says about itself
 * Source: MODULE_INFO in include/linux/moduleparam.h; .note.gnu.build-id.
 */
int object_identity(const char *path, struct object_identity *ret, struct err *err);

#endif
