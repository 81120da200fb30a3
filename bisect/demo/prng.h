/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chance that is the same on every machine: all of the demo's choices come from its seed. */
#ifndef DEMO_PRNG_H
#define DEMO_PRNG_H

#include <stdint.h>

struct prng {
	uint64_t state;
};

/** prng_next() - 64 bits; SplitMix64 by Steele, Lea and Flood (OOPSLA 2014) */
static inline uint64_t prng_next(struct prng *p)
{
	uint64_t z = (p->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/** prng_below() - a number in [0, n); 0 for n = 0 */
static inline uint32_t prng_below(struct prng *p, uint32_t n)
{
	/* The bias of a remainder is below 2^-32 and the same everywhere, which is what counts. */
	return n ? (uint32_t)(prng_next(p) % n) : 0;
}

/** prng_range() - a number in [lo, hi] */
static inline uint32_t prng_range(struct prng *p, uint32_t lo, uint32_t hi)
{
	return hi > lo ? lo + prng_below(p, hi - lo + 1) : lo;
}

#endif
