// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor, cards: a table of those that could go to a guest, and for each what to do. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cmd_doctor.h"
#include "guest/card.h"
#include "guest/card_rescue.h"
#include "paths.h"

static const char *or_none(const char *s)
{
	return *s ? s : "none";
}

/* The other functions: what goes along, and what only shares the group. */
static void print_members(const struct card *c)
{
	for (size_t i = 0; i < c->n_members; i++) {
		const struct card_function *f = &c->members[i];

		if (strcmp(f->address, c->self.address) == 0)
			continue;
		printf("      %-12s  %04x:%04x  %-14s %s\n", f->address, f->vendor, f->device,
		       or_none(f->driver), f->along ? "goes along" : "same group, stays");
	}
}

static void print_card(const struct card *c, const struct card_host *host, unsigned int memory_mib)
{
	_cleanup_free_ char *kept = path_quarantine();
	char group[16] = "none", why[256];
	struct err err;

	if (c->self.group >= 0)
		snprintf(group, sizeof(group), "%d", c->self.group);
	printf("    %-12s  %04x:%04x  %-24.24s  %-5s  %-14s  %-12s %s\n", c->self.address,
	       c->self.vendor, c->self.device, *c->name ? c->name : "-", group,
	       or_none(c->self.driver), or_none(c->self.reset),
	       c->self.boot_display ? "boot display" : "");
	print_members(c);
	if (card_is_quarantined(kept, c->self.address, why, sizeof(why)))
		printf("      in quarantine %s\n      mend: see that it works again, then "
		       "`amdgpu-bisect doctor --release-card %s`\n",
		       why, c->self.address);
	if (card_check(c, host, memory_mib, false, &err) < 0)
		printf("      mend: %s\n", err.msg);
	else
		printf("      can be passed: --gpu %s%s\n", c->self.address,
		       c->self.reset[0] ? ""
					: "; it has no reset, so once it hangs only a reboot of "
					  "this machine helps");
}

int doctor_release(const char *address, struct err *err)
{
	_cleanup_free_ char *kept = path_quarantine();

	if (card_release(kept, address, err) < 0)
		return -1;
	printf("%s is out of quarantine\n", address);
	return 0;
}

void doctor_cards(struct doctor *d)
{
	const char *uri = options_str(d->o, OPT_CONNECT);
	_cleanup_strv_ struct strv left = { 0 };
	struct cards cards = { 0 };
	struct card_host host;
	struct err err;

	card_host_read(uri, NULL, &host);
	if (cards_find(uri, NULL, &cards, &err) < 0) {
		doctor_say(d, NOTE, "cards", NULL, "%s", err.msg);
		return;
	}
	if (!cards.n)
		doctor_say(d, NOTE, "cards",
			   "none needed: the mirror runs the driver's own code without one",
			   "no AMD GPU");
	else
		doctor_say(d, FINE, "cards", NULL, "%zu by AMD, from %s", cards.n, cards.source);
	if (cards.n)
		printf("    %-12s  %-9s  %-24s  %-5s  %-14s  %-12s\n", "card", "id", "name",
		       "group", "driver", "reset");
	for (size_t i = 0; i < cards.n; i++)
		print_card(&cards.items[i], &host, options_num(d->o, OPT_MEMORY));
	cards_deinit(&cards);
	cards_leftovers(&left);
	for (size_t i = 0; i < left.n; i++)
		doctor_say(d, NOTE, "leftover",
			   "the next run gives it back, also one without --gpu", "%s",
			   left.items[i]);
}
