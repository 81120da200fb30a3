/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An evidence folder: all that a run's verdicts rest on as plain files, so that they can be judged again where
 * neither the repository nor a guest is.
 *
 *   README.txt          what it is, how to judge it again, and the command that runs the whole test again
 *   MANIFEST.sha256     of all other files; for `sha256sum -c` too
 *   rules.json          what the verdicts were found by: limits, the length of a window, whose band
 *   facts.json          the run's facts: options, ends, kernel, versions
 *   trials.jsonl        a line for each trial: commit, artifact, verdict and the rule that led
 *   samples/N.jsonl     the copies of trial N, as the agent sent them
 *   band.jsonl          the copies that set the band, where these are of no trial of the run
 *   console/N.txt       the end of its guest's console; build/N.txt: of its build's output
 *   config*             the configs that were built with
 *   report.json         the run as `report --format json` has it
 */
#ifndef CONTROLLER_EVIDENCE_H
#define CONTROLLER_EVIDENCE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "judge/judge.h"
#include "store/store.h"

/**
 * evidence_write() - the folder of a run
 * @run: the run's directory
 * @dir: made here; it must not hold anything, and is gone if this fails
 * @err: ERR_USAGE: @dir is not empty, or the run used a program of the user's, whose verdicts do not come from
 *       copies; ERR_HOST
 *
 * A stop does not end it: it is what is left of a run that was stopped.
 */
int evidence_write(struct store *s, const char *run, const char *dir, struct err *err);

/* The files that the manifest vouches for. */
struct evidence_list {
	char *dir;
	struct strv names; /* by name, each once */
};

/**
 * evidence_list_write() - list what is in @dir
 * @names: [n] relative to it
 */
int evidence_list_write(const char *dir, const struct strv *names, struct err *err);

/**
 * evidence_list_check() - every file is there, below @dir, and has the digest that is listed
 * @err: ERR_USAGE: no such folder; ERR_HOST naming the file that differs; ERR_STOPPED
 */
int evidence_list_check(const char *dir, struct evidence_list *ret, struct err *err);
void evidence_list_deinit(struct evidence_list *m);

bool evidence_list_has(const struct evidence_list *m, const char *name);

/** evidence_list_read() - a listed file, which is text; @err: ERR_HOST if it is not listed, or has a NUL */
int evidence_list_read(const struct evidence_list *m, const char *name, char **ret, size_t *len,
		       struct err *err);

/* A trial as the folder has it. */
struct evidence_trial {
	struct store_trial t; /* commit, role, verdict, same_as */
	int64_t n_samples;
};

/* A folder that was read. */
struct evidence {
	struct evidence_list list;
	struct evidence_trial *trials; /* [n] */
	size_t n;
	struct judge_limits limits;
	int64_t window_ns;
	int64_t band_trial; /* 0: none of them */
	bool has_band_file;
	char version[32]; /* of the program that made it */
};

/** evidence_open() - check and read a folder; @err: as evidence_list_check(), and what is damaged in it */
int evidence_open(const char *dir, struct evidence *ret, struct err *err);
void evidence_deinit(struct evidence *e);

/** evidence_samples() - of a file in it; owned by the caller */
int evidence_samples(const struct evidence *e, const char *name, struct wire_sample **ret,
		     size_t *n, struct err *err);

/* What judging again came to. */
struct evidence_replay {
	size_t n_judged;   /* from samples */
	size_t n_same;	   /* taken from a trial of the same artifact, which is there */
	size_t n_recorded; /* no copies: did not build, boot, load, end */
	size_t n_differ;
};

/**
 * evidence_judge() - every verdict once more
 * @differences: a line for each that comes out otherwise
 * @err: ERR_HOST: samples that cannot be read; ERR_STOPPED
 */
int evidence_judge(const struct evidence *e, struct evidence_replay *ret, struct buf *differences,
		   struct err *err);

#endif
