// SPDX-License-Identifier: GPL-2.0-or-later
/* The window law's table: see window_table.h. */
#include "controller/window_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "measure/measure.h"

#define LOG_MAX (16 << 20) /* twice what an agent may send */

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

/* What the row is of besides its regime: all that makes it another than a plain copy. */
static void print_marks(struct buf *b, const struct wire_sample *s)
{
	if (s->result)
		buf_puts(b, ", failed");
	if (s->doubt)
		buf_puts(b, ", void");
	if (s->source == SOURCE_ANONYMOUS)
		buf_puts(b, ", anonymous");
	else if (*s->file_system)
		buf_printf(b, ", %s", s->file_system);
	if (s->kept_mapping)
		buf_puts(b, ", kept");
	if (s->path == PATH_STAGED)
		buf_puts(b, ", staged");
	if (s->device)
		buf_printf(b, ", device %u", s->device);
	if (s->process)
		buf_printf(b, ", process %u", s->process);
	if (s->after)
		buf_printf(b, ", %" PRIu64 " pages copied", s->copied_after - s->copied_before);
	if (s->evidence && s->hmm_calls)
		buf_printf(b, ", hmm_range_fault %" PRIu64 " calls, %" PRIu64 " -EBUSY",
			   s->hmm_calls, s->hmm_busy);
	if (s->evidence && s->driver_calls)
		buf_printf(b, ", driver %" PRIu64 " calls, %.1f %% of the time", s->driver_calls,
			   s->elapsed_ns ? 100.0 * (double)s->driver_ns / (double)s->elapsed_ns
					 : 0);
	if (s->evidence && s->profile_samples)
		buf_printf(b, ", profile %.1f %% of %u inside",
			   100.0 * s->profile_inside / s->profile_samples, s->profile_samples);
}

/* Pages that are private already cost no window again. */
static uint32_t predict(const struct wire_sample *s, bool quantised)
{
	bool spent = s->copied_before && s->copied_before == s->pages_present;

	return quantised && !spent && s->source == SOURCE_FILE && s->regime == REGIME_RW_RESIDENT &&
			       !s->read_permission
		       ? s->resident
		       : 0;
}

static void print_row(FILE *out, const struct wire_sample *s, uint32_t want)
{
	_cleanup_buf_ struct buf size = { 0 };
	_cleanup_buf_ struct buf extents = { 0 };
	_cleanup_buf_ struct buf marks = { 0 };
	char start[24];

	print_size(&size, s->bytes);
	print_extents(&extents, s);
	print_marks(&marks, s);
	/* Copies that share a processor wait for each other too; what the driver counted stays true. */
	if (want != count(s))
		buf_printf(&marks, ", %" PRIu32 " restarts", s->restarts);
	snprintf(start, sizeof(start), s->offset ? "+%" PRIu64 " KiB" : "aligned", s->offset >> 10);
	fprintf(out, "%-20s %-8s %-12s %-10s %7" PRIu64 " %9u %8u %10.1f%s", regime_name(s->regime),
		size.data, start, extents.data, s->pages_present, want, count(s),
		(double)s->elapsed_ns / 1e6, want == count(s) ? "" : "  differs");
	if (marks.len)
		fprintf(out, "  (%s)", marks.data + strlen(", "));
	fputc('\n', out);
}

unsigned int window_table_print(FILE *out, const struct wire_sample *samples, size_t n)
{
	unsigned int differ = 0, rows = 0, far = 0;
	bool quantised = false;

	for (size_t i = 0; i < n; i++)
		quantised |= !samples[i].warmup && count(&samples[i]) > 0;
	fprintf(out, "%-20s %-8s %-12s %-10s %7s %9s %8s %10s\n", "regime", "size", "start",
		"resident", "pages", "predicted", "measured", "ms");
	for (size_t i = 0; i < n; i++) {
		const struct wire_sample *s = &samples[i];
		uint32_t want = predict(s, quantised), got = count(s);

		if (s->warmup)
			continue;
		rows++;
		differ += want != got || s->result;
		far += (want > got ? want - got : got - want) > 1;
		print_row(out, s, want);
	}
	fprintf(out, "%u rows, %u differ", rows, differ);
	if (differ)
		fprintf(out, ", %u of them by more than one", far);
	fprintf(out, "; %s\n",
		quantised ? "copies take whole windows, one per resident extent"
			  : "no copy took a whole window");
	return differ;
}

int window_table_read(const char *path, struct wire_sample **ret, size_t *n, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = xcalloc(WIRE_SAMPLES_MAX, sizeof(*samples));
	_cleanup_free_ char *text = NULL;
	size_t used = 0;
	char *save = NULL;

	if (fs_read(path, LOG_MAX, &text, NULL, err) < 0)
		return -1;
	for (char *line = strtok_r(text, "\n", &save); line && used < WIRE_SAMPLES_MAX;
	     line = strtok_r(NULL, "\n", &save)) {
		struct wire_msg msg;
		struct err ignored;

		if (!wire_decode(line, strlen(line), &msg, &ignored) && msg.type == WIRE_SAMPLE)
			samples[used++] = msg.sample;
	}
	*ret = take_ptr(samples);
	*n = used;
	return 0;
}
