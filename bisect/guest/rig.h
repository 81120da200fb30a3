/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stays the same from trial to trial; inside the guest room only. */
#ifndef GUEST_RIG_H
#define GUEST_RIG_H

#include "guest/gpu/pass.h"
#include "guest/guest.h"
#include "guest/image/modules.h"
#include "guest/remote/place.h"
#include "guest/limits.h"
#include "guest/virt/virt.h"

struct warm;

struct rig {
	const struct guest_spec *spec;
	struct guest_spec own; /* a copy with the defaults filled in */
	struct virt *virt;
	struct place *place; /* where files are not shared with QEMU, else NULL */
	struct pass *pass;	/* what guests get of the host's hardware */
	struct modules modules; /* those packed */
	char *vmlinux, *initramfs;
	char *runtime; /* squashfs with the HIP runtime and firmware, or NULL */
	char *base;    /* of the disk guest's overlays, or NULL */
	char *bare; /* initramfs without modules, for kernels of candidates; made when first needed */
	char *emulator;
	enum guest_accel accel;
	char why[256];		/* for people: why that acceleration */
	enum guest_start start; /* warm or cold */
	char start_why[96];	/* for people */
	struct warm *warm;
	unsigned int n_trials;
	int64_t expect_ns[STAGE_COUNT]; /* what the stages took last; -1: not known */
	struct limits booted, restored; /* what they took at most */
};

/**
 * rig_bare() - agent and probes alone: a candidate's own kernel has the drivers of the channel built in
 * @ret: path, owned by the rig
 * @err: as initramfs_make()
 */
int rig_bare(struct rig *r, const char **ret, struct err *err);

#endif
