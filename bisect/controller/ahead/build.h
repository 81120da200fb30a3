/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside controller/ahead only: one build by another process, and the options it is given. */
#ifndef CONTROLLER_AHEAD_BUILD_H
#define CONTROLLER_AHEAD_BUILD_H

#include "controller/ahead/ahead.h"

/* What all builds of a run share; read by the thread, changed by nobody. */
struct ahead_job {
	char *program;
	char *repo;
	char *dir;
	char *conf;
	int cancel; /* eventfd: ends the build that goes on */
};
/** ahead_job_init() - also writes DIR/ahead.conf; ahead_job_deinit() takes one that failed */
int ahead_job_init(struct ahead_job *job, const struct ahead_spec *spec, struct err *err);
void ahead_job_deinit(struct ahead_job *job);

enum ahead_end {
	AHEAD_BROKEN, /* the machine's fault, or a stop; see the log */
	AHEAD_STOPPED,
	AHEAD_BUILT,  /* or found not to build, which is kept as well */
	AHEAD_CACHED, /* there was nothing to do */
};

struct ahead_done {
	char id[COMMIT_ID_SIZE];
	enum ahead_end end;
	int64_t elapsed_ns;
};
/** ahead_build() - build ret->id; fills the rest */
void ahead_build(const struct ahead_job *job, struct ahead_done *ret);

#endif
