// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks: see clock.h. */
#include "guest-agent/probes/evidence/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "guest-agent/probes/evidence/state.h"

/* Two clocks of one machine: NTP slews by 0.05 %, a daemon in a hurry by more. */
#define DISAGREE_PART 50
#define DISAGREE_NS   (2 * NS_PER_MS)
#define SUSPEND_NS    (2 * NS_PER_MS)
#define STOLEN_PART   4
#define STOLEN_NS     (20 * NS_PER_MS)

/* "cpu  user nice system idle iowait irq softirq steal ...", proc(5). */
#define STEAL_COLUMN 8

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

uint64_t clock_steal_ticks(const char *stat)
{
	char *end = NULL;
	uint64_t ticks = 0;

	if (strncmp(stat, "cpu ", 4) != 0)
		return 0;
	stat += 4;
	for (unsigned int i = 0; i < STEAL_COLUMN; i++, stat = end) {
		ticks = strtoull(stat, &end, 10);
		if (end == stat)
			return 0;
	}
	return ticks;
}

static int64_t steal_ns(void)
{
	char text[256];
	long hz = sysconf(_SC_CLK_TCK);

	if (!state_read("/proc/stat", text, sizeof(text)) || hz <= 0)
		return 0;
	return (int64_t)clock_steal_ticks(text) * (NS_PER_S / hz);
}

struct moment moment_start(void)
{
	struct moment m = { .steal_ns = steal_ns() };

	m.mono_ns = now_ns(CLOCK_MONOTONIC);
	m.boot_ns = now_ns(CLOCK_BOOTTIME);
	m.raw_ns = now_ns(CLOCK_MONOTONIC_RAW);
	return m;
}

struct moment moment_end(void)
{
	struct moment m = { .raw_ns = now_ns(CLOCK_MONOTONIC_RAW) };

	m.boot_ns = now_ns(CLOCK_BOOTTIME);
	m.mono_ns = now_ns(CLOCK_MONOTONIC);
	m.steal_ns = steal_ns();
	return m;
}

enum wire_doubt clock_doubt(const struct moment *start, const struct moment *end)
{
	int64_t raw = end->raw_ns - start->raw_ns;
	int64_t boot = end->boot_ns - start->boot_ns;
	int64_t mono = end->mono_ns - start->mono_ns;
	int64_t stolen = end->steal_ns - start->steal_ns;

	if (boot - mono > SUSPEND_NS)
		return DOUBT_SUSPENDED;
	if (raw < 0 || llabs(raw - boot) > DISAGREE_NS + raw / DISAGREE_PART)
		return DOUBT_CLOCKS;
	if (stolen >= STOLEN_NS && stolen >= raw / STOLEN_PART)
		return DOUBT_STOLEN;
	return DOUBT_NONE;
}
