// SPDX-License-Identifier: GPL-2.0-or-later
/* A guest with a system of its own writes to its disk; the next one must not see it. */
#include "guest/image/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/str.h"
#include "guest/image/keep.h"
#include "guest/image/manifest.h"

#define PREFIX	    "disk-"
#define KEY_LEN	    16 /* hex digits; what is longer is a manifest or half an image */
#define LIMIT_MS    30000
#define QCOW2_MAGIC "QFI\xfb"

static char *newest(const char *dir)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	int64_t best = -1;
	char *ret = NULL;
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		struct stat st;
		int64_t used;

		if (!str_starts(e->d_name, PREFIX) ||
		    strlen(e->d_name) != strlen(PREFIX) + KEY_LEN ||
		    fstatat(dirfd(d), e->d_name, &st, 0) < 0)
			continue;
		used = st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
		if (used <= best)
			continue;
		best = used;
		free(ret);
		ret = str_printf("%s/%s", dir, e->d_name);
	}
	return ret;
}

/* "image DIGEST BYTES bytes" of a base's manifest; false: there is none. */
static bool made_as(const char *base, char digest[65])
{
	_cleanup_free_ char *path = str_printf("%s" MANIFEST_SUFFIX, base), *text = NULL;
	struct err ignored;
	const char *at;

	if (fs_read(path, MANIFEST_MAX, &text, NULL, &ignored) < 0)
		return false;
	at = text + manifest_inputs_len(text);
	if (!str_starts(at, MANIFEST_IMAGE) ||
	    strspn(at + strlen(MANIFEST_IMAGE), "0123456789abcdef") != 64)
		return false;
	str_copy(digest, 65, at + strlen(MANIFEST_IMAGE));
	return true;
}

int disk_base(const char *wanted, const char *dir, char **ret, struct err *err)
{
	_cleanup_free_ char *path = wanted ? xstrdup(wanted) : newest(dir);
	char digest[65];
	char *full;

	if (!path)
		return err_set(err, ERR_USAGE,
			       "no disk guest in %s; `amdgpu-bisect image build --disk RELEASE` "
			       "makes one, as debian-13",
			       dir);
	full = realpath(path, NULL); /* libvirt takes no relative paths */
	if (!full)
		return err_set(err, ERR_USAGE,
			       "the disk %s is gone; `amdgpu-bisect image build --disk RELEASE` "
			       "makes one, --disk names another",
			       path);
	if (!wanted || made_as(full, digest)) /* a file of the user's is left as it is */
		keep_used(full);
	*ret = full;
	return 0;
}

int disk_content(const char *base, struct buf *ret, struct err *err)
{
	char digest[65];

	if (made_as(base, digest))
		buf_puts(ret, digest);
	else if (!fs_stamp(base, "file", ret))
		return err_errno(err, ERR_HOST, "cannot look at the disk %s", base);
	return 0;
}

int disk_check(const char *base, struct err *err)
{
	char made[65], is[65];

	if (!made_as(base, made))
		return 0;
	if (fs_sha256_file(base, is, err) < 0)
		return -1;
	if (strcmp(made, is) != 0)
		return err_set(err, ERR_HOST,
			       "the disk %s is damaged; `amdgpu-bisect image build --disk RELEASE "
			       "--refresh` makes it again, --disk names another",
			       base);
	return 0;
}

const char *disk_format(const char *base)
{
	_cleanup_close_ int fd = open(base, O_RDONLY | O_CLOEXEC);
	char magic[4];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
			       memcmp(magic, QCOW2_MAGIC, sizeof(magic)) == 0
		       ? "qcow2"
		       : "raw";
}

int disk_overlay(const char *base, const char *path, struct err *err)
{
	const char *const argv[] = { "qemu-img",	"create", "-q", "-f", "qcow2", "-F",
				     disk_format(base), "-b",	  base, path, NULL };
	_cleanup_free_ char *program = spawn_find(argv[0]);
	_cleanup_free_ char *log = str_printf("%s.log", path), *words = NULL;
	struct spawn spawn = { .argv = argv, .output = log, .limit_ms = LIMIT_MS };
	struct spawn_result result;
	struct err ignored;
	int r;

	if (!program)
		return err_set(err, ERR_USAGE,
			       "no qemu-img here, which makes the guest's disk; `sudo apt install "
			       "qemu-utils`");
	if (unlink(path) < 0 && errno != ENOENT)
		return err_errno(err, ERR_HOST, "cannot replace %s", path);
	r = spawn_run(&spawn, &result, err);
	if (r == 0 && result.exit_code != 0) {
		if (fs_read(log, 64 << 10, &words, NULL, &ignored) == 0)
			words[strcspn(words, "\n")] = '\0';
		r = err_set(err, ERR_HOST, "cannot make the guest's disk %s: %s", path,
			    words && *words ? words : "qemu-img failed");
	}
	unlink(log);
	return r;
}
