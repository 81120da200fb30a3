// SPDX-License-Identifier: GPL-2.0-or-later
/* Every file of the object database that is read here is mapped, and looked up by id. */
#include "range/objects/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "range/gitlib.h"

int mapped_open(const char *path, struct mapped *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0) {
		errno = EINVAL;
		return -1;
	}
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return -1;
	*ret = (struct mapped){ .data = p, .len = (size_t)st.st_size };
	return 0;
}

void mapped_close(struct mapped *m)
{
	if (m->data)
		munmap((void *)m->data, m->len);
	*m = (struct mapped){ 0 };
}

bool fan_count(const unsigned char *counts, uint32_t *ret)
{
	uint32_t last = 0;

	for (size_t i = 0; i < FAN_BYTES; i += 4) {
		uint32_t n = read_be32(counts + i);

		if (n < last)
			return false;
		last = n;
	}
	*ret = last;
	return true;
}

/* As memcmp(), the first eight bytes at once: they nearly always decide. */
static int compare_ids(const unsigned char *a, const unsigned char *b)
{
	uint64_t x = read_be64(a);
	uint64_t y = read_be64(b);

	if (x != y)
		return x < y ? -1 : 1;
	return memcmp(a + 8, b + 8, GIT_ID_LEN - 8);
}

/* What the four bytes after the first say, and the first two bounds of it. */
#define KEY_END (UINT64_C(1) << 32)
#define GUESSES 6

/*
 * Ids are as good as random, so the place of one is guessed from its value and from those of its bounds:
 * three or four looks instead of twelve, and each look at a mapped file is a wait for memory. Ids that
 * somebody made uneven are left to halving.
 */
bool fan_find(const struct fan *f, const unsigned char *id, uint32_t *ret)
{
	uint32_t low = id[0] ? read_be32(f->counts + 4 * (size_t)(id[0] - 1)) : 0;
	uint32_t high = read_be32(f->counts + 4 * (size_t)id[0]);
	uint64_t key = read_be32(id + 1);
	uint64_t low_key = 0;
	uint64_t high_key = KEY_END;

	for (unsigned int looks = 0; low < high; looks++) {
		uint32_t mid = low + (high - low) / 2;
		const unsigned char *there;
		int c;

		if (looks < GUESSES && low_key <= key && key < high_key)
			mid = low +
			      (uint32_t)((high - low) * (key - low_key) / (high_key - low_key));
		there = f->ids + (size_t)mid * GIT_ID_LEN;
		c = compare_ids(there, id);
		if (c == 0) {
			*ret = mid;
			return true;
		}
		if (c < 0) {
			low = mid + 1;
			low_key = read_be32(there + 1);
		} else {
			high = mid;
			high_key = read_be32(there + 1);
		}
	}
	return false;
}

uint32_t fan_from(const struct fan *f, const unsigned char *id)
{
	uint32_t low = 0;
	uint32_t high = f->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (compare_ids(f->ids + (size_t)mid * GIT_ID_LEN, id) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}
