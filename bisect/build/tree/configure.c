// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tree's config: made from its inputs alone, and made anew when a candidate's Kconfig is another.
 *
 * What it was made from is noted as a digest of the Kconfig files that make read; in a whole tree also
 * of whatever goes into the programs and headers that are generated with it. As long as that is the
 * same, nothing is run.
 */
#include "build/tree/configure.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/config.h"
#include "build/kernel/kconfig.h"
#include "build/kernel/kernel.h"
#include "build/tree/inputs.h"

#define KCONFIG_MAX_BYTES (4u << 20)
#define NOTE_MAX	  256

/* Headers that the kernel's own host programs want. */
static const struct {
	const char *word, *package;
} headers[] = {
	{ "openssl/", "libssl-dev" }, { "opensslv.h", "libssl-dev" }, { "gelf.h", "libelf-dev" },
	{ "libelf", "libelf-dev" },   { "elf.h", "libelf-dev" },      { "stdio.h", "libc6-dev" },
};

/*
 * What `make modules_prepare` reads besides Kconfig, as top directories: scripts, tools/objtool, the
 * headers that asm-offsets are taken from, system call tables. At scope kernel `make vmlinux` sees to
 * these, and only what runs Kconfig counts.
 */
static const char *const prepared_from[] = {
	"Makefile", "scripts", "Kbuild", "arch", "include", "kernel", "tools", "security", "certs",
};
#define N_RUNS_KCONFIG 2

char *tree_marker(const struct tree *t)
{
	return str_printf("%s/ready", t->dir);
}

static char *note_path(const struct tree *t)
{
	return str_printf("%s/configured", t->dir);
}

static bool is_limited(const struct build_spec *spec, const char *file)
{
	if (spec->whole)
		return true;
	for (size_t i = 0; i < spec->n_paths; i++) {
		size_t len = strlen(spec->paths[i]);

		if (!len || strcmp(spec->paths[i], ".") == 0 ||
		    (strncmp(file, spec->paths[i], len) == 0 &&
		     (file[len] == '/' || !file[len] || spec->paths[i][len - 1] == '/')))
			return true;
	}
	return false;
}

/* Of an overlay only the limited paths can change. A file that is gone is a change as well. */
static int add_kconfig(const struct tree *t, const struct build_spec *spec, struct buf *text,
		       struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/include/config/auto.conf.cmd", t->linux_dir);
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_free_ char *cmd = NULL;

	if (fs_read(path, KCONFIG_MAX_BYTES, &cmd, NULL, err) < 0)
		return -1;
	kconfig_files(cmd, &files);
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_free_ char *file = str_printf("%s/%s", t->linux_dir, files.items[i]);
		char digest[65] = "gone";

		if (!is_limited(spec, files.items[i]))
			continue;
		if (fs_exists(file) && fs_sha256_file(file, digest, err) < 0)
			return -1;
		buf_printf(text, "%s %s\n", digest, files.items[i]);
	}
	return 0;
}

static int made_from(const struct tree *t, const struct build_spec *spec,
		     const struct patches *patches, const char *id, char ret[65], struct err *err)
{
	size_t n = spec->scope == BUILD_SCOPE_KERNEL ? N_RUNS_KCONFIG : ARRAY_SIZE(prepared_from);
	_cleanup_buf_ struct buf text = { 0 };
	char content[65] = "";

	if (spec->whole &&
	    patches_content_key(spec->repo, patches, id, prepared_from, n, content, err) < 0)
		return -1;
	buf_printf(&text, "config %s\ncontent %s\n", t->inputs->digest, content);
	if (add_kconfig(t, spec, &text, err) < 0)
		return -1;
	fs_sha256_text(text.data, text.len, ret);
	return 0;
}

int configure_note(const struct tree *t, const struct build_spec *spec,
		   const struct patches *patches, const char *id, struct err *err)
{
	_cleanup_free_ char *path = note_path(t);
	char is[65];

	if (made_from(t, spec, patches, id, is, err) < 0)
		return -1;
	return fs_write(path, is, strlen(is), err);
}

/* Unless a package is missing it is whoever is to blame. */
static int make_failed(enum err_kind blame, const char *log, struct err *err)
{
	const char *package = NULL;
	char first[sizeof(err->msg)];

	if (err->kind != ERR_BUILD && !strstr(err->msg, "not found"))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(headers) && !package; i++)
		if (strstr(err->msg, headers[i].word))
			package = headers[i].package;
	if (!package && blame == ERR_BUILD)
		return -1;
	if (!package)
		package = strstr(err->msg, "not found")
				  ? "build-essential"
				  : "build-essential bc bison flex libelf-dev libssl-dev dwarves "
				    "python3";
	str_copy(first, sizeof(first), err->msg);
	return err_set(err, ERR_USAGE,
		       "the kernel tree cannot be prepared: %.400s; apt install %s; the log is %s",
		       first, package, log);
}

/* Options that this source or these tools do not keep may change what structures look like. */
static int check_distribution(const struct tree *t, const struct build_spec *spec,
			      const char *after, struct err *err)
{
	_cleanup_strv_ struct strv lost = { 0 };

	config_lost(t->inputs->start, after, &lost);
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

/* Each option that the fragments set must be so, unless it is optional and this kernel lacks it. */
static int check_settings(const struct tree *t, const char *after, enum err_kind blame,
			  struct err *err)
{
	_cleanup_buf_ struct buf kconfig = { 0 };
	const struct setting *lost;
	size_t at = 0;

	while ((lost = settings_lost(&t->inputs->settings, after, &at))) {
		_cleanup_free_ char *is = config_value(after, lost->name);
		bool known;

		if (!kconfig.len && kconfig_text(t->linux_dir, &kconfig, err) < 0)
			return -1;
		known = kconfig_defines(kconfig.data ? kconfig.data : "", lost->name);
		if (!known && lost->optional)
			continue;
		if (!known)
			return err_set(
				err, blame,
				"%s of %s, line %u, is no option of this kernel; take it out",
				lost->name, lost->origin, lost->line);
		return err_set(err, blame,
			       "%s=%s of %s, line %u, is lost: with this kernel and config it is "
			       "%s; add what it depends on, or take it out",
			       lost->name, lost->value, lost->origin, lost->line, is ? is : "n");
	}
	return 0;
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

/* What make starts from: all of a config, or what a config that has nothing on is to have. */
static int make_config(const struct tree *t, const struct maker *m, const char *log,
		       struct err *err)
{
	_cleanup_free_ char *all = str_printf("%s/all.config", t->dir);
	_cleanup_free_ char *set = str_printf("KCONFIG_ALLCONFIG=%s", all);
	const char *path = t->inputs->trimmed ? all : t->config;

	if (fs_write(path, t->inputs->start, strlen(t->inputs->start), err) < 0)
		return -1;
	if (t->inputs->trimmed)
		return maker_run(m, (const char *const[]){ set, "allnoconfig", NULL }, log, err);
	return maker_run(m, (const char *const[]){ "olddefconfig", NULL }, log, err);
}

int configure_make(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		   enum err_kind blame, const char *log, struct err *err)
{
	_cleanup_free_ char *after = NULL;

	if (spec->progress)
		progress_detail(spec->progress, "configuring");
	if (make_config(t, m, log, err) < 0)
		return make_failed(blame, log, err);
	if (fs_read(t->config, CONFIG_MAX_BYTES, &after, NULL, err) < 0 ||
	    check_settings(t, after, blame, err) < 0)
		return -1;
	if (!t->inputs->trimmed && blame == ERR_USAGE &&
	    check_distribution(t, spec, after, err) < 0)
		return -1;
	if (maker_run(m, (const char *const[]){ "modules_prepare", NULL }, log, err) < 0)
		return make_failed(blame, log, err);
	return check_release(t, spec, err);
}

/* Modules of another series than the kernel that loads them have other structures. */
static int check_series(const struct build_spec *spec, const char *id, struct err *err)
{
	struct kversion is, release;

	if (tree_version(spec, id, &is, err) < 0)
		return -1;
	if (spec->scope != BUILD_SCOPE_KERNEL && kversion_parse(spec->kernel->release, &release) &&
	    !kversion_same_series(&is, &release))
		return err_set(
			err, ERR_USAGE,
			"commit %.12s is of kernel %u.%u, and its modules do not fit %s; use "
			"--scope kernel, or --tree overlay",
			id, is.version, is.patchlevel, spec->kernel->release);
	return 0;
}

static bool is_as_it_was(const struct tree *t, const struct build_spec *spec,
			 const struct patches *patches, const char *id)
{
	_cleanup_free_ char *path = note_path(t);
	_cleanup_free_ char *was = NULL;
	struct err ignored = { 0 };
	char is[65];

	return fs_exists(path) && fs_read(path, NOTE_MAX, &was, NULL, &ignored) == 0 &&
	       made_from(t, spec, patches, id, is, &ignored) == 0 && strcmp(was, is) == 0;
}

int tree_configure(const struct tree *t, const struct build_spec *spec,
		   const struct patches *patches, const char *id, const struct maker *m,
		   const char *log, struct err *err)
{
	_cleanup_free_ char *note = note_path(t);
	_cleanup_free_ char *marker = tree_marker(t);
	struct err ignored = { 0 };
	int rc;

	if (is_as_it_was(t, spec, patches, id))
		return 0;
	if (spec->whole && check_series(spec, id, err) < 0)
		return -1;
	/*
	 * Killed in the middle, programs of the kernel's may be half written, which make would not
	 * see: without the marker the tree is made anew. After any other end it is sound.
	 */
	unlink(note);
	unlink(marker);
	rc = configure_make(t, spec, m, ERR_BUILD, log, err);
	if (rc == 0)
		rc = configure_note(t, spec, patches, id, err);
	if (rc < 0 && err->kind == ERR_HOST)
		return -1;
	if (fs_write(marker, t->key, strlen(t->key), rc < 0 ? &ignored : err) < 0)
		return -1;
	return rc;
}
