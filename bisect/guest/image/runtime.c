// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe that uses a card opens the HIP runtime when it runs, so the closure of the probe does not
 * tell of it. It is found here, in a directory, a tree, packages, or on this machine, and packed with
 * all it needs, and so is what the driver will ask the kernel for.
 */
#include "guest/image/runtime.h"

#include <glob.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "guest/firmware/firmware.h"
#include "guest/image/closure.h"
#include "guest/image/keep.h"
#include "guest/image/manifest.h"
#include "guest/image/squash.h"

#define FORMAT	     "runtime 1" /* part of the name: raise it when the layout changes */
#define HIP	     "libamdhip64.so."
#define COMGR	     "libamd_comgr.so." /* opened at run time to build the copy kernels */
#define DEB_LIMIT_MS (5 * 60 * 1000)

struct plan {
	struct strv dirs; /* where libraries are looked for, first those asked for */
	struct closure libs;
	struct firmware firmware;
	struct manifest manifest;
	char *tree; /* packages are unpacked here; removed in the end */
};

static void plan_deinit(struct plan *p)
{
	struct err ignored;

	if (p->tree)
		fs_remove_tree(p->tree, &ignored);
	free(p->tree);
	strv_deinit(&p->dirs);
	closure_deinit(&p->libs);
	firmware_deinit(&p->firmware);
	manifest_deinit(&p->manifest);
}

/* Where libraries lie in a directory that is one of them, or the root of a whole tree. */
static void add_dirs(struct strv *dirs, const char *root)
{
	static const char *const places[] = {
		"",
		"/opt/rocm*/lib",
		"/lib",
		"/lib64",
		"/lib/x86_64-linux-gnu",
		"/usr/lib",
		"/usr/lib64",
		"/usr/lib/x86_64-linux-gnu",
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *pattern = str_printf("%s%s", root, places[i]);
		glob_t g = { 0 };

		glob(pattern, 0, NULL, &g);
		for (size_t k = 0; k < g.gl_pathc; k++)
			if (fs_is_dir(g.gl_pathv[k]) && !strv_has(dirs, g.gl_pathv[k]))
				strv_add(dirs, g.gl_pathv[k]);
		globfree(&g);
	}
}

/* The file called @prefix and a number in @dir, the highest; or NULL. */
static char *find_in(const char *dir, const char *prefix)
{
	_cleanup_free_ char *pattern = str_printf("%s/%s[0-9]*", dir, prefix);
	uint64_t best = 0, number;
	char *ret = NULL;
	glob_t g = { 0 };

	glob(pattern, 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *tail = g.gl_pathv[i] + strlen(dir) + 1 + strlen(prefix);

		if (!str_to_u64(tail, UINT32_MAX, &number) || (ret && number < best))
			continue;
		free(ret);
		ret = xstrdup(g.gl_pathv[i]);
		best = number;
	}
	globfree(&g);
	return ret;
}

static char *find_library(const struct strv *dirs, const char *prefix)
{
	char *ret = NULL;

	for (size_t i = 0; !ret && i < dirs->n; i++)
		ret = find_in(dirs->items[i], prefix);
	return ret;
}

static int run_deb(const char *const *argv, const char *deb, struct buf *capture, struct err *err)
{
	_cleanup_free_ char *program = spawn_find(argv[0]);
	struct spawn spawn = { .argv = argv, .capture = capture, .limit_ms = DEB_LIMIT_MS };
	struct spawn_result result;

	if (!program)
		return err_set(err, ERR_USAGE,
			       "no dpkg-deb here to unpack %s; unpack it, and give the directory "
			       "with --runtime-dir",
			       deb);
	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	return result.exit_code
		       ? err_set(err, ERR_USAGE, "%s is no Debian package, or no whole one", deb)
		       : 0;
}

static int unpack_deb(struct plan *p, const char *deb, struct err *err)
{
	const char *const unpack[] = { "dpkg-deb", "-x", deb, p->tree, NULL };
	const char *const show[] = { "dpkg-deb", "-W",
				     "--showformat=package ${Package} ${Version}\\n", deb, NULL };
	_cleanup_buf_ struct buf ignored = { 0 };

	if (!fs_exists(deb))
		return err_set(err, ERR_USAGE, "no package %s; --runtime-deb takes a .deb file",
			       deb);
	if (run_deb(unpack, deb, &ignored, err) < 0)
		return -1;
	return run_deb(show, deb, &p->manifest.about, err);
}

static int find_sources(struct plan *p, const struct guest_spec *spec, const char *dir,
			struct err *err)
{
	const char *root = spec->runtime.dir;

	if (spec->runtime.n_debs) {
		p->tree = str_printf("%s/debs.XXXXXX", dir);
		if (!mkdtemp(p->tree))
			return err_errno(err, ERR_HOST, "cannot make %s", p->tree);
		p->manifest.hide = p->tree;
		for (size_t i = 0; i < spec->runtime.n_debs; i++)
			if (unpack_deb(p, spec->runtime.debs[i], err) < 0)
				return -1;
		add_dirs(&p->dirs, p->tree);
	}
	if (root && !fs_is_dir(root))
		return err_set(err, ERR_USAGE,
			       "no directory %s; --runtime-dir takes the one with " HIP
			       "N, or / for this machine's",
			       root);
	if (root)
		add_dirs(&p->dirs, strcmp(root, "/") == 0 ? "" : root);
	return 0;
}

static int find_libraries(struct plan *p, const struct guest_spec *spec, struct err *err)
{
	_cleanup_free_ char *hip = find_library(&p->dirs, HIP);
	_cleanup_free_ char *comgr = NULL;
	const char *where = spec->runtime.n_debs ? "the packages given" : spec->runtime.dir;

	if (!hip)
		return err_set(err, ERR_USAGE,
			       "no " HIP "N in %s; give the directory that has it with "
			       "--runtime-dir, or install ROCm's runtime (Debian: libamdhip64-5)",
			       where);
	add_dirs(&p->dirs, ""); /* packages that were not given may be installed here */
	comgr = find_library(&p->dirs, COMGR);
	if (!comgr)
		return err_set(err, ERR_USAGE,
			       "no " COMGR "N for %s, which opens it when it runs; install ROCm's "
			       "comgr (Debian: libamd-comgr2)",
			       hip);
	p->libs.place = "/lib";
	p->libs.dirs = (const char *const *)p->dirs.items;
	p->libs.n_dirs = p->dirs.n;
	if (closure_add_library(&p->libs, hip, err) < 0 ||
	    closure_add_library(&p->libs, comgr, err) < 0)
		return err_prefix(err, "HIP runtime");
	for (size_t i = 0; i < p->libs.n; i++)
		if (manifest_file(&p->manifest, p->libs.items[i].guest, p->libs.items[i].host,
				  err) < 0)
			return -1;
	return 0;
}

static int find_firmware(struct plan *p, const struct guest_spec *spec, struct err *err)
{
	if (firmware_find(spec->modules, "amdgpu", spec->runtime.firmware, &p->firmware, err) < 0) {
		if (!spec->runtime.may_lack || err->kind != ERR_USAGE)
			return -1;
		if (spec->progress)
			progress_warn(spec->progress, "the guest gets no firmware: %s", err->msg);
		return 0;
	}
	for (size_t i = 0; i < p->firmware.n; i++)
		if (manifest_file(&p->manifest, p->firmware.items[i].guest,
				  p->firmware.items[i].host, err) < 0)
			return -1;
	for (size_t i = 0; i < p->firmware.missing.n; i++)
		buf_printf(&p->manifest.about, "missing %s\n", p->firmware.missing.items[i]);
	return 0;
}

static int write_image(const struct plan *p, const char *path, struct err *err)
{
	size_t n = 0;
	struct squash_file *files = xcalloc(p->libs.n + p->firmware.n, sizeof(*files));
	int r;

	for (size_t i = 0; i < p->libs.n; i++)
		files[n++] = (struct squash_file){ .guest = p->libs.items[i].guest,
						   .host = p->libs.items[i].host };
	for (size_t i = 0; i < p->firmware.n; i++)
		files[n++] = (struct squash_file){ .guest = p->firmware.items[i].guest,
						   .host = p->firmware.items[i].host,
						   .unpack = true };
	r = squash_make(files, n, path, err);
	free(files);
	/* the image comes first: a manifest without one would be of nothing */
	return r < 0 ? -1 : manifest_write(&p->manifest, path, err);
}

bool runtime_wanted(const struct guest_spec *spec)
{
	return spec->runtime.dir || spec->runtime.n_debs || spec->runtime.firmware;
}

int runtime_make(const struct guest_spec *spec, const char *dir, char **ret, struct err *err)
{
	_cleanup_(plan_deinit) struct plan plan = { 0 };
	_cleanup_free_ char *path = NULL;
	bool hip = spec->runtime.dir || spec->runtime.n_debs;
	char key[65];

	if (!runtime_wanted(spec)) {
		*ret = NULL;
		return 0;
	}
	manifest_say(&plan.manifest, FORMAT);
	if (hip &&
	    (find_sources(&plan, spec, dir, err) < 0 || find_libraries(&plan, spec, err) < 0))
		return -1;
	if (spec->runtime.firmware && find_firmware(&plan, spec, err) < 0)
		return -1;
	if (!plan.libs.n && !plan.firmware.n) {
		*ret = NULL;
		return 0;
	}
	manifest_key(&plan.manifest, key);
	path = str_printf("%s/runtime-%.16s", dir, key);
	if (!fs_exists(path) && write_image(&plan, path, err) < 0)
		return -1;
	keep_used(path);
	*ret = take_ptr(path);
	return 0;
}
