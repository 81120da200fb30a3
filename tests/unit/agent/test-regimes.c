// SPDX-License-Identifier: GPL-2.0-or-later
/* The regimes with real mappings and the real page table; the runtime alone is a stand-in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "guest-agent/probes/regimes.h"
#include "guest-agent/probes/sweep/patterns.h"

#define MIB	    (UINT64_C(1) << 20)
#define SAMPLES_MAX 64

static struct {
	struct wire_sample samples[SAMPLES_MAX];
	size_t n;
	size_t notes;
	int64_t rw_resident_ms; /* what the copy of a writable mapping takes */
	int32_t result;
	bool break_cow;		/* the copy writes to each page of a writable mapping */
	bool whole_file_cached; /* mincore() named every page in each copy */
} seen;

/* The candidate's part: what a write fault does to each page. */
static void break_copy_on_write(char *start, size_t len)
{
	for (size_t at = 0; at < len; at += 4096) {
		volatile char *byte = start + at;

		*byte = *byte;
	}
}

static int take_sample(const struct wire_sample *s, void *arg, struct err *err)
{
	(void)arg;
	(void)err;
	assert_true(seen.n < SAMPLES_MAX);
	seen.samples[seen.n++] = *s;
	return 0;
}

static void take_note(const char *text, void *arg)
{
	(void)text;
	(void)arg;
	seen.notes++;
}

static int copy(struct runtime *rt, const void *addr, size_t len, bool read_permission,
		struct runtime_copy *ret, struct err *err)
{
	static unsigned char cached[8192];
	uintptr_t within = (uintptr_t)addr % 4096;
	void *start = (void *)((uintptr_t)addr - within);

	(void)rt;
	(void)err;
	(void)read_permission;
	len = (within + len + 4095) / 4096 * 4096;
	assert_true(len / 4096 <= sizeof(cached));
	assert_int_equal(mincore(start, len, cached), 0);
	for (size_t i = 0; i < len / 4096; i++)
		seen.whole_file_cached &= cached[i] & 1;
	/* A mapping that cannot be made writable is none of ours to slow down. */
	if (seen.rw_resident_ms && (uintptr_t)addr % EXTENT_BYTES == 0)
		clock_sleep_ms(seen.rw_resident_ms);
	if (seen.break_cow && mprotect(start, len, PROT_READ | PROT_WRITE) == 0)
		break_copy_on_write(start, len);
	*ret = (struct runtime_copy){ .result = seen.result, .restarts = 7, .calls = 8 };
	return 0;
}

static const struct runtime_ops stand_in = { .name = "stand-in", .copy = copy };
static struct runtime runtime = { .ops = &stand_in };

static struct regimes make(void)
{
	struct regimes r = { .runtime = &runtime,
			     .sizes = { 4 * MIB, 8 * MIB },
			     .n_sizes = 2,
			     .n_offsets = 1,
			     .repeats = 2,
			     .touch.all = true,
			     .on_sample = take_sample,
			     .on_note = take_note };
	struct err err;

	memset(&seen, 0, sizeof(seen));
	seen.whole_file_cached = true;
	assert_int_equal(source_create("/tmp/test-regimes", 8 * MIB, &r.source, &err), 0);
	assert_int_equal(access("/tmp/test-regimes", F_OK), -1);
	return r;
}

static void run(struct regimes *r)
{
	struct err err;

	assert_int_equal(regimes_run(r, &err), 0);
	close(r->source);
}

static void the_smallest_size_and_the_controls_come_first(void **state)
{
	static const enum wire_regime order[] = { REGIME_R_RESIDENT, REGIME_RW_ABSENT,
						  REGIME_RW_RESIDENT };
	struct regimes r = make();

	(void)state;
	run(&r);
	assert_int_equal(seen.n, 1 + 2 * 3 * 2);
	for (size_t i = 1; i < seen.n; i++) {
		const struct wire_sample *s = &seen.samples[i];

		assert_false(s->warmup);
		assert_int_equal(s->bytes, i <= 6 ? 4 * MIB : 8 * MIB);
		assert_int_equal(s->regime, order[(i - 1) / 2 % 3]);
		assert_int_equal(s->repeat, (i - 1) % 2);
	}
}

static void one_warm_up_is_made_on_a_read_only_mapping(void **state)
{
	struct regimes r = make();

	(void)state;
	run(&r);
	assert_true(seen.samples[0].warmup);
	assert_int_equal(seen.samples[0].regime, REGIME_R_RESIDENT);
	assert_int_equal(seen.samples[0].bytes, 4 * MIB);
}

static void presence_is_of_the_page_table_and_not_of_the_page_cache(void **state)
{
	struct regimes r = make();

	(void)state;
	run(&r);
	assert_true(seen.whole_file_cached);
	for (size_t i = 0; i < seen.n; i++) {
		const struct wire_sample *s = &seen.samples[i];
		bool absent = s->regime == REGIME_RW_ABSENT;

		assert_int_equal(s->extents, s->bytes / EXTENT_BYTES);
		assert_int_equal(s->resident, absent ? 0 : s->extents);
		assert_int_equal(s->pages_present, absent ? 0 : s->bytes / 4096);
		assert_int_equal(s->present[0], absent ? 0 : (1 << s->extents) - 1);
	}
}

static void a_start_past_a_boundary_touches_one_extent_more(void **state)
{
	struct regimes r = make();

	(void)state;
	r.offsets[0] = 4096;
	run(&r);
	for (size_t i = 1; i < seen.n; i++) {
		assert_int_equal(seen.samples[i].offset, 4096);
		assert_int_equal(seen.samples[i].extents, seen.samples[i].bytes / EXTENT_BYTES + 1);
	}
}

static void only_the_extents_asked_for_are_made_resident(void **state)
{
	struct regimes r = make();

	(void)state;
	assert_true(touch_parse("0,3", &r.touch));
	r.sizes[0] = 8 * MIB;
	r.n_sizes = 1;
	run(&r);
	assert_int_equal(seen.samples[seen.n - 1].regime, REGIME_RW_RESIDENT);
	assert_int_equal(seen.samples[seen.n - 1].present[0], 0x9);
	assert_int_equal(seen.samples[seen.n - 1].resident, 2);
}

static void a_whole_window_ends_the_repeats_of_rw_resident_only(void **state)
{
	struct regimes r = make();
	size_t count[REGIME_COUNT] = { 0 };

	(void)state;
	r.n_sizes = 1;
	seen.rw_resident_ms = 1001;
	run(&r);
	for (size_t i = 1; i < seen.n; i++)
		count[seen.samples[i].regime]++;
	assert_int_equal(count[REGIME_R_RESIDENT], 2);
	assert_int_equal(count[REGIME_RW_ABSENT], 2);
	assert_int_equal(count[REGIME_RW_RESIDENT], 1);
	assert_true(seen.samples[seen.n - 1].elapsed_ns >= NS_PER_S);
}

static void what_the_runtime_tells_is_passed_on(void **state)
{
	struct regimes r = make();

	(void)state;
	seen.result = -EFAULT;
	r.read_permission = true;
	run(&r);
	for (size_t i = 0; i < seen.n; i++) {
		assert_int_equal(seen.samples[i].result, -EFAULT);
		assert_int_equal(seen.samples[i].restarts, 7);
		assert_int_equal(seen.samples[i].calls, 8);
		assert_true(seen.samples[i].read_permission);
	}
}

static void the_patterns_are_the_rows_of_the_window_law(void **state)
{
	static const struct {
		uint64_t bytes, offset;
		uint32_t extents, resident;
		uint64_t map;
	} rows[] = {
		{ 8 * MIB, 0, 4, 4, 0xf },  { 8 * MIB, 4096, 5, 5, 0x1f },
		{ 8 * MIB, 0, 4, 2, 0x5 },  { 8 * MIB, 0, 4, 2, 0x5 },
		{ 8 * MIB, 0, 4, 1, 0x8 },  { 2 * MIB, 0, 1, 1, 0x1 },
		{ 64 << 10, 0, 1, 1, 0x1 }, { 8 * MIB, 0, 4, 4, 0xf },
		{ 8 * MIB, 0, 4, 0, 0 },
	};
	struct regimes r = make();
	struct err err;

	(void)state;
	assert_int_equal(sweep_patterns(&r, &err), 0);
	close(r.source);
	assert_int_equal(seen.n, 1 + ARRAY_SIZE(rows));
	assert_int_equal(seen.notes, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct wire_sample *s = &seen.samples[1 + i];

		assert_int_equal(s->bytes, rows[i].bytes);
		assert_int_equal(s->offset, rows[i].offset);
		assert_int_equal(s->extents, rows[i].extents);
		assert_int_equal(s->resident, rows[i].resident);
		assert_int_equal(s->present[0], rows[i].map);
	}
	/* A single page each, or what fault-around made of it: not the whole extents. */
	assert_true(seen.samples[4].pages_present < seen.samples[3].pages_present);
}

static void what_copy_on_write_broke_is_seen_after_the_copy(void **state)
{
	struct regimes r = make();

	(void)state;
	seen.break_cow = true;
	r.sizes[0] = 4 * MIB;
	r.n_sizes = 1;
	run(&r);
	for (size_t i = 1; i < seen.n; i++) {
		const struct wire_sample *s = &seen.samples[i];

		assert_true(s->after);
		assert_int_equal(s->copied_before, 0);
		assert_int_equal(s->pages_after, 1024);
		assert_int_equal(s->copied_after, 1024);
		assert_int_equal(s->resident_after, 2);
		assert_true(s->anon_after - s->anon_before >= 4 * MIB - 256 * 4096);
		assert_true(s->minor_faults >= 1024);
		assert_non_null(strstr(s->mapping, "test-regimes"));
		assert_int_equal(s->page_bytes, 4096);
		assert_true(*s->file_system);
	}
}

static void anonymous_memory_is_a_row_of_its_own(void **state)
{
	struct regimes r = make();
	const struct wire_sample *s = &seen.samples[0];

	(void)state;
	r.anonymous = true;
	r.n_sizes = 1;
	run(&r);
	assert_int_equal(seen.n, 1 + 4 * 2);
	s += seen.n - 1;
	assert_int_equal(s->source, SOURCE_ANONYMOUS);
	assert_int_equal(s->pages_present, 1024);
	assert_int_equal(s->copied_before, 1024);
}

static void a_kept_mapping_is_told_from_a_fresh_one(void **state)
{
	struct regimes r = make();

	(void)state;
	r.kept_mapping = seen.break_cow = true;
	r.n_sizes = 1;
	run(&r);
	for (size_t i = 1; i < seen.n; i++) {
		assert_int_equal(seen.samples[i].kept_mapping, seen.samples[i].repeat > 0);
		assert_int_equal(seen.samples[i].copied_before,
				 seen.samples[i].repeat > 0 ? 1024 : 0);
	}
}

static void a_start_within_a_page_is_copied_from_there(void **state)
{
	struct regimes r = make();

	(void)state;
	r.offsets[0] = 4096 + 64;
	r.n_sizes = 1;
	run(&r);
	assert_int_equal(seen.samples[1].offset, 4096 + 64);
	assert_int_equal(seen.samples[1].extents, 3);
	assert_int_equal(seen.samples[1].pages_present, 1025);
}

static bool agrees(const struct wire_sample *a, const struct wire_sample *b)
{
	return a->bytes == b->bytes && a->offset == b->offset && a->regime == b->regime &&
	       a->present[0] == b->present[0] && a->pages_present == b->pages_present;
}

static void random_presence_is_the_same_for_a_seed(void **state)
{
	static struct wire_sample first[SAMPLES_MAX];
	struct regimes r = make();
	size_t partial = 0, aligned = 0;
	struct err err;

	(void)state;
	assert_int_equal(sweep_random(&r, 40, 5, 1, &err), 0);
	memcpy(first, seen.samples, sizeof(first));
	for (size_t i = 1; i < seen.n; i++) {
		partial += first[i].resident && first[i].resident < first[i].extents;
		aligned += !first[i].offset;
		assert_true((first[i].regime == REGIME_RW_ABSENT) == !first[i].resident);
	}
	assert_true(partial > 5);
	assert_in_range(aligned, 10, 30);
	seen.n = 0;
	r.process = 1;
	assert_int_equal(sweep_random(&r, 40, 5, 2, &err), 0);
	assert_int_equal(seen.n, 1 + 20);
	for (size_t i = 1; i < seen.n; i++)
		assert_true(agrees(&seen.samples[i], &first[2 * i]));
	close(r.source);
}

static void a_touch_that_is_no_list_of_extents_is_refused(void **state)
{
	struct touch t;

	(void)state;
	assert_true(touch_parse("all", &t) && t.all);
	assert_true(touch_parse("1023", &t) && t.map[15] == UINT64_C(1) << 63);
	assert_false(touch_parse("", &t));
	assert_false(touch_parse("1024", &t));
	assert_false(touch_parse("1,,2", &t));
	assert_false(touch_parse("some", &t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_size_and_the_controls_come_first),
		cmocka_unit_test(one_warm_up_is_made_on_a_read_only_mapping),
		cmocka_unit_test(presence_is_of_the_page_table_and_not_of_the_page_cache),
		cmocka_unit_test(a_start_past_a_boundary_touches_one_extent_more),
		cmocka_unit_test(only_the_extents_asked_for_are_made_resident),
		cmocka_unit_test(a_whole_window_ends_the_repeats_of_rw_resident_only),
		cmocka_unit_test(what_the_runtime_tells_is_passed_on),
		cmocka_unit_test(the_patterns_are_the_rows_of_the_window_law),
		cmocka_unit_test(what_copy_on_write_broke_is_seen_after_the_copy),
		cmocka_unit_test(anonymous_memory_is_a_row_of_its_own),
		cmocka_unit_test(a_kept_mapping_is_told_from_a_fresh_one),
		cmocka_unit_test(a_start_within_a_page_is_copied_from_there),
		cmocka_unit_test(random_presence_is_the_same_for_a_seed),
		cmocka_unit_test(a_touch_that_is_no_list_of_extents_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
