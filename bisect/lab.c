// SPDX-License-Identifier: GPL-2.0-or-later
/* The lab: see lab.h. This file opens it; trial.c holds the trial. */
#include "lab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "controller/ahead/ahead.h"
#include "controller/firmware.h"
#include "controller/rule/rule.h"
#include "paths.h"

#define MIB (UINT64_C(1) << 20)

/*
 * Besides a copy's file and its target, which are both in memory. Measured: 8 MiB fit into a guest of
 * 128 and 30 do not; 200 fit into 512 and 220 do not.
 */
#define GUEST_OWN_MIB 100

void lab_deinit(struct lab *lab)
{
	ahead_close(lab->ahead);
	rig_close(lab->rig);
	builder_close(lab->builder);
	build_kernel_deinit(&lab->kernel);
	strv_deinit(&lab->probes);
	strv_deinit(&lab->pack);
	free(lab->quarantine);
	free(lab->cache);
	free(lab->repo);
	free(lab->mirror);
	free(lab->kconfigs);
	free(lab->agent);
	free(lab->probe_args);
	own_close(lab->own);
	*lab = (struct lab){ 0 };
}

/* "4,8" [MiB] as the probe's list of bytes; two sizes at least, since one cannot show the law. */
static int read_sizes(struct lab *lab, struct buf *ret, struct err *err)
{
	_cleanup_free_ char *text = xstrdup(options_str(lab->o, OPT_SIZES));
	uint64_t before = 0, mib;
	unsigned int n = 0;
	char *save = NULL;

	for (char *s = strtok_r(text, ",", &save); s; s = strtok_r(NULL, ",", &save), n++) {
		if (!str_to_u64(s, WIRE_EXTENTS_MAX * 2 - 2, &mib) || mib <= before)
			return err_set(err, ERR_USAGE,
				       "--sizes %s: want rising whole numbers of MiB up to %d, "
				       "such as 4,8",
				       options_str(lab->o, OPT_SIZES), WIRE_EXTENTS_MAX * 2 - 2);
		buf_printf(ret, "%s%" PRIu64, n ? "," : "", mib * MIB);
		before = mib;
	}
	if (n < 2)
		return err_set(err, ERR_USAGE,
			       "--sizes %s: two sizes at least, or the window law cannot be shown",
			       options_str(lab->o, OPT_SIZES));
	if (2 * before + GUEST_OWN_MIB > options_num(lab->o, OPT_MEMORY))
		return err_set(
			err, ERR_USAGE,
			"--sizes %s do not fit into a guest of %s MiB; add --memory %" PRIu64,
			options_str(lab->o, OPT_SIZES), options_str(lab->o, OPT_MEMORY),
			2 * before + GUEST_OWN_MIB);
	return 0;
}

/*
 * The probe's limit: all sizes once with every extent a window (a bad module, whose repeats are left
 * out), doubled for a busy host, and time for the copies without windows.
 */
static int64_t probe_limit_ms(const struct lab *lab)
{
	uint64_t set = options_num(lab->o, OPT_PROBE_LIMIT);
	uint64_t extents = 0;
	_cleanup_free_ char *text = xstrdup(options_str(lab->o, OPT_SIZES));
	char *save = NULL;

	if (set)
		return (int64_t)set * 1000;
	for (char *s = strtok_r(text, ",", &save); s; s = strtok_r(NULL, ",", &save))
		extents += strtoull(s, NULL, 10) / 2 + 1;
	/* The pass under the kernel's probes takes the windows once more. */
	if (options_bool(lab->o, OPT_KERNEL_EVIDENCE))
		extents *= 2;
	return (int64_t)(2 * extents * 1000 + 8000);
}

/* The table's rows: 4 + 5 + 2 + 1 + 2 + 1 + 1 windows where every retry is futile, doubled. */
#define TABLE_LIMIT_MS 40000

/* What a user asks of the probe is not known here; 200 random copies take some 400 windows. */
#define ARGS_LIMIT_MS 900000

static int read_probe(struct lab *lab, struct err *err)
{
	_cleanup_buf_ struct buf sizes = { 0 };
	const char *args = options_str(lab->o, OPT_PROBE_ARGS);
	uint64_t offset = options_num(lab->o, OPT_OFFSETS);

	if (options_fit(lab->o, err) < 0 || own_open(lab->o, &lab->own, err) < 0)
		return -1;
	if (lab->own) {
		lab->probe_args = xstrdup(lab->own->asked);
		lab->probe_limit_ms = lab->own->limit_ms;
		return 0;
	}
	lab->window_table = options_bool(lab->o, OPT_WINDOW_TABLE) || args;
	if (args) {
		lab->probe_args = xstrdup(args);
		lab->probe_limit_ms = (int64_t)options_num(lab->o, OPT_PROBE_LIMIT) * 1000;
		if (!lab->probe_limit_ms)
			lab->probe_limit_ms = ARGS_LIMIT_MS;
		return 0;
	}
	if (lab->window_table) {
		lab->probe_args = str_printf("--runtime mirror --patterns --permission %s",
					     options_str(lab->o, OPT_PERMISSION));
		lab->probe_limit_ms = TABLE_LIMIT_MS;
		return 0;
	}

	if (strcmp(options_str(lab->o, OPT_PERMISSION), "vma") != 0)
		return err_set(err, ERR_USAGE,
			       "--permission read is measured, not judged; add --window-table");
	if (read_sizes(lab, &sizes, err) < 0)
		return -1;
	if (offset % 4)
		return err_set(err, ERR_USAGE,
			       "--offset %llu: want a multiple of 4 KiB, the page size",
			       (unsigned long long)offset);
	lab->probe_args =
		str_printf("--runtime mirror --sizes %s --repeats %s --offset %" PRIu64 "%s",
			   sizes.data, options_str(lab->o, OPT_REPEATS), offset * 1024,
			   options_bool(lab->o, OPT_KERNEL_EVIDENCE) ? " --evidence" : "");
	lab->probe_limit_ms = probe_limit_ms(lab);
	return 0;
}

/*
 * Every module that the distribution's amdgpu.ko depends on is packed, so that any candidate of the
 * driver finds what it needs. modules.dep(5): "path/amdgpu.ko: path/drm.ko ...".
 */
static int read_pack(struct lab *lab, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/modules.dep", lab->kernel.modules);
	_cleanup_free_ char *text = NULL;
	char *save_line = NULL;

	if (fs_read(path, 16 << 20, &text, NULL, err) < 0)
		return -1;
	for (char *line = strtok_r(text, "\n", &save_line); line;
	     line = strtok_r(NULL, "\n", &save_line)) {
		char *colon = strchr(line, ':');
		char *save = NULL;

		if (!colon || !strstr(line, "/amdgpu.ko") || strstr(line, "/amdgpu.ko") > colon)
			continue;
		for (char *p = strtok_r(colon + 1, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
			const char *base = strrchr(p, '/') ? strrchr(p, '/') + 1 : p;
			char *name = xstrndup(base, strcspn(base, "."));

			for (char *c = name; *c; c++)
				if (*c == '-')
					*c = '_';
			strv_take(&lab->pack, name);
		}
		return 0;
	}
	return err_set(err, ERR_USAGE,
		       "%s knows no amdgpu.ko; give a kernel that has the driver as a module with "
		       "--release",
		       path);
}

int lab_check(struct lab *lab, const struct options *o, struct progress *progress, char *repo,
	      struct err *err)
{
	struct build_kernel *k = &lab->kernel;
	char *probe;

	lab->o = o;
	lab->progress = progress;
	lab->repo = repo;
	lab->quarantine = path_quarantine();
	k->release = xstrdup(options_str(o, OPT_RELEASE));
	k->source = xstrdup(options_str(o, OPT_SOURCE));
	k->config = xstrdup(options_str(o, OPT_KCONFIG));
	k->symvers = xstrdup(options_str(o, OPT_SYMVERS));
	k->image = xstrdup(options_str(o, OPT_IMAGE));
	k->modules = xstrdup(options_str(o, OPT_MODULES));
	if (read_probe(lab, err) < 0 || build_find(k, err) < 0 || read_pack(lab, err) < 0)
		return -1;
	if (options_str(o, OPT_AGENT))
		lab->agent = path_absolute(options_str(o, OPT_AGENT));
	else if (path_part("amdgpu-bisect-agent", &lab->agent, err) < 0)
		return -1;
	if (!fs_exists(lab->agent))
		return err_set(err, ERR_USAGE, "%s: no such agent", lab->agent);
	/* An agent of the user's own may want to start ours; it finds it beside the probes. */
	if (options_str(o, OPT_AGENT)) {
		if (path_part("amdgpu-bisect-agent", &probe, err) < 0)
			return -1;
		strv_take(&lab->probes, probe);
	}
	if (path_part("mirror", &lab->mirror, err) < 0 ||
	    path_part("kconfigs", &lab->kconfigs, err) < 0)
		return -1;
	if (path_part("copy-regimes", &probe, err) < 0)
		return -1;
	strv_take(&lab->probes, probe);
	return path_cache_make(&lab->cache, err);
}

void lab_refresh(struct lab *lab)
{
	const struct options *o = lab->o;
	bool may_lack;

	lab->guest_spec = (struct guest_spec){
		.uri = options_str(o, OPT_CONNECT),
		.pool = options_str(o, OPT_POOL),
		.image = lab->kernel.image,
		.modules = lab->kernel.modules,
		.pack = (const char *const *)lab->pack.items,
		.n_pack = lab->pack.n,
		.agent = lab->agent,
		.probes = (const char *const *)lab->probes.items,
		.n_probes = lab->probes.n,
		.own = lab->own ? (const char *const *)lab->own->files.items : NULL,
		.n_own = lab->own ? lab->own->files.n : 0,
		.cache_dir = lab->cache,
		.memory_mib = options_num(o, OPT_MEMORY),
		.vcpus = options_num(o, OPT_VCPUS),
		.append = options_str(o, OPT_APPEND),
		.card = { .which = lab->card_elsewhere ? NULL : options_str(o, OPT_GPU),
			  .kept = lab->quarantine,
			  .rom = options_str(o, OPT_GPU_ROM),
			  .window_gib = options_num(o, OPT_GPU_WINDOW),
			  .give_screen = options_bool(o, OPT_GIVE_SCREEN) },
		.hugepages = options_str(o, OPT_HUGEPAGES),
		.cpus = options_str(o, OPT_CPUS),
		.core = strcmp(options_str(o, OPT_CORE), "on") == 0,
		.has_disk = strcmp(options_str(o, OPT_GUEST), "disk") == 0,
		.disk = options_str(o, OPT_DISK),
		.runtime = { .dir = options_str(o, OPT_RUNTIME_DIR),
			     .debs = (const char *const *)options_list(o, OPT_RUNTIME_DEB)->items,
			     .n_debs = options_list(o, OPT_RUNTIME_DEB)->n,
			     .firmware = firmware_dir(o, &may_lack) },
		.progress = lab->progress,
		.limit = { .boot_ms = (int64_t)options_num(o, OPT_BOOT_LIMIT) * 1000,
			   .load_ms = (int64_t)options_num(o, OPT_LOAD_LIMIT) * 1000,
			   .probe_ms = lab->probe_limit_ms },
	};
	lab->guest_spec.runtime.may_lack = may_lack;
	guest_accel_parse(options_str(o, OPT_ACCEL), &lab->guest_spec.accel);
	guest_start_parse(options_str(o, OPT_START), &lab->guest_spec.start);
}

int lab_make_images(struct lab *lab, struct guest_images *ret, struct err *err)
{
	lab_refresh(lab);
	return guest_make_images(&lab->guest_spec, ret, err);
}

int lab_open_rig(struct lab *lab, struct err *err)
{
	lab_refresh(lab);
	return rig_open(&lab->guest_spec, &lab->rig, err);
}

int lab_open_builder(struct lab *lab, struct err *err)
{
	const struct options *o = lab->o;
	const struct strv *paths = options_list(o, OPT_PATH);

	build_scope_parse(options_str(o, OPT_SCOPE), &lab->build_spec.scope);
	lab->build_spec.kernel = &lab->kernel;
	lab->build_spec.repo = lab->repo;
	lab->build_spec.paths = (const char *const *)paths->items;
	lab->build_spec.n_paths = paths->n;
	lab->build_spec.driver = "drivers/gpu/drm/amd";
	lab->build_spec.mirror = lab->mirror;
	lab->build_spec.kconfigs = lab->kconfigs;
	lab->build_spec.cache_dir = lab->cache;
	lab->build_spec.cc = options_str(o, OPT_CC);
	lab->build_spec.compilers = (const char *const *)options_list(o, OPT_COMPILER)->items;
	lab->build_spec.n_compilers = options_list(o, OPT_COMPILER)->n;
	lab->build_spec.whole = strcmp(options_str(o, OPT_TREE), "whole") == 0;
	lab->build_spec.driver_module = strcmp(options_str(o, OPT_DRIVER), "module") == 0;
	lab->build_spec.fragments = (const char *const *)options_list(o, OPT_FRAGMENT)->items;
	lab->build_spec.n_fragments = options_list(o, OPT_FRAGMENT)->n;
	lab->build_spec.apply = (const char *const *)options_list(o, OPT_APPLY)->items;
	lab->build_spec.n_apply = options_list(o, OPT_APPLY)->n;
	lab->build_spec.no_ccache = strcmp(options_str(o, OPT_CCACHE), "off") == 0;
	lab->build_spec.cache_max_bytes = options_num(o, OPT_CACHE_SIZE) * MIB;
	lab->build_spec.jobs = options_num(o, OPT_JOBS);
	lab->build_spec.progress = lab->progress;
	return builder_open(&lab->build_spec, &lab->builder, err);
}

int lab_open(struct lab *lab, struct err *err)
{
	/* The rig first: what is wrong with it is known in seconds, a tree may take minutes. */
	if (!lab->rig && lab_open_rig(lab, err) < 0)
		return -1;
	return lab_open_builder(lab, err);
}

const char *lab_accel(const struct lab *lab, const char **why)
{
	return guest_accel_name(rig_accel(lab->rig, why));
}

const char *lab_start(const struct lab *lab, const char **why)
{
	return guest_start_name(rig_start(lab->rig, why));
}

const char *lab_tree(const struct lab *lab)
{
	return builder_tree(lab->builder);
}
