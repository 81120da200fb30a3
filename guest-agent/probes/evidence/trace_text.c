// SPDX-License-Identifier: GPL-2.0-or-later
/* What tracefs prints: see trace.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest-agent/probes/evidence/trace.h"

#define EBUSY_RETURN  (-16)
#define COUNT_MAX     (UINT64_C(1) << 52)
#define NS_PER_US     1000
#define US_PER_SECOND INT64_C(1000000)
#define SECONDS_MAX   INT64_C(4000000000)

/*
 * "{ ret:        -16 } hitcount:    1234567". A key is printed as 64 bits without a sign, whatever its
 * type: -16 is 18446744073709551600 there, and its lower half is what counts.
 */
void trace_histogram(const char *text, uint64_t *calls, uint64_t *busy)
{
	*calls = *busy = 0;
	for (const char *at = text; (at = strstr(at, "{ ret:")) != NULL;) {
		const char *count;
		int32_t ret;
		uint64_t n;

		at += strlen("{ ret:");
		ret = (int32_t)strtoull(at, NULL, 10);
		count = strstr(at, "hitcount:");
		if (!count)
			return;
		n = strtoull(count + strlen("hitcount:"), NULL, 10);
		if (n > COUNT_MAX || *calls > COUNT_MAX)
			return;
		*calls += n;
		*busy += ret == EBUSY_RETURN ? n : 0;
		at = count;
	}
}

/* "    probe-77   [000] .....    12.345678: driver_in: (amdgpu_...": of a line, in us, or -1. */
static int64_t time_of(const char *line, const char *name)
{
	const char *colon = name;
	const char *digits;
	long long seconds, us;

	if (colon - line < 3 || colon[-1] != ' ' || colon[-2] != ':')
		return -1;
	digits = colon - 2;
	while (digits > line && digits[-1] != ' ')
		digits--;
	if (sscanf(digits, "%lld.%6lld:", &seconds, &us) != 2 || seconds < 0 ||
	    seconds > SECONDS_MAX || us < 0)
		return -1;
	return seconds * US_PER_SECOND + us;
}

void trace_inside(const char *text, uint64_t *calls, int64_t *ns)
{
	int64_t since = -1;

	*calls = 0;
	*ns = 0;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *in = strstr(line, "driver_in:");
		const char *out = strstr(line, "driver_out:");

		if (in && in < line + len) {
			since = time_of(line, in);
		} else if (out && out < line + len) {
			int64_t until = time_of(line, out);

			if (since >= 0 && until >= since) {
				*ns += (until - since) * NS_PER_US;
				++*calls;
			}
			since = -1;
		}
		line += len + (line[len] == '\n');
	}
}
