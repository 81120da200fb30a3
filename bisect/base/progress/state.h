/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a display holds; inner to base/progress. */
#ifndef BASE_PROGRESS_STATE_H
#define BASE_PROGRESS_STATE_H

#include <pthread.h>
#include <stdio.h>

#include "base/progress.h"
#include "base/progress/line.h"

struct progress_row {
	struct progress_line line;
	int64_t stage_start_ns;
	unsigned int drawn_columns; /* 0: it is not on the terminal */
};

struct progress {
	FILE *out;
	bool live, quiet, color;
	bool relay;	      /* nothing is shown here: progress_relay() */
	pthread_mutex_t lock; /* of all below, and of whole lines on @out */
	struct progress_row own;
	struct progress_row *workers; /* [n_workers] */
	size_t n_workers;
	int64_t end_at_ns; /* expected end of all, monotonic; < 0: not known */
	int64_t drawn_at_ns;
	pthread_t redrawer;
	pthread_cond_t wake;
	bool ending, has_redrawer;
};

/** progress_new() - one that shows nothing live */
struct progress *progress_new(FILE *out, bool quiet);

/* With the lock held: */
void progress_draw(struct progress *p);
void progress_clear(struct progress *p);
/** progress_stay() - a line that stays: dated where nobody watches it come */
void progress_stay(struct progress *p, const char *mark, const char *mark_color, const char *text);
void progress_end_stage(struct progress *p, struct progress_row *row);

#endif
