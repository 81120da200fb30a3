/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stand-in for a function that the candidate's unit refers to and the kernel does not export.
 *
 * The builder writes stubs.c: this include, then one MIRROR_STUB() a line. Nothing the mirror calls
 * leads to a stub; one that is called says so once and returns 0: the guest lives, and the reading
 * is void. It is weak: where the mirror defines the function itself, that definition wins. No
 * header of the candidate is in scope, hence no prototype to clash with.
 */
#ifndef STUB_H
#define STUB_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/printk.h>

#define MIRROR_STUB(function)                                                      \
	long function(void);                                                       \
	long __weak function(void)                                                 \
	{                                                                          \
		WARN_ONCE(1, KBUILD_MODNAME ": stub of %s() called\n", #function); \
		return 0;                                                          \
	}

#endif
