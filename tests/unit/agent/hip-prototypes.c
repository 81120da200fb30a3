// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of calls holds what HIP's own header says, or this does not compile: the result and each
 * argument, with the header's enums in the place of our ints, and those as wide as an int.
 */
#include <hip/hip_runtime_api.h>

#include <assert.h>

#define GPU_ERROR  hipError_t
#define GPU_KIND   hipMemcpyKind
#define GPU_DEVICE hipDevice_t
#include "guest-agent/probes/runtime/gpu_calls.h"

#define SAME(member, name, result, args)                                                    \
	static_assert(__builtin_types_compatible_p(__typeof__(&hip##name), result(*) args), \
		      "hip" #name " is not as the table has it");

GPU_CALLS(SAME)
GPU_CALLS_HIP(SAME)

static_assert(sizeof(hipError_t) == sizeof(int), "an error is no int");
static_assert(sizeof(hipMemcpyKind) == sizeof(int), "a kind is no int");
static_assert(sizeof(hipDevice_t) == sizeof(int), "a device is no int");
static_assert(hipMemcpyHostToDevice == GPU_HOST_TO_DEVICE, "another kind");
static_assert(hipSuccess == 0, "success is another number");
