// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs made with the real store: see fixture.h. */
#include "fixture.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "judge/judge.h"

#define MIB (UINT64_C(1) << 20)

static struct err err;

/* The tests are of the reports: a store that fails here ends them. */
static void ok(int r)
{
	if (r == 0)
		return;
	fprintf(stderr, "fixture: %s\n", err.msg);
	abort();
}

void fixture_id(int node, char ret[COMMIT_ID_SIZE])
{
	uint32_t x = (uint32_t)node * 2654435761u + 12345;

	for (int i = 0; i < 40; i++) {
		x = x * 1664525u + 1013904223u;
		ret[i] = "0123456789abcdef"[x >> 28];
	}
	ret[40] = '\0';
}

static const char *subject(int node)
{
	static const char *const texts[] = {
		"drm/amdgpu: tidy the order of includes in gfx_v11",
		"drm/amdgpu: say which ring in the fence timeout",
		"drm/amdkfd: drop an unused label in kfd_process",
		"drm/amd/display: name a constant of the DP link rates",
		"Merge branch 'topic/ras' into amd-staging-drm-next",
		"drm/amdgpu: use a helper for the doorbell index",
	};

	if (node == FIXTURE_CULPRIT)
		return "drm/amdgpu: fix amdgpu_hmm_range_get_pages";
	return texts[(size_t)node % ARRAY_SIZE(texts)];
}

void fixture_facts(struct store *s)
{
	static struct store_candidate c[FIXTURE_CANDIDATES];
	static char subjects[FIXTURE_CANDIDATES][80];
	char good[COMMIT_ID_SIZE];
	const char *facts[][2] = {
		{ "run.command", "amdgpu-bisect run v1..v2" },
		{ "run.started", "2026-08-20 09:00:00Z" },
		{ "repo", "/home/kim/linux" },
		{ "paths", "drivers/gpu/drm/amd" },
		{ "scope", "unit" },
		{ "kernel.release", "6.1.0-57-amd64" },
		{ "kernel.source", "/usr/src/linux-source-6.1.tar.xz" },
		{ "build.cc", "gcc" },
		{ "guest.accel", "tcg" },
		{ "guest.accel_why", "KVM opens, but its guest never ran within 3 s" },
		{ "guest.start", "warm" },
		{ "guest.start_why", "each is a copy of one that was booted and saved" },
		{ "tool.version", "0.1.0" },
		{ "candidates.total", "64" },
		{ "walked.total", "311" },
		{ "option.bisect.repeats", "3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		ok(store_set(s, facts[i][0], facts[i][1], &err));
	fixture_id(-1, good);
	ok(store_set(s, "good.0", good, &err));
	for (int i = 0; i < FIXTURE_CANDIDATES; i++) {
		fixture_id(i, c[i].id);
		snprintf(subjects[i], sizeof(subjects[i]), "%s", subject(i));
		c[i].subject = subjects[i];
		c[i].node = (uint32_t)i;
	}
	ok(store_set(s, "bad", c[FIXTURE_CANDIDATES - 1].id, &err));
	ok(store_add_candidates(s, c, FIXTURE_CANDIDATES, &err));
	ok(store_event(s, "start", &err, "64 candidates"));
}

static size_t add_samples(struct wire_sample *w, size_t n, uint64_t mib, bool defect)
{
	static const double control_ms[] = { 1.1, 5.9, 9.7 };
	uint32_t extents = (uint32_t)mib / 2;

	for (enum wire_regime g = 0; g < REGIME_COUNT; g++)
		for (uint32_t k = 0; k < 4; k++) {
			struct wire_sample *x = &w[n++];

			*x = (struct wire_sample){ .regime = g,
						   .bytes = mib * MIB,
						   .warmup = k == 0,
						   .repeat = k ? k - 1 : 0,
						   .extents = extents };
			x->resident = g == REGIME_RW_ABSENT ? 0 : extents;
			x->present[0] = (UINT64_C(1) << x->resident) - 1;
			x->elapsed_ns = (int64_t)(control_ms[g] * (double)mib / 4 * NS_PER_MS) +
					(k == 0 ? 38 : k) * NS_PER_MS;
			if (defect && g == REGIME_RW_RESIDENT) {
				x->elapsed_ns += extents * (1003 * NS_PER_MS);
				x->restarts = extents;
			}
		}
	return n;
}

static void stages(struct store *s, int64_t trial, bool booted)
{
	ok(store_stage(s, trial, "build", 3300 * NS_PER_MS, booted ? "built" : "failed", &err));
	if (!booted)
		return;
	ok(store_stage(s, trial, "create", 410 * NS_PER_MS, NULL, &err));
	ok(store_stage(s, trial, "boot", 4300 * NS_PER_MS, NULL, &err));
	ok(store_stage(s, trial, "load", 520 * NS_PER_MS, NULL, &err));
}

static struct store_verdict untestable(enum verdict v)
{
	struct store_verdict ret = { .verdict = v, .rule = "build" };

	str_copy(ret.reason, sizeof(ret.reason),
		 "amdgpu_mn.c:171:2: error: implicit declaration of function 'hmm_fence'");
	if (v == VERDICT_WEAK) {
		str_copy(ret.rule, sizeof(ret.rule), "control-moved");
		str_copy(ret.reason, sizeof(ret.reason),
			 "a control left its band: r--p resident, 4 MiB took 332.2 ms, at most "
			 "103.0 ms expected");
	}
	return ret;
}

static struct store_verdict judged(const struct wire_sample *w, size_t n)
{
	static struct measurement m[MEASURE_MAX];
	struct store_verdict ret = { 0 };
	struct judgement j;
	int groups = measure_samples(w, n, MEASURE_WINDOW_NS, m, &err);

	ok(groups < 0 ? -1 : 0);
	judge(m, (size_t)groups, NULL, NULL, &j);
	ret.verdict = j.verdict;
	str_copy(ret.rule, sizeof(ret.rule), judge_rule_name(j.rule));
	str_copy(ret.reason, sizeof(ret.reason), j.reason);
	ret.windows = j.windows;
	ret.predicted = j.predicted;
	ret.off = j.off;
	return ret;
}

void fixture_trial(struct store *s, int node, enum store_role role, enum verdict v)
{
	struct wire_sample w[24] = { 0 };
	struct store_verdict end;
	char id[COMMIT_ID_SIZE];
	int64_t trial;
	size_t n;

	fixture_id(node, id);
	ok(store_begin(s, id, role, &trial, &err));
	stages(s, trial, v != VERDICT_SKIP);
	if (v != VERDICT_GOOD && v != VERDICT_BAD) {
		end = untestable(v);
		ok(store_end(s, trial, &end, &err));
		return;
	}
	n = add_samples(w, 0, 4, v == VERDICT_BAD);
	n = add_samples(w, n, 8, v == VERDICT_BAD);
	ok(store_stage(s, trial, "probe", (v == VERDICT_BAD ? 27400 : 900) * NS_PER_MS, NULL,
		       &err));
	ok(store_samples(s, trial, w, n, &err));
	end = judged(w, n);
	snprintf(end.signature, sizeof(end.signature), "%064x", node);
	ok(store_end(s, trial, &end, &err));
}

void fixture_ends(struct store *s)
{
	fixture_trial(s, -1, ROLE_GOOD_END, VERDICT_GOOD);
	fixture_trial(s, FIXTURE_CANDIDATES - 1, ROLE_BAD_END, VERDICT_BAD);
}

void fixture_search(struct store *s)
{
	int lo = -1, hi = FIXTURE_CANDIDATES - 1;

	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;

		if (mid == 47) {
			fixture_trial(s, mid, ROLE_SEARCH, VERDICT_SKIP);
			mid = 46;
		}
		if (mid == 38)
			fixture_trial(s, mid, ROLE_SEARCH, VERDICT_WEAK);
		fixture_trial(s, mid, ROLE_SEARCH,
			      mid < FIXTURE_CULPRIT ? VERDICT_GOOD : VERDICT_BAD);
		*(mid < FIXTURE_CULPRIT ? &lo : &hi) = mid;
	}
}

void fixture_proven(struct store *s)
{
	char id[COMMIT_ID_SIZE];

	fixture_facts(s);
	fixture_ends(s);
	fixture_search(s);
	fixture_id(FIXTURE_CULPRIT - 1, id);
	ok(store_set(s, "culprit.parents", id, &err));
	fixture_trial(s, FIXTURE_CULPRIT, ROLE_CONFIRM, VERDICT_BAD);
	fixture_trial(s, FIXTURE_CULPRIT - 1, ROLE_CONFIRM_PARENT, VERDICT_GOOD);
	fixture_id(FIXTURE_CULPRIT, id);
	ok(store_set(s, "culprit.commit", id, &err));
	ok(store_set(s, "culprit.subject", subject(FIXTURE_CULPRIT), &err));
	ok(store_set(s, "run.outcome", "proven", &err));
	ok(store_set(s, "run.ended", "2026-08-20 09:03:12Z", &err));
}
