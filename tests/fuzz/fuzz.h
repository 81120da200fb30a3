/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A fuzz target: one function that must return 0 whatever the bytes. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
