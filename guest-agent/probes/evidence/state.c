// SPDX-License-Identifier: GPL-2.0-or-later
/* State: see state.h. */
#include "guest-agent/probes/evidence/state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define THP "/sys/kernel/mm/transparent_hugepage/enabled"

bool state_read(const char *path, char *ret, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (n < 0)
		return false;
	ret[n] = '\0';
	return true;
}

static uint64_t kib_of(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? strtoull(at + strlen(key), NULL, 10) * 1024 : 0;
}

void state_rss(const char *status, struct state *ret)
{
	ret->anon_bytes = kib_of(status, "\nRssAnon:");
	ret->file_bytes = kib_of(status, "\nRssFile:");
}

struct state state_now(void)
{
	struct state s = { 0 };
	struct rusage usage;
	char text[4096];

	if (state_read("/proc/self/status", text, sizeof(text)))
		state_rss(text, &s);
	if (!getrusage(RUSAGE_SELF, &usage)) {
		s.minor_faults = (uint64_t)usage.ru_minflt;
		s.major_faults = (uint64_t)usage.ru_majflt;
	}
	return s;
}

void state_mapping(const void *start, char *ret, size_t size)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	*ret = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		if (strtoull(line, NULL, 16) != (uintptr_t)start)
			continue;
		line[strcspn(line, "\n")] = '\0';
		str_copy(ret, size, line);
		return;
	}
}

void state_file_system(int fd, char *ret, size_t size)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{ EXT4_SUPER_MAGIC, "ext4" },	{ OVERLAYFS_SUPER_MAGIC, "overlayfs" },
		{ TMPFS_MAGIC, "tmpfs" },	{ RAMFS_MAGIC, "ramfs" },
		{ XFS_SUPER_MAGIC, "xfs" },	{ BTRFS_SUPER_MAGIC, "btrfs" },
		{ SQUASHFS_MAGIC, "squashfs" },
	};
	struct statfs fs;

	*ret = '\0';
	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return;
	snprintf(ret, size, "%lx", (unsigned long)fs.f_type);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].magic == (unsigned long)fs.f_type)
			str_copy(ret, size, known[i].name);
}

/* "always [madvise] never" */
void state_thp(char *ret, size_t size)
{
	char text[128];
	char *word = NULL;

	*ret = '\0';
	if (state_read(THP, text, sizeof(text)))
		word = strchr(text, '[');
	if (!word)
		return;
	word[strcspn(word, "]")] = '\0';
	str_copy(ret, size, word + 1);
}
