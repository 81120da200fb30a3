// SPDX-License-Identifier: GPL-2.0-or-later
/* Extents: see extent.h. */
#include "guest-agent/probes/extent.h"

#include <string.h>

uint64_t extent_count(uint64_t addr, uint64_t bytes)
{
	if (!bytes)
		return 0;
	return (addr + bytes - 1) / EXTENT_BYTES - addr / EXTENT_BYTES + 1;
}

void extent_span(uint64_t addr, uint64_t bytes, uint64_t extent, uint64_t *start, uint64_t *len)
{
	uint64_t base = addr % EXTENT_BYTES;
	uint64_t from, to;

	*start = *len = 0;
	if (extent >= extent_count(addr, bytes))
		return;
	from = extent ? extent * EXTENT_BYTES - base : 0;
	to = (extent + 1) * EXTENT_BYTES - base;
	*start = from;
	*len = (to < bytes ? to : bytes) - from;
}

bool presence_init(struct presence *p, uint64_t addr, uint64_t bytes)
{
	uint64_t extents = extent_count(addr, bytes);

	memset(p, 0, sizeof(*p));
	if (!extents || extents > WIRE_EXTENTS_MAX)
		return false;
	p->extents = (uint32_t)extents;
	return true;
}

void presence_add(struct presence *p, uint64_t addr, uint64_t page_addr, uint64_t page_bytes,
		  const uint64_t *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t extent = (page_addr + i * page_bytes) / EXTENT_BYTES - addr / EXTENT_BYTES;
		uint64_t bit = UINT64_C(1) << (extent % 64);

		if (!(entries[i] & PAGEMAP_PRESENT) || extent >= p->extents)
			continue;
		p->pages++;
		p->copied += !(entries[i] & PAGEMAP_FILE);
		if (p->map[extent / 64] & bit)
			continue;
		p->map[extent / 64] |= bit;
		p->resident++;
	}
}
