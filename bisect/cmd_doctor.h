/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of doctor share. */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

#include "options.h"

enum doctor_state { FINE, NOTE, LACK };

struct doctor {
	const struct options *o;
	unsigned int lacks;
};

/**
 * doctor_say() - one line: what was looked at, and how it is
 * @state: a lack stops a run; a note does not
 * @mend:  what mends it, or NULL
 */
__attribute__((format(printf, 5, 6))) void doctor_say(struct doctor *d, enum doctor_state state,
						      const char *what, const char *mend,
						      const char *fmt, ...);

/** doctor_release() - end a card's quarantine; @err: as card_release() */
int doctor_release(const char *address, struct err *err);

/** doctor_cards() - the cards of this machine as a table, and what killed runs left of them */
void doctor_cards(struct doctor *d);

#endif
