// SPDX-License-Identifier: GPL-2.0-or-later
/* report and status: a stored run for people and programs; both only read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cmd.h"
#include "controller/asked.h"
#include "controller/evidence/evidence.h"
#include "controller/mail/mail.h"
#include "controller/same.h"
#include "paths.h"
#include "reports/report.h"
#include "reports/validate/validate.h"
#include "store/store.h"
#include "wire/json.h"

static int open_run(const struct options *o, char **dir, struct store **ret, struct err *err)
{
	if (o->args.n > 1)
		return err_set(err, ERR_USAGE, "one run at a time; '%s' is too much",
			       o->args.items[1]);
	if (path_run_find(o->args.n ? o->args.items[0] : NULL, dir, err) < 0)
		return -1;
	return store_open(*dir, false, ret, err);
}

/* For programs, or for people, who are told what to go on with. */
static const struct {
	const char *name;
	int (*make)(struct store *s, struct buf *ret, struct err *err);
	int (*tell)(struct store *s, const struct report_asked *asked, struct buf *ret,
		    struct err *err);
} forms[] = { { "text", NULL, report_text },
	      { "json", report_json, NULL },
	      { "html", NULL, report_html },
	      { "junit", report_junit, NULL },
	      { "ktap", report_ktap, NULL } };

static int make(struct store *s, const char *form, struct buf *ret, struct err *err)
{
	_cleanup_(asked_deinit) struct report_asked asked = { 0 };
	size_t i = 0;

	while (strcmp(forms[i].name, form) != 0) /* the option knows no other */
		i++;
	if (forms[i].make)
		return forms[i].make(s, ret, err);
	return asked_read(s, &asked, err) < 0 ? -1 : forms[i].tell(s, &asked, ret, err);
}

/* The table of `validate` again, out of what it keeps. */
static int print_validation(struct options *o, struct store *store, struct err *err)
{
	_cleanup_buf_ struct buf text = { 0 };
	const char *format = options_str(o, OPT_FORMAT);
	int r;

	if (options_str(o, OPT_MAIL))
		return err_set(
			err, ERR_USAGE,
			"--mail: that is a validation, which names no commit to write about");
	if (strcmp(format, "json") == 0)
		r = report_validate_json(store, &text, err);
	else if (strcmp(format, "text") == 0)
		r = report_validate_text(store, &text, err);
	else
		return err_set(err, ERR_USAGE, "a validation is printed as text or json, not as %s",
			       format);
	return r < 0 ? -1 : cmd_write(o, text.data ? text.data : "", err);
}

/* Nothing is sent: it is a file to read, to finish and to send by hand. */
static int print_mail(struct options *o, struct store *store, struct err *err)
{
	_cleanup_(mail_source_deinit) struct mail_source source = { 0 };
	_cleanup_(mail_ask_deinit) struct mail_ask ask = { 0 };
	_cleanup_(asked_deinit) struct report_asked asked = { 0 };
	_cleanup_free_ char *why = NULL;
	_cleanup_buf_ struct buf text = { 0 };
	enum mail_kind kind;

	if (!mail_kind_parse(options_str(o, OPT_MAIL), &kind))
		return err_set(err, ERR_USAGE, "--mail: no such mail");
	if (mail_ask(store, kind, &ask, err) < 0)
		return -1;
	if (*ask.refusal) {
		why = cmd_plain(ask.refusal);
		fprintf(stderr, "amdgpu-bisect: no mail is written: %s\n", why);
		return EXIT_BAD;
	}
	source.asked = &asked;
	if (mail_gather(kind, &ask, &source, err) < 0 || asked_read(store, &asked, err) < 0 ||
	    report_mail(store, kind, &source, &text, err) < 0)
		return -1;
	return cmd_write(o, text.data, err);
}

int cmd_report(struct options *o, struct err *err)
{
	_cleanup_(store_close_p) struct store *store = NULL;
	_cleanup_free_ char *dir = NULL;
	_cleanup_free_ char *evidence = NULL;
	_cleanup_free_ char *base = NULL;
	_cleanup_buf_ struct buf text = { 0 };

	if (options_fit(o, err) < 0 || open_run(o, &dir, &store, err) < 0)
		return -1;
	if (options_str(o, OPT_EVIDENCE)) {
		evidence = path_absolute(options_str(o, OPT_EVIDENCE));
		return evidence_write(store, dir, evidence, err);
	}
	if (store_get(store, "validate.base", &base, err) < 0)
		return -1;
	if (base)
		return print_validation(o, store, err);
	if (options_str(o, OPT_MAIL))
		return print_mail(o, store, err);
	if (make(store, options_str(o, OPT_FORMAT), &text, err) < 0)
		return -1;
	return cmd_write(o, text.data ? text.data : "", err);
}

/* What status says, gathered once for both forms. */
struct status {
	char *dir;
	char *outcome; /* NULL: no trial yet */
	char *left;
	char *steps;
	char *confidence; /* of the likeliest, where trials may lie */
	char *culprit;
	size_t n_trials;
	size_t count[VERDICT_COUNT];
	size_t unended; /* going on, stopped or broken off */
	struct store_trial *trials;
	bool running; /* a controller holds the run's lock */
};

static void status_deinit(struct status *s)
{
	free(s->dir);
	free(s->outcome);
	free(s->left);
	free(s->steps);
	free(s->confidence);
	free(s->culprit);
	free(s->trials);
}

static int status_read(struct store *store, struct status *s, struct err *err)
{
	struct store *writer = NULL;
	struct err busy;

	if (store_get(store, "run.outcome", &s->outcome, err) < 0 ||
	    store_get(store, "search.left", &s->left, err) < 0 ||
	    store_get(store, "search.steps", &s->steps, err) < 0 ||
	    store_get(store, "search.confidence", &s->confidence, err) < 0 ||
	    store_get(store, "culprit.commit", &s->culprit, err) < 0 ||
	    store_trials(store, &s->trials, &s->n_trials, err) < 0)
		return -1;
	for (size_t i = 0; i < s->n_trials; i++)
		if (s->trials[i].ended && s->trials[i].v.verdict != VERDICT_NONE)
			s->count[s->trials[i].v.verdict]++;
		else
			s->unended++;
	/* Who can take the lock shows that nobody has it; a directory that cannot be written shows nothing. */
	s->running = store_open(s->dir, true, &writer, &busy) < 0 && busy.kind == ERR_USAGE;
	store_close(writer);
	return 0;
}

/* What several workers try now: of each the last. */
static bool print_workers(const struct status *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_trials; i++) {
		const struct store_trial *t = &s->trials[i];
		bool last = *t->where && !t->ended;

		for (size_t j = i + 1; last && j < s->n_trials; j++)
			last = strcmp(s->trials[j].where, t->where) != 0;
		if (!last)
			continue;
		any = true;
		printf("trying     %.12s (%s), %s", t->commit, store_role_name(t->role), t->where);
		if (t->n_stages)
			printf(", %s done", t->stages[t->n_stages - 1].stage);
		printf("\n");
	}
	return any;
}

static void print_last(const struct status *s)
{
	const struct store_trial *t = s->n_trials ? &s->trials[s->n_trials - 1] : NULL;

	if (!t || (s->running && print_workers(s)))
		return;
	if (t->ended && t->v.verdict == VERDICT_NONE) {
		printf("stopped at %.12s (%s)\n", t->commit, store_role_name(t->role));
		return;
	}
	if (t->ended) {
		_cleanup_free_ char *reason = cmd_plain(t->v.reason);

		printf("last       %.12s %s: %s\n", t->commit, verdict_name(t->v.verdict), reason);
		return;
	}
	printf("%-10s %.12s (%s)", s->running ? "trying" : "broken off", t->commit,
	       store_role_name(t->role));
	if (t->n_stages)
		printf(", %s done", t->stages[t->n_stages - 1].stage);
	printf("\n");
}

static const char *state_word(const struct status *s)
{
	if (s->running)
		return "running";
	if (!s->outcome || strcmp(s->outcome, "running") == 0)
		return "interrupted";
	return s->outcome;
}

static void print_resume(const char *dir)
{
	_cleanup_buf_ struct buf word = { 0 };

	buf_shell(&word, dir);
	printf("go on with amdgpu-bisect resume %s\n", word.data);
}

static void print_text(const struct status *s)
{
	const char *word = state_word(s);
	size_t same = same_counted(s->trials, s->n_trials);

	printf("run        %s\nstate      %s\n", s->dir,
	       strcmp(word, "end") == 0 ? "an end is not what was claimed" : word);
	printf("trials     %zu: %zu good, %zu bad, %zu skip, %zu weak, %zu host, %zu not ended\n",
	       s->n_trials, s->count[VERDICT_GOOD], s->count[VERDICT_BAD], s->count[VERDICT_SKIP],
	       s->count[VERDICT_WEAK], s->count[VERDICT_HOST], s->unended);
	if (same)
		printf("not booted %zu of them: their artifact is another's\n", same);
	if (s->culprit)
		printf("culprit    %s\n", s->culprit);
	else if (s->left)
		printf("left       %s candidates, about %s steps\n", s->left,
		       s->steps ? s->steps : "?");
	if (s->confidence)
		printf("confidence %.2f %%, of the likeliest candidate, by the trials alone\n",
		       strtod(s->confidence, NULL) * 100);
	print_last(s);
	if (!strcmp(word, "interrupted") || !strcmp(word, "stopped") || !strcmp(word, "host"))
		print_resume(s->dir);
}

static void print_json(const struct status *s)
{
	struct json *j = json_object();
	struct json *counts;
	_cleanup_free_ char *text = NULL;

	json_set_str(j, "run", s->dir);
	json_set_str(j, "state", state_word(s));
	json_set_str(j, "culprit", s->culprit);
	json_set_int(j, "trials", (int64_t)s->n_trials);
	counts = json_set_object(j, "verdicts");
	for (unsigned int v = VERDICT_GOOD; v < VERDICT_COUNT; v++)
		json_set_int(counts, verdict_name(v), (int64_t)s->count[v]);
	json_set_int(j, "not_ended", (int64_t)s->unended);
	json_set_int(j, "not_booted", (int64_t)same_counted(s->trials, s->n_trials));
	if (s->left && !s->culprit)
		json_set_int(j, "left", strtoll(s->left, NULL, 10));
	if (s->steps && !s->culprit)
		json_set_int(j, "steps", strtoll(s->steps, NULL, 10));
	if (s->confidence)
		json_set_num(j, "confidence", strtod(s->confidence, NULL));
	text = json_text(j, true);
	json_destroy(j);
	puts(text);
}

int cmd_status(struct options *o, struct err *err)
{
	_cleanup_(store_close_p) struct store *store = NULL;
	_cleanup_(status_deinit) struct status s = { 0 };

	if (open_run(o, &s.dir, &store, err) < 0 || status_read(store, &s, err) < 0)
		return -1;
	if (strcmp(options_str(o, OPT_FORMAT), "json") == 0)
		print_json(&s);
	else
		print_text(&s);
	return 0;
}
