/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our volumes in a storage pool that others use too; pure. Inside the guest room only.
 *
 *	amdgpu-bisect-DIGEST-DRAW		a file of that SHA-256; DRAW is drawn anew for each upload
 *	amdgpu-bisect-DIGEST-DRAW.whole		says that it was read back, and when it was last used
 *
 * libvirt cannot rename a volume, so a second one tells that the first is whole. What has another
 * name is somebody else's.
 */
#ifndef GUEST_SHELF_H
#define GUEST_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHELF_NAME 96
#define SHELF_MARK ".whole"

/** shelf_name() - of a file's volume; @digest: 64 hex digits; @draw: any number */
void shelf_name(const char *digest, uint32_t draw, char ret[SHELF_NAME]);

/**
 * shelf_ours() - is a volume one of ours?
 * @digest: [65] of the file, or NULL
 * @mark:   true for the one that says that the other is whole; or NULL
 */
bool shelf_ours(const char *name, char digest[65], bool *mark);

struct shelf_item {
	char name[SHELF_NAME]; /* of the file's volume; empty if only the mark is there */
	uint64_t bytes;
	int64_t written_ns; /* the content, by the clock of the other machine */
	int64_t used_ns;    /* the mark; 0: there is none, so the content may be half there */
	bool needed;	    /* by this process */
};

/** shelf_whole() - the content was read back, and not written since */
bool shelf_whole(const struct shelf_item *i);

/**
 * shelf_cap() - which of them must go
 * @items: [n], put in order: those used last first
 * @max_bytes: of all that are kept
 * @drop: [n] set for each
 *
 * Half ones go once nobody has written to them for a while, whole ones oldest first once all together
 * are more than @max_bytes; one that was used in the last hour may be another controller's, and stays.
 */
void shelf_cap(struct shelf_item *items, size_t n, uint64_t max_bytes, bool *drop);

/**
 * shelf_written() - when a volume was last written, from its XML
 * @xml: [len] as virStorageVolGetXMLDesc() gives it
 * Return: [ns] since 1970, or 0: it does not say.
 * Source: https://libvirt.org/formatstorage.html, "timestamps".
 */
int64_t shelf_written(const char *xml, size_t len);

/** shelf_target() - directory of a pool, from its XML as above; owned by the caller, NULL: it has none */
char *shelf_target(const char *xml, size_t len);

#endif
