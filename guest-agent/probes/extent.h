/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extents: the 2 MiB-aligned spans (one PMD each) that a range touches, and which of them hold a
 * present page. Pure; docs/window-law.md says why these are what is counted.
 */
#ifndef PROBES_EXTENT_H
#define PROBES_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* PMD_SIZE with 4 KiB pages: arch/x86/include/asm/pgtable_64_types.h, PMD_SHIFT 21. */
#define EXTENT_BYTES (UINT64_C(2) << 20)

/* Entry of /proc/PID/pagemap: bit 63, page present (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGEMAP_PRESENT (UINT64_C(1) << 63)

/* Likewise bit 61: of a file or shared; a private copy is present without it. */
#define PAGEMAP_FILE (UINT64_C(1) << 61)

/* What of a range is in the page table. */
struct presence {
	uint32_t extents;		     /* that the range touches */
	uint32_t resident;		     /* of them with at least one page present */
	uint64_t pages;			     /* pages present */
	uint64_t copied;		     /* of them private copies: what copy-on-write broke */
	uint64_t map[WIRE_EXTENTS_MAX / 64]; /* bit i of word i / 64: extent i is resident */
};

/**
 * extent_count() - extents that a range touches
 * @addr:  first byte
 * @bytes: length [bytes]; 0 touches none
 */
uint64_t extent_count(uint64_t addr, uint64_t bytes);

/**
 * extent_span() - the part of a range that lies in one of its extents
 * @addr, @bytes: the range
 * @extent:       0-based; extent 0 holds @addr
 * @start, @len:  offset from @addr and length [bytes] of the part; both 0 if there is none
 */
void extent_span(uint64_t addr, uint64_t bytes, uint64_t extent, uint64_t *start, uint64_t *len);

/**
 * presence_init() - nothing seen yet
 * Return: false if the range touches no extent or more than WIRE_EXTENTS_MAX.
 */
bool presence_init(struct presence *p, uint64_t addr, uint64_t bytes);

/**
 * presence_add() - take pagemap entries of consecutive pages
 * @addr:       start of the range that @p was made for
 * @page_addr:  address of the first of these pages, >= @addr
 * @page_bytes: page size
 * @entries:    [n], as read from /proc/PID/pagemap
 */
void presence_add(struct presence *p, uint64_t addr, uint64_t page_addr, uint64_t page_bytes,
		  const uint64_t *entries, size_t n);

#endif
