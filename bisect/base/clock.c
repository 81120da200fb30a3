// SPDX-License-Identifier: GPL-2.0-or-later
/* Time: see clock.h. */
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

int64_t clock_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t clock_date_s(void)
{
	return time(NULL);
}

void clock_date_text(int64_t date_s, char *ret, size_t size)
{
	time_t t = date_s;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(ret, size, "%Y-%m-%d %H:%M:%SZ", &tm))
		snprintf(ret, size, "?");
}

void clock_duration_text(int64_t ns, char *ret, size_t size)
{
	int64_t s = ns / NS_PER_S;

	if (ns < NS_PER_S)
		snprintf(ret, size, "%" PRId64 " ms", ns / NS_PER_MS);
	else if (s < 60)
		snprintf(ret, size, "%.1f s", (double)ns / NS_PER_S);
	else if (s < 3600)
		snprintf(ret, size, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
	else
		snprintf(ret, size, "%" PRId64 " h %02" PRId64 " min", s / 3600, s % 3600 / 60);
}

int64_t clock_add_ns(int64_t a, int64_t b)
{
	int64_t ret;

	/* Both have one sign then. */
	if (__builtin_add_overflow(a, b, &ret))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return ret;
}

void clock_sleep_ms(int64_t ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS };

	nanosleep(&t, NULL);
}
