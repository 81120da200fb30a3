/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A metric of the user's in the reports: what each trial measured, read again from its runs, and how the
 * ends, the culprit and its parents lie to each other. Within reports/ only.
 */
#ifndef REPORTS_METRIC_METRIC_H
#define REPORTS_METRIC_METRIC_H

#include "judge/rule.h"
#include "reports/model.h"
#include "reports/words.h"
#include "wire/json.h"

struct metric {
	char what[RULE_TEXT_MAX]; /* what the program calls it */
	char rule[32];		  /* the rule that asks for it */
	const char *unit;	  /* as its name ends, "ms"; "" if that says none */
	struct spread *of;	  /* [trials of the run]; ->n is 0 where nothing was measured */
	struct metric_lack {
		size_t runs, without; /* of the trial, and of them those that gave no number */
	} * lack;		      /* [trials of the run] */
	double gap;		      /* least distance that figures are told apart by; 0: none */
	/* The trials that all others were held against, or would have been; NULL: none measured anything. */
	const struct store_trial *good, *bad;
	struct gap_ends ends; /* what these measured */
};

/** metric_load() - fill r->metric; it stays NULL if no rule asks for one; called by report_load() */
int metric_load(struct store *s, struct report *r, struct err *err);
void metric_free(struct metric *m);

/** metric_of() - what a trial measured, or NULL */
const struct spread *metric_of(const struct report *r, const struct store_trial *t);

/* One line of the table: the culprit, a parent, or an end. */
struct metric_row {
	const char *part; /* as a report_subject's, "good-end" or "bad-end" */
	const struct store_trial *t;
	const struct spread *s; /* NULL: that trial measured nothing */
};

/** metric_rows() - owned by the caller (free) */
size_t metric_rows(const struct report *r, struct metric_row **ret);

/**
 * metric_seen() - a verdict of the metric's in short, since the ends stand elsewhere: "copy_ms is 11.9 to 13.1, median
 *                 12.4 in 15 runs"
 * Return: false if another rule led to the verdict
 */
bool metric_seen(const struct report *r, const struct store_trial *t, char *ret, size_t size);

/** metric_is_like() - the end that it is like, "good end", "bad end", "neither"; "-" if nothing can tell */
const char *metric_is_like(const struct report *r, const struct spread *s);

/** metric_words() - whether ranges overlap: of the ends, of the culprit and each parent; a sentence each */
void metric_words(const struct report *r, struct strv *ret);

/** metric_number() - "12.34": four digits, and as many more as tell this run's figures from each other; at most 15 characters */
struct word metric_number(const struct report *r, double value);

/** metric_tick() - a multiple of @step, with the decimals that tell it from the next */
struct word metric_tick(double value, double step);

/** metric_nothing() - why there are no figures: "the trial measured nothing: 5 of 15 runs gave no number" */
struct word metric_nothing(const struct report *r, const struct store_trial *t);

/** metric_trial() - the trial that measured for @t: that of the equal artifact, where @t was not booted */
const struct store_trial *metric_trial(const struct report *r, const struct store_trial *t);

/** metric_label() - "open_ms, in ms", or the name alone */
struct word metric_label(const struct report *r);

/**
 * metric_table() - the rows as text, with a head
 * @wide: 100 columns, with the end that each row is like; else 75
 */
void metric_table(struct buf *b, const struct report *r, bool wide);

/* In the place of the copies; nothing where no rule asks for a metric. */
void metric_text(struct buf *b, const struct report *r);
void metric_html(struct buf *b, const struct report *r);

/** metric_picture() - a bar for each commit that has figures, oldest first, between the ranges of the ends */
void metric_picture(struct buf *b, const struct report *r);

/** metric_json() - "metric" of the whole report, or null */
void metric_json(struct json *root, const struct report *r);
/** metric_json_trial() - "metric" of one trial, or null */
void metric_json_trial(struct json *obj, const struct report *r, const struct store_trial *t);

#endif
