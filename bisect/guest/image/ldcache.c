// SPDX-License-Identifier: GPL-2.0-or-later
/* Libraries outside the standard directories are known to ldconfig's cache alone. */
#include "guest/image/ldcache.h"

#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define CACHE_PATH  "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_MAX   (16 << 20)

struct cache_head {
	char magic[sizeof(CACHE_MAGIC) - 1];
	uint32_t n;
	uint32_t strings_bytes;
	uint32_t more[5]; /* flags, extension offset, unused */
};

struct cache_entry {
	int32_t flags;
	uint32_t key; /* offsets of strings from the head */
	uint32_t value;
	uint32_t os_version;
	uint64_t hwcap;
};

/* An offset in the file as a terminated string, or NULL. */
static const char *cache_string(const char *data, size_t len, uint32_t offset)
{
	if (offset >= len || !memchr(data + offset, '\0', len - offset))
		return NULL;
	return data + offset;
}

char *ldcache_find(const char *name, bool (*suits)(const char *path))
{
	_cleanup_free_ char *data = NULL;
	const struct cache_head *head;
	struct err ignored;
	size_t len;

	if (fs_read(CACHE_PATH, CACHE_MAX, &data, &len, &ignored) < 0)
		return NULL;
	head = (const struct cache_head *)data;
	if (len < sizeof(*head) || memcmp(head->magic, CACHE_MAGIC, sizeof(head->magic)) != 0 ||
	    head->n > (len - sizeof(*head)) / sizeof(struct cache_entry))
		return NULL;
	for (uint32_t i = 0; i < head->n; i++) {
		struct cache_entry e;
		const char *key, *value;

		memcpy(&e, data + sizeof(*head) + i * sizeof(e), sizeof(e));
		key = cache_string(data, len, e.key);
		value = cache_string(data, len, e.value);
		/* entries for better CPUs than the guest's carry hwcap bits */
		if (key && value && e.hwcap == 0 && strcmp(key, name) == 0 && suits(value))
			return xstrdup(value);
	}
	return NULL;
}
