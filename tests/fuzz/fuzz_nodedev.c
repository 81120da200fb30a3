// SPDX-License-Identifier: GPL-2.0-or-later
/* A node device as libvirt describes it: whatever the bytes, what is taken is an address and short text. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "guest/gpu/nodedev.h"
#include "guest/gpu/sysfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nodedev d;

	if (!nodedev_parse((const char *)data, size, &d))
		return 0;
	if (!sysfs_address(d.address) || !memchr(d.product_name, '\0', sizeof(d.product_name)) ||
	    !memchr(d.vendor_name, '\0', sizeof(d.vendor_name)))
		abort();
	return 0;
}
