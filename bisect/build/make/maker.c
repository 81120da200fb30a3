// SPDX-License-Identifier: GPL-2.0-or-later
/* One call of make: see maker.h. */
#include "build/make/maker.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/spawn.h"
#include "build/cc/asked.h"
#include "build/make/buildlog.h"
#include "build/cc/ccache.h"
#include "build/make/count.h"
#include "build/make/rig.h"

/* A module of this driver takes six minutes on two slow cores; a compiler that loops is no such. */
#define MAKE_LIMIT_MS (INT64_C(2) * 3600 * 1000)

/* From here on env(1) failed, or did not find make; make itself ends with 2 at most. */
#define ENV_FAILED 125

/* Variables that would change what Kbuild or a compiler does, or hand make a jobserver that is not ours. */
static const char *const unset[] = {
	"ARCH",
	"SUBARCH",
	"SRCARCH",
	"M",
	"O",
	"V",
	"W",
	"C",
	"Q",
	"quiet",
	"sub_make_done",
	"srctree",
	"objtree",
	"MAKEFLAGS",
	"MFLAGS",
	"MAKELEVEL",
	"GNUMAKEFLAGS",
	"MAKEFILES",
	"KCFLAGS",
	"KAFLAGS",
	"KCPPFLAGS",
	"KRUSTFLAGS",
	"CFLAGS",
	"CPPFLAGS",
	"LDFLAGS",
	"USERCFLAGS",
	"USERLDFLAGS",
	"EXTRA_CFLAGS",
	"EXTRA_AFLAGS",
	"EXTRA_LDFLAGS",
	"NOSTDINC_FLAGS",
	"KERNELRELEASE",
	"LOCALVERSION",
	/* GCC, "Environment Variables Affecting GCC"; -nostdinc leaves the first two in */
	"CPATH",
	"C_INCLUDE_PATH",
	"LIBRARY_PATH",
	"COMPILER_PATH",
	"GCC_EXEC_PREFIX",
	"GCC_COMPARE_DEBUG",
	"DEPENDENCIES_OUTPUT",
	"SUNPRO_DEPENDENCIES",
	"SOURCE_DATE_EPOCH",
	"LDEMULATION",
	"GNUTARGET",
};

/*
 * Families of such: Documentation/kbuild/kbuild.rst and kconfig.rst. An option that is off is no
 * variable of make's, which would take the caller's then.
 */
static const char *const unset_families[] = {
	"KBUILD_", "KCONFIG_", "CONFIG_", "CROSS_",   "LLVM",
	"HOST",	   "CFLAGS_",  "AFLAGS_", "LDFLAGS_",
};

/* The same input gives the same bytes, whoever builds it and when. */
static const char *const env[] = {
	/* Kbuild takes LC_ALL out again: without the others the quotes in messages would vary. */
	"LC_ALL=C",
	"LANG=C",
	"LANGUAGE=C",
	"LC_CTYPE=C",
	"LC_MESSAGES=C",
	"KBUILD_BUILD_TIMESTAMP=1970-01-01",
	"KBUILD_BUILD_USER=amdgpu-bisect",
	"KBUILD_BUILD_HOST=amdgpu-bisect",
	"KBUILD_BUILD_VERSION=1",
	NULL,
};

struct watch {
	struct buildlog log;
	struct count count;
	struct progress *progress;
};

static void on_line(const char *line, void *arg)
{
	struct watch *w = arg;
	unsigned int before = w->log.objects;
	bool was_linking = w->log.linking;

	buildlog_line(&w->log, line);
	if (!w->progress)
		return;
	if (w->log.objects != before || w->log.linking != was_linking)
		count_show(&w->count, w->log.objects, w->log.linking, w->progress);
	progress_tick(w->progress);
}

/* Not what is set here, which env(1) is given in the caller's place. */
static void unset_family(const char *family, struct strv *argv)
{
	for (char **e = environ; e && *e; e++) {
		size_t len = strcspn(*e, "=") + 1;
		bool ours = false;

		for (size_t i = 0; env[i]; i++)
			ours |= strncmp(*e, env[i], len) == 0;
		if (!ours && str_starts(*e, family))
			strv_addf(argv, "--unset=%.*s", (int)len - 1, *e);
	}
}

/* What env(1) is to take out and to set. */
static void add_env(const struct maker *m, struct strv *argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(unset); i++)
		strv_addf(argv, "--unset=%s", unset[i]);
	for (size_t i = 0; i < ARRAY_SIZE(unset_families); i++)
		unset_family(unset_families[i], argv);
	ccache_env(m->ccache, m->cc, m->cc_version, m->tree, argv);
}

static bool preprocesses(const struct maker *m, const char *option)
{
	_cleanup_free_ char *set = str_printf("AMDGPU_BISECT_CC=%s", m->cc);
	_cleanup_free_ char *line =
		str_printf("exec $AMDGPU_BISECT_CC %s -E -x c /dev/null", option);
	struct err ignored = { 0 };
	struct spawn_result result;
	const struct spawn spawn = {
		.argv = (const char *const[]){ "sh", "-c", line, NULL },
		.env = (const char *const[]){ "LC_ALL=C", set, NULL },
		.limit_ms = 30000,
	};

	return spawn_run(&spawn, &result, &ignored) == 0 && result.exit_code == 0;
}

/*
 * A gcc before 8 has no such option, and with it compiles nothing. One that fails without it too, or was
 * killed, says nothing of it: other flags would give other bytes under the same key, so they stay, and
 * make tells what is wrong.
 */
static bool maps_prefixes(const struct maker *m)
{
	return preprocesses(m, "-fmacro-prefix-map=a=b") || !preprocesses(m, "");
}

/*
 * Debug information is not streamed, so it is not made; -g and -g0 give the same code. Names of files
 * in the code (__FILE__) start at the tree, or beside it, wherever it lies: the same candidate gives
 * the same bytes.
 *
 * The compiler is asked here. Kbuild's cc-option in a variable of the command line would be expanded for
 * the environment of each program that make starts, again and again: 25 s in an incremental build of 6 s.
 */
static void add_flags(const struct maker *m, struct strv *argv)
{
	const char *slash = strrchr(m->tree, '/');

	if (maps_prefixes(m))
		strv_addf(argv, "KCFLAGS=-g0 -fmacro-prefix-map=%.*s/= -fmacro-prefix-map=%s/=",
			  slash ? (int)(slash - m->tree) : 0, m->tree, m->tree);
	else
		strv_add(argv, "KCFLAGS=-g0");
	strv_add(argv, "KAFLAGS=-g0");
}

/* 0: make succeeded; 1: it failed, and @log was told why; -1: it could not be run to its end. */
static int run_once(const struct maker *m, const char *const *args, const char *log,
		    struct watch *watch, struct err *err)
{
	_cleanup_free_ char *cc = ccache_cc(m->ccache, m->cc);
	_cleanup_free_ char *asked = asked_file(m->tree, m->cc, m->cc_version);
	_cleanup_strv_ struct strv argv = { 0 };
	struct spawn_result result;
	struct spawn spawn = {
		.env = env,
		.output = log,
		.limit_ms = MAKE_LIMIT_MS,
		.hold_fd = m->lock,
		.on_line = on_line,
		.arg = watch,
	};

	strv_add(&argv, "env");
	add_env(m, &argv);
	if (asked)
		asked_env(asked, &argv);
	strv_add(&argv, "make");
	strv_addf(&argv, "--jobs=%u", m->jobs);
	/* a compile's output in one piece, once it has ended: see buildlog.h */
	strv_add(&argv, "--output-sync=target");
	strv_addf(&argv, "--directory=%s", m->tree);
	strv_add(&argv, "--no-print-directory");
	strv_addf(&argv, "KERNELRELEASE=%s", m->release);
	strv_addf(&argv, "CC=%s", cc);
	if (asked)
		asked_arg(&argv);
	add_flags(m, &argv);
	for (; *args; args++)
		strv_add(&argv, *args);
	spawn.argv = (const char *const *)argv.items;
	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	if (m->objects)
		*m->objects += watch->log.objects;
	if (result.timed_out)
		return err_set(err, ERR_HOST, "make did not end within two hours; see %s", log);
	if (result.signal)
		return err_set(err, ERR_HOST,
			       "make was ended by signal %d; begin again, and see who ended it",
			       result.signal);
	if (result.exit_code >= ENV_FAILED)
		return err_set(err, ERR_HOST, "make cannot be run; apt install make");
	return result.exit_code != 0;
}

int maker_check_tools(const struct maker *m, struct err *err)
{
	_cleanup_strv_ struct strv before = { 0 };
	struct maker plain = *m;

	plain.ccache = NULL;
	add_env(&plain, &before);
	return rig_canary(m->tree, &before, m->cc, true, err);
}

enum after { GIVE_UP, TRY_AGAIN };

/* The canary through ccache, then without. @err is filled if it is the toolchain. */
static int ask_tools(const struct maker *m, const struct buildlog *l, enum after *ret,
		     struct err *err)
{
	_cleanup_free_ char *cc = ccache_cc(m->ccache, m->cc);
	_cleanup_strv_ struct strv before = { 0 };
	struct err first = { 0 };

	add_env(m, &before);
	if (maker_check_tools(m, err) < 0)
		return -1;
	if (strcmp(cc, m->cc) == 0)
		return 0;
	if (!l->ccache && rig_canary(m->tree, &before, cc, true, &first) == 0)
		return 0;
	if (first.kind == ERR_STOPPED)
		return err_set(err, ERR_STOPPED, "%s", first.msg);
	ccache_fall_back(m->ccache, l->ccache ? "it fails; see the build log" : first.msg);
	*ret = TRY_AGAIN;
	return 0;
}

/*
 * After a failure. 0: it is the candidate's as far as can be told, or make is to be
 * run again; -1: it is the rig's.
 */
static int ask_rig(const struct maker *m, const struct buildlog *l, uint64_t oom_kills,
		   enum after *ret, struct err *err)
{
	*ret = GIVE_UP;
	if (l->host[0])
		return buildlog_err(l, err);
	if (rig_check(m->tree, oom_kills, err) < 0)
		return -1;
	return ask_tools(m, l, ret, err);
}

/* One run of make and, if it fails, what is known of the rig. 1: it failed, and not by the rig; else as run_once(). */
static int attempt(const struct maker *m, const char *const *args, const char *log, struct watch *w,
		   enum after *after, struct err *err)
{
	uint64_t oom_kills = rig_oom_kills();
	int rc;

	w->log = (struct buildlog){ 0 };
	rc = run_once(m, args, log, w, err);
	if (rc <= 0)
		return rc;
	return ask_rig(m, &w->log, oom_kills, after, err) < 0 ? -1 : 1;
}

/* A crash that comes again at the same place is the candidate's. */
static int try_again(const struct maker *m, const char *const *args, const char *log,
		     const struct build_error *crash, struct watch *w, struct err *err)
{
	enum after after;
	int rc;

	if (rig_check_limit(err) < 0)
		return -1;
	rc = attempt(m, args, log, w, &after, err);
	if (rc <= 0)
		return rc;
	if (w->log.first.rank != BUILDLOG_CRASH || (strcmp(w->log.first.file, crash->file) == 0 &&
						    strcmp(w->log.first.msg, crash->msg) == 0))
		return buildlog_err(&w->log, err);
	return err_set(err, ERR_HOST,
		       "the compiler crashed at %s, and then at %s: is the memory sound? See %s",
		       crash->file, w->log.first.file, log);
}

/*
 * ccache that fails would fail Kbuild's trials of the compiler too, each of which drops a flag: objects
 * could come of that which are not the candidate's. So it is tried first, by one small file.
 */
static void try_ccache(const struct maker *m)
{
	_cleanup_free_ char *cc = ccache_cc(m->ccache, m->cc);
	_cleanup_strv_ struct strv before = { 0 };
	struct err why = { 0 };

	if (!ccache_in_use(m->ccache))
		return;
	add_env(m, &before);
	if (rig_canary(m->tree, &before, cc, false, &why) < 0 && why.kind != ERR_STOPPED)
		ccache_fall_back(m->ccache, why.msg);
}

static int run(const struct maker *m, const char *const *args, const char *log, struct watch *w,
	       struct err *err)
{
	enum after after = TRY_AGAIN;
	struct build_error crash;

	try_ccache(m);
	while (after == TRY_AGAIN) {
		int rc = attempt(m, args, log, w, &after, err);

		if (rc <= 0)
			return rc;
	}
	crash = w->log.first;
	if (crash.rank != BUILDLOG_CRASH)
		return buildlog_err(&w->log, err);
	return try_again(m, args, log, &crash, w, err);
}

int maker_run(const struct maker *m, const char *const *args, const char *log, struct err *err)
{
	struct watch watch = { .progress = m->progress };
	int rc;

	count_begin(&watch.count, m->counts, m->tree, args);
	rc = run(m, args, log, &watch, err);
	if (rc == 0 && m->counts)
		count_end(&watch.count, m->counts, watch.log.objects);
	count_deinit(&watch.count);
	return rc;
}

int maker_cc_version(const char *cc, char **ret, struct err *err)
{
	_cleanup_free_ char *set = str_printf("AMDGPU_BISECT_CC=%s", cc);
	_cleanup_buf_ struct buf out = { 0 };
	struct spawn_result result;
	/* like make, which lets CC be more than one word ("ccache gcc") */
	const struct spawn spawn = {
		.argv = (const char *const[]){ "sh", "-c", "exec $AMDGPU_BISECT_CC --version",
					       NULL },
		.env = (const char *const[]){ "LC_ALL=C", set, NULL },
		.capture = &out,
		.limit_ms = 30000,
	};

	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	if (result.exit_code || !out.len)
		return err_set(
			err, ERR_USAGE,
			"the compiler '%s' does not run; install it (apt install gcc) or name "
			"another with --cc",
			cc);
	*ret = xstrndup(out.data, strcspn(out.data, "\n"));
	return 0;
}

int maker_strip(const char *from, const char *to, const char *log, struct err *err)
{
	struct spawn_result result;
	const struct spawn spawn = {
		.argv = (const char *const[]){ "objcopy", "--strip-debug", from, to, NULL },
		.env = env,
		.output = log,
		.limit_ms = 300000,
	};

	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	if (result.exit_code)
		return err_set(err, ERR_HOST,
			       "objcopy --strip-debug %s failed; is the disk full? See %s", from,
			       log);
	return 0;
}
