// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HIP and CUDA as runtimes: one table of calls, found with dlopen(), so that the probe needs neither
 * to be built nor to start. HIP goes through the driver under test; CUDA is a control on another
 * vendor's driver.
 */
#include "guest-agent/probes/runtime/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest-agent/probes/runtime/gpu_calls.h"

/* The newest first: a machine may have several. */
struct gpu_library {
	const char *prefix;	  /* of its calls */
	const char *const *names; /* sonames, NULL at the end */
	const char *all;	  /* the same for people */
	bool hip;
};

/* Its thunk knows no SVM pinning, so its copies never come to the code that has the defect. */
#define HIP_5 " (before SVM pinning: cannot show the defect)"

static const char *const hip_names[] = { "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
					 NULL };
static const char *const cuda_names[] = { "libcudart.so.13",   "libcudart.so.12",
					  "libcudart.so.11.0", "libcudart.so.10.2",
					  "libcudart.so",      NULL };
static const struct gpu_library hip = { "hip", hip_names, "libamdhip64.so.7, .6 or .5", true };
static const struct gpu_library cuda = { "cuda", cuda_names, "libcudart.so.13, .12, .11.0 or .10.2",
					 false };

#define MEMBER(member, name, result, args) result(*member) args;
struct gpu {
	GPU_CALLS(MEMBER)
	GPU_CALLS_HIP(MEMBER)
	void *handle;
	const char *soname;
	size_t max_bytes;
	bool fresh_buffer;
	void *buffer;
};

struct entry {
	const char *name; /* behind the prefix */
	size_t offset;	  /* of the pointer in struct gpu */
	bool hip_only;
};

#define ENTRY(member, name, result, args)     { #name, offsetof(struct gpu, member), false },
#define ENTRY_HIP(member, name, result, args) { #name, offsetof(struct gpu, member), true },
static const struct entry entries[] = { GPU_CALLS(ENTRY) GPU_CALLS_HIP(ENTRY_HIP) };

/* What to set before the library is opened, since it reads its flags then. */
static void set_environment(const struct runtime_setup *s, const char *soname)
{
	if (s->no_svm)
		setenv("HSA_USE_SVM", "0", 1);
	/* The flag's name and unit changed between 5.x (MiB) and 6.x (KiB). */
	if (s->staged && str_ends(soname, ".5"))
		setenv("GPU_PINNED_XFER_SIZE", "0", 1);
	else if (s->staged)
		setenv("GPU_PINNED_MIN_XFER_SIZE", "65536", 1);
	if (s->log) {
		setenv("AMD_LOG_LEVEL", "4", 1);
		setenv("AMD_LOG_MASK", "0x100", 1);
		setenv("AMD_LOG_LEVEL_FILE", s->log, 1);
	}
}

/* A library that is there and lacks another says so under the other's name. */
static bool open_library(struct gpu *g, const struct gpu_library *lib,
			 const struct runtime_setup *setup, char *why, size_t size)
{
	const char *told = NULL;

	for (const char *const *name = lib->names; *name && !g->handle; name++) {
		set_environment(setup, *name);
		g->soname = *name;
		g->handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
		if (g->handle)
			break;
		told = dlerror();
		if (told && !str_starts(told, *name)) {
			snprintf(why, size, "%s is there, but not whole: %s", *name, told);
			return false;
		}
	}
	if (!g->handle)
		snprintf(why, size, "none of %s is installed where the loader looks", lib->all);
	return g->handle;
}

static bool find_calls(struct gpu *g, const struct gpu_library *lib, char *why, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		char name[64];
		void *call;

		if (entries[i].hip_only && !lib->hip)
			continue;
		snprintf(name, sizeof(name), "%s%s", lib->prefix, entries[i].name);
		call = dlsym(g->handle, name);
		if (!call) {
			snprintf(why, size, "%s has no %s: none of the versions known here",
				 g->soname, name);
			return false;
		}
		memcpy((char *)g + entries[i].offset, &call, sizeof(call));
	}
	return true;
}

/* HIP: major * 10 000 000 + minor * 100 000 + patch; CUDA: major * 1000 + minor * 10. */
static bool check_version(struct gpu *g, const struct gpu_library *lib, char *version, size_t vsize,
			  char *why, size_t size)
{
	int number = 0, major, minor;
	int r = g->runtime_get_version(&number);

	major = lib->hip ? number / 10000000 : number / 1000;
	minor = lib->hip ? number / 100000 % 100 : number / 10 % 100;
	snprintf(version, vsize, "%d.%d", major, minor);
	if (r != 0 || number <= 0)
		snprintf(why, size, "%s does not say its version (%s)", g->soname,
			 g->get_error_name(r));
	else if (lib->hip && g->soname[strlen(g->soname) - 1] - '0' != major)
		snprintf(why, size, "%s says that it is version %s", g->soname, version);
	else
		return true;
	return false;
}

static bool count_devices(struct runtime *rt, struct gpu *g, const struct gpu_library *lib,
			  const char *version, char *why, size_t size)
{
	int init = lib->hip ? g->init(0) : 0;
	int devices = 0;
	int r = g->get_device_count(&devices);

	if (!init && !r && devices > 0) {
		rt->devices = (uint32_t)devices;
		return true;
	}
	snprintf(why, size, "%s, version %s, finds none (%s%s%s)", g->soname, version,
		 init ? g->get_error_name(init) : "", init ? ", " : "", g->get_error_name(r));
	return false;
}

static int fail(struct gpu *g, const char *what, int r, struct err *err)
{
	return err_set(err, ERR_HOST, "%s: %s: %s", g->soname, what, g->get_error_name(r));
}

static int gpu_select(struct runtime *rt, uint32_t device, struct err *err)
{
	struct gpu *g = rt->data;
	char bus[32] = "?", name[96] = "";
	int r;

	if (g->buffer)
		g->free(g->buffer);
	g->buffer = NULL;
	r = g->set_device((int)device);
	if (r)
		return fail(g, "cannot use the device", r, err);
	g->device_get_pci_bus_id(bus, sizeof(bus), (int)device);
	if (g->device_get_name)
		g->device_get_name(name, sizeof(name), (int)device);
	snprintf(rt->what + strcspn(rt->what, ";"), sizeof(rt->what) - strcspn(rt->what, ";"),
		 "; device %u of %u: %s%s%s", device, rt->devices, bus, *name ? ", " : "", name);
	if (g->fresh_buffer)
		return 0;
	r = g->malloc(&g->buffer, g->max_bytes);
	return r ? fail(g, "cannot allocate on the device", r, err) : 0;
}

static int gpu_open(struct runtime *rt, const struct gpu_library *lib,
		    const struct runtime_setup *setup, enum runtime_found *ret, char *why,
		    size_t size, struct err *err)
{
	struct gpu *g = xcalloc(1, sizeof(*g));
	char version[16];

	rt->data = g;
	g->max_bytes = setup->max_bytes;
	g->fresh_buffer = setup->fresh_buffer;
	if (!open_library(g, lib, setup, why, size)) {
		*ret = RUNTIME_NO_LIBRARY;
	} else if (!find_calls(g, lib, why, size) ||
		   !check_version(g, lib, version, sizeof(version), why, size)) {
		*ret = RUNTIME_WRONG_VERSION;
	} else if (!count_devices(rt, g, lib, version, why, size)) {
		*ret = RUNTIME_NO_DEVICE;
	} else {
		snprintf(rt->what, sizeof(rt->what), "%s, version %s%s", g->soname, version,
			 lib->hip && str_starts(version, "5.") ? HIP_5 : "");
		*ret = RUNTIME_READY;
		return gpu_select(rt, 0, err);
	}
	return 0;
}

static int hip_open(struct runtime *rt, const struct runtime_setup *setup, enum runtime_found *ret,
		    char *why, size_t size, struct err *err)
{
	return gpu_open(rt, &hip, setup, ret, why, size, err);
}

static int cuda_open(struct runtime *rt, const struct runtime_setup *setup, enum runtime_found *ret,
		     char *why, size_t size, struct err *err)
{
	return gpu_open(rt, &cuda, setup, ret, why, size, err);
}

static int gpu_prepare(struct runtime *rt, size_t len, struct err *err)
{
	struct gpu *g = rt->data;
	int r = g->fresh_buffer ? g->malloc(&g->buffer, len) : 0;

	return r ? fail(g, "cannot allocate on the device", r, err) : 0;
}

static void gpu_finish(struct runtime *rt)
{
	struct gpu *g = rt->data;

	if (!g->fresh_buffer || !g->buffer)
		return;
	g->free(g->buffer);
	g->buffer = NULL;
}

static int gpu_copy(struct runtime *rt, const void *addr, size_t len, bool read_permission,
		    struct runtime_copy *ret, struct err *err)
{
	struct gpu *g = rt->data;
	int r = g->memcpy(g->buffer, addr, len, GPU_HOST_TO_DEVICE);

	(void)read_permission;
	(void)err;
	if (!r)
		r = g->device_synchronize();
	*ret = (struct runtime_copy){ .result = r ? -EIO : 0 };
	if (r)
		fprintf(stderr, "%s: a copy failed: %s\n", g->soname, g->get_error_name(r));
	return 0;
}

/* The library stays open: it may have threads that run in it. */
static void gpu_close(struct runtime *rt)
{
	struct gpu *g = rt->data;

	if (g && g->buffer)
		g->free(g->buffer);
	free(g);
	rt->data = NULL;
}

#define GPU_OPS(NAME, OPEN)                                                                   \
	{                                                                                     \
		.name = (NAME), .open = (OPEN), .select = gpu_select, .prepare = gpu_prepare, \
		.finish = gpu_finish, .copy = gpu_copy, .close = gpu_close, .any_start = true \
	}

const struct runtime_ops runtime_hip = GPU_OPS("hip", hip_open);
const struct runtime_ops runtime_cuda = GPU_OPS("cuda", cuda_open);
