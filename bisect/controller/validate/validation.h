/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What patches do to a build, measured: validate, and audit --test, which has its patches from findings. */
#ifndef CONTROLLER_VALIDATE_VALIDATION_H
#define CONTROLLER_VALIDATE_VALIDATION_H

#include "controller/validate/sets.h"
#include "lab.h"

struct validation {
	struct options *o;	   /* borrowed */
	struct progress *progress; /* borrowed */
	struct lab lab;
	struct store *store;
	struct pick_store *picks;
	char *dir; /* where it is kept */
	struct build_rows rows;
	const char *base_word; /* what the base is by itself; NULL before validation_run() */
};

struct validation_spec {
	const char *repo;	 /* of the base */
	const char *base;	 /* revision */
	const struct strv *sets; /* as sets_lay() says */
	bool each;
	const char *name; /* of the run's directory, where no other is given */
	/* Called once the directory is there and before @sets are read; may be NULL. */
	int (*prepare)(void *arg, const char *dir, struct err *err);
	void *arg;
};

/** validation_open() - @v has its options and progress; @err: ERR_USAGE, ERR_HOST, ERR_STOPPED */
int validation_open(struct validation *v, const struct validation_spec *spec, struct err *err);

/**
 * validation_run() - build, boot and judge all rows; the guests are gone when it returns
 * @code: EXIT_GOOD, EXIT_BAD if a row breaks or slows, EXIT_SKIP if one is unclear
 */
int validation_run(struct validation *v, int *code, struct err *err);

void validation_deinit(struct validation *v);

#endif
