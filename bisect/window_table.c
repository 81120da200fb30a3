// SPDX-License-Identifier: GPL-2.0-or-later
/* The window law's table: see window_table.h. */
#include "window_table.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/str.h"
#include "measure/measure.h"

static uint32_t count(const struct wire_sample *s)
{
	struct windows w = { 0 };
	struct err ignored;

	windows_count(s->elapsed_ns, MEASURE_WINDOW_NS, &w, &ignored);
	return w.count;
}

static void print_size(struct buf *b, uint64_t bytes)
{
	if (bytes % (1 << 20) == 0)
		buf_printf(b, "%" PRIu64 " MiB", bytes >> 20);
	else
		buf_printf(b, "%" PRIu64 " KiB", bytes >> 10);
}

/* "0,2": the extents with a page present. */
static void print_extents(struct buf *b, const struct wire_sample *s)
{
	bool any = false;

	for (uint32_t i = 0; i < s->extents; i++)
		if (s->present[i / 64] >> (i % 64) & 1) {
			buf_printf(b, "%s%u", any ? "," : "", i);
			any = true;
		}
	if (!any)
		buf_puts(b, "none");
}

unsigned int window_table_print(FILE *out, const struct wire_sample *samples, size_t n)
{
	unsigned int differ = 0, rows = 0;
	bool quantised = false;

	for (size_t i = 0; i < n; i++)
		quantised |= !samples[i].warmup && count(&samples[i]) > 0;
	fprintf(out, "%-20s %-8s %-12s %-10s %7s %9s %8s %10s\n", "regime", "size", "start",
		"resident", "pages", "predicted", "measured", "ms");
	for (size_t i = 0; i < n; i++) {
		const struct wire_sample *s = &samples[i];
		uint32_t want = quantised && s->regime == REGIME_RW_RESIDENT ? s->resident : 0;
		_cleanup_buf_ struct buf size = { 0 };
		_cleanup_buf_ struct buf extents = { 0 };
		char start[24];
		bool ok;

		if (s->warmup)
			continue;
		rows++;
		ok = want == count(s) && !s->result;
		differ += !ok;
		print_size(&size, s->bytes);
		print_extents(&extents, s);
		snprintf(start, sizeof(start), s->offset ? "+%" PRIu64 " KiB" : "aligned",
			 s->offset >> 10);
		fprintf(out, "%-20s %-8s %-12s %-10s %7" PRIu64 " %9u %8u %10.1f%s\n",
			regime_name(s->regime), size.data, start, extents.data, s->pages_present,
			want, count(s), (double)s->elapsed_ns / 1e6,
			s->result ? "  failed"
			: ok	  ? ""
				  : "  differs");
	}
	fprintf(out, "%u rows, %u differ; %s\n", rows, differ,
		quantised ? "copies take whole windows, one per resident extent"
			  : "no copy took a whole window");
	return differ;
}
