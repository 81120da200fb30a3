// SPDX-License-Identifier: GPL-2.0-or-later
/* As the rig is opened: which of the host's hardware goes to its guests. */
#include "guest/gpu/pass.h"

#include <string.h>

#include "base/fs.h"
#include "guest/card.h"
#include "guest/card_rescue.h"
#include "guest/gpu/hold.h"
#include "guest/gpu/layout.h"

struct pass {
	const struct guest_spec *spec;
	struct cards cards;
	const struct card *card; /* of those, or NULL */
	struct hold *hold;
	struct xml_hostdev hostdevs[LAYOUT_MAX];
	size_t n_hostdevs;
	unsigned int *cpus; /* [n_cpus] */
	size_t n_cpus;
	char id[16]; /* "VENDOR:DEVICE" of the card */
	char *rom;   /* absolute, "off", or NULL */
};

static bool given(const char *value, const char *none)
{
	return value && strcmp(value, none) != 0;
}

static bool is_wanted(const struct pass *p, const char *address)
{
	const char *which = p->spec->card.which;

	return strcmp(which, address) == 0 ||
	       (str_starts(address, "0000:") && strcmp(which, address + strlen("0000:")) == 0);
}

/* One in quarantine is not there; if it is wanted by its name, or nothing else is there, that is said. */
static int leave_out(struct pass *p, struct err *err)
{
	size_t all = p->cards.n, n = 0;
	bool wanted = false;
	char why[512];

	for (size_t i = 0; i < all; i++) {
		struct card *c = &p->cards.items[i];
		const char *address = c->self.address;

		if (!p->spec->card.kept ||
		    !card_is_quarantined(p->spec->card.kept, address, why, sizeof(why))) {
			p->cards.items[n++] = *c;
			continue;
		}
		if (!wanted)
			err_set(err, ERR_HOST,
				"%s is in quarantine %s; when it works again, `amdgpu-bisect "
				"doctor --release-card %s`",
				address, why, address);
		wanted |= is_wanted(p, address);
		free(c->members);
	}
	p->cards.n = n;
	return wanted || (all && !n) ? -1 : 0;
}

static bool is_remote(const char *uri)
{
	const char *slashes = uri ? strstr(uri, "://") : NULL;

	return slashes && slashes[3] != '/';
}

int pass_check_place(const struct guest_spec *spec, struct err *err)
{
	if (!given(spec->card.which, "none") || !is_remote(spec->uri))
		return 0;
	return err_set(err, ERR_USAGE,
		       "--gpu %s: a card is of this machine, and %s is another; run amdgpu-bisect "
		       "there, or take qemu:///system",
		       spec->card.which, spec->uri);
}

static int take_card(struct pass *p, unsigned int memory_mib, struct err *err)
{
	const struct guest_spec *s = p->spec;
	struct card_host host;

	card_host_read(s->uri, NULL, &host);
	if (cards_find(s->uri, NULL, &p->cards, err) < 0 || leave_out(p, err) < 0 ||
	    cards_choose(&p->cards, s->card.which, &host, memory_mib, s->card.give_screen, &p->card,
			 err) < 0 ||
	    card_check(p->card, &host, memory_mib, s->card.give_screen, err) < 0 ||
	    layout_rom(s->card.rom, &p->rom, err) < 0 ||
	    hold_take(p->card, NULL, &p->hold, err) < 0)
		return -1;
	p->n_hostdevs = layout_hostdevs(p->card, p->hostdevs);
	snprintf(p->id, sizeof(p->id), "%04x:%04x", p->card->self.vendor, p->card->self.device);
	return 0;
}

static void recover(const struct guest_spec *spec)
{
	_cleanup_strv_ struct strv said = { 0 };

	hold_recover(NULL, &said);
	for (size_t i = 0; spec->progress && i < said.n; i++)
		progress_event(spec->progress, "%s", said.items[i]);
}

int pass_open(const struct guest_spec *spec, unsigned int memory_mib, struct pass **ret,
	      struct err *err)
{
	_cleanup_(pass_close_p) struct pass *p = xcalloc(1, sizeof(*p));

	p->spec = spec;
	recover(spec);
	if (spec->cpus &&
	    layout_cpus(spec->cpus, !is_remote(spec->uri), &p->cpus, &p->n_cpus, err) < 0)
		return -1;
	if (given(spec->hugepages, "off") && !is_remote(spec->uri) &&
	    layout_hugepages(NULL, spec->hugepages, memory_mib, err) < 0)
		return -1;
	if (given(spec->card.which, "none") && take_card(p, memory_mib, err) < 0)
		return -1;
	*ret = take_ptr(p);
	return 0;
}

void pass_close(struct pass *p)
{
	if (!p)
		return;
	hold_release(p->hold);
	cards_deinit(&p->cards);
	free(p->cpus);
	free(p->rom);
	free(p);
}

const char *pass_card(const struct pass *p)
{
	return p->card ? p->card->self.address : NULL;
}

int pass_reset(struct pass *p, enum card_rung rung, struct err *err)
{
	int done = card_reset(p->card, rung, NULL, err);

	if (done <= 0 || rung != CARD_RUNG_RESCAN)
		return done;
	return hold_again(p->hold, err) < 0 ? -1 : 1;
}

bool pass_is_named(const struct pass *p)
{
	return strcmp(p->spec->card.which, "auto") != 0;
}

const char *pass_id(const struct pass *p)
{
	return p->card ? p->id : NULL;
}

void pass_fill(const struct pass *p, struct xml_domain *d)
{
	d->cpus = p->cpus;
	d->n_cpus = p->n_cpus;
	d->hugepages = given(p->spec->hugepages, "off") ? p->spec->hugepages : NULL;
	if (!p->card)
		return;
	d->hostdevs = p->hostdevs;
	d->n_hostdevs = p->n_hostdevs;
	d->rom = p->rom;
	d->window_gib =
		p->spec->card.window_gib ? p->spec->card.window_gib : layout_window_gib(p->card);
}
