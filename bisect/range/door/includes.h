/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What git's configuration files include: found without opening it, as libgit2 does while it reads one. */
#ifndef RANGE_DOOR_INCLUDES_H
#define RANGE_DOOR_INCLUDES_H

#include "base/str.h"

/**
 * includes_find() - the values of include.path and includeIf.*.path, whatever the condition says
 * @text: NUL-terminated; a line that is not right is passed over
 * @ret:  what is found is added, as it is written there
 *
 * Source: git-config(1), "Syntax" and "Includes".
 */
void includes_find(const char *text, struct strv *ret);

#endif
