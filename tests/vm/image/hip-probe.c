// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe for the tests: is the HIP runtime whole in this guest? It is opened as a program of the user's
 * would, asked for a card, and must say that there is none. Ends with 0 if it did.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define HIP_NO_DEV  100 /* hipErrorNoDevice */
#define HIP_BAD_DEV 101 /* hipErrorInvalidDevice */

/* By its name alone: where the linker looks. */
static void *open_named(const char *prefix)
{
	void *ret = NULL;

	for (int version = 9; version > 0 && !ret; version--) {
		const char *why;
		char name[64];

		snprintf(name, sizeof(name), "%s%d", prefix, version);
		ret = dlopen(name, RTLD_NOW);
		why = ret ? NULL : dlerror();
		if (why && strncmp(why, name, strlen(name)) != 0)
			fprintf(stderr, "%s: %s\n", name, why); /* it is there, and lacks another */
	}
	if (!ret)
		fprintf(stderr, "no %sN\n", prefix);
	return ret;
}

static int no_device(int code)
{
	return code == HIP_NO_DEV || code == HIP_BAD_DEV;
}

int main(void)
{
	void *hip = open_named("libamdhip64.so.");
	void *comgr = open_named("libamd_comgr.so.");
	int (*init)(unsigned int), (*count)(int *);
	void (*version)(size_t *, size_t *);
	size_t major = 0, minor = 0;
	int r, n = -1, r_count;

	if (!hip || !comgr)
		return 2;
	*(void **)&init = dlsym(hip, "hipInit");
	*(void **)&count = dlsym(hip, "hipGetDeviceCount");
	*(void **)&version = dlsym(comgr, "amd_comgr_get_version");
	if (!init || !count || !version)
		return 3;
	version(&major, &minor);
	r = init(0);
	r_count = count(&n);
	fprintf(stderr, "comgr %zu.%zu, hipInit %d, hipGetDeviceCount %d, %d devices\n", major,
		minor, r, r_count, n);
	return no_device(r) && no_device(r_count) ? 0 : 4;
}
