// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits: see limits.h. */
#include "guest/limits.h"

#include "base/clock.h"

void limits_learn(struct limits *l, enum trial_stage stage, int64_t elapsed_ns)
{
	if (elapsed_ns > l->longest_ns[stage])
		l->longest_ns[stage] = elapsed_ns;
	if (stage != STAGE_CREATE)
		return;
	l->n_creates++;
	l->usual_create_ns += (elapsed_ns - l->usual_create_ns) / (int64_t)l->n_creates;
}

double limits_slowness(const struct limits *l, int64_t create_ns)
{
	double ratio = 1.0;

	if (l->usual_create_ns > 0)
		ratio = (double)create_ns / (double)l->usual_create_ns;
	return ratio < 1.0 ? 1.0 : ratio > LIMITS_SLOW_MAX ? LIMITS_SLOW_MAX : ratio;
}

static int64_t many_times(int64_t longest_ns, int64_t default_ms, double slow)
{
	int64_t ms = default_ms;

	if (longest_ns > 0) {
		ms = LIMITS_TIMES * longest_ns / NS_PER_MS;
		ms = ms < LIMITS_FLOOR_MS ? LIMITS_FLOOR_MS : ms;
		ms = ms > default_ms ? default_ms : ms;
	}
	return (int64_t)((double)ms * slow);
}

int64_t limits_ms(const struct limits *l, enum trial_stage stage, int64_t default_ms, double slow)
{
	return many_times(l->longest_ns[stage], default_ms, slow);
}

int64_t limits_silence_ms(const struct limits *l, int64_t boot_ms, double slow)
{
	return l->kernel_ns > 0 ? many_times(l->kernel_ns, boot_ms, slow) : 0;
}
