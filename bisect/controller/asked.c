// SPDX-License-Identifier: GPL-2.0-or-later
/* Between the store and a report: what was asked, as words of a command. See asked.h. */
#include "controller/asked.h"

#include <stdlib.h>
#include <string.h>

#include "controller/kept/question.h"

/* The card of the last trial of a commit, "" if none is told. */
static int card_of(struct store *s, const char *commit, char *ret, size_t size, struct err *err)
{
	_cleanup_free_ struct store_trial *trials = NULL;
	size_t n;

	*ret = '\0';
	if (store_trials(s, &trials, &n, err) < 0)
		return -1;
	for (size_t i = 0; commit && i < n; i++) {
		const char *card = strstr(trials[i].where, ", ");

		if (card && strcmp(trials[i].commit, commit) == 0)
			str_copy(ret, size, card + 2);
	}
	return 0;
}

/* Several cards are for several guests, and one commit has one: where it was tried, or the first. */
static int take_one_card(struct store *s, struct options *o, struct err *err)
{
	_cleanup_free_ char *commit = NULL;
	_cleanup_free_ char *first = NULL;
	const char *cards = options_str(o, OPT_GPU);
	char card[48];

	if (!strchr(cards, ','))
		return 0;
	first = xstrndup(cards, strcspn(cards, ","));
	if (store_get(s, "culprit.commit", &commit, err) < 0 ||
	    card_of(s, commit, card, sizeof(card), err) < 0)
		return -1;
	return options_set(o, options_key(OPT_GPU), *card ? card : first, ORIGIN_RUN, err);
}

int asked_read(struct store *s, struct report_asked *ret, struct err *err)
{
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_free_ char *run = NULL;

	options_default(CMD_TEST, &o);
	if (kept_options(s, &o, err) < 0)
		return -1;
	run = options_asked(&o, CMD_RUN);
	if (take_one_card(s, &o, err) < 0)
		return -1;
	ret->test = options_asked(&o, CMD_TEST);
	ret->run = take_ptr(run);
	return 0;
}

void asked_deinit(struct report_asked *a)
{
	free(a->test);
	free(a->run);
	*a = (struct report_asked){ 0 };
}
