// SPDX-License-Identifier: GPL-2.0-or-later
/* One call of make: see maker.h. */
#include "build/make/maker.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/spawn.h"
#include "build/make/buildlog.h"

/* A module of this driver takes six minutes on two slow cores; a compiler that loops is no such. */
#define MAKE_LIMIT_MS (INT64_C(2) * 3600 * 1000)

/* From here on env(1) failed, or did not find make; make itself ends with 2 at most. */
#define ENV_FAILED 125

/* Variables that would change what Kbuild does, or hand make a jobserver that is not ours. */
static const char *const unset[] = {
	"ARCH",
	"CROSS_COMPILE",
	"KBUILD_OUTPUT",
	"KBUILD_EXTMOD",
	"M",
	"O",
	"V",
	"W",
	"C",
	"MAKEFLAGS",
	"MFLAGS",
	"MAKELEVEL",
	"GNUMAKEFLAGS",
	"MAKEFILES",
	"KCFLAGS",
	"KAFLAGS",
	"KCPPFLAGS",
	"KBUILD_VERBOSE",
	"LLVM",
	"LLVM_IAS",
	"CFLAGS",
	"LDFLAGS",
	"KERNELRELEASE",
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
	NULL,
};

struct watch {
	struct buildlog log;
	struct progress *progress;
};

static void on_line(const char *line, void *arg)
{
	struct watch *w = arg;
	unsigned int before = w->log.objects;

	buildlog_line(&w->log, line);
	if (!w->progress)
		return;
	if (w->log.objects != before)
		progress_detail(w->progress, w->log.objects == 1 ? "%u object" : "%u objects",
				w->log.objects);
	progress_tick(w->progress);
}

int maker_run(const struct maker *m, const char *const *args, const char *log, struct err *err)
{
	_cleanup_strv_ struct strv argv = { 0 };
	struct watch watch = { .progress = m->progress };
	struct spawn_result result;
	struct spawn spawn = {
		.env = env,
		.output = log,
		.limit_ms = MAKE_LIMIT_MS,
		.on_line = on_line,
		.arg = &watch,
	};

	strv_add(&argv, "env");
	for (size_t i = 0; i < ARRAY_SIZE(unset); i++)
		strv_addf(&argv, "--unset=%s", unset[i]);
	strv_add(&argv, "make");
	strv_addf(&argv, "--jobs=%u", m->jobs);
	strv_addf(&argv, "--directory=%s", m->tree);
	strv_add(&argv, "--no-print-directory");
	strv_addf(&argv, "KERNELRELEASE=%s", m->release);
	strv_addf(&argv, "CC=%s", m->cc);
	/* Debug information is not streamed, so it is not made; -g and -g0 give the same code. */
	strv_add(&argv, "KCFLAGS=-g0");
	strv_add(&argv, "KAFLAGS=-g0");
	for (; *args; args++)
		strv_add(&argv, *args);
	spawn.argv = (const char *const *)argv.items;
	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	if (result.timed_out)
		return err_set(err, ERR_HOST, "make did not end within two hours; see %s", log);
	if (result.signal)
		return err_set(err, ERR_HOST, "make was ended by signal %d", result.signal);
	if (result.exit_code >= ENV_FAILED)
		return err_set(err, ERR_HOST, "make cannot be run; apt install make");
	return result.exit_code ? buildlog_err(&watch.log, err) : 0;
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
