/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: which names and links out of a commit may stand on disk. Pure. */
#ifndef RANGE_CHECKOUT_NAMES_H
#define RANGE_CHECKOUT_NAMES_H

#include <stdbool.h>

/** name_is_safe() - false for a name that would leave its directory or reach into .git */
bool name_is_safe(const char *name);

/**
 * name_link_stays() - whether a link's target lies inside the checkout
 * @path:   of the link, from the checkout's root, with a leading slash
 * @target: what it points to
 */
bool name_link_stays(const char *path, const char *target);

/** name_is_output_dir() - whether all in a directory of that name is made by the build, or git's */
bool name_is_output_dir(const char *name);

/** name_is_source() - whether a person would have written a file of that name */
bool name_is_source(const char *name);

#endif
