/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ladder, for the lab's own card; called between a trial's judgement and its verdict's row. */
#ifndef CONTROLLER_LAB_CARD_H
#define CONTROLLER_LAB_CARD_H

#include "lab.h"

/* A trial, as lab_try() has it. */
struct lab_card_trial {
	struct lab *lab;
	struct store *store;
	const char *dir;
	const char *id;
	enum store_role role;
	const struct baseline *base;
};

/**
 * lab_card_check() - does the card let the verdict stand?
 * @ret: its verdict is VERDICT_HOST, rule "card", if the card was at fault and another try may tell; a
 *       skip, rule "card", if it was so twice with one commit. What measured windows stands in any case.
 * @err: ERR_HOST: the card is in quarantine and no other is left; ERR_HOST, ERR_STOPPED as lab_try()
 */
int lab_card_check(const struct lab_card_trial *t, struct attempt *ret, struct err *err);

#endif
