// SPDX-License-Identifier: GPL-2.0-or-later
/* See compile.h. */
#include "compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

const char compile_modinfo[] =
	"#define INFO(n, text) __attribute__((section(\".modinfo\"), used, aligned(1))) \\\n"
	"	static const char info_##n[] = text\n"
	"INFO(1, \"srcversion=0123456789ABCDEF0123456\");\n"
	"INFO(2, \"depends=drm,ttm\");\n"
	"INFO(3, \"vermagic=6.1.0 SMP preempt mod_unload modversions \");\n";

void compile(const char *path, const char *source, const char *flags)
{
	_cleanup_free_ char *c = str_printf("%s.c", path);
	_cleanup_free_ char *command =
		str_printf("gcc -O2 -fno-pic -fno-toplevel-reorder "
			   "-fno-asynchronous-unwind-tables -c -x c %s -o %s %s",
			   c, path, flags);
	struct err err = { 0 };

	assert_int_equal(fs_write(c, source, strlen(source), &err), 0);
	assert_int_equal(system(command), 0);
	assert_int_equal(fs_remove_tree(c, &err), 0);
}
