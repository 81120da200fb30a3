/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks that the controller gives a guest, each known by its serial number, which is on the kernel's
 * command line: amdgpu_bisect.runtime=SERIAL, amdgpu_bisect.root=SERIAL.
 */
#ifndef AGENT_DISK_H
#define AGENT_DISK_H

#include <stdbool.h>
#include <stddef.h>

/* The runtime is mounted here; probes look for libraries in lib/, the kernel for firmware in firmware/. */
#define DISK_RUNTIME	  "/opt/amdgpu-bisect"
#define DISK_RUNTIME_LIBS DISK_RUNTIME "/lib"

/**
 * disk_argument() - value of a word of a kernel command line
 * @cmdline: words parted by blanks
 * @name:    "amdgpu_bisect.root"
 * @ret:     [size]; a value that does not fit is none
 *
 * Return: false if there is no such word; of several the first counts.
 */
bool disk_argument(const char *cmdline, const char *name, char *ret, size_t size);

/** disk_mount_runtime() - mount the runtime's disk, if there is to be one; what fails is said on the console */
void disk_mount_runtime(void);

/** disk_is_root() - is there to be a root disk? */
bool disk_is_root(void);

/**
 * disk_switch_root() - for PID 1: hand the guest over to the system on its root disk, if it has one
 *
 * What the initramfs brought goes along at the same places, the agent as /usr/libexec/amdgpu-bisect-agent;
 * that system's amdgpu-bisect-agent.service starts it. Returns if there is no such disk to be used.
 */
void disk_switch_root(void);

#endif
