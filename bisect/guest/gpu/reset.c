// SPDX-License-Identifier: GPL-2.0-or-later
/* Between two guests, if the card failed the module known good: the rungs of card_rescue.h. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "guest/card_rescue.h"
#include "guest/gpu/sysfs.h"

#define FOUND_MS       10000 /* a link that trains anew */
#define SLEEP_S	       "15"
#define SLEEP_LIMIT_MS 120000

/* How a rung is called in reset_method; NULL: it is none of those. */
static const struct {
	const char *name, *method;
} rungs[] = {
	[CARD_RUNG_FLR] = { "function level reset", "flr" },
	[CARD_RUNG_PM] = { "power state reset", "pm" },
	[CARD_RUNG_BUS] = { "bus reset", "bus" },
	[CARD_RUNG_DEVICE] = { "device-specific reset", "device_specific" },
	[CARD_RUNG_RESCAN] = { "removal and rescan", NULL },
	[CARD_RUNG_SUSPEND] = { "suspend with a wake-up by the clock", NULL },
};

const char *card_rung_name(enum card_rung r)
{
	return (unsigned int)r < CARD_RUNGS ? rungs[r].name : "unknown";
}

static char *device_dir(const struct card_roots *r, const char *address)
{
	return str_printf("%s/bus/pci/devices/%s", r->sys, address);
}

/* A word of "flr bus pm". */
static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += n)
		if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

/* 1 done; 0 this function has no such method; -1. */
static int reset_function(const struct card_roots *r, const char *address, const char *method,
			  struct err *err)
{
	_cleanup_free_ char *dir = device_dir(r, address);
	_cleanup_free_ char *methods = sysfs_text(dir, "reset_method");
	_cleanup_free_ char *file = str_printf("%s/reset", dir);
	bool well;

	if (!fs_exists(file))
		return 0;
	/* Before 5.15 the kernel chooses, and says nothing of how. */
	if (!methods && strcmp(method, "flr") != 0)
		return 0;
	if (methods && (!has_word(methods, method) || !sysfs_put(dir, "reset_method", method)))
		return 0;
	well = sysfs_put(dir, "reset", "1");
	if (methods)
		sysfs_put(dir, "reset_method", methods);
	if (!well)
		return err_errno(err, ERR_HOST, "%s: %s failed", address, method);
	return 1;
}

static int reset_by_method(const struct card *card, const char *method, bool whole_bus,
			   const struct card_roots *r, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < card->n_members; i++) {
		const struct card_function *f = &card->members[i];
		bool self = strcmp(f->address, card->self.address) == 0;
		int one;

		if (!f->along || !sysfs_same_slot(f, &card->self) || (whole_bus && !self))
			continue;
		one = reset_function(r, f->address, method, err);
		if (one < 0)
			return -1;
		if (self)
			ret = one; /* its audio alone is no card */
	}
	return ret;
}

static bool wait_found(const struct card_roots *r, const char *address)
{
	_cleanup_free_ char *dir = device_dir(r, address);
	int64_t end = clock_now_ns() + FOUND_MS * NS_PER_MS;

	while (!fs_exists(dir) && clock_now_ns() < end)
		clock_sleep_ms(50);
	return fs_exists(dir);
}

/*
 * What is found anew has forgotten that vfio-pci was to have it, and the host's own driver on a card
 * that hangs may take the host with it: so drivers are offered nothing meanwhile.
 */
static int remove_and_rescan(const struct card *card, const struct card_roots *r, struct err *err)
{
	_cleanup_free_ char *bus = str_printf("%s/bus/pci", r->sys);
	_cleanup_free_ char *probe = sysfs_text(bus, "drivers_autoprobe");
	_cleanup_free_ char *self = device_dir(r, card->self.address);
	_cleanup_free_ char *remove = str_printf("%s/remove", self);
	int ret = 1;

	if (!probe || !fs_exists(remove))
		return 0;
	if (!sysfs_put(bus, "drivers_autoprobe", "0"))
		return err_errno(err, ERR_HOST, "cannot hold drivers back for a rescan");
	for (size_t i = 0; i < card->n_members; i++) {
		const struct card_function *f = &card->members[i];
		_cleanup_free_ char *dir = device_dir(r, f->address);

		if (f->along && sysfs_same_slot(f, &card->self) && !sysfs_put(dir, "remove", "1"))
			ret = err_errno(err, ERR_HOST, "%s cannot be removed", f->address);
	}
	if (!sysfs_put(bus, "rescan", "1") && ret > 0)
		ret = err_errno(err, ERR_HOST, "the bus cannot be scanned");
	if (ret > 0 && !wait_found(r, card->self.address))
		ret = err_set(err, ERR_HOST,
			      "%s was removed and is not found again; restart the machine",
			      card->self.address);
	sysfs_put(bus, "drivers_autoprobe", probe);
	return ret;
}

static int suspend(struct err *err)
{
	const char *const argv[] = { "rtcwake", "-m", "mem", "-s", SLEEP_S, NULL };
	struct spawn s = { .argv = argv, .limit_ms = SLEEP_LIMIT_MS };
	_cleanup_free_ char *program = spawn_find("rtcwake");
	struct spawn_result result;

	if (!program)
		return 0;
	if (spawn_run(&s, &result, err) < 0)
		return -1;
	if (result.exit_code != 0)
		return err_set(err, ERR_HOST, "rtcwake ended with %d: the machine does not suspend",
			       result.exit_code);
	return 1;
}

int card_reset(const struct card *card, enum card_rung rung, const struct card_roots *roots,
	       struct err *err)
{
	const struct card_roots r = sysfs_roots(roots);

	switch (rung) {
	case CARD_RUNG_RESCAN:
		return remove_and_rescan(card, &r, err);
	case CARD_RUNG_SUSPEND:
		return suspend(err);
	default:
		return reset_by_method(card, rungs[rung].method, rung == CARD_RUNG_BUS, &r, err);
	}
}
