/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demo: a history with a known answer, made by program out of the user's own kernel source.
 *
 * The repository lies in D/linux: its first commit is the untouched driver directory, then come
 * harmless edits, merges, faults that are mended a few commits later, and one commit that is never
 * mended, the culprit. What was planted is kept in D/answer, which only the demo reads, after the
 * run, to compare.
 *
 * With touch_core it holds two files of the kernel's core besides, which some of the harmless edits
 * change; the culprit stays in the driver. One of them edits the header, and the next commit
 * restores it.
 */
#ifndef DEMO_DEMO_H
#define DEMO_DEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/str.h"

#define DEMO_COMMITS_DEFAULT 64
#define DEMO_COMMITS_MIN     32
#define DEMO_COMMITS_MAX     5000

/* The core files: what HMM itself is made of, and what everything that uses it reads. */
#define DEMO_CORE_FILES 2
extern const char *const demo_core_files[DEMO_CORE_FILES];

enum demo_fault {
	DEMO_FAULT_BUILD, /* a run of neighbouring commits that do not compile */
	DEMO_FAULT_OOPS,  /* oopses when the function is first called */
	DEMO_FAULT_HANG,  /* the function never returns */
	DEMO_FAULT_SLOW,  /* slows every regime by less than a window */
	DEMO_FAULTS
};

/* What the culprit does, which is never mended. */
enum demo_culprit {
	DEMO_CULPRIT_WINDOWS, /* what upstream commit c08972f55594 did */
	DEMO_CULPRIT_SLOW,    /* 60 ms a call, which no window law sees */
	DEMO_CULPRIT_WARN,    /* one warning on the console, and nothing else */
	DEMO_CULPRITS
};

/** demo_culprit_name() - "windows", "slow", "warn"; never NULL */
const char *demo_culprit_name(enum demo_culprit c);
bool demo_culprit_parse(const char *name, enum demo_culprit *ret);

/** demo_fault_name() - "build", "oops", "hang", "slow"; never NULL */
const char *demo_fault_name(enum demo_fault f);

struct demo_spec {
	const char *source;   /* kernel source: tarball or tree; only the driver is read */
	const char *dir;      /* D: made if need be; the repository goes to D/linux */
	const char *driver;   /* "drivers/gpu/drm/amd" within the source */
	unsigned int commits; /* N, after the first; DEMO_COMMITS_MIN..DEMO_COMMITS_MAX */
	uint64_t seed;
	enum demo_culprit culprit;
	bool touch_core;	   /* the core files are in it too */
	const char *cache_dir;	   /* the driver's objects are kept in its demo-base/ */
	struct progress *progress; /* or NULL */
};

struct demo_planted {
	enum demo_fault fault;
	char id[COMMIT_ID_SIZE];	/* first commit that has the fault */
	char mended_id[COMMIT_ID_SIZE]; /* commit that mends it, its descendant */
	unsigned int n_broken;		/* commits that have it, the first included */
};

struct demo {
	char *repo;   /* D/linux */
	char *driver; /* limited path within it; with touch_core the core files are others */
	char *source; /* what it was made of */
	unsigned int commits;
	uint64_t seed;
	enum demo_culprit culprit;
	bool touch_core;
	char good_id[COMMIT_ID_SIZE];	 /* the first commit */
	char bad_id[COMMIT_ID_SIZE];	 /* the tip */
	char culprit_id[COMMIT_ID_SIZE]; /* the answer: not to be shown before the run has ended */
	struct demo_planted planted[DEMO_FAULTS];
	bool reused; /* the history was there already, made by the same spec */
};
void demo_deinit(struct demo *d);

/**
 * demo_make() - make the history, or take the one that is there if the same spec made it
 * @spec: strings need not outlive the call
 * @ret:  owned by the caller, demo_deinit(); the same spec always gives the same ids
 * @err:  ERR_USAGE: a D that holds something else or another demo; a source without the driver; a
 *        function of a form not known (said what was looked for and where); a source that has the
 *        defect already; N out of bounds. ERR_HOST: disk, archive, git. ERR_STOPPED: asked to stop;
 *        what was half made is made again by the next call.
 *
 * Return: 0, or -1 with @err filled.
 * Source: the culprit is what upstream commit c08972f55594 did, unless @spec asks for another.
 */
int demo_make(const struct demo_spec *spec, struct demo *ret, struct err *err);

/**
 * demo_open() - read back what demo_make() made, to go on with it or to compare
 * @dir: D
 * @ret: owned by the caller, demo_deinit(); reused is true
 * @err: ERR_USAGE if @dir holds no whole demo
 */
int demo_open(const char *dir, struct demo *ret, struct err *err);

#endif
