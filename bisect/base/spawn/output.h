/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a running program writes: kept, captured, seen by lines. Inner to base/spawn. */
#ifndef BASE_SPAWN_OUTPUT_H
#define BASE_SPAWN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/spawn.h"

struct spawn_output {
	const struct spawn *spec;
	int file; /* spec->output, or -1 */
	struct {
		int fd; /* read end of a pipe, or -1 */
		struct buf line;
		bool captured;
	} streams[2];
};

#define SPAWN_OUTPUT_INIT(spawn)         \
	{                                \
		(spawn), -1,             \
		{                        \
			{ .fd = -1 },    \
			{                \
				.fd = -1 \
			}                \
		}                        \
	}

/**
 * spawn_output_open() - make what the program writes to
 * @fds: -1 each; [0..2] are set to its standard descriptors, close-on-exec, for the caller to close
 */
int spawn_output_open(struct spawn_output *o, int fds[3], struct err *err);

/** spawn_output_take() - what is there now on stream @i: 1 something, 0 nothing or its end, -1 */
int spawn_output_take(struct spawn_output *o, size_t i, struct err *err);

/**
 * spawn_output_rest() - what is still in the pipes once the program has ended, and the last lines
 *
 * Not to the pipes' end, which a daemon that escaped from the group may hold open.
 */
int spawn_output_rest(struct spawn_output *o, struct err *err);

/** spawn_output_close() - read no more */
void spawn_output_close(struct spawn_output *o);
void spawn_output_deinit(struct spawn_output *o);

#endif
