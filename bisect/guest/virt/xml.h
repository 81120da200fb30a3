/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain as libvirt reads it; inside the guest room only. */
#ifndef GUEST_XML_H
#define GUEST_XML_H

#include <stdbool.h>

#include "base/err.h"

struct xml_domain {
	const char *name;
	const char *kernel, *initrd, *cmdline;
	const char *console;  /* file the serial port is written to */
	const char *port;     /* name of the virtio-serial port */
	const char *emulator; /* or NULL: libvirt's choice */
	bool kvm;
	unsigned int memory_mib, vcpus;
};

/**
 * xml_domain() - domain XML for the small guest
 * @d:   texts may hold anything; what XML cannot hold is refused
 * @ret: owned by the caller
 * @err: ERR_USAGE: a text with control characters or bytes that are no UTF-8
 *
 * Source: https://libvirt.org/formatdomain.html
 */
int xml_domain(const struct xml_domain *d, char **ret, struct err *err);

#endif
