// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe of a user's for e2e/rules: one call of the candidate's function among other work that takes its time, and
 * never the same. It knows nothing of windows or warnings.
 *
 *   mirror-user [MS]   so much other work; 0, the default, none
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "mirror_abi.h"

#define BYTES	    (64 << 10)
#define NOT_TESTED  125
#define NOISE	    0.1 /* of the other work, from the least to the most */
#define MS_PER_S    1e3
#define NS_PER_MS_F 1e6

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec * MS_PER_S + (double)t.tv_nsec / NS_PER_MS_F;
}

int main(int argc, char **argv)
{
	struct mirror_call call = { .len = BYTES };
	double begun = now_ms(), work = argc > 1 ? strtod(argv[1], NULL) : 0;
	unsigned int seed = (unsigned int)(begun * NS_PER_MS_F);
	int fd = open(MIRROR_DEVICE, O_RDWR | O_CLOEXEC);
	void *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || p == MAP_FAILED) {
		perror(MIRROR_DEVICE);
		return NOT_TESTED;
	}
	memset(p, 1, BYTES);
	work *= 1 - NOISE / 2 + NOISE * rand_r(&seed) / RAND_MAX;
	while (now_ms() - begun < work)
		;
	call.addr = (uintptr_t)p;
	if (ioctl(fd, MIRROR_IOC_CALL, &call) < 0 || call.result) {
		perror("the call");
		return NOT_TESTED;
	}
	printf("{\"metrics\":{\"work_ms\":%.3f}}\n", now_ms() - begun);
	return 0;
}
