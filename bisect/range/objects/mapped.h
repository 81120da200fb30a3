/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside objects/ only: files that are mapped, and the sorted ids that two kinds of them hold. */
#ifndef RANGE_OBJECTS_MAPPED_H
#define RANGE_OBJECTS_MAPPED_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A file's bytes. Its size was that of the file when it was mapped. */
struct mapped {
	const unsigned char *data;
	size_t len;
};

/** mapped_open() - map a whole file to read; -1 with errno for none, an empty one, or no file */
int mapped_open(const char *path, struct mapped *ret);
void mapped_close(struct mapped *m);

static inline uint32_t read_be32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t read_be64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return be64toh(v);
}

#define FAN_BYTES 1024 /* 256 counts of four bytes: the ids whose first byte is that or less */

/* Sorted ids with a fan-out table over their first byte, as pack indexes and commit-graphs have them. */
struct fan {
	const unsigned char *counts; /* [FAN_BYTES] */
	const unsigned char *ids;    /* [n * GIT_ID_LEN] */
	uint32_t n;
};

/** fan_count() - how many ids a fan-out table is about; false if its counts ever fall */
bool fan_count(const unsigned char *counts, uint32_t *ret);

/** fan_find() - true and the place of @id among the ids */
bool fan_find(const struct fan *f, const unsigned char *id, uint32_t *ret);

/** fan_from() - the place of the first id that is not below @id; f->n if all are */
uint32_t fan_from(const struct fan *f, const unsigned char *id);

#endif
