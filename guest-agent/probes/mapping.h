/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings: a source file, and fresh private mappings of it at a chosen place past a 2 MiB
 * boundary, touched as asked and looked at in the page table before they are copied from.
 */
#ifndef PROBES_MAPPING_H
#define PROBES_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "guest-agent/probes/extent.h"

/* Which pages are read before the copy. */
struct touch {
	bool all;			     /* every extent; the map is not looked at */
	bool one_page;			     /* only one page of each extent named */
	uint64_t page;			     /* which, where the extent's part has so many */
	uint64_t map[WIRE_EXTENTS_MAX / 64]; /* bit i of word i / 64: extent i */
};

/**
 * touch_parse() - "all", or extents by number: "0,2"
 * Return: false if the text is neither.
 */
bool touch_parse(const char *text, struct touch *ret);

/**
 * source_create() - a file of @bytes whose pages all differ, in the page cache once written
 * @path: made anew and unlinked at once, so that a killed probe leaves nothing
 * @ret:  descriptor, owned by the caller
 */
int source_create(const char *path, uint64_t bytes, int *ret, struct err *err);

struct mapping {
	char *area; /* reserved around the mapping */
	size_t area_bytes;
	char *start; /* the mapping itself */
	size_t bytes;
};

/* What is mapped, and where. */
struct mapping_spec {
	int fd;		 /* from source_create(); -1 for anonymous memory, filled */
	size_t bytes;	 /* whole pages */
	bool writable;	 /* rw-p, else r--p */
	uint64_t offset; /* of the mapping's start past a 2 MiB boundary [bytes], whole pages */
	uint64_t file_offset; /* of its first byte in the source [bytes], whole pages */
};

/**
 * mapping_create() - map privately
 * @ret: mapping_deinit()
 *
 * A reserved PROT_NONE area around it keeps other mappings out of its first and last extent.
 */
int mapping_create(const struct mapping_spec *spec, struct mapping *ret, struct err *err);
void mapping_deinit(struct mapping *m);

/** mapping_touch() - read from the pages that @touch names, so that they become present */
void mapping_touch(const struct mapping *m, const struct touch *touch);

/**
 * mapping_presence() - what of the mapping is in this process's page table now
 *
 * mincore() would answer for the page cache, which holds the whole file in every regime.
 *
 * Source: Documentation/admin-guide/mm/pagemap.rst.
 */
int mapping_presence(const struct mapping *m, struct presence *ret, struct err *err);

#endif
