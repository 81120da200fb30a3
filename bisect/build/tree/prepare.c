// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel tree is made once: source, config and Module.symvers, and `make modules_prepare` under the
 * distribution's release. A marker is written last; a tree without it was interrupted and is made anew.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cap/cap.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "build/kernel/config.h"
#include "build/kernel/source.h"
#include "build/kernel/version.h"
#include "build/tree/configure.h"
#include "build/tree/inputs.h"
#include "build/tree/trim.h"

#define MIB		(UINT64_C(1) << 20)
#define TREE_NEED_BYTES (2048 * MIB) /* 6.12 unpacked 1.5 GiB, objects of the driver 0.3 GiB */
#define TREE_EXPECT_NS	(INT64_C(40) * NS_PER_S)

static const struct {
	const char *program, *package;
	const char *option; /* wanted only if this one is set in the config, or NULL */
} tools[] = {
	{ "make", "make", NULL },
	{ "flex", "flex", NULL },
	{ "bison", "bison", NULL },
	{ "bc", "bc", NULL },
	{ "objcopy", "binutils", NULL },
	{ "perl", "perl", NULL },
	/* Without it DEBUG_INFO_BTF goes, and with that members of struct module. */
	{ "pahole", "dwarves", "CONFIG_DEBUG_INFO_BTF" },
};

static int check_tools(const char *config, struct err *err)
{
	_cleanup_buf_ struct buf programs = { 0 };
	_cleanup_buf_ struct buf packages = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		_cleanup_free_ char *path = spawn_find(tools[i].program);

		if (path || (tools[i].option && !config_is(config, tools[i].option, "y")))
			continue;
		buf_printf(&programs, "%s%s", programs.len ? ", " : "", tools[i].program);
		buf_printf(&packages, " %s", tools[i].package);
	}
	if (!programs.len)
		return 0;
	return err_set(err, ERR_USAGE, "to build for this kernel it needs %s; apt install%s",
		       programs.data, packages.data);
}

static int check_room(const char *dir, struct err *err)
{
	uint64_t have;

	if (fs_free_bytes(dir, &have, err) < 0)
		return -1;
	if (have < TREE_NEED_BYTES)
		return err_set(err, ERR_HOST,
			       "a kernel tree takes %" PRIu64 " MiB below %s, where %" PRIu64
			       " MiB are free; free some, or set XDG_CACHE_HOME to a larger disk",
			       TREE_NEED_BYTES / MIB, dir, have / MIB);
	return 0;
}

/* The source in full against the config in full: a stable update may change a structure. */
static int check_version(const struct tree *t, const struct build_spec *spec, const char *config,
			 struct err *err)
{
	struct kversion source, release, of_config;

	if (source_version(t->linux_dir, &source, err) < 0)
		return -1;
	if (kversion_parse(spec->kernel->release, &release) &&
	    !kversion_same_series(&source, &release))
		return err_set(err, ERR_USAGE,
			       "%s is source of %u.%u, not of %s; name another with --source",
			       spec->kernel->source, source.version, source.patchlevel,
			       spec->kernel->release);
	if (!kversion_of_config(config, &of_config))
		return 0;
	if (!kversion_same_series(&source, &of_config))
		return err_set(err, ERR_USAGE,
			       "%s is a config of %u.%u, not of %u.%u; name another with --kconfig",
			       spec->kernel->config, of_config.version, of_config.patchlevel,
			       source.version, source.patchlevel);
	if (spec->progress && of_config.sublevel != source.sublevel)
		progress_warn(spec->progress,
			      "kernel %s is %u.%u.%u and its source %u.%u.%u; update both, since a "
			      "module built so may not load",
			      spec->kernel->release, of_config.version, of_config.patchlevel,
			      of_config.sublevel, source.version, source.patchlevel,
			      source.sublevel);
	return 0;
}

/* A power cut leaves files that are there and empty, and every candidate would fail by them. */
static bool has_content(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

static bool is_ready(const struct tree *t, const struct build_spec *spec, const char *marker)
{
	_cleanup_free_ char *config = str_printf("%s/include/generated/autoconf.h", t->linux_dir);
	_cleanup_free_ char *symvers = str_printf("%s/Module.symvers", t->linux_dir);
	_cleanup_free_ char *key = NULL;
	struct err ignored = { 0 };

	return fs_exists(marker) && fs_read(marker, 256, &key, NULL, &ignored) == 0 &&
	       strcmp(key, t->key) == 0 && (spec->whole || has_content(config)) &&
	       (t->inputs->trimmed || has_content(symvers));
}

/* Other trees make room for this one, which takes that much once it is built in. Half of it all is theirs and the unpacked packages'. */
static int make_room(const struct tree *t, const struct build_spec *spec, struct err *err)
{
	uint64_t max = spec->cache_max_bytes ? spec->cache_max_bytes : BUILD_CACHE_MAX_BYTES;
	const char *own = strrchr(t->dir, '/') + 1;
	_cleanup_free_ char *trees = xstrndup(t->dir, (size_t)(own - 1 - t->dir));
	_cleanup_free_ char *packages = str_printf("%s/packages", spec->cache_dir);
	uint64_t unpacked = cap_bytes(packages);

	/* those that are in use may be more than the quarter that is theirs */
	return tree_trim(trees, own, TREE_NEED_BYTES,
			 max / 2 - (unpacked < max / 4 ? unpacked : max / 4), err);
}

/* The source with its config; what differs in a candidate comes later. */
static int make_overlay(const struct tree *t, const struct build_spec *spec, const struct maker *m,
			struct err *err)
{
	_cleanup_free_ char *log = str_printf("%s/prepare.log", t->dir);

	if (source_unpack(spec->kernel->source, t->linux_dir, spec->progress, err) < 0 ||
	    check_version(t, spec, t->inputs->distribution, err) < 0 ||
	    configure_make(t, spec, m, ERR_USAGE, log, err) < 0)
		return -1;
	return configure_note(t, spec, NULL, NULL, err);
}

static int make_tree(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		     struct err *err)
{
	_cleanup_free_ char *symvers = str_printf("%s/Module.symvers", t->linux_dir);

	if (fs_mkdirs(t->linux_dir, err) < 0 || check_room(t->dir, err) < 0)
		return -1;
	if (!spec->whole && make_overlay(t, spec, m, err) < 0)
		return -1;
	return t->inputs->trimmed ? 0 : fs_copy(spec->kernel->symvers, symvers, err);
}

int tree_prepare(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		 struct err *err)
{
	_cleanup_free_ char *marker = tree_marker(t);

	if (make_room(t, spec, err) < 0)
		return -1;
	if (is_ready(t, spec, marker))
		return 0;
	/* what the tree's config will be is not known yet, but nothing that is off comes on */
	if (check_tools(t->inputs->start, err) < 0 || fs_mkdirs(t->linux_dir, err) < 0 ||
	    maker_check_tools(m, err) < 0)
		return -1;
	if (spec->progress)
		progress_event(spec->progress,
			       "preparing the kernel tree, once for this kernel; a minute or two");
	progress_stage(spec->progress, "prepare", TREE_EXPECT_NS);
	if (fs_remove_large_tree(t->dir, err) < 0 || make_tree(t, spec, m, err) < 0)
		return -1;
	/* What says that it is whole must not reach the disk before it. */
	if (fs_settle(t->dir, err) < 0)
		return -1;
	return fs_write(marker, t->key, strlen(t->key), err);
}
