// SPDX-License-Identifier: GPL-2.0-or-later
/* replay: the verdicts of an evidence folder once more, from its raw copies and nothing else. */
#include <stdio.h>

#include "cmd.h"
#include "controller/evidence/evidence.h"

int cmd_replay(struct options *o, struct err *err)
{
	_cleanup_(evidence_deinit) struct evidence e = { 0 };
	_cleanup_buf_ struct buf differences = { 0 };
	struct evidence_replay r;

	if (o->args.n != 1)
		return err_set(
			err, ERR_USAGE,
			"want an evidence folder: amdgpu-bisect replay DIR; report --evidence DIR "
			"makes one");
	if (evidence_open(o->args.items[0], &e, err) < 0 ||
	    evidence_judge(&e, &r, &differences, err) < 0)
		return -1;
	if (differences.len)
		fputs(differences.data, stdout);
	printf("%zu trials: %zu judged again from their copies, %zu of the artifact of another, "
	       "%zu "
	       "without copies, as recorded; %zu differ\n",
	       e.n, r.n_judged, r.n_same, r.n_recorded, r.n_differ);
	return r.n_differ ? EXIT_BAD : EXIT_GOOD;
}
