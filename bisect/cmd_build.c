// SPDX-License-Identifier: GPL-2.0-or-later
/* build: revisions into the cache. */
#include "cmd.h"

int cmd_build(struct options *o, struct err *err)
{
	if (!o->args.n)
		return err_set(err, ERR_USAGE, "want revisions: amdgpu-bisect build REV [REV]...");
	return err_set(err, ERR_USAGE, "not yet");
}
