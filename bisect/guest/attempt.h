/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One guest and the talk with its agent, whether it is booted or restored; inside the guest room only. */
#ifndef GUEST_ATTEMPT_H
#define GUEST_ATTEMPT_H

#include "base/cleanup.h"
#include "guest/remote/scratch.h"
#include "guest/rig.h"
#include "guest/talk/session.h"
#include "guest/virt/domain.h"

/* ATTEMPT_BASE is the guest that is booted to be saved, ATTEMPT_RESTORED a copy of it. */
enum attempt_kind { ATTEMPT_BOOTED, ATTEMPT_BASE, ATTEMPT_RESTORED };

/* Everything of one guest, so that whatever happens it is let go in the right order. */
struct attempt {
	struct rig *rig;
	const struct trial_spec *spec;
	enum attempt_kind kind;
	const char *save; /* what is restored */
	char *console_path;
	char *image;	     /* the candidate's own, or NULL */
	char *overlay;	     /* of the disk guest here, or NULL */
	struct scratch disk; /* the same, where its machine is another */
	struct wake *wake;
	struct domain *domain;
	struct session session;
	int64_t begun_ns; /* of the stage */
	double slow;	  /* how much slower the host is than it was; 0: not known yet */
	enum trial_stage stage;
};

/** attempt_init() - @t is where the findings go; all are the caller's and must outlive the attempt */
void attempt_init(struct attempt *a, struct rig *r, const struct trial_spec *spec,
		  enum attempt_kind kind, struct trial *t);
void attempt_deinit(struct attempt *a);

/* Each returns 0, SESSION_ENDED or -1, as session.h says; attempt_start() 0 or -1. */

/** attempt_start() - the guest is there and runs, its channel is open: stage create */
int attempt_start(struct attempt *a, struct err *err);
/** attempt_greet() - the agent answers: stage boot */
int attempt_greet(struct attempt *a, int64_t limit_ms, struct err *err);
/** attempt_load() - stage load; those that are packed as well, unless the guest was saved with them */
int attempt_load(struct attempt *a, struct err *err);
/** attempt_probe() - stage probe, the last */
int attempt_probe(struct attempt *a, struct err *err);
/** attempt_end() - what is still to be had of a guest whose trial is over; 0 or -1 */
int attempt_end(struct attempt *a, struct err *err);

/**
 * attempt_xml() - the domain of @a
 * @kernel, @initrd, @console: paths, or what stands for them in a digest
 */
int attempt_xml(struct attempt *a, const char *kernel, const char *initrd, const char *console,
		char **ret, struct err *err);

#endif
