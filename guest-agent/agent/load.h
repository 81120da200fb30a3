/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WIRE_LOAD: a module goes in, from a child, since its init is the candidate's own code. */
#ifndef AGENT_LOAD_H
#define AGENT_LOAD_H

#include <stdint.h>

#include "base/err.h"
#include "wire/wire.h"

/**
 * load_module() - insert a streamed module, or else a packed one with its dependencies
 * @put_dir:  directory of streamed files; a module that went in is removed there
 * @list:     list of the packed modules, see modules.h
 * @name:     as put, or a packed module's name
 * @limit_ms: what its init may take
 * @ret:      the WIRE_LOADED to answer
 * @err:      ERR_BOOT: refused, hung or ended by a signal, in words for the controller
 */
int load_module(const char *put_dir, const char *list, const char *name, const char *params,
		uint32_t limit_ms, struct wire_msg *ret, struct err *err);

#endif
