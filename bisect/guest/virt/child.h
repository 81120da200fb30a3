/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU as a child of this process; inside the guest room only. */
#ifndef GUEST_CHILD_H
#define GUEST_CHILD_H

/*
 * libvirt lets go of the QEMU it starts, so that it becomes a child of PID 1, and waits for an ended one
 * until that has taken note. systemd does so at once; other inits take seconds, and what is PID 1 of a
 * container may never do it. So the embedded driver's QEMUs are made ours, and taken note of here.
 */

/** child_adopt() / child_adopt_end() - what is orphaned between the two becomes a child of this process */
void child_adopt(void);
void child_adopt_end(void);

/** child_watch() - take note of the end of the guest @name below the driver's @root, whenever that is */
void child_watch(const char *root, const char *name);

#endif
