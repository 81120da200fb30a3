// SPDX-License-Identifier: GPL-2.0-or-later
/* A sampled profile: see profile.h. */
#include "guest-agent/probes/evidence/profile.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define FREQUENCY_HZ   499 /* no multiple of a tick */
#define RING_PAGES     512 /* a power of two: 2 MiB, some ten thousand stacks */
#define KALLSYMS_BYTES (64 << 20)
#define CHAIN_MAX      512

static const char *const names[PROFILE_FUNCTIONS] = { "hmm_range_fault",
						      "amdgpu_hmm_range_get_pages" };

/* The line's symbol is @name: "ffffffff81234560 T name" or "... t name\t[module]". */
static bool is_name(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(symbol, name, len) && strchr(" \t\n", symbol[len]);
}

struct profile_span profile_find(const char *kallsyms, const char *name)
{
	struct profile_span span = { 0 };

	for (const char *pass = "se"; *pass; pass++) {
		for (const char *line = kallsyms; *line;) {
			char *rest;
			uint64_t at = strtoull(line, &rest, 16);
			size_t len = strcspn(line, "\n");

			if (*pass == 's' && rest + 3 < line + len && is_name(rest + 3, name))
				span.start = at;
			/* Modules are not in order of address: the end is the next that begins. */
			if (*pass == 'e' && at > span.start && (!span.end || at < span.end))
				span.end = at;
			line += len + (line[len] == '\n');
		}
		if (!span.start)
			return span;
	}
	return span;
}

static bool find_functions(struct profile *p)
{
	_cleanup_free_ char *text = xmalloc(KALLSYMS_BYTES + 1);
	_cleanup_close_ int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	bool any = false;
	ssize_t n;

	while (fd >= 0 && len < KALLSYMS_BYTES &&
	       (n = read(fd, text + len, KALLSYMS_BYTES - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	for (size_t i = 0; i < PROFILE_FUNCTIONS; i++) {
		p->functions[i] = profile_find(text, names[i]);
		any |= p->functions[i].end != 0;
	}
	return any;
}

static int open_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = FREQUENCY_HZ,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.freq = 1,
		.disabled = 1,
		.exclude_callchain_user = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool profile_open(struct profile *p, char *why, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*p = (struct profile){ .fd = -1 };
	if (!find_functions(p)) {
		snprintf(why, size, "no profile: /proc/kallsyms shows neither function");
		return false;
	}
	p->fd = open_event();
	if (p->fd >= 0) {
		p->ring_bytes = (RING_PAGES + 1) * page;
		p->ring = mmap(NULL, p->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
		if (p->ring != MAP_FAILED)
			return true;
		p->ring = NULL;
	}
	snprintf(why, size, "no profile: %m");
	return false;
}

void profile_begin(const struct profile *p)
{
	struct perf_event_mmap_page *head = p->ring;

	if (!p->ring)
		return;
	__atomic_store_n(&head->data_tail, __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
	ioctl(p->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static bool is_inside(const struct profile *p, const uint64_t *chain, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (size_t f = 0; f < PROFILE_FUNCTIONS; f++)
			if (chain[i] >= p->functions[f].start && chain[i] < p->functions[f].end)
				return true;
	return false;
}

/* @len bytes at @at of the ring, which may go round its end. */
static void take(const struct profile *p, uint64_t at, void *ret, size_t len)
{
	const struct perf_event_mmap_page *head = p->ring;
	const char *data = (const char *)p->ring + head->data_offset;
	uint64_t start = at % head->data_size;
	size_t first = head->data_size - start < len ? head->data_size - start : len;

	memcpy(ret, data + start, first);
	memcpy((char *)ret + first, data, len - first);
}

void profile_end(const struct profile *p, uint32_t *samples, uint32_t *inside)
{
	struct perf_event_mmap_page *head = p->ring;
	uint64_t chain[CHAIN_MAX], end, n;
	struct perf_event_header event;

	*samples = *inside = 0;
	if (!p->ring)
		return;
	ioctl(p->fd, PERF_EVENT_IOC_DISABLE, 0);
	end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	for (uint64_t at = head->data_tail; at + sizeof(event) <= end; at += event.size) {
		take(p, at, &event, sizeof(event));
		if (event.size < sizeof(event))
			return;
		if (event.type != PERF_RECORD_SAMPLE)
			continue;
		take(p, at + sizeof(event), &n, sizeof(n));
		if (n > CHAIN_MAX || sizeof(event) + (n + 1) * sizeof(n) > event.size)
			continue;
		take(p, at + sizeof(event) + sizeof(n), chain, n * sizeof(n));
		++*samples;
		*inside += is_inside(p, chain, n);
	}
}

void profile_close(struct profile *p)
{
	if (p->ring)
		munmap(p->ring, p->ring_bytes);
	if (p->fd > 0)
		close(p->fd);
	*p = (struct profile){ .fd = -1 };
}
