/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A figure of the user's, judged by the gap between the ends. Pure.
 *
 * The same program is run several times in each trial, and a candidate's median is held against the ranges
 * of the two ends. Nothing is assumed of how the figure is spread, nor which way is worse.
 * Source: docs/judging.md, "A metric against the ends".
 */
#ifndef JUDGE_GAP_H
#define JUDGE_GAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/verdict.h"

/* Fewer runs than six have no range: not even all of them hold the median with the chance below. */
#define GAP_RUNS_MIN	 6
#define GAP_RUNS_DEFAULT 15
#define GAP_RUNS_MAX	 100

/* A range misses its end's median with this chance at most. */
#define GAP_RANGE_MISSES 0.05

/* The runs of one trial. */
struct spread {
	size_t n;	  /* 0: there are none */
	double low, high; /* the range: it holds the median of all runs that could be made */
	double median;	  /* the lower one of an even number */
	double value[GAP_RUNS_MAX]; /* [n], rising */
};

struct gap_ends {
	struct spread good, bad;
};

/**
 * spread_make() - order runs, and find their range
 * @value: [n] finite
 * @n:     0 to GAP_RUNS_MAX; with less than GAP_RUNS_MIN the range is all of them
 *
 * The range is from the j-th smallest to the j-th largest run, j as large as GAP_RANGE_MISSES allows: the
 * median lies outside if less than j of n runs fall on one side of it, each with chance 1/2.
 */
void spread_make(const double *value, size_t n, struct spread *ret);

/** spread_rank() - j for @n runs, at least 1 */
size_t spread_rank(size_t n);

/** gap_is_there() - the ranges of the ends do not overlap; touching ones do */
bool gap_is_there(const struct gap_ends *ends);

/** gap_higher_is_worse() - where there is a gap: the bad end lies above it */
bool gap_higher_is_worse(const struct gap_ends *ends);

/**
 * gap_judge() - which end a trial is like
 * @ends: with a gap
 *
 * Return: GOOD or BAD if the median lies on that end's side of the gap's middle third, however far
 * beyond the end; WEAK if in it.
 */
enum verdict gap_judge(const struct gap_ends *ends, const struct spread *s);

/**
 * gap_error() - chance that a trial of something that is just like one end is taken for the other
 * @n: runs of such a trial
 *
 * The larger of the two, and a bound that holds with chance 1 - GAP_RANGE_MISSES: the median is taken for
 * the other's if half of the runs and more are, and what one run's chance is at most follows from how many
 * of the end's own were.
 */
double gap_error(const struct gap_ends *ends, size_t n);

#endif
