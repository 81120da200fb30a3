/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab: what every trial of a run shares (kernel, builder, rig), opened once, and the trial itself:
 * commit → artifact → guest → samples → verdict → rows. Here the rooms meet.
 */
#ifndef LAB_H
#define LAB_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "build/build.h"
#include "guest/guest.h"
#include "judge/judge.h"
#include "options.h"
#include "store/store.h"

struct lab {
	const struct options *o;
	struct progress *progress;
	char *cache;
	char *repo;
	char *mirror, *kconfigs;
	struct build_kernel kernel;
	struct build_spec build_spec;
	struct builder *builder;
	char *agent;
	struct strv probes;
	struct strv pack;
	struct guest_spec guest_spec;
	struct rig *rig;
	char *quarantine;		 /* directory of cards that are out of use */
	char known_good[COMMIT_ID_SIZE]; /* the last whose module was good on the card, or "" */
	char card_failed_after
		[COMMIT_ID_SIZE]; /* the last that the card was at fault after, or "" */
	bool card_lost; /* it is in quarantine, and there is no other: nothing is tried again */
	char *probe_args;
	struct own *own; /* the user's program instead of copies; or NULL */
	int64_t probe_limit_ms;
	char where[48];	     /* of one among several workers: store_place(); "" */
	bool card_elsewhere; /* its workers have cards; its own rig has none */
	struct ahead *ahead; /* builds what may come next while a guest tests; NULL: nothing */
	bool window_table;   /* the probe makes the law's table; nothing is judged */
};

/**
 * lab_check() - what can be known without building or booting: kernel, our parts, the probe's sizes
 * @o, @progress: must outlive the lab
 * @repo: repository, taken over (owned by the lab)
 * @err:  ERR_USAGE: what is missing or does not fit, and what mends it; ERR_HOST
 */
int lab_check(struct lab *lab, const struct options *o, struct progress *progress, char *repo,
	      struct err *err);

/**
 * lab_open_rig() - only the rig, for what must be known before a run is made; after lab_check()
 * @err: as rig_open()
 */
int lab_open_rig(struct lab *lab, struct err *err);

/** lab_make_images() - what guests boot, as lab_open_rig() makes it, and no more; @err: as guest_make_images() */
int lab_make_images(struct lab *lab, struct guest_images *ret, struct err *err);

/** lab_refresh() - after options that name files of the guest were given other values: the rig has these */
void lab_refresh(struct lab *lab);

/** lab_open_builder() - only the tree, for who boots nothing; after lab_check(); @err: as builder_open() */
int lab_open_builder(struct lab *lab, struct err *err);

/**
 * lab_open() - prepare the rig, unless it is open, and the tree; after lab_check()
 * @err: as rig_open() and builder_open()
 */
int lab_open(struct lab *lab, struct err *err);
void lab_deinit(struct lab *lab);

/* How one commit fared. */
struct attempt {
	int64_t trial;
	struct store_verdict v;
	struct store_artifact artifact; /* empty if nothing was built */
	char patches[512];		/* that the commit was mended with, a line each */
	struct measurement m[MEASURE_MAX];
	size_t n_m;
	int64_t elapsed_ns;
};

/**
 * lab_try() - one trial of one commit, every state change stored before the next step
 *
 * In the roles of same_counts() what was tried before as the same artifact is not booted again; --flaky
 * weighs each trial, and boots it.
 * @dir:  the run's directory; logs go to DIR/candidates/ID/TRIAL/
 * @last: a weak result is not tried again: store it as a skip
 * @base: what the good end measured, or NULL
 * @err:  ERR_HOST, ERR_USAGE, ERR_STOPPED; what is the candidate's own is a verdict
 */
int lab_try(struct lab *lab, struct store *store, const char *dir, const char *id,
	    enum store_role role, bool last, const struct baseline *base, struct attempt *ret,
	    struct err *err);

/**
 * lab_tries_again() - true for a skip that lab_try_hard() does not take at its word
 * Before the candidate's module is in, or without a word from the guest, the host may be at fault: it
 * may even have kept the guest from running for longer than the watchdog waits.
 */
bool lab_tries_again(const struct store_verdict *v);

/** lab_accel() - how guests run, and in @why the reason; after lab_open() */
const char *lab_accel(const struct lab *lab, const char **why);

/** lab_start() - how they start, "warm" or "cold", and why; after lab_open() */
const char *lab_start(const struct lab *lab, const char **why);

/** lab_tree() - the kernel tree that is built in; after lab_open() */
const char *lab_tree(const struct lab *lab);

/**
 * lab_try_hard() - lab_try() with what may be chance tried again
 * A weak result --retries times, a guest that did not boot or ended by itself once, a failure of
 * this machine twice.
 */
int lab_try_hard(struct lab *lab, struct store *store, const char *dir, const char *id,
		 enum store_role role, const struct baseline *base, struct attempt *ret,
		 struct err *err);

#endif
