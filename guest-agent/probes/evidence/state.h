/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State: what the kernel tells of this process and of the source, around a copy. All of it is
 * evidence and none is needed: where /proc or /sys is hidden the fields stay empty.
 */
#ifndef PROBES_STATE_H
#define PROBES_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* What changes with a copy. */
struct state {
	uint64_t anon_bytes, file_bytes; /* RssAnon, RssFile of /proc/self/status */
	uint64_t minor_faults, major_faults;
};

struct state state_now(void);

/** state_rss() - RssAnon and RssFile [bytes] of the text of /proc/PID/status; pure */
void state_rss(const char *status, struct state *ret);

/** state_read() - the beginning of a file as text; false if it cannot be read */
bool state_read(const char *path, char *ret, size_t size);

/** state_mapping() - the line of /proc/self/maps that begins at @start, or "" */
void state_mapping(const void *start, char *ret, size_t size);

/** state_file_system() - of an open file: "ext4", ..., or its magic in hex; "" if unknown */
void state_file_system(int fd, char *ret, size_t size);

/** state_thp() - the chosen word of transparent_hugepage/enabled, or "" */
void state_thp(char *ret, size_t size);

#endif
