// SPDX-License-Identifier: GPL-2.0-or-later
/* Before a run begins: see size.h. */
#include "controller/team/size.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "controller/rates.h"
#include "controller/team/team.h"
#include "guest/card.h"
#include "guest/card_rescue.h"
#include "judge/rule.h"

#define BUILD_MIB   1024 /* a compiler or two, and the page cache that a tree wants */
#define QEMU_MIB    160	 /* besides the guest's own memory */
#define MEMINFO_MAX 65536

void team_size_deinit(struct team_size *s)
{
	strv_deinit(&s->cards);
}

size_t team_bears(const struct team_host *h)
{
	uint64_t by_cores = h->cores / (h->guest_cores + 1);
	uint64_t room = h->memory_mib > BUILD_MIB ? h->memory_mib - BUILD_MIB : 0;
	uint64_t by_memory = room / (h->guest_mib + QEMU_MIB);
	uint64_t n = by_cores < by_memory ? by_cores : by_memory;

	return n < 1 ? 1 : n > TEAM_MAX ? TEAM_MAX : (size_t)n;
}

size_t team_pays(size_t candidates, size_t most, int64_t build_ns, int64_t guest_ns)
{
	double best = INFINITY;
	size_t ret = 1;

	for (size_t k = 1; k <= most; k++) {
		double rounds = ceil(log((double)candidates) / log((double)k + 1) - 1e-9);
		double ns = rounds * ((double)k * (double)build_ns + (double)guest_ns);

		if (ns < best * 0.95) { /* one more guest for next to nothing is not worth it */
			best = ns;
			ret = k;
		}
	}
	return ret;
}

static uint64_t available_mib(void)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	const char *at;

	/* proc(5): MemAvailable is an estimate of what can be had without swapping [KiB] */
	if (fs_read("/proc/meminfo", MEMINFO_MAX, &text, NULL, &ignored) < 0)
		return 0;
	at = strstr(text, "MemAvailable:");
	return at ? strtoull(at + strlen("MemAvailable:"), NULL, 10) / 1024 : 0;
}

static unsigned int usable_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned int)CPU_COUNT(&set) : 1;
}

static void by_machine(const struct options *o, size_t candidates, struct team_size *ret)
{
	const char *scope = options_str(o, OPT_SCOPE);
	const struct team_host host = {
		.cores = usable_cores(),
		.memory_mib = available_mib(),
		.guest_cores = (unsigned int)options_num(o, OPT_VCPUS),
		.guest_mib = options_num(o, OPT_MEMORY),
	};
	size_t most = team_bears(&host);

	ret->n = team_pays(candidates, most, rates_get(scope, "build"), rates_get(scope, "guest"));
	snprintf(ret->why, sizeof(ret->why),
		 "%u processors and %" PRIu64 " MiB bear %zu, and %zu are soonest done", host.cores,
		 host.memory_mib, most, ret->n);
}

static const struct card *card_named(const struct cards *cards, const char *name)
{
	for (size_t i = 0; i < cards->n; i++) {
		const char *address = cards->items[i].self.address;

		if (strcmp(address, name) == 0 ||
		    (str_starts(address, "0000:") && strcmp(address + strlen("0000:"), name) == 0))
			return &cards->items[i];
	}
	return NULL;
}

/* Of the cards that the user names each must be fit; those in quarantine are left out while others are not. */
static int take_named(const struct options *o, const struct cards *cards,
		      const struct card_host *host, const char *kept, struct strv *ret,
		      struct err *err)
{
	_cleanup_free_ char *list = xstrdup(options_str(o, OPT_GPU));
	char *save = NULL, why[512];

	for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		const struct card *c = card_named(cards, name);

		if (!c)
			return err_set(err, ERR_USAGE,
				       "--gpu %s: no AMD card at %s; `amdgpu-bisect doctor` lists "
				       "those that are here",
				       options_str(o, OPT_GPU), name);
		if (strv_has(ret, c->self.address))
			return err_set(err, ERR_USAGE, "--gpu %s names %s twice",
				       options_str(o, OPT_GPU), c->self.address);
		if (kept && card_is_quarantined(kept, c->self.address, why, sizeof(why))) {
			err_set(err, ERR_HOST,
				"%s is in quarantine %s; when it works again, `amdgpu-bisect "
				"doctor --release-card %s`",
				c->self.address, why, c->self.address);
			continue;
		}
		if (card_check(c, host, (unsigned int)options_num(o, OPT_MEMORY),
			       options_bool(o, OPT_GIVE_SCREEN), err) < 0)
			return -1;
		strv_add(ret, c->self.address);
	}
	return ret->n ? 0 : -1;
}

static void take_all(const struct options *o, const struct cards *cards,
		     const struct card_host *host, const char *kept, struct strv *ret)
{
	struct err ignored;
	char why[512];

	for (size_t i = 0; i < cards->n; i++) {
		const struct card *c = &cards->items[i];

		if (!(kept && card_is_quarantined(kept, c->self.address, why, sizeof(why))) &&
		    card_check(c, host, (unsigned int)options_num(o, OPT_MEMORY),
			       options_bool(o, OPT_GIVE_SCREEN), &ignored) == 0)
			strv_add(ret, c->self.address);
	}
}

/* Fewer workers than cards: the first ones. More would find none. */
static int by_cards(const struct options *o, struct team_size *ret, struct err *err)
{
	uint64_t asked = options_num(o, OPT_WORKERS);
	size_t cards = ret->cards.n;

	if (asked > cards)
		return err_set(err, ERR_USAGE,
			       "--workers %" PRIu64 ", and %zu card%s for their guests; leave out "
			       "--workers, or name more cards with --gpu",
			       asked, cards, cards == 1 ? "" : "s");
	while (asked && ret->cards.n > asked)
		free(ret->cards.items[--ret->cards.n]);
	ret->n = ret->cards.n;
	if (ret->n > TEAM_MAX)
		return err_set(err, ERR_USAGE,
			       "%zu cards, %d at most; --workers %d takes the first", ret->n,
			       TEAM_MAX, TEAM_MAX);
	snprintf(ret->why, sizeof(ret->why), "a guest for each of %zu cards", ret->n);
	return 0;
}

static int size_by_cards(const struct options *o, const char *kept, struct team_size *ret,
			 struct err *err)
{
	_cleanup_(cards_deinit) struct cards cards = { 0 };
	const char *which = options_str(o, OPT_GPU), *uri = options_str(o, OPT_CONNECT);
	bool all = strcmp(which, "auto") == 0;
	struct card_host host;

	card_host_read(uri, NULL, &host);
	if (cards_find(uri, NULL, &cards, err) < 0)
		return -1;
	if (all)
		take_all(o, &cards, &host, kept, &ret->cards);
	else if (take_named(o, &cards, &host, kept, &ret->cards, err) < 0)
		return -1;
	/* None, or one: the rig says what is wrong, and whom it takes. */
	if (all && ret->cards.n < 2 && options_num(o, OPT_WORKERS) < 2) {
		strv_deinit(&ret->cards);
		return 0;
	}
	return by_cards(o, ret, err);
}

static bool asks_metric(const struct options *o)
{
	const struct strv *given = options_list(o, OPT_RULE);
	_cleanup_(rules_deinit) struct rules rules = { 0 };
	struct err said_elsewhere;

	return options_str(o, OPT_EXEC) &&
	       rules_parse((const char *const *)given->items, given->n, &rules, &said_elsewhere) ==
		       0 &&
	       rules_find(&rules, RULE_METRIC);
}

int team_size(const struct options *o, const char *kept, size_t candidates, struct team_size *ret,
	      struct err *err)
{
	const char *asked = options_str(o, OPT_WORKERS), *which = options_str(o, OPT_GPU);
	uint64_t n = options_num(o, OPT_WORKERS);
	bool one = !strchr(which, ',') && strcmp(which, "auto") != 0;

	*ret = (struct team_size){ .n = 1 };
	/* A metric needs the good end before the bad one, and workers try both at once. */
	if (asks_metric(o)) {
		if (n > 1 || strchr(which, ','))
			return err_set(err, ERR_USAGE,
				       "a metric takes one guest at a time, since the good end is "
				       "its measure; leave out --workers, and name one card");
		return 0;
	}
	if (strcmp(which, "none") != 0 && (!one || n > 1))
		return size_by_cards(o, kept, ret, err);
	if (strcmp(which, "none") != 0)
		return 0;
	if (n > TEAM_MAX)
		return err_set(err, ERR_USAGE, "--workers %" PRIu64 ": %d at most in a run", n,
			       TEAM_MAX);
	if (n) {
		ret->n = n;
		snprintf(ret->why, sizeof(ret->why), "asked for");
	} else if (asked) {
		by_machine(o, candidates, ret);
	}
	return 0;
}
