/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain as libvirt reads it; inside the guest room only. */
#ifndef GUEST_XML_H
#define GUEST_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* A function of the host, passed through; all of a domain are functions of one device of the guest. */
struct xml_hostdev {
	unsigned int domain, bus, slot, function; /* on the host */
	unsigned int guest_function;
	bool rom; /* has one */
};

/* A virtio disk: vda, vdb, in this order. */
struct xml_disk {
	const char *path;   /* on the host */
	const char *format; /* "raw" or "qcow2" */
	const char *serial; /* by which the agent knows it; 20 bytes at most */
	bool readonly;
	bool there; /* on the guests' machine, where that is another */
};
#define XML_DISKS 2

struct xml_domain {
	const char *name;
	const char *uuid; /* or NULL: libvirt draws one */
	const char *kernel, *initrd, *cmdline;
	const char *console;  /* file the serial port is written to; NULL: a pty */
	const char *owner;    /* whose it is, as metadata (remote/owner.h), or NULL */
	const char *port;     /* name of the virtio-serial port */
	const char *emulator; /* or NULL: libvirt's choice */
	bool kvm;
	unsigned int memory_mib, vcpus;
	const struct xml_disk *disks; /* [n_disks] */
	size_t n_disks;
	const struct xml_hostdev *hostdevs; /* [n_hostdevs], the first with guest_function 0 */
	size_t n_hostdevs;
	const char *rom; /* of the first: a file that replaces it, "off", or NULL: its own */
	unsigned int window_gib;  /* room for BARs above 4 GiB; 0: QEMU's default */
	const char *hugepages;	  /* "2M", "1G" or NULL */
	const unsigned int *cpus; /* [n_cpus] processors of the host, or NULL: any */
	size_t n_cpus;
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
