// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * No runtime: the CPU reads a byte of every page. What a mapping costs that nothing but the
 * processor looks at; works anywhere.
 */
#include "guest-agent/probes/runtime/runtime.h"

#include <stdio.h>
#include <unistd.h>

static int none_open(struct runtime *rt, const struct runtime_setup *setup, enum runtime_found *ret,
		     char *why, size_t size, struct err *err)
{
	(void)setup;
	(void)why;
	(void)size;
	(void)err;
	snprintf(rt->what, sizeof(rt->what), "the processor reads");
	*ret = RUNTIME_READY;
	return 0;
}

static int none_copy(struct runtime *rt, const void *addr, size_t len, bool read_permission,
		     struct runtime_copy *ret, struct err *err)
{
	const volatile char *bytes = addr;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)rt;
	(void)read_permission;
	(void)err;
	for (size_t at = 0; at < len; at += page)
		(void)bytes[at];
	(void)bytes[len - 1];
	*ret = (struct runtime_copy){ 0 };
	return 0;
}

static void none_close(struct runtime *rt)
{
	(void)rt;
}

const struct runtime_ops runtime_none = {
	.name = "none",
	.open = none_open,
	.copy = none_copy,
	.close = none_close,
	.any_start = true,
};
