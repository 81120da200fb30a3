/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a repository is: what lies in one may name programs, and is trusted only from its user. */
#ifndef RANGE_DOOR_OWNER_H
#define RANGE_DOOR_OWNER_H

#include <stdbool.h>

/**
 * owner_is_trusted() - whether a repository is ours, or named by safe.directory
 * @tree: work tree, ends in '/'; NULL if the repository is bare
 * @link: .git in the work tree, counted where it is a file that leads elsewhere
 * @git:  .git directory, ends in '/'
 *
 * Under sudo what is of the user behind it counts as ours. Only the system's and the user's own
 * configuration are asked.
 *
 * Return: whether it may be opened.
 * Source: git-config(1) "safe.directory".
 */
bool owner_is_trusted(const char *tree, const char *link, const char *git);

#endif
