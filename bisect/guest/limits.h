/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long a stage may take. A kernel that never boots should not cost a minute each time, and a busy host
 * should not make a sound one look dead: so limits are learned from guests that went on to the next stage,
 * and stretched while this host is slower than it was then. Inside the guest room only.
 */
#ifndef GUEST_LIMITS_H
#define GUEST_LIMITS_H

#include "guest/guest.h"

#define LIMITS_TIMES	8     /* a stage gets this many times the longest that was seen */
#define LIMITS_FLOOR_MS 10000 /* and never less */
#define LIMITS_SLOW_MAX 10.0

/* Zero-initialised nothing is known. */
struct limits {
	int64_t longest_ns[STAGE_COUNT];
	int64_t usual_create_ns; /* the mean of those seen, which the host alone decides about */
	unsigned int n_creates;
	int64_t kernel_ns; /* the longest until a kernel's first line was seen; 0: none ever was */
};

/** limits_learn() - a stage was passed, in @elapsed_ns */
void limits_learn(struct limits *l, enum trial_stage stage, int64_t elapsed_ns);

/** limits_slowness() - how much slower the host is now, by this guest's create stage; 1.0 to LIMITS_SLOW_MAX */
double limits_slowness(const struct limits *l, int64_t create_ns);

/** limits_silence_ms() - the limit for a kernel's first line [ms]; 0: no kernel of this run said one */
int64_t limits_silence_ms(const struct limits *l, int64_t boot_ms, double slow);

/**
 * limits_ms() - the limit of a stage [ms]
 * @default_ms: while nothing is known; never exceeded but by slowness
 */
int64_t limits_ms(const struct limits *l, enum trial_stage stage, int64_t default_ms, double slow);

#endif
