/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a GPU runtime that are used here. HIP and CUDA have them with the same names behind
 * their prefixes (hip, cuda) and one ABI in each of the versions that are looked for.
 *
 * X(member, name behind the prefix, result, arguments). GPU_ERROR and the like stand for enums of
 * the runtime's headers, which are ints in the ABI; tests/unit/agent holds each line against the
 * headers where those are installed.
 *
 * Never here: hipGetDeviceProperties, whose struct has 792 bytes in 5.x and 1472 in 6.x and 7.x.
 */
#ifndef PROBES_GPU_CALLS_H
#define PROBES_GPU_CALLS_H

#include <stddef.h>

#ifndef GPU_ERROR
#define GPU_ERROR  int /* hipError_t, cudaError_t */
#define GPU_KIND   int /* hipMemcpyKind, cudaMemcpyKind */
#define GPU_DEVICE int /* hipDevice_t */
#endif

#define GPU_CALLS(X)                                                               \
	X(get_device_count, GetDeviceCount, GPU_ERROR, (int *))                    \
	X(set_device, SetDevice, GPU_ERROR, (int))                                 \
	X(malloc, Malloc, GPU_ERROR, (void **, size_t))                            \
	X(free, Free, GPU_ERROR, (void *))                                         \
	X(memcpy, Memcpy, GPU_ERROR, (void *, const void *, size_t, GPU_KIND))     \
	X(device_synchronize, DeviceSynchronize, GPU_ERROR, (void))                \
	X(runtime_get_version, RuntimeGetVersion, GPU_ERROR, (int *))              \
	X(device_get_pci_bus_id, DeviceGetPCIBusId, GPU_ERROR, (char *, int, int)) \
	X(get_error_name, GetErrorName, const char *, (GPU_ERROR))

/* HIP alone; CUDA has their like in the driver's library only. */
#define GPU_CALLS_HIP(X)                         \
	X(init, Init, GPU_ERROR, (unsigned int)) \
	X(device_get_name, DeviceGetName, GPU_ERROR, (char *, int, GPU_DEVICE))

/* hipMemcpyHostToDevice and cudaMemcpyHostToDevice. */
#define GPU_HOST_TO_DEVICE 1

#endif
