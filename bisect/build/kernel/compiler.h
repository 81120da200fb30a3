/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several compilers by kernel version: old kernels do not build with new ones. */
#ifndef BUILD_COMPILER_H
#define BUILD_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "build/kernel/version.h"

struct compiler_rule {
	struct kversion from, to; /* inclusive; "5.17" as an end holds all 5.17.x */
	bool has_from, has_to;
	char *cc;
};

/* Zero-initialised there are none. */
struct compiler_rules {
	struct compiler_rule *items; /* in order of preference, [n] */
	size_t n;
};

/**
 * compiler_rules_parse() - "4.19..5.17 gcc-10", "..4.18 ccache gcc-8"
 * @texts: [n]
 * @ret:   owned by the caller, compiler_rules_deinit()
 * @err:   ERR_USAGE: the text, what is wrong with it and what is meant
 */
int compiler_rules_parse(const char *const *texts, size_t n, struct compiler_rules *ret,
			 struct err *err);
void compiler_rules_deinit(struct compiler_rules *r);

/**
 * compiler_for() - the compiler of the first rule that holds a version; NULL: none does
 * Return: owned by the rules.
 */
const char *compiler_for(const struct compiler_rules *r, const struct kversion *v);

#endif
