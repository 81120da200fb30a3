/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel itself told of a copy, from a pass of its own under its probes. */
#ifndef REPORTS_KERNEL_H
#define REPORTS_KERNEL_H

#include "base/str.h"
#include "wire/json.h"
#include "wire/wire.h"

struct report;

/**
 * kernel_words() - one copy in one line: "98.7 % inside, 4021 calls, 4017 of them -EBUSY"
 * @s:   with evidence
 * @ret: appended to; nothing if no probe told anything of this copy
 *
 * Inside is the time between the driver's amdgpu_hmm_range_get_pages() and its return, or without it the
 * share of the sampled stacks that it or hmm_range_fault() are on; calls are those of hmm_range_fault().
 */
void kernel_words(const struct wire_sample *s, struct buf *ret);

/** kernel_label() - "rw-p resident, 8 MiB" */
void kernel_label(const struct wire_sample *s, struct buf *ret);

/** kernel_is_told() - does any of them say something in words? */
bool kernel_is_told(const struct wire_sample *samples, size_t n);

/** kernel_head(), kernel_lines() - what is told, and the lines of one build or commit under its name; nothing if none says something */
void kernel_head(struct buf *b);
void kernel_lines(struct buf *b, const char *label, const struct wire_sample *samples, size_t n);

/* The copies of the report's subjects; nothing if none was made under probes. */
void kernel_text(struct buf *b, const struct report *r);
void kernel_html(struct buf *b, const struct report *r);

/** kernel_json() - "kernel" of a subject's measurements, an array that may be empty */
void kernel_json(struct json *obj, const struct wire_sample *samples, size_t n);

#endif
