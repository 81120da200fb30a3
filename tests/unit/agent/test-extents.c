// SPDX-License-Identifier: GPL-2.0-or-later
/* Extents against counting page by page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "guest-agent/probes/extent.h"

#define MIB  (UINT64_C(1) << 20)
#define PAGE UINT64_C(4096)

static void a_range_touches_as_many_extents_as_boundaries_say(void **state)
{
	static const struct {
		uint64_t addr, bytes, extents;
	} rows[] = {
		{ 0, 0, 0 },
		{ 0, 1, 1 },
		{ 2 * MIB, 8 * MIB, 4 },
		{ 2 * MIB + PAGE, 8 * MIB, 5 },
		{ 4 * MIB - PAGE, 2 * PAGE, 2 },
		{ 4 * MIB - PAGE, PAGE, 1 },
		{ 6 * MIB, 64 << 10, 1 },
		{ 6 * MIB, 32 * MIB, 16 },
		{ 6 * MIB + PAGE, 32 * MIB, 17 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(extent_count(rows[i].addr, rows[i].bytes), rows[i].extents);
}

static void spans_cover_the_range_without_gap_or_overlap(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 2000; round++) {
		uint64_t addr = 64 * MIB + (uint64_t)(rand() % 1024) * PAGE;
		uint64_t bytes = (uint64_t)(1 + rand() % 4096) * PAGE;
		uint64_t at = 0, start, len;

		for (uint64_t e = 0; e < extent_count(addr, bytes); e++) {
			extent_span(addr, bytes, e, &start, &len);
			assert_int_equal(start, at);
			assert_true(len > 0);
			assert_int_equal((addr + start) / (2 * MIB),
					 (addr + start + len - 1) / (2 * MIB));
			at += len;
		}
		assert_int_equal(at, bytes);
		extent_span(addr, bytes, extent_count(addr, bytes), &start, &len);
		assert_int_equal(start, 0);
		assert_int_equal(len, 0);
	}
}

/* One random range: what presence_add() says in pieces of any size against a page-by-page count. */
static void check_presence(uint64_t addr, size_t pages)
{
	uint64_t *entries = xcalloc(pages, sizeof(*entries));
	bool seen[WIRE_EXTENTS_MAX] = { false };
	uint32_t resident = 0;
	uint64_t present = 0;
	struct presence p;

	for (size_t i = 0; i < pages; i++) {
		size_t extent = (addr + i * PAGE) / EXTENT_BYTES - addr / EXTENT_BYTES;

		/* The other bits of an entry, soft-dirty and exclusive among them, must not count. */
		entries[i] = (uint64_t)rand() << 32 & ~PAGEMAP_PRESENT;
		if (rand() % 600)
			continue;
		entries[i] |= PAGEMAP_PRESENT;
		present++;
		resident += !seen[extent];
		seen[extent] = true;
	}
	assert_true(presence_init(&p, addr, pages * PAGE));
	for (size_t at = 0; at < pages;) {
		size_t n = 1 + (size_t)rand() % 700;

		n = n < pages - at ? n : pages - at;
		presence_add(&p, addr, addr + at * PAGE, PAGE, entries + at, n);
		at += n;
	}
	assert_int_equal(p.pages, present);
	assert_int_equal(p.resident, resident);
	for (size_t e = 0; e < WIRE_EXTENTS_MAX; e++)
		assert_int_equal(p.map[e / 64] >> (e % 64) & 1, seen[e]);
	free(entries);
}

static void presence_agrees_with_counting_page_by_page(void **state)
{
	(void)state;
	srand(2);
	for (int round = 0; round < 300; round++)
		check_presence(128 * MIB + (uint64_t)(rand() % 512) * PAGE,
			       1 + (size_t)rand() % 40000);
}

static void a_range_that_the_wire_cannot_tell_is_refused(void **state)
{
	struct presence p;

	(void)state;
	assert_true(presence_init(&p, 0, WIRE_EXTENTS_MAX * EXTENT_BYTES));
	assert_false(presence_init(&p, PAGE, WIRE_EXTENTS_MAX * EXTENT_BYTES));
	assert_false(presence_init(&p, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_touches_as_many_extents_as_boundaries_say),
		cmocka_unit_test(spans_cover_the_range_without_gap_or_overlap),
		cmocka_unit_test(presence_agrees_with_counting_page_by_page),
		cmocka_unit_test(a_range_that_the_wire_cannot_tell_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
