/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a rig knows of its saved guests; inside guest/warm only. */
#ifndef GUEST_WARM_STATE_H
#define GUEST_WARM_STATE_H

#include <stdbool.h>

#include "guest/warm/save.h"

struct warm {
	char *dir;
	struct save save;
	char kernel_sum[65], initrd_sum[65]; /* of the rig's files, or empty */
	unsigned int failures;		     /* saves that could not be made or were of no use */
	bool warned;
};

#endif
