// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings: see mapping.h. */
#include "guest-agent/probes/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

/* Pagemap entries read at once: 8 MiB of mapping, 16 KiB of buffer. */
#define ENTRIES_AT_ONCE 2048

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

bool touch_parse(const char *text, struct touch *ret)
{
	struct touch touch = { 0 };
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy;
	uint64_t extent;
	char *word;

	touch.all = !strcmp(text, "all");
	while (!touch.all && (word = strsep(&rest, ","))) {
		if (!str_to_u64(word, WIRE_EXTENTS_MAX - 1, &extent))
			return false;
		touch.map[extent / 64] |= UINT64_C(1) << (extent % 64);
	}
	*ret = touch;
	return true;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int source_create(const char *path, uint64_t bytes, int *ret, struct err *err)
{
	size_t page = page_bytes();
	_cleanup_free_ char *data = xmalloc(page);
	_cleanup_close_ int fd = -1;

	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot make the source file %s (see --file)",
				 path);
	unlink(path);
	memset(data, 0x5a, page);
	for (uint64_t at = 0; at < bytes; at += page) {
		memcpy(data, &at, sizeof(at));
		if (write_all(fd, data, page) < 0)
			return err_errno(err, ERR_HOST,
					 "cannot write %llu bytes to %s (see --file)",
					 (unsigned long long)bytes, path);
	}
	*ret = take_fd(fd);
	return 0;
}

int mapping_create(const struct mapping_spec *spec, struct mapping *ret, struct err *err)
{
	int protection = PROT_READ | (spec->writable ? PROT_WRITE : 0);
	int flags = MAP_PRIVATE | MAP_FIXED | (spec->fd < 0 ? MAP_ANONYMOUS : 0);
	struct mapping m = { .bytes = spec->bytes };
	uintptr_t boundary;

	/* One extent to reach a boundary, whole extents for the mapping's ends, one to the right. */
	m.area_bytes = spec->bytes + 4 * EXTENT_BYTES;
	m.area = mmap(NULL, m.area_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	if (m.area == MAP_FAILED)
		return err_errno(err, ERR_HOST, "cannot reserve %zu bytes", m.area_bytes);
	boundary = ((uintptr_t)m.area + EXTENT_BYTES - 1) & ~(uintptr_t)(EXTENT_BYTES - 1);
	m.start = m.area + (boundary - (uintptr_t)m.area) + spec->offset;
	if (mmap(m.start, spec->bytes, protection, flags, spec->fd, (off_t)spec->file_offset) ==
	    MAP_FAILED) {
		err_errno(err, ERR_HOST, "cannot map %zu bytes of the source", spec->bytes);
		munmap(m.area, m.area_bytes);
		return -1;
	}
	if (spec->fd < 0)
		memset(m.start, 0x5a, spec->bytes);
	*ret = m;
	return 0;
}

void mapping_deinit(struct mapping *m)
{
	if (m->area)
		munmap(m->area, m->area_bytes);
	memset(m, 0, sizeof(*m));
}

void mapping_touch(const struct mapping *m, const struct touch *touch)
{
	uint64_t addr = (uintptr_t)m->start;
	uint64_t extents = extent_count(addr, m->bytes);
	const volatile char *bytes = m->start;
	uint64_t page = page_bytes();

	for (uint64_t e = 0; e < extents && e < WIRE_EXTENTS_MAX; e++) {
		uint64_t start, len;

		if (!touch->all && !(touch->map[e / 64] >> (e % 64) & 1))
			continue;
		extent_span(addr, m->bytes, e, &start, &len);
		if (touch->one_page && len > page) {
			start += touch->page % (len / page) * page;
			len = page;
		}
		for (uint64_t at = start; at < start + len; at += page)
			(void)bytes[at];
	}
}

int mapping_presence(const struct mapping *m, struct presence *ret, struct err *err)
{
	_cleanup_close_ int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entries[ENTRIES_AT_ONCE];
	uint64_t addr = (uintptr_t)m->start;
	uint64_t page = page_bytes();
	uint64_t pages = m->bytes / page;
	struct presence p;

	if (fd < 0)
		return err_errno(err, ERR_HOST,
				 "cannot open /proc/self/pagemap: without it what was "
				 "resident is not known");
	if (!presence_init(&p, addr, m->bytes))
		return err_set(err, ERR_USAGE, "%zu bytes touch more than %d extents", m->bytes,
			       WIRE_EXTENTS_MAX);
	for (uint64_t done = 0; done < pages;) {
		size_t want = pages - done < ENTRIES_AT_ONCE ? pages - done : ENTRIES_AT_ONCE;
		uint64_t at = addr + done * page;
		ssize_t got = pread(fd, entries, want * sizeof(*entries),
				    (off_t)(at / page * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			return err_errno(err, ERR_HOST, "cannot read /proc/self/pagemap");
		presence_add(&p, addr, at, page, entries, (size_t)got / sizeof(*entries));
		done += (size_t)got / sizeof(*entries);
	}
	*ret = p;
	return 0;
}
