// SPDX-License-Identifier: GPL-2.0-or-later
/* A toy kernel source, and git to look at what was made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#include "unit/demo/toy.h"

void toy_put(const char *dir, const char *path, const char *text)
{
	_cleanup_free_ char *file = str_printf("%s/%s", dir, path);
	_cleanup_free_ char *folder = xstrndup(file, (size_t)(strrchr(file, '/') - file));
	struct err err;

	assert_int_equal(fs_mkdirs(folder, &err), 0);
	assert_int_equal(fs_write(file, text, strlen(text), &err), 0);
}

void toy_source(const char *dir, const char *unit_file, const char *function)
{
	_cleanup_free_ char *unit = str_printf(TOY_DRIVER "/%s", unit_file);
	_cleanup_free_ char *text = str_printf(TOY_HEAD "%s" TOY_TAIL, function);
	_cleanup_free_ char *link = str_printf("%s/" TOY_DRIVER "/amdgpu/link", dir);

	toy_put(dir, unit, text);
	toy_put(dir, TOY_DRIVER "/amdgpu/Makefile",
		"amdgpu-y := amdgpu_hmm.o amdgpu_a.o amdgpu_b.o \\\n\tamdgpu_c.o amdgpu_d.o "
		"none.o\n");
	toy_put(dir, TOY_DRIVER "/display/dc/Makefile", "DC = dc_a.o\n");
	for (const char *name = "abcd"; *name; name++) {
		_cleanup_free_ char *path = str_printf(TOY_DRIVER "/amdgpu/amdgpu_%c.c", *name);

		toy_put(dir, path, TOY_HEAD TOY_TAIL);
	}
	toy_put(dir, TOY_DRIVER "/display/dc/dc_a.c", TOY_HEAD TOY_TAIL);
	toy_put(dir, TOY_DRIVER "/amdgpu/unlisted.c", TOY_HEAD TOY_TAIL);
	toy_put(dir, TOY_DRIVER "/amdgpu/none.c", "int no_place;\n");
	toy_put(dir, TOY_DRIVER "/include/toy.h", "extern int toy;\n");
	toy_put(dir, "kernel/fork.c", "int other;\n");
	/* What a build leaves behind, and a link. */
	toy_put(dir, TOY_DRIVER "/amdgpu/amdgpu_a.o", "object\n");
	toy_put(dir, TOY_DRIVER "/amdgpu/.amdgpu_a.o.cmd", "cmd\n");
	assert_int_equal(symlink("amdgpu_a.c", link), 0);
	free(toy_run("chmod 755 %s/" TOY_DRIVER "/amdgpu/amdgpu_b.c", dir));
}

static char *run(const char *command)
{
	struct buf out = { 0 };
	FILE *f = popen(command, "r");
	char block[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buf_add(&out, block, n);
	assert_int_equal(pclose(f), 0);
	return buf_take(&out);
}

char *toy_run(const char *fmt, ...)
{
	_cleanup_buf_ struct buf command = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&command, fmt, ap);
	va_end(ap);
	return run(command.data);
}

long toy_number(const char *fmt, ...)
{
	_cleanup_buf_ struct buf command = { 0 };
	_cleanup_free_ char *out = NULL;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&command, fmt, ap);
	va_end(ap);
	out = run(command.data);
	return strtol(out, NULL, 10);
}
