/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects that look like modules, made by the compiler that builds them. */
#ifndef TESTS_BUILD_COMPILE_H
#define TESTS_BUILD_COMPILE_H

/* What any module has: .modinfo with a srcversion, a name to depend on, and the vermagic. */
extern const char compile_modinfo[];

/** compile() - write SOURCE to PATH.c and make PATH of it; @flags are added. Fails the test. */
void compile(const char *path, const char *source, const char *flags);

#endif
