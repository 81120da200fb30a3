/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time: one clock for durations, one for dates. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

/** clock_now_ns() - CLOCK_MONOTONIC [ns]; for durations and deadlines */
int64_t clock_now_ns(void);

/** clock_date_s() - the calendar's seconds since 1970; for rows and reports */
int64_t clock_date_s(void);

/** clock_date_text() - @date_s as "2026-01-31 12:34:56Z" into @ret[size], size >= 21 */
void clock_date_text(int64_t date_s, char *ret, size_t size);

/** clock_duration_text() - a duration for people: "850 ms", "12.3 s", "4 min 05 s", "3 h 10 min" */
void clock_duration_text(int64_t ns, char *ret, size_t size);

/**
 * clock_add_ns() - the sum of two durations [ns], or the number nearest to it that there is
 *
 * For those out of a store or an evidence folder: what was damaged holds any number.
 */
int64_t clock_add_ns(int64_t a, int64_t b);

/** clock_sleep_ms() - sleep, cut short by a signal */
void clock_sleep_ms(int64_t ms);

#endif
