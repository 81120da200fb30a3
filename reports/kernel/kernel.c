// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's own words about copies: see kernel.h. */
#include "reports/kernel/kernel.h"

#include <inttypes.h>

#include "base/clock.h"
#include "reports/model.h"
#include "reports/words.h"

static double percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

void kernel_words(const struct wire_sample *s, struct buf *ret)
{
	const char *comma = "";

	if (s->driver_calls && s->elapsed_ns > 0) {
		buf_printf(ret, "%.1f %% inside",
			   percent((double)s->driver_ns, (double)s->elapsed_ns));
		comma = ", ";
	} else if (s->profile_samples) {
		buf_printf(ret, "%.1f %% of %" PRIu32 " sampled stacks inside",
			   percent(s->profile_inside, s->profile_samples), s->profile_samples);
		comma = ", ";
	}
	if (s->hmm_calls)
		buf_printf(ret, "%s%s, %" PRIu64 " of them -EBUSY", comma,
			   word_count(s->hmm_calls, "call", "calls").text, s->hmm_busy);
}

void kernel_label(const struct wire_sample *s, struct buf *ret)
{
	buf_printf(ret, "%s, %s", regime_name(s->regime), word_size(s->bytes, s->offset).text);
}

bool kernel_is_told(const struct wire_sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_buf_ struct buf words = { 0 };

		kernel_words(&samples[i], &words);
		if (words.len)
			return true;
	}
	return false;
}

static bool any_is_told(const struct report *r)
{
	for (size_t i = 0; i < r->n_subjects; i++)
		if (kernel_is_told(r->subjects[i].kernel, r->subjects[i].n_kernel))
			return true;
	return false;
}

void kernel_head(struct buf *b)
{
	buf_puts(b, "What the kernel's probes saw, in a pass of its own: time inside "
		    "amdgpu_hmm_range_get_pages,\nand calls of hmm_range_fault\n\n");
}

void kernel_lines(struct buf *b, const char *label, const struct wire_sample *samples, size_t n)
{
	if (kernel_is_told(samples, n)) {
		buf_puts(b, "  ");
		buf_plain(b, label);
		buf_puts(b, "\n");
	}
	for (size_t i = 0; i < n; i++) {
		const struct wire_sample *s = &samples[i];
		_cleanup_buf_ struct buf words = { 0 };

		kernel_words(s, &words);
		if (words.len)
			buf_printf(b, "    %-17s %-13s  %s\n", regime_name(s->regime),
				   word_size(s->bytes, s->offset).text, words.data);
	}
}

void kernel_text(struct buf *b, const struct report *r)
{
	if (!any_is_told(r))
		return;
	buf_puts(b, "\n");
	kernel_head(b);
	for (size_t i = 0; i < r->n_subjects; i++) {
		const struct report_subject *sub = &r->subjects[i];
		_cleanup_free_ char *label = str_printf("%s %.12s", sub->part, sub->id);

		kernel_lines(b, label, sub->kernel, sub->n_kernel);
	}
}

void kernel_html(struct buf *b, const struct report *r)
{
	if (!any_is_told(r))
		return;
	buf_puts(b, "<h2>What the kernel saw</h2><p class=\"note\">The share of a copy's time "
		    "inside the driver's <code>amdgpu_hmm_range_get_pages</code>, and the calls of "
		    "<code>hmm_range_fault</code>, by the kernel's own probes in a pass of its "
		    "own.</p><section class=\"card scroll\"><table><tbody>\n");
	for (size_t i = 0; i < r->n_subjects; i++)
		for (size_t k = 0; k < r->subjects[i].n_kernel; k++) {
			const struct wire_sample *s = &r->subjects[i].kernel[k];
			_cleanup_buf_ struct buf words = { 0 };

			kernel_words(s, &words);
			if (!words.len)
				continue;
			buf_printf(b,
				   "<tr><td>%s <span class=\"id\">%.12s</span></td><td>%s</td>"
				   "<td class=\"n\">%s</td><td>%s</td></tr>\n",
				   r->subjects[i].part, r->subjects[i].id, regime_name(s->regime),
				   word_size(s->bytes, s->offset).text, words.data);
		}
	buf_puts(b, "</tbody></table></section>\n");
}

void kernel_json(struct json *obj, const struct wire_sample *samples, size_t n)
{
	struct json *arr = json_set_array(obj, "kernel");

	for (size_t i = 0; i < n; i++) {
		const struct wire_sample *s = &samples[i];
		struct json *row = json_push_object(arr);

		json_set_str(row, "regime", regime_name(s->regime));
		json_set_int(row, "bytes", (int64_t)s->bytes);
		json_set_int(row, "offset", (int64_t)s->offset);
		json_set_num(row, "elapsed_ms", (double)s->elapsed_ns / NS_PER_MS);
		json_set_int(row, "hmm_calls", (int64_t)s->hmm_calls);
		json_set_int(row, "hmm_busy", (int64_t)s->hmm_busy);
		json_set_int(row, "driver_calls", (int64_t)s->driver_calls);
		json_set_num(row, "driver_ms", (double)s->driver_ns / NS_PER_MS);
		json_set_int(row, "profile_samples", s->profile_samples);
		json_set_int(row, "profile_inside", s->profile_inside);
	}
}
