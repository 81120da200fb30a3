// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One trial through a libvirt daemon:
 *
 *	remote-once AGENT PROBE LABEL DIR CACHE URI [POOL]
 *
 * Prints how it ended, or the error's kind, and why. In the environment KERNEL is a candidate's own,
 * BOOT_MS its limit, APPEND more arguments for it, DISK the base of a disk guest, CORE=on that its memory
 * is kept.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/stop.h"
#include "kit/kit.h"

int main(int argc, char **argv)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	struct progress *progress = progress_create(stderr, false);
	struct guest_spec guest;
	struct trial_spec spec;
	struct trial trial;
	struct err err;
	const char *why;
	int ret = 1;

	if (argc < 7 || !kit_spec(&guest, argv[1], argv[5]))
		return 2;
	guest.probes = (const char *const *)&argv[2];
	guest.n_probes = 1;
	guest.uri = argv[6];
	guest.pool = argc > 7 ? argv[7] : NULL;
	guest.progress = progress;
	guest.append = getenv("APPEND");
	guest.disk = getenv("DISK");
	guest.has_disk = guest.disk != NULL;
	guest.core = getenv("CORE") != NULL;
	if (guest.has_disk)
		guest.memory_mib = 512;
	guest.limit.boot_ms = getenv("BOOT_MS") ? atoi(getenv("BOOT_MS")) : 0;
	spec = (struct trial_spec){
		.label = argv[3],
		.dir = argv[4],
		.image = getenv("KERNEL"),
		.probe = "poke",
		.args = "/dev/null x",
	};
	stop_install();
	if (rig_open(&guest, &rig, &err) < 0 || guest_try(rig, &spec, &trial, &err) < 0) {
		printf("%s: %s\n", err_kind_name(err.kind), err.msg);
	} else {
		ret = 0;
		rig_accel(rig, &why);
		printf("%s: %s (%s; %s; create %.2f boot %.2f load %.2f probe %.2f s)\n",
		       trial_end_name(trial.end), trial.reason, guest_start_name(trial.start), why,
		       trial.stage_ns[0] / 1e9, trial.stage_ns[1] / 1e9, trial.stage_ns[2] / 1e9,
		       trial.stage_ns[3] / 1e9);
		trial_deinit(&trial);
	}
	progress_destroy(progress);
	return ret;
}
