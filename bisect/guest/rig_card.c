// SPDX-License-Identifier: GPL-2.0-or-later
/* The rig's card, when it fails: see card_rescue.h for the ladder that the controller walks. */
#include "guest/card_rescue.h"
#include "guest/gpu/pass.h"
#include "guest/rig.h"

const char *rig_card(const struct rig *r)
{
	return r->pass ? pass_card(r->pass) : NULL;
}

int rig_card_reset(struct rig *r, enum card_rung rung, struct err *err)
{
	return pass_reset(r->pass, rung, err);
}

int rig_card_give_up(struct rig *r, const char *why, struct err *err)
{
	struct err none_left;

	if (r->own.card.kept && card_quarantine(r->own.card.kept, rig_card(r), why, err) < 0)
		return -1;
	if (pass_is_named(r->pass))
		return 0;
	/* Given back: its driver may bind, as after any run; the next run does not take it. */
	pass_close(take_ptr(r->pass));
	return pass_open(&r->own, r->own.memory_mib, &r->pass, &none_left) < 0 ? 0 : 1;
}
