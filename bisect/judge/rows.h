/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rules ask about rows of measurements; within judge/ only. */
#ifndef JUDGE_ROWS_H
#define JUDGE_ROWS_H

#include "judge/judge.h"

/* What a rule looks at. */
struct judge_facts {
	const struct measurement *m;
	size_t n;
	const struct baseline *base; /* may be NULL */
	const struct judge_limits *limits;
	struct judgement *ret;
};

struct row_label {
	char text[64];
};

/** row_size() - "8 MiB", "64 KiB", "8 MiB at +4 KiB" (that far past an extent's boundary) */
struct row_label row_size(const struct measurement *m);

/** row_find() - the row of @regime at the size and offset of @size, or NULL */
const struct measurement *row_find(const struct measurement *m, size_t n, enum wire_regime regime,
				   const struct measurement *size);

/** row_is_control() - true for the two regimes that burn no window in any kernel */
bool row_is_control(const struct measurement *m);

/** row_burns() - true for a row of the case that quantises in which every copy burnt windows */
bool row_burns(const struct measurement *m);

/** rows_any_windows() - true if any copy of rw-p resident burnt a window */
bool rows_any_windows(const struct judge_facts *f);

/** rows_slowest_ns() - the largest median of the controls, or of rw-p resident [ns] */
int64_t rows_slowest_ns(const struct judge_facts *f, bool controls);

/** row_band_top() - the most that a row's median may be [ns] */
int64_t row_band_top(const struct judge_facts *f, const struct measurement *m);

#endif
