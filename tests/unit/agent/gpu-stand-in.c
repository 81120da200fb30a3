// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stand-in for a GPU runtime: has the calls, copies in memory, and writes the log that HIP would.
 * In the environment: STAND_IN_DEVICES, how many there are; STAND_IN_FAILS, copies fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define CALL(name)  JOIN(PREFIX, name)

#define NO_DEVICE 100
#define CHUNK	  (32 << 20)

static int devices(void)
{
	const char *n = getenv("STAND_IN_DEVICES");

	return n ? atoi(n) : 1;
}

int CALL(GetDeviceCount)(int *ret)
{
	*ret = devices();
	return *ret ? 0 : NO_DEVICE;
}

int CALL(SetDevice)(int device)
{
	return device < devices() ? 0 : 101;
}

int CALL(Malloc)(void **ret, size_t size)
{
	*ret = malloc(size);
	return *ret ? 0 : 2;
}

int CALL(Free)(void *p)
{
	free(p);
	return 0;
}

/* As HIP names it: behind the name that was asked for comes the process. */
static void log_copy(size_t size)
{
	const char *name = getenv("AMD_LOG_LEVEL_FILE");
	int staged = getenv("GPU_PINNED_MIN_XFER_SIZE") != NULL || getenv("STAND_IN_STAGES");
	size_t piece = staged ? 4 << 20 : CHUNK;
	char path[256];
	FILE *f;

	if (!name)
		return;
	snprintf(path, sizeof(path), "%s_%d", name, (int)getpid());
	f = fopen(path, "a");
	for (size_t at = 0; f && at < size; at += piece)
		fprintf(f,
			":4:file.cpp                 :1   : 0000000001 us: [pid:1 tid: 0x00001] "
			"HSA "
			"Async Copy %sdst=0x1, src=0x2, size=%zu, completion_signal=0x3\n",
			staged ? "staged H2D " : "on copy_engine=0x1, ",
			size - at < piece ? size - at : piece);
	if (f)
		fclose(f);
}

int CALL(Memcpy)(void *to, const void *from, size_t size, int kind)
{
	if (kind != 1 || getenv("STAND_IN_FAILS"))
		return 1;
	memcpy(to, from, size);
	log_copy(size);
	return 0;
}

int CALL(DeviceSynchronize)(void)
{
	return 0;
}

int CALL(RuntimeGetVersion)(int *ret)
{
	*ret = VERSION;
	return 0;
}

int CALL(DeviceGetPCIBusId)(char *ret, int size, int device)
{
	snprintf(ret, (size_t)size, "0000:%02x:00.0", device + 1);
	return 0;
}

const char *CALL(GetErrorName)(int error)
{
	return error == NO_DEVICE ? "errorNoDevice" : "errorSome";
}

#ifndef CUDA
int CALL(Init)(unsigned int flags)
{
	return flags ? 1 : devices() ? 0 : NO_DEVICE;
}

#ifndef LACKS
int CALL(DeviceGetName)(char *ret, int size, int device)
{
	snprintf(ret, (size_t)size, "stand-in %d", device);
	return 0;
}
#endif
#endif
