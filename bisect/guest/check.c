// SPDX-License-Identifier: GPL-2.0-or-later
/* For `doctor`: can libvirt run the guest here? Opens a connection and closes it again. */
#include "guest/guest.h"

#include <stdio.h>

#include "guest/virt/virt.h"

int guest_check_libvirt(const char *uri, const char *cache_dir, char *ret, size_t size,
			struct err *err)
{
	_cleanup_(virt_close_p) struct virt *v = NULL;
	unsigned long lib = 0, hv = 0;

	if (virt_open(uri, cache_dir, &v, err) < 0)
		return -1;
	if (virConnectGetLibVersion(virt_conn(v), &lib) < 0 ||
	    virConnectGetVersion(virt_conn(v), &hv) < 0)
		return virt_error(err, "libvirt does not tell its version");
	snprintf(ret, size, "%lu.%lu.%lu, QEMU %lu.%lu.%lu, %s", lib / 1000000, lib / 1000 % 1000,
		 lib % 1000, hv / 1000000, hv / 1000 % 1000, hv % 1000,
		 uri ? uri : "embedded driver, no daemon needed; guests start warm");
	return 0;
}
