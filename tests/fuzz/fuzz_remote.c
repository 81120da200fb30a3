// SPDX-License-Identifier: GPL-2.0-or-later
/* A daemon's words on a volume and on a guest: whatever the bytes, what is taken is whole and comes back. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "guest/remote/owner.h"
#include "guest/remote/shelf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct owner o;

	if (shelf_written((const char *)data, size) < 0)
		abort();
	if (!owner_parse((const char *)data, size, &o))
		return 0;
	if (!o.pid || !memchr(o.machine, '\0', sizeof(o.machine)) ||
	    !memchr(o.boot, '\0', sizeof(o.boot)))
		abort();
	return 0;
}
