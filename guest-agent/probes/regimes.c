// SPDX-License-Identifier: GPL-2.0-or-later
/* Regimes: see regimes.h. */
#include "guest-agent/probes/regimes.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"

/*
 * HMM_RANGE_DEFAULT_TIMEOUT, include/linux/hmm.h, is 1000 ms, but the kernel counts it in jiffies,
 * and a jiffy that an emulated timer delivered late makes a window a few ms short on this clock.
 */
#define WINDOW_NS (INT64_C(950) * NS_PER_MS)

/* One copy to be made. */
struct copy {
	enum wire_regime regime;
	bool warmup;
	uint32_t repeat;
	uint64_t bytes;
	uint64_t offset;
	const struct touch *touch;
};

/* The raw clock: time is not slewed while a window is measured. */
static int64_t now_raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int measure_mapping(const struct regimes *r, const struct mapping *m, struct wire_sample *s,
			   struct err *err)
{
	struct runtime_copy copy = { 0 };
	struct presence presence;
	int64_t start;

	if (mapping_presence(m, &presence, err) < 0)
		return -1;
	start = now_raw_ns();
	if (r->runtime->ops->copy(r->runtime, m->start, m->bytes, r->read_permission, &copy, err) <
	    0)
		return -1;
	s->elapsed_ns = now_raw_ns() - start;
	s->extents = presence.extents;
	s->resident = presence.resident;
	memcpy(s->present, presence.map, sizeof(s->present));
	s->pages_present = presence.pages;
	s->restarts = copy.restarts;
	s->calls = copy.calls;
	s->result = copy.result;
	return 0;
}

/* A fresh mapping, since a copy breaks copy-on-write and so spends what it measures. */
static int take_sample(const struct regimes *r, const struct copy *c, struct wire_sample *s,
		       struct err *err)
{
	struct mapping m = { 0 };
	int ret;

	*s = (struct wire_sample){
		.regime = c->regime,
		.warmup = c->warmup,
		.repeat = c->repeat,
		.bytes = c->bytes,
		.offset = c->offset,
		.read_permission = r->read_permission,
	};
	if (mapping_create(r->source, c->bytes, c->regime != REGIME_R_RESIDENT, c->offset, &m,
			   err) < 0)
		return -1;
	if (c->regime != REGIME_RW_ABSENT)
		mapping_touch(&m, c->touch);
	ret = measure_mapping(r, &m, s, err);
	mapping_deinit(&m);
	return ret < 0 ? -1 : r->on_sample(s, r->arg, err);
}

/* The first copy of a process is slow whatever the mapping; read-only, so that it burns no window. */
static int warm_up(const struct regimes *r, uint64_t bytes, struct err *err)
{
	const struct touch all = { .all = true };
	const struct copy c = {
		.regime = REGIME_R_RESIDENT, .warmup = true, .bytes = bytes, .touch = &all
	};
	struct wire_sample s;

	return take_sample(r, &c, &s, err);
}

static int run_regime(const struct regimes *r, enum wire_regime regime, uint64_t bytes,
		      uint64_t offset, struct err *err)
{
	struct wire_sample s;

	for (uint32_t i = 0; i < r->repeats; i++) {
		const struct copy c = { .regime = regime,
					.repeat = i,
					.bytes = bytes,
					.offset = offset,
					.touch = &r->touch };

		if (take_sample(r, &c, &s, err) < 0)
			return -1;
		if (regime == REGIME_RW_RESIDENT && s.elapsed_ns >= WINDOW_NS)
			break;
	}
	return 0;
}

int regimes_run(const struct regimes *r, struct err *err)
{
	/* The controls first: a candidate that hangs in the third regime leaves them as evidence. */
	static const enum wire_regime order[] = { REGIME_R_RESIDENT, REGIME_RW_ABSENT,
						  REGIME_RW_RESIDENT };

	if (warm_up(r, r->sizes[0], err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_sizes; i++)
		for (size_t k = 0; k < r->n_offsets; k++)
			for (size_t o = 0; o < ARRAY_SIZE(order); o++)
				if (run_regime(r, order[o], r->sizes[i], r->offsets[k], err) < 0)
					return -1;
	return 0;
}

int regimes_patterns(const struct regimes *r, struct err *err)
{
	static const struct touch all = { .all = true };
	static const struct touch ends = { .map = { 0x5 } };
	static const struct touch pages = { .one_page = true, .map = { 0x5 } };
	static const struct touch last = { .map = { 0x8 } };
	static const struct {
		const char *name;
		struct copy copy;
	} rows[] = {
		{ "8 MiB, aligned, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 8 << 20, 0, &all } },
		{ "8 MiB, start + 4 KiB, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 8 << 20, 4096, &all } },
		{ "8 MiB, aligned, extents 0 and 2 resident",
		  { REGIME_RW_RESIDENT, false, 1, 8 << 20, 0, &ends } },
		{ "8 MiB, aligned, one page touched in extent 0 and one in extent 2",
		  { REGIME_RW_RESIDENT, false, 2, 8 << 20, 0, &pages } },
		{ "8 MiB, aligned, extent 3 resident",
		  { REGIME_RW_RESIDENT, false, 3, 8 << 20, 0, &last } },
		{ "2 MiB, aligned, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 2 << 20, 0, &all } },
		{ "64 KiB, aligned, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 64 << 10, 0, &all } },
		{ "8 MiB, aligned, r--p resident",
		  { REGIME_R_RESIDENT, false, 0, 8 << 20, 0, &all } },
		{ "8 MiB, aligned, rw-p not resident",
		  { REGIME_RW_ABSENT, false, 0, 8 << 20, 0, &all } },
	};
	struct wire_sample s;

	if (warm_up(r, 2 << 20, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		r->on_note(rows[i].name, r->arg);
		if (take_sample(r, &rows[i].copy, &s, err) < 0)
			return -1;
	}
	return 0;
}
