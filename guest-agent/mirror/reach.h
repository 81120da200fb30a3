/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a function of the candidate is reached; only form_*.c and main.c come here.
 *
 * Unit scope links it. Module scope finds it in the loaded amdgpu.ko and patches it into a static
 * call: typed by the candidate's own header, and a direct branch, which needs neither a retpoline
 * nor an ENDBR at the target (objtool seals those of functions whose address amdgpu never takes).
 */
#ifndef REACH_H
#define REACH_H

#include <linux/static_call.h>
#include <linux/types.h>

#include "mirror_abi.h"

#if defined(REACH_UNIT)

#define REACH_SCOPE	       MIRROR_SCOPE_UNIT
#define REACH_DEFINE(function) extern typeof(function) function
#define reach_call(function)   function
#define reach_bind(function)   0

static inline int reach_open(void)
{
	return 0;
}

static inline void reach_close(void)
{
}

#elif defined(REACH_MODULE)

#define REACH_SCOPE	       MIRROR_SCOPE_MODULE
#define REACH_DEFINE(function) DEFINE_STATIC_CALL_NULL(mirror_##function, function)
#define reach_call(function)   static_call(mirror_##function)
#define reach_bind(function)                                          \
	({                                                            \
		void *found = reach_find(#function);                  \
                                                                      \
		if (found)                                            \
			static_call_update(mirror_##function, found); \
		found ? 0 : -ENOENT;                                  \
	})

/**
 * reach_open() - hold the loaded driver until reach_close()
 *
 * Return: 0, or -ENODEV when no amdgpu is loaded or it is going away.
 */
int reach_open(void);

/** reach_close() - let the driver go; nothing of it may be called any more */
void reach_close(void);

/**
 * reach_find() - look a function up in the held driver
 * @symbol: its name
 *
 * Return: where to call it, or NULL when the driver has no such function.
 */
void *reach_find(const char *symbol);

#else
#error "Kbuild sets REACH_UNIT or REACH_MODULE"
#endif

#endif
