/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests with real guests share. */
#ifndef KIT_H
#define KIT_H

#include <stdbool.h>

#include "guest/guest.h"

/**
 * kit_spec() - a spec for the first kernel that is installed here, or the one whose release
 * AMDGPU_BISECT_TEST_KERNEL names
 * @agent: packed as it is
 * @dir:   its cache
 * Return: false if there is no such kernel; the test cannot run.
 */
bool kit_spec(struct guest_spec *ret, const char *agent, const char *dir);

/** kit_release() - of that kernel */
const char *kit_release(void);

/** kit_slot() - where @pid has its guests, also when it has ended and another took that over; or NULL */
const char *kit_slot(int pid);

/** kit_qemus() - QEMU processes of guests that process @pid started; 0: of any process */
int kit_qemus(int pid);

/** kit_kill_qemus() - the same, and they are killed */
int kit_kill_qemus(int pid);

/** kit_fds() - descriptors that are open in this process */
int kit_fds(void);

#endif
