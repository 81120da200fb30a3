// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A Debian or RPM package that a user names: it is refused in words, or what it holds lies below the root and is files and
 * directories only.
 */
#include <assert.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/package/package.h"
#include "fuzz.h"

/* Beside the root nothing appears; one directory for all inputs. */
static char place[32];

static void remove_place(void)
{
	struct err ignored;

	fs_remove_tree(place, &ignored);
}

static void make_place(void)
{
	strcpy(place, access("/dev/shm", W_OK) ? "/tmp/fuzz-XXXXXX" : "/dev/shm/fuzz-XXXXXX");
	if (!mkdtemp(place))
		abort();
	atexit(remove_place);
}

static int look(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)at;
	assert(kind == FTW_F || kind == FTW_D);
	assert(kind == FTW_D || (S_ISREG(st->st_mode) && strstr(path, "/root/")));
	assert(st->st_size <= 1 << 30);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("package", MFD_CLOEXEC);
	_cleanup_free_ char *path = str_printf("/proc/self/fd/%d", fd);
	_cleanup_free_ char *root = NULL;
	struct err err = { 0 };

	if (!*place)
		make_place();
	root = str_printf("%s/root", place);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	assert(fs_mkdirs(root, &err) == 0);
	if (package_unpack(path, root, &err) < 0)
		assert(err.kind == ERR_USAGE && strstr(err.msg, path));
	assert(nftw(place, look, 16, FTW_PHYS) == 0);
	assert(fs_remove_tree(root, &err) == 0);
	return 0;
}
