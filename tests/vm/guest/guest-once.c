// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One trial, for the tests that end a controller from outside, and for people who look inside:
 *
 *	guest-once AGENT LABEL DIR CACHE [KERNEL-ARGUMENTS [VMLINUX]]
 *
 * A VMLINUX is booted as a candidate's own kernel is. Prints how it ended, or the error's kind, and why.
 */
#include <stdio.h>

#include "base/stop.h"
#include "kit/kit.h"

int main(int argc, char **argv)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	struct trial_spec spec = { .probe = "copy-regimes", .args = "" };
	struct guest_spec guest;
	struct trial trial;
	struct err err;

	if (argc < 5 || !kit_spec(&guest, argv[1], argv[4]))
		return 2;
	guest.append = argc > 5 ? argv[5] : NULL;
	spec.image = argc > 6 ? argv[6] : NULL;
	spec.label = argv[2];
	spec.dir = argv[3];
	stop_install();
	if (rig_open(&guest, &rig, &err) < 0 || guest_try(rig, &spec, &trial, &err) < 0) {
		printf("%s: %s\n", err_kind_name(err.kind), err.msg);
		return 1;
	}
	printf("%s: %s (%s)\n", trial_end_name(trial.end), trial.reason,
	       guest_start_name(trial.start));
	trial_deinit(&trial);
	return 0;
}
