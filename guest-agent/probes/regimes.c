// SPDX-License-Identifier: GPL-2.0-or-later
/* Regimes: see regimes.h. */
#include "guest-agent/probes/regimes.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "guest-agent/probes/evidence/clock.h"
#include "guest-agent/probes/evidence/state.h"

/*
 * HMM_RANGE_DEFAULT_TIMEOUT, include/linux/hmm.h, is 1000 ms, but the kernel counts it in jiffies,
 * and a jiffy that an emulated timer delivered late makes a window a few ms short on this clock.
 */
#define WINDOW_NS (INT64_C(950) * NS_PER_MS)

/* A mapping, and the part of it that is copied: it may begin and end within a page. */
struct range {
	struct mapping mapping;
	uint64_t skip; /* from the mapping's start to the first byte copied */
};

static void describe_before(const struct regimes *r, const struct copy *c,
			    const struct range *range, struct wire_sample *s)
{
	*s = (struct wire_sample){
		.regime = c->regime,
		.warmup = c->warmup,
		.repeat = c->repeat,
		.bytes = c->bytes,
		.offset = c->offset,
		.read_permission = r->read_permission,
		.evidence = r->evidence_begin != NULL,
		.path = r->path,
		.source = c->anonymous ? SOURCE_ANONYMOUS : SOURCE_FILE,
		.device = r->device,
		.process = r->process,
		.fresh_buffer = r->fresh_buffer,
		.file_offset = c->anonymous ? 0 : r->file_offset,
		.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	state_thp(s->thp, sizeof(s->thp));
	state_file_system(c->anonymous ? -1 : r->source, s->file_system, sizeof(s->file_system));
	state_mapping(range->mapping.start, s->mapping, sizeof(s->mapping));
}

static void take_before(const struct presence *p, const struct state *before, struct wire_sample *s)
{
	s->extents = p->extents;
	s->resident = p->resident;
	memcpy(s->present, p->map, sizeof(s->present));
	s->pages_present = p->pages;
	s->copied_before = p->copied;
	s->anon_before = before->anon_bytes;
	s->file_before = before->file_bytes;
}

static void take_after(const struct presence *p, const struct state *before,
		       const struct state *after, struct wire_sample *s)
{
	s->after = true;
	s->resident_after = p->resident;
	memcpy(s->present_after, p->map, sizeof(s->present_after));
	s->pages_after = p->pages;
	s->copied_after = p->copied;
	s->anon_after = after->anon_bytes;
	s->file_after = after->file_bytes;
	s->minor_faults = after->minor_faults - before->minor_faults;
	s->major_faults = after->major_faults - before->major_faults;
}

static void take_time(const struct moment *start, const struct moment *end, struct wire_sample *s)
{
	s->elapsed_ns = end->raw_ns - start->raw_ns;
	s->boot_ns = end->boot_ns > start->boot_ns ? end->boot_ns - start->boot_ns : 0;
	s->steal_ns = end->steal_ns > start->steal_ns ? end->steal_ns - start->steal_ns : 0;
	s->doubt = clock_doubt(start, end);
	if (s->elapsed_ns < 0)
		s->elapsed_ns = 0;
}

static int measure_range(const struct regimes *r, const struct range *range, struct wire_sample *s,
			 struct err *err)
{
	const struct runtime_ops *ops = r->runtime->ops;
	struct runtime_copy copy = { 0 };
	struct presence presence;
	struct state before, after;
	struct moment start, end;
	int ret;

	if (mapping_presence(&range->mapping, &presence, err) < 0)
		return -1;
	if (ops->prepare && ops->prepare(r->runtime, s->bytes, err) < 0)
		return -1;
	before = state_now();
	take_before(&presence, &before, s);
	if (r->evidence_begin)
		r->evidence_begin(r->evidence);
	start = moment_start();
	ret = ops->copy(r->runtime, range->mapping.start + range->skip, s->bytes,
			r->read_permission, &copy, err);
	end = moment_end();
	if (r->evidence_end)
		r->evidence_end(s, r->evidence);
	after = state_now();
	if (ops->finish)
		ops->finish(r->runtime);
	if (ret < 0 || mapping_presence(&range->mapping, &presence, err) < 0)
		return -1;
	take_time(&start, &end, s);
	take_after(&presence, &before, &after, s);
	s->restarts = copy.restarts;
	s->calls = copy.calls;
	s->result = copy.result;
	return 0;
}

static int range_create(const struct regimes *r, const struct copy *c, struct range *ret,
			struct err *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct mapping_spec spec = {
		.fd = c->anonymous ? -1 : r->source,
		.writable = c->regime != REGIME_R_RESIDENT,
		.offset = c->offset - c->offset % page,
		.file_offset = c->anonymous ? 0 : r->file_offset,
	};

	ret->skip = c->offset % page;
	spec.bytes = (ret->skip + c->bytes + page - 1) / page * page;
	return mapping_create(&spec, &ret->mapping, err);
}

/* A fresh mapping, since a copy breaks copy-on-write and so spends what it measures. */
int regimes_copy(const struct regimes *r, const struct copy *c, struct wire_sample *ret,
		 struct err *err)
{
	struct range range = { 0 };
	int failed;

	if (range_create(r, c, &range, err) < 0)
		return -1;
	if (c->regime != REGIME_RW_ABSENT)
		mapping_touch(&range.mapping, c->touch);
	describe_before(r, c, &range, ret);
	failed = measure_range(r, &range, ret, err);
	mapping_deinit(&range.mapping);
	return failed ? -1 : r->on_sample(ret, r->arg, err);
}

/* The control: what copies from a mapping that the ones before have spent. */
static int run_kept(const struct regimes *r, const struct copy *first, struct err *err)
{
	struct range range = { 0 };
	struct wire_sample s;
	int failed = 0;

	if (range_create(r, first, &range, err) < 0)
		return -1;
	if (first->regime != REGIME_RW_ABSENT)
		mapping_touch(&range.mapping, first->touch);
	for (uint32_t i = 0; i < r->repeats && !failed; i++) {
		describe_before(r, first, &range, &s);
		s.repeat = i;
		s.kept_mapping = i > 0;
		failed = measure_range(r, &range, &s, err) || r->on_sample(&s, r->arg, err);
	}
	mapping_deinit(&range.mapping);
	return failed ? -1 : 0;
}

/* Read-only, so that it burns no window. */
int regimes_warm_up(const struct regimes *r, uint64_t bytes, struct err *err)
{
	const struct touch all = { .all = true };
	const struct copy c = {
		.regime = REGIME_R_RESIDENT, .warmup = true, .bytes = bytes, .touch = &all
	};
	struct wire_sample s;

	return regimes_copy(r, &c, &s, err);
}

static int run_copies(const struct regimes *r, const struct copy *first, struct err *err)
{
	struct copy c = *first;
	struct wire_sample s;

	if (r->kept_mapping)
		return run_kept(r, first, err);
	for (c.repeat = 0; c.repeat < r->repeats; c.repeat++) {
		if (regimes_copy(r, &c, &s, err) < 0)
			return -1;
		if (c.regime == REGIME_RW_RESIDENT && s.elapsed_ns >= WINDOW_NS)
			break;
	}
	return 0;
}

static int run_size(const struct regimes *r, uint64_t bytes, uint64_t offset, struct err *err)
{
	/* The controls first: a candidate that hangs in the third regime leaves them as evidence. */
	static const enum wire_regime order[] = { REGIME_R_RESIDENT, REGIME_RW_ABSENT,
						  REGIME_RW_RESIDENT };
	struct copy c = { .bytes = bytes, .offset = offset, .touch = &r->touch };

	for (size_t o = 0; o < ARRAY_SIZE(order); o++) {
		c.regime = order[o];
		if (run_copies(r, &c, err) < 0)
			return -1;
	}
	c.anonymous = true;
	return r->anonymous ? run_copies(r, &c, err) : 0;
}

int regimes_run(const struct regimes *r, struct err *err)
{
	if (regimes_warm_up(r, r->sizes[0], err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_sizes; i++)
		for (size_t k = 0; k < r->n_offsets; k++)
			if (run_size(r, r->sizes[i], r->offsets[k], err) < 0)
				return -1;
	return 0;
}
