/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: paths, sorted by strv_sort_once(), and directories on the way to them. Pure. */
#ifndef RANGE_CHANGE_PATHSET_H
#define RANGE_CHANGE_PATHSET_H

#include <stdbool.h>

#include "base/str.h"

/** pathset_has() - whether @path is one of them */
bool pathset_has(const struct strv *paths, const char *path);

/** pathset_leads() - whether one of them lies below the directory @dir */
bool pathset_leads(const struct strv *paths, const char *dir);

#endif
