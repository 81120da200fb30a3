// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests in a row, in one process as a run has them: how soon each answers, and what is left of them.
 *
 *	guest-soak AGENT DIR WARM COLD
 *
 * DIR is the cache, and holds the logs of the last guest. Each guest's trial ends at its first question: it
 * has no probe.
 */
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "kit/kit.h"

#define ROUNDS 10 /* lines of a table */

/* What a guest that was not wholly ended would add to. */
struct left {
	long rss_kib, threads;
	int fds, qemus;
	int64_t cache_kib, slot_kib;
};

static long field(const char *key)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	const char *at;

	if (fs_read("/proc/self/status", 1 << 16, &text, NULL, &ignored) < 0)
		return -1;
	at = strstr(text, key);
	return at ? atol(at + strlen(key)) : -1;
}

static int64_t tree_kib(const char *path)
{
	char *const paths[] = { (char *)path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int64_t sum = 0;
	FTSENT *e;

	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_F)
			sum += e->fts_statp->st_blocks / 2;
	if (fts)
		fts_close(fts);
	return sum;
}

static struct left look(const char *cache)
{
	const char *slot = kit_slot(getpid());

	clock_sleep_ms(1000); /* the last one is being ended */
	return (struct left){
		.rss_kib = field("VmRSS:"),
		.threads = field("Threads:"),
		.fds = kit_fds(),
		.qemus = kit_qemus(getpid()),
		.cache_kib = tree_kib(cache),
		.slot_kib = slot ? tree_kib(slot) : -1,
	};
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int try_one(struct rig *rig, const char *dir, enum guest_start start, int64_t *answer_ns)
{
	_cleanup_free_ char *logs = str_printf("%s/logs", dir);
	struct trial_spec spec = { .label = "soak", .dir = logs, .probe = "none", .args = "" };
	struct trial t;
	struct err err;

	if (guest_try(rig, &spec, &t, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	if (t.end != TRIAL_PROBE_FAILED || t.start != start) {
		fprintf(stderr, "%s, %s: %s\n", guest_start_name(t.start), trial_end_name(t.end),
			t.reason);
		trial_deinit(&t);
		return -1;
	}
	*answer_ns = t.stage_ns[STAGE_CREATE] + t.stage_ns[STAGE_BOOT];
	trial_deinit(&t);
	return 0;
}

static int soak(struct guest_spec *spec, enum guest_start start, long n)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	int64_t *ns = xcalloc((size_t)n + 1, sizeof(*ns)), begun;
	struct err err;
	double per;

	spec->start = start;
	if (rig_open(spec, &rig, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	if (try_one(rig, spec->cache_dir, start, &ns[0]) < 0) /* makes the save */
		return -1;
	printf("%-5s %6s %9s %8s %5s %9s %9s %6s\n", guest_start_name(start), "guests", "rss KiB",
	       "threads", "fds", "cache KiB", "slot KiB", "qemus");
	begun = clock_now_ns();
	for (long i = 0; i <= n; i++) {
		struct left l;

		if (i % (n / ROUNDS ? n / ROUNDS : 1) == 0 || i == n) {
			l = look(spec->cache_dir);
			begun += NS_PER_S;
			printf("%5s %6ld %9ld %8ld %5d %9" PRId64 " %9" PRId64 " %6d\n", "", i + 1,
			       l.rss_kib, l.threads, l.fds, l.cache_kib, l.slot_kib, l.qemus);
			fflush(stdout);
		}
		if (i < n && try_one(rig, spec->cache_dir, start, &ns[i + 1]) < 0)
			return -1;
	}
	per = (double)(clock_now_ns() - begun) / (double)n / 1e9;
	qsort(ns + 1, (size_t)n, sizeof(*ns), by_value);
	printf("%s: %ld guests, %.2f s each from one to the next; answer after median %.2f s, 9 of "
	       "10 "
	       "%.2f s, %.2f to %.2f s\n",
	       guest_start_name(start), n, per, (double)ns[1 + n / 2] / 1e9,
	       (double)ns[1 + n * 9 / 10] / 1e9, (double)ns[1] / 1e9, (double)ns[n] / 1e9);
	free(ns);
	return 0;
}

int main(int argc, char **argv)
{
	struct guest_spec spec;
	uint64_t n[2];

	if (argc != 5 || !str_to_u64(argv[3], 100000, &n[0]) ||
	    !str_to_u64(argv[4], 100000, &n[1])) {
		fprintf(stderr, "usage: guest-soak AGENT DIR WARM COLD\n");
		return 129;
	}
	if (!kit_spec(&spec, argv[1], argv[2])) {
		fprintf(stderr, "no kernel with its modules is installed here\n");
		return 128;
	}
	spec.memory_mib = 512;
	printf("kernel %s, %u MiB, emulated\n", kit_release(), spec.memory_mib);
	if (n[0] && soak(&spec, GUEST_START_WARM, (long)n[0]) < 0)
		return 128;
	if (n[1] && soak(&spec, GUEST_START_COLD, (long)n[1]) < 0)
		return 128;
	return 0;
}
