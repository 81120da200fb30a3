// SPDX-License-Identifier: GPL-2.0-or-later
/* When a run begins and when it goes on: upon which disk. See disk.h. */
#include "controller/kept/disk.h"

#include <string.h>

#include "base/cleanup.h"

#define CONTENT "guest.disk.content"

int disk_keep(struct options *o, struct store *s, const struct rig *rig, struct err *err)
{
	_cleanup_buf_ struct buf content = { 0 };
	enum option_origin origin = o->o[OPT_DISK].origin;

	if (!rig_disk(rig))
		return 0;
	if (rig_disk_content(rig, &content, err) < 0 ||
	    options_set(o, options_key(OPT_DISK), rig_disk(rig), origin, err) < 0)
		return -1;
	return store_set(s, CONTENT, content.data, err);
}

int disk_same(const struct options *o, struct store *s, const struct rig *rig, struct err *err)
{
	_cleanup_buf_ struct buf content = { 0 };
	_cleanup_free_ char *before = NULL;

	if (!rig_disk(rig))
		return 0;
	if (rig_disk_content(rig, &content, err) < 0 || store_get(s, CONTENT, &before, err) < 0)
		return -1;
	if (before && strcmp(before, content.data) == 0)
		return 0;
	if (before && o->o[OPT_DISK].origin != ORIGIN_FLAG)
		return err_set(
			err, ERR_USAGE,
			"the disk %s was made anew since this run began; what was tried upon "
			"the old one counts only with it: start a new run, or take this one "
			"for the rest with --disk %s",
			rig_disk(rig), rig_disk(rig));
	return store_set(s, CONTENT, content.data, err);
}
