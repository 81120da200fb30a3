// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel tree is made once: source, the distribution's config and Module.symvers, and `make
 * modules_prepare` under the distribution's release. A marker is written last; a tree without it was
 * interrupted and is made anew.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "build/kernel/config.h"
#include "build/kernel/kernel.h"
#include "build/kernel/source.h"
#include "build/tree.h"
#include "build/kernel/version.h"

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

/* Headers that the kernel's own host programs want. */
static const struct {
	const char *word, *package;
} headers[] = {
	{ "openssl/", "libssl-dev" },	    { "opensslv.h", "libssl-dev" },
	{ "gelf.h", "libelf-dev" },	    { "libelf", "libelf-dev" },
	{ "elf.h", "libelf-dev" },	    { "stdio.h", "libc6-dev" },
	{ "not found", "build-essential" },
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

/* Options that this source or these tools do not keep may change what structures look like. */
static int check_config(const struct tree *t, const struct build_spec *spec, const char *before,
			struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/.config", t->linux_dir);
	_cleanup_free_ char *after = NULL;
	_cleanup_strv_ struct strv lost = { 0 };

	if (fs_read(path, CONFIG_MAX_BYTES, &after, NULL, err) < 0)
		return -1;
	config_lost(before, after, &lost);
	for (size_t i = 0; i < lost.n; i++)
		if (str_starts(lost.items[i], "CONFIG_DEBUG_INFO_BTF") ||
		    strcmp(lost.items[i], "CONFIG_MODVERSIONS") == 0)
			return err_set(
				err, ERR_USAGE,
				"%s of %s is lost with these tools, so modules would not fit; "
				"apt install dwarves, and the compiler the kernel was built with",
				lost.items[i], spec->kernel->config);
	if (lost.n && spec->progress)
		progress_warn(spec->progress,
			      "%zu options of %s are not as they were, the first is %s; if modules "
			      "are refused, use the source and compiler of that very kernel",
			      lost.n, spec->kernel->config, lost.items[0]);
	return 0;
}

/* Here it is not a candidate that does not build: the user can mend it. */
static int prepare_failed(const char *log, struct err *err)
{
	const char *package = "build-essential bc bison flex libelf-dev libssl-dev dwarves python3";
	char first[sizeof(err->msg)];

	if (err->kind != ERR_BUILD && !strstr(err->msg, "not found"))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (strstr(err->msg, headers[i].word)) {
			package = headers[i].package;
			break;
		}
	str_copy(first, sizeof(first), err->msg);
	return err_set(err, ERR_USAGE,
		       "the kernel tree cannot be prepared: %.400s; apt install %s; the log is %s",
		       first, package, log);
}

static int check_release(const struct tree *t, const struct build_spec *spec, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/include/generated/utsrelease.h", t->linux_dir);
	_cleanup_free_ char *want = str_printf("\"%s\"", spec->kernel->release);
	_cleanup_free_ char *text = NULL;

	if (fs_read(path, 65536, &text, NULL, err) < 0)
		return -1;
	if (!strstr(text, want))
		return err_set(err, ERR_HOST, "%s does not say %s: modules would be refused", path,
			       want);
	return 0;
}

static int configure(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		     const char *config, struct err *err)
{
	_cleanup_free_ char *log = str_printf("%s/prepare.log", t->dir);
	_cleanup_free_ char *dot_config = str_printf("%s/.config", t->linux_dir);
	_cleanup_free_ char *symvers = str_printf("%s/Module.symvers", t->linux_dir);

	if (fs_write(dot_config, config, strlen(config), err) < 0 ||
	    fs_copy(spec->kernel->symvers, symvers, err) < 0)
		return -1;
	if (spec->progress)
		progress_detail(spec->progress, "configuring");
	if (maker_run(m, (const char *const[]){ "olddefconfig", NULL }, log, err) < 0)
		return prepare_failed(log, err);
	if (check_config(t, spec, config, err) < 0)
		return -1;
	if (maker_run(m, (const char *const[]){ "modules_prepare", NULL }, log, err) < 0)
		return prepare_failed(log, err);
	return check_release(t, spec, err);
}

static bool is_ready(const struct tree *t, const char *marker)
{
	_cleanup_free_ char *config = str_printf("%s/include/generated/autoconf.h", t->linux_dir);
	_cleanup_free_ char *symvers = str_printf("%s/Module.symvers", t->linux_dir);
	_cleanup_free_ char *key = NULL;
	struct err ignored = { 0 };

	return fs_exists(marker) && fs_read(marker, 256, &key, NULL, &ignored) == 0 &&
	       strcmp(key, t->key) == 0 && fs_exists(config) && fs_exists(symvers);
}

int tree_prepare(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		 struct err *err)
{
	_cleanup_free_ char *marker = str_printf("%s/ready", t->dir);
	_cleanup_free_ char *config = NULL;

	if (is_ready(t, marker))
		return 0;
	if (fs_read(spec->kernel->config, CONFIG_MAX_BYTES, &config, NULL, err) < 0 ||
	    check_tools(config, err) < 0)
		return -1;
	if (spec->progress)
		progress_event(spec->progress,
			       "preparing the kernel tree, once for this kernel; a minute or two");
	progress_stage(spec->progress, "prepare", TREE_EXPECT_NS);
	if (fs_remove_large_tree(t->dir, err) < 0 || fs_mkdirs(t->dir, err) < 0 ||
	    check_room(t->dir, err) < 0 ||
	    source_unpack(spec->kernel->source, t->linux_dir, spec->progress, err) < 0 ||
	    check_version(t, spec, config, err) < 0 || configure(t, spec, m, config, err) < 0)
		return -1;
	return fs_write(marker, t->key, strlen(t->key), err);
}
