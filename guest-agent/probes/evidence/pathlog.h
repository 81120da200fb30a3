/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Path proof: a HIP copy may pin the source's pages, which goes through the driver's HMM code, or
 * stage them in a buffer of the runtime's, which does not; and one that cannot be pinned is staged
 * without a word. The runtime's own log tells (AMD_LOG_LEVEL=4, AMD_LOG_MASK=0x100, "copy debug").
 */
#ifndef PROBES_PATHLOG_H
#define PROBES_PATHLOG_H

#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* What the log says of the copies made meanwhile. */
struct pathlog {
	uint64_t pinned_bytes; /* handed to a copy engine from where they lie */
	uint64_t staged_bytes;
};

/**
 * pathlog_read() - add up the copies that a log tells of; pure
 * @text: [len] bytes, any
 *
 * Source: ROCm clr, rocclr/device/rocm/rocblit.cpp, what is printed with LOG_COPY: "... Copy ...
 * staged H2D ... size=N" for each staged piece, "... Copy ... size=N" for each that is none.
 */
void pathlog_read(const char *text, size_t len, struct pathlog *ret);

/** pathlog_path() - the way that most of @bytes went, or PATH_UNKNOWN if the log tells of too few */
enum wire_path pathlog_path(const struct pathlog *log, uint64_t bytes);

#endif
