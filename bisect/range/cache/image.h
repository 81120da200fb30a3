/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: a range as the bytes of a file, and back. */
#ifndef RANGE_CACHE_IMAGE_H
#define RANGE_CACHE_IMAGE_H

#include "range/range.h"

#define STAMP_SIZE 65 /* SHA-256 in hex and a NUL */

/* Of the machine that wrote it: a cache does not travel. Nothing in it is padding. */
struct image_head {
	char magic[8];
	uint32_t version;
	uint32_t sum; /* CRC-32 of all bytes behind it */
	uint64_t size_bytes;
	uint64_t n_walked;
	uint32_t order; /* IMAGE_ORDER */
	uint32_t key_len;
	uint32_t n;
	uint32_t n_edges;
	uint32_t n_good;
	uint32_t n_bases;
	uint32_t bad_node;
	uint32_t has_weights;
	uint32_t text_len; /* subjects, each with its NUL */
	unsigned char bad[20];
	char stamp[STAMP_SIZE - 1];
	/*
	 * Then key [key_len]; commits [n]; parents, 32 bits each [n_edges]; goods and merge bases, raw
	 * ids [n_good], [n_bases]; weights, 32 bits each [n] if there are any; subjects [text_len].
	 */
};

/**
 * image_encode() - a range as a file
 * @weights: [r->n], or NULL
 * @key:     the whole question, as text
 * @stamp:   state of the object store that the range was last found whole in
 * @ret:     empty before; stays empty if the range is too large to keep
 */
void image_encode(const struct range *r, const uint32_t *weights, const char *key,
		  const char stamp[STAMP_SIZE], struct buf *ret);

/**
 * image_decode() - a file as a range
 * @data:  [len], allocated; taken over, whatever comes of it
 * @key:   the question it must answer
 * @stamp: as image_encode() got it
 *
 * Return: false if anything at all is not as image_encode() makes it; nothing is written then.
 */
bool image_decode(char *data, size_t len, const char *key, struct range **ret,
		  char stamp[STAMP_SIZE]);

/** image_seal() - write size and sum into the head; @len is at least a head's */
void image_seal(char *data, size_t len);

#endif
