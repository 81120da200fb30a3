/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside patch/ only: "NAME [if-has REV]... [unless-has REV]...", taken apart. Pure. */
#ifndef RANGE_PATCH_SPEC_H
#define RANGE_PATCH_SPEC_H

#include "base/err.h"
#include "base/str.h"

/* Zero-initialised it is empty. */
struct patch_spec {
	char *name;
	struct strv if_has, unless_has; /* revisions, as written */
};
void patch_spec_deinit(struct patch_spec *s);

/**
 * patch_spec_parse() - read from the end, as a file's name may hold blanks
 * @err: ERR_USAGE: no name, a condition without a revision
 */
int patch_spec_parse(const char *text, struct patch_spec *ret, struct err *err);

#endif
