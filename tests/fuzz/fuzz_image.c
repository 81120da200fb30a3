// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel image that a user named or that a build left: it is refused in words, or what a guest would
 * boot lies within its bounds.
 */
#include <assert.h>
#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "fuzz.h"
#include "guest/image/image.h"

static void assert_within(const struct buf *elf)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)elf->data;

	assert(elf->len >= sizeof(*eh) && eh->e_shnum == 0);
	for (unsigned int i = 0; i < eh->e_phnum; i++) {
		Elf64_Phdr ph;

		assert(eh->e_phoff + (i + 1) * sizeof(ph) <= elf->len);
		memcpy(&ph, elf->data + eh->e_phoff + i * sizeof(ph), sizeof(ph));
		assert(ph.p_type != PT_LOAD || ph.p_offset + ph.p_filesz <= elf->len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_close_ int fd = memfd_create("image", MFD_CLOEXEC);
	_cleanup_free_ char *path = str_printf("/proc/self/fd/%d", fd);
	_cleanup_buf_ struct buf elf = { 0 };
	struct err err = { 0 }, why = { 0 };
	int own, any;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	own = image_check(path, &why);
	assert(own == 0 || (why.kind == ERR_BOOT && strstr(why.msg, path)));
	any = image_extract(path, &elf, &err);
	assert(any == 0 || err.kind == ERR_USAGE);
	/* What boots in place boots when it is taken apart as well. */
	assert(own < 0 || any == 0);
	if (any == 0)
		assert_within(&elf);
	return 0;
}
