// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An object file that a damaged disk or a broken tool left: it is refused, or read within its bounds, and
 * the same bytes have one signature.
 */
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "build/make/object.h"
#include "build/make/signature.h"
#include "fuzz.h"

/* libelf's own mistakes are not ours to find: a file is given to it, whose end is a page's end. */
static int open_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = open_file(data, size);
	_cleanup_free_ char *path = str_printf("/proc/self/fd/%d", fd);
	const char *paths[] = { path, path };
	_cleanup_(object_identity_deinit) struct object_identity id = { 0 };
	_cleanup_strv_ struct strv undefined = { 0 };
	struct err err = { 0 };
	char first[65] = "", again[65] = "", twice[65] = "";
	int rc = signature_of(paths, 1, first, &err);

	assert(rc == 0 ? strlen(first) == 64 : err.kind == ERR_HOST && !*first);
	assert(signature_of(paths, 1, again, &err) == rc && strcmp(first, again) == 0);
	assert(signature_of(paths, 2, twice, &err) == rc);
	if (object_identity(path, &id, &err) == 0) {
		assert(strlen(id.build_id) < sizeof(id.build_id));
		for (size_t i = 0; i < id.depends.n; i++)
			assert(*id.depends.items[i]);
	}
	object_undefined(path, &undefined, &err);
	return 0;
}
