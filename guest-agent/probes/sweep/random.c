// SPDX-License-Identifier: GPL-2.0-or-later
/* Random presence: see patterns.h. */
#include <unistd.h>

#include "guest-agent/probes/sweep/patterns.h"

/* Another stretch of numbers for each copy, so that processes can share a seed (splitmix64). */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void draw(uint64_t seed, uint32_t i, uint64_t page, struct copy *c, struct touch *t)
{
	uint64_t state = seed + i * UINT64_C(0x632be59bd9b4e019);
	uint64_t pages = SWEEP_BYTES_MAX / page;
	uint64_t kind = next(&state) % 8;
	uint64_t extents;

	*c = (struct copy){ .regime = REGIME_RW_RESIDENT, .repeat = i % WIRE_SAMPLES_MAX };
	c->bytes = (1 + next(&state) % pages) * page;
	if (next(&state) % 2)
		c->offset = next(&state) % (EXTENT_BYTES / page) * page;
	extents = extent_count(c->offset, c->bytes);
	*t = (struct touch){ .one_page = next(&state) % 2, .page = next(&state) };
	t->map[0] = next(&state) % (UINT64_C(1) << extents);
	if (kind == 0)
		c->regime = REGIME_R_RESIDENT;
	if (kind == 1)
		c->regime = REGIME_RW_ABSENT;
	/* What is called resident has something that is. */
	if (kind != 1 && !t->map[0])
		t->map[0] = UINT64_C(1) << next(&state) % extents;
}

int sweep_random(const struct regimes *r, uint32_t n, uint64_t seed, uint32_t of, struct err *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct wire_sample s;
	struct touch touch;
	struct copy c;

	if (regimes_warm_up(r, EXTENT_BYTES, err) < 0)
		return -1;
	for (uint32_t i = r->process; i < n; i += of) {
		draw(seed, i, page, &c, &touch);
		c.touch = &touch;
		if (regimes_copy(r, &c, &s, err) < 0)
			return -1;
	}
	return 0;
}
