// SPDX-License-Identifier: GPL-2.0-or-later
/* Which cards there are, what goes along with each, and which one is meant. */
#include "guest/card.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guest/gpu/nodedev.h"
#include "guest/gpu/pciids.h"
#include "guest/gpu/sysfs.h"
#include "guest/gpu/users.h"

void cards_deinit(struct cards *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->items[i].members);
	free(c->items);
	*c = (struct cards){ 0 };
}

/* All functions of the slot go along: a reset of the bus resets them too, and audio belongs to video. */
static void add_members(struct card *c, const struct sysfs *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct card_function f = s->functions[i];
		bool slot = sysfs_same_slot(&f, &c->self);

		if (!slot && (f.group < 0 || f.group != c->self.group))
			continue;
		f.along = slot && !sysfs_is_bridge(&f);
		c->members = xrealloc(c->members, c->n_members + 1, sizeof(*c->members));
		c->members[c->n_members++] = f;
	}
}

static void add_card(struct cards *cards, const struct sysfs *s, const struct card_function *f)
{
	_cleanup_free_ char *node = str_printf("%s/vfio/%d", s->roots.dev, f->group);
	struct card c = { .self = *f };

	c.self.along = true;
	pciids_name(f->vendor, f->device, c.name, sizeof(c.name));
	add_members(&c, s);
	c.opens = f->group >= 0 && access(node, R_OK | W_OK) == 0;
	users_vfio(&s->roots, f, c.user, sizeof(c.user));
	/* Every function of it may be what a process has open. */
	for (size_t i = 0; i < c.n_members && !c.screen[0]; i++)
		if (c.members[i].along)
			users_screen(s, &c.members[i], c.screen, sizeof(c.screen));
	cards->items = xrealloc(cards->items, cards->n + 1, sizeof(*cards->items));
	cards->items[cards->n++] = c;
}

/* A second display function of a slot goes along with the first. */
static bool is_second(const struct cards *cards, const struct card_function *f)
{
	return cards->n && sysfs_same_slot(&cards->items[cards->n - 1].self, f);
}

static void name_cards(struct cards *cards, const char *uri)
{
	_cleanup_free_ struct nodedev *list = NULL;
	char why[96];
	size_t n = 0;

	if (!uri) {
		str_copy(cards->source, sizeof(cards->source),
			 "sysfs; libvirt's embedded driver has no node devices");
		return;
	}
	if (!nodedev_list(uri, &list, &n, why, sizeof(why))) {
		snprintf(cards->source, sizeof(cards->source), "sysfs; %s", why);
		return;
	}
	snprintf(cards->source, sizeof(cards->source), "libvirt's node devices");
	for (size_t i = 0; i < cards->n; i++)
		for (size_t k = 0; k < n; k++)
			if (strcmp(list[k].address, cards->items[i].self.address) == 0 &&
			    list[k].product_name[0])
				str_copy(cards->items[i].name, sizeof(cards->items[i].name),
					 list[k].product_name);
}

int cards_find(const char *uri, const struct card_roots *roots, struct cards *ret, struct err *err)
{
	_cleanup_(sysfs_deinit) struct sysfs s = { 0 };
	struct cards cards = { 0 };

	if (sysfs_read(roots, &s, err) < 0)
		return -1;
	for (size_t i = 0; i < s.n; i++)
		if (sysfs_is_amd_card(&s.functions[i]) && !is_second(&cards, &s.functions[i]))
			add_card(&cards, &s, &s.functions[i]);
	name_cards(&cards, uri);
	*ret = cards;
	return 0;
}

static int choose_auto(const struct cards *cards, const struct card_host *host,
		       unsigned int memory_mib, bool give_screen, const struct card **ret,
		       struct err *err)
{
	_cleanup_buf_ struct buf fit = { 0 };
	const struct card *found = NULL;
	struct err why;
	size_t n = 0;

	for (size_t i = 0; i < cards->n; i++) {
		const struct card *c = &cards->items[i];

		if (card_check(c, host, memory_mib, give_screen, &why) < 0)
			continue;
		buf_printf(&fit, "%s%s", n++ ? ", " : "", c->self.address);
		found = c;
	}
	if (n > 1)
		return err_set(err, ERR_USAGE,
			       "--gpu auto: several cards can be passed to a guest: %s; name one "
			       "with --gpu",
			       fit.data);
	if (!n && cards->n == 1) {
		*err = why;
		return err_prefix(err, "--gpu auto");
	}
	if (!n)
		return err_set(err, ERR_USAGE,
			       "--gpu auto: none of %zu cards can be passed to a guest; "
			       "`amdgpu-bisect doctor` says why",
			       cards->n);
	*ret = found;
	return 0;
}

int cards_choose(const struct cards *cards, const char *which, const struct card_host *host,
		 unsigned int memory_mib, bool give_screen, const struct card **ret,
		 struct err *err)
{
	_cleanup_free_ char *full = NULL;

	if (!cards->n)
		return err_set(err, ERR_USAGE,
			       "--gpu %s: no AMD card here; leave --gpu out to go without one",
			       which);
	if (strcmp(which, "auto") == 0)
		return choose_auto(cards, host, memory_mib, give_screen, ret, err);
	full = strlen(which) == strlen("03:00.0") ? str_printf("0000:%s", which) : xstrdup(which);
	if (!sysfs_address(full))
		return err_set(err, ERR_USAGE,
			       "--gpu %s: want auto, none or a PCI address such as 0000:03:00.0",
			       which);
	for (size_t i = 0; i < cards->n; i++)
		if (strcmp(cards->items[i].self.address, full) == 0) {
			*ret = &cards->items[i];
			return 0;
		}
	return err_set(err, ERR_USAGE,
		       "--gpu %s: no AMD display or accelerator there; `amdgpu-bisect doctor` "
		       "lists them",
		       which);
}
