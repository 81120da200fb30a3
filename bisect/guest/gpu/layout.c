// SPDX-License-Identifier: GPL-2.0-or-later
/* What the domain is told about a card and about the host's memory and processors. */
#include "guest/gpu/layout.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "guest/gpu/sysfs.h"

#define DEFAULT_WINDOW_GIB 32
#define CPUS_MAX	   1024

size_t layout_hostdevs(const struct card *card, struct xml_hostdev ret[LAYOUT_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < card->n_members && n < LAYOUT_MAX; i++) {
		const struct card_function *f = &card->members[i];
		struct xml_hostdev *d = &ret[n];

		if (!f->along)
			continue;
		d->domain = (unsigned int)strtoul(f->address, NULL, 16);
		d->bus = (unsigned int)strtoul(f->address + 5, NULL, 16);
		d->slot = (unsigned int)strtoul(f->address + 8, NULL, 16);
		d->function = (unsigned int)(f->address[11] - '0');
		d->guest_function = n ? d->function : 0;
		d->rom = f->rom;
		n++;
	}
	return n;
}

unsigned int layout_window_gib(const struct card *card)
{
	uint64_t bytes = 0;
	unsigned int gib = 1;

	for (size_t i = 0; i < card->n_members; i++)
		if (card->members[i].along)
			bytes += card->members[i].bars_bytes;
	while (gib < 1U << 20 && ((uint64_t)gib << 30) < 2 * bytes)
		gib *= 2;
	return gib > DEFAULT_WINDOW_GIB ? gib : 0;
}

static bool cpu_number(const char **at, unsigned int *ret)
{
	char *end;
	unsigned long v;

	if (!isdigit((unsigned char)**at))
		return false;
	v = strtoul(*at, &end, 10);
	if (v >= CPUS_MAX)
		return false;
	*at = end;
	*ret = (unsigned int)v;
	return true;
}

static int add_cpus(unsigned int first, unsigned int last, const cpu_set_t *mine,
		    unsigned int **list, size_t *n, struct err *err)
{
	for (unsigned int cpu = first; cpu <= last; cpu++) {
		if (!CPU_ISSET(cpu, mine))
			return err_set(err, ERR_USAGE,
				       "--cpus: this process may not run on processor %u; `nproc` "
				       "says how many there are, `taskset -p $$` which",
				       cpu);
		*list = xrealloc(*list, *n + 1, sizeof(**list));
		(*list)[(*n)++] = cpu;
	}
	return 0;
}

int layout_cpus(const char *text, bool here, unsigned int **ret, size_t *n, struct err *err)
{
	_cleanup_free_ unsigned int *list = NULL;
	unsigned int first, last;
	const char *at = text;
	cpu_set_t mine;
	size_t len = 0;

	CPU_ZERO(&mine);
	if (!here)
		memset(&mine, 0xff, sizeof(mine));
	else
		sched_getaffinity(0, sizeof(mine), &mine);
	do {
		if (!cpu_number(&at, &first))
			break;
		last = first;
		if (*at == '-' && (at++, !cpu_number(&at, &last)))
			break;
		if (last < first || len > CPUS_MAX)
			break;
		if (add_cpus(first, last, &mine, &list, &len, err) < 0)
			return -1;
	} while (*at == ',' && at++);
	if (*at || !len || at[-1] == ',')
		return err_set(err, ERR_USAGE, "--cpus %s: want a list of processors such as 2-5,8",
			       text);
	*ret = take_ptr(list);
	*n = len;
	return 0;
}

int layout_hugepages(const struct card_roots *roots, const char *size, unsigned int memory_mib,
		     struct err *err)
{
	const struct card_roots r = sysfs_roots(roots);
	unsigned int mib = strcmp(size, "1G") == 0 ? 1024 : 2;
	_cleanup_free_ char *dir =
		str_printf("%s/kernel/mm/hugepages/hugepages-%ukB", r.sys, mib * 1024);
	_cleanup_free_ char *text = sysfs_text(dir, "free_hugepages");
	unsigned long have = text ? strtoul(text, NULL, 10) : 0;
	unsigned long need = (memory_mib + mib - 1) / mib;

	if (memory_mib % mib)
		return err_set(err, ERR_USAGE,
			       "--hugepages %s: --memory %u is no multiple of %u MiB", size,
			       memory_mib, mib);
	if (have < need)
		return err_set(err, ERR_USAGE,
			       "--hugepages %s: %lu pages are needed and %lu are free; `echo %lu "
			       ">%s/nr_hugepages`",
			       size, need, have, need, dir);
	return 0;
}

int layout_rom(const char *rom, char **ret, struct err *err)
{
	_cleanup_free_ char *full = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	unsigned char head[2];

	if (!rom || strcmp(rom, "on") == 0) {
		*ret = NULL;
		return 0;
	}
	if (strcmp(rom, "off") == 0) {
		*ret = xstrdup(rom);
		return 0;
	}
	full = realpath(rom, NULL); /* libvirt takes no relative paths */
	f = full ? fopen(full, "re") : NULL;
	if (!f)
		return err_errno(err, ERR_USAGE, "--gpu-rom %s", rom);
	if (fread(head, 1, sizeof(head), f) != sizeof(head) || head[0] != 0x55 || head[1] != 0xaa)
		return err_set(
			err, ERR_USAGE,
			"--gpu-rom %s: no PCI expansion ROM, which begins with 55 aa; a dump "
			"of the card's own is in its sysfs directory's `rom` file",
			rom);
	*ret = take_ptr(full);
	return 0;
}
