/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress: one live line on a terminal, one plain line per event elsewhere. Rooms do not print;
 * long work in a room gets a struct progress and tells it where it is. A NULL one shows nothing, so
 * that a room need not ask. Text may come from anywhere: control characters are taken out.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress;

/**
 * progress_create() - start a display
 * @out:   usually stderr; live if it is a terminal and TERM is not "dumb" (then a thread redraws
 *         the line; colour unless NO_COLOR is set), else dated lines: one per event, step and
 *         stage's end
 * @quiet: print nothing but warnings
 * Return: owned by the caller; never NULL.
 */
struct progress *progress_create(FILE *out, bool quiet);
void progress_destroy(struct progress *p); /* NULL is fine; clears the live line */

/**
 * progress_step() - a new step of the search begins
 * @step:  1-based
 * @about: expected number of steps in all
 * @name:  candidate as people know it: short id and subject
 * @eta_ns: expected time until the end [ns]; < 0: not known
 */
void progress_step(struct progress *p, unsigned int step, unsigned int about, const char *name,
		   int64_t eta_ns);

/**
 * progress_stage() - what is being done now ("build", "boot", "probe", ...)
 * @stage:     NULL: none for now; so a verdict's line comes after the line of the stage it ends
 * @expect_ns: how long it took before [ns], from measured rates; < 0: not known
 * Starts the stage's clock; the previous stage ends.
 */
void progress_stage(struct progress *p, const char *stage, int64_t expect_ns);

/** progress_stage_since() - a stage that began before it was worth showing, at @start_ns of clock_now_ns() */
void progress_stage_since(struct progress *p, const char *stage, int64_t start_ns,
			  int64_t expect_ns);

/** progress_detail() - a few words that change within a stage ("3 windows", "12 of 40 objects") */
__attribute__((format(printf, 2, 3))) void progress_detail(struct progress *p, const char *fmt,
							   ...);

/** progress_tick() - redraw if a moment has passed; call from waiting loops, at any rate, any thread */
void progress_tick(struct progress *p);

/** progress_event() - a line that stays: a verdict, an end checked, the culprit */
__attribute__((format(printf, 2, 3))) void progress_event(struct progress *p, const char *fmt, ...);

/** progress_warn() - a line that stays, marked as a warning, printed even when quiet */
__attribute__((format(printf, 2, 3))) void progress_warn(struct progress *p, const char *fmt, ...);

/**
 * progress_workers() - a line for each of @n workers above the run's own; 0: no more of them
 * Numbers of workers begin with 0; people see them from 1.
 */
void progress_workers(struct progress *p, size_t n);

/** progress_worker() - what worker @i does from now on: short id and subject; NULL: nothing */
void progress_worker(struct progress *p, size_t i, const char *name);

/**
 * progress_relay() - a display that only tells another process, which shows it: for a worker
 * @out: lines for progress_relayed(); borrowed
 * Steps are the other process's own affair and are not told.
 */
struct progress *progress_relay(FILE *out);

/** progress_relayed() - a line of worker @i's progress_relay(), shown in its own; others are passed over */
void progress_relayed(struct progress *p, size_t i, const char *line);

#endif
