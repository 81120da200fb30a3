/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Module.symvers: the symbols that a kernel and its modules export. */
#ifndef BUILD_SYMVERS_H
#define BUILD_SYMVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Zero-initialised it exports nothing. */
struct symvers {
	char *text;
	const char **names; /* sorted, [n], within text */
	size_t n;
};

/**
 * symvers_parse() - take the file's text
 * @text: "0x4c9d28b0<TAB>phys_base<TAB>vmlinux<TAB>EXPORT_SYMBOL<TAB>[namespace]" a line; taken over
 * @err:  ERR_USAGE naming @path if a line is of another kind, or there is none
 * Source: Documentation/kbuild/modules.rst, "Symbols and External Modules".
 */
int symvers_parse(struct symvers *ret, char *text, const char *path, struct err *err);
void symvers_deinit(struct symvers *s);

bool symvers_has(const struct symvers *s, const char *name);

#endif
