/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files a demo is made of, out of a tarball or a tree. */
#ifndef DEMO_IMPORT_H
#define DEMO_IMPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/progress.h"

/* What is done with each file; -1 with @err ends the import. */
struct import_sink {
	/* @path from the source's root on; @data is only there for import_files(), else NULL */
	int (*file)(void *arg, const char *path, const struct stat *st, const char *data,
		    size_t len, struct err *err);
	void *arg;
	struct progress *progress; /* or NULL */
};

/**
 * import_files() - give each file below some paths with its content, in the source's order
 * @source: tarball (whatever libarchive reads) or tree
 * @paths:  directories or files below the source's root, [n]; a tarball may have one folder around it
 * @err:    ERR_USAGE: nothing there, or no archive; ERR_HOST: it cannot be read; ERR_STOPPED
 *
 * What a build leaves behind in a tree is left out.
 */
int import_files(const char *source, const char *const *paths, size_t n,
		 const struct import_sink *sink, struct err *err);

/** import_list() - the same for a tree, without the contents */
int import_list(const char *source, const char *const *paths, size_t n,
		const struct import_sink *sink, struct err *err);

#endif
