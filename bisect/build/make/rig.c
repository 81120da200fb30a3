// SPDX-License-Identifier: GPL-2.0-or-later
/* Is it the rig: see rig.h. */
#include "build/make/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"

#define PROC_MAX_BYTES 65536
#define INODES_MIN     64
#define CANARY_MS      60000

/* All the tools that Kbuild calls for an object; each result must be there and not be empty. */
static const char canary[] =
	"exec 2>&1; cd \"$1\" || exit 1\n"
	"printf 'int f(int v);\\nint f(int v)\\n{\\n\\treturn v + 1;\\n}\\n' >c.c &&\n"
	"$CANARY_CC -O2 -ffreestanding -fno-pie -c c.c -o c.o && test -s c.o || exit 1\n"
	"test -z \"$2\" && exit 0\n"
	"ld -r c.o -o l.o && objcopy --strip-debug l.o s.o && nm s.o >n && test -s n &&\n"
	"ar rcs a.a s.o && test -s a.a\n";

static bool number_after(const char *text, const char *word, uint64_t *ret)
{
	size_t len = strlen(word);

	for (const char *l = text; l; l = strchr(l, '\n')) {
		l += *l == '\n';
		if (strncmp(l, word, len) == 0 && l[len] == ' ') {
			*ret = strtoull(l + len, NULL, 10);
			return true;
		}
	}
	return false;
}

static bool number_in(const char *path, uint64_t *ret)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };

	return fs_exists(path) && fs_read(path, PROC_MAX_BYTES, &text, NULL, &ignored) == 0 &&
	       number_after(text, "oom_kill", ret);
}

/*
 * "0::/a/b" is of version 2, "4:memory:/a/b" of version 1. In a container the path may be one that is
 * only seen from outside; what is mounted is its own group then.
 */
static bool group_kills(char *line, uint64_t *ret)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return false;
	*path++ = '\0';
	if (strstr(controllers + 1, "memory")) {
		_cleanup_free_ char *own =
			str_printf("/sys/fs/cgroup/memory%s/memory.oom_control", path);

		return number_in(own, ret) ||
		       number_in("/sys/fs/cgroup/memory/memory.oom_control", ret);
	}
	for (size_t i = 0; !controllers[1] && i < ARRAY_SIZE(mounts); i++) {
		_cleanup_free_ char *own = str_printf("%s%s/memory.events", mounts[i], path);
		_cleanup_free_ char *mounted = str_printf("%s/memory.events", mounts[i]);

		if (number_in(own, ret) || number_in(mounted, ret))
			return true;
	}
	return false;
}

uint64_t rig_oom_kills(void)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	char *save = NULL;
	uint64_t n = 0;

	if (fs_read("/proc/self/cgroup", PROC_MAX_BYTES, &text, NULL, &ignored) == 0)
		for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
			if (group_kills(l, &n))
				return n;
	number_in("/proc/vmstat", &n);
	return n;
}

static int check_disk(const char *path, struct err *err)
{
	struct statvfs fs;
	uint64_t have;

	if (statvfs(path, &fs) < 0)
		return err_errno(err, ERR_HOST, "cannot look at %s", path);
	have = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (have < RIG_FREE_MIN_BYTES)
		return err_set(err, ERR_HOST,
			       "the build was cut short by this machine: only %" PRIu64
			       " MiB are free in %s; free some",
			       have >> 20, path);
	if (fs.f_files && fs.f_favail < INODES_MIN)
		return err_set(err, ERR_HOST,
			       "the build was cut short by this machine: no more files can be made "
			       "in %s; remove some",
			       path);
	return 0;
}

int rig_check(const char *tree, uint64_t oom_kills, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	if (check_disk(tree, err) < 0 || check_disk(tmp && *tmp ? tmp : "/tmp", err) < 0)
		return -1;
	if (rig_oom_kills() > oom_kills)
		return err_set(err, ERR_HOST,
			       "the build was cut short by this machine: memory ran out while make "
			       "worked; close other programs, or use fewer jobs (--jobs)");
	return 0;
}

int rig_check_limit(struct err *err)
{
	static const int limits[] = { RLIMIT_AS, RLIMIT_DATA };
	struct rlimit limit;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (getrlimit(limits[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			return err_set(
				err, ERR_HOST,
				"the build was cut short by this machine: the compiler crashed, "
				"and no more than %" PRIu64
				" MiB of memory are allowed to it; lift that limit (ulimit -v "
				"unlimited)",
				(uint64_t)limit.rlim_cur >> 20);
	return 0;
}

static int run_canary(const char *dir, const struct strv *before, const char *cc, bool joins,
		      struct err *err)
{
	_cleanup_free_ char *set = str_printf("CANARY_CC=%s", cc);
	_cleanup_strv_ struct strv argv = { 0 };
	_cleanup_buf_ struct buf out = { 0 };
	struct spawn_result result;
	struct spawn spawn = {
		.env = (const char *const[]){ "LC_ALL=C", set, NULL },
		.capture = &out,
		.limit_ms = CANARY_MS,
	};

	strv_add(&argv, "env");
	for (size_t i = 0; i < before->n; i++)
		strv_add(&argv, before->items[i]);
	strv_add(&argv, "sh");
	strv_add(&argv, "-c");
	strv_add(&argv, canary);
	strv_add(&argv, "sh");
	strv_add(&argv, dir);
	strv_add(&argv, joins ? "joins" : "");
	spawn.argv = (const char *const *)argv.items;
	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	if (result.exit_code == 0)
		return 0;
	return err_set(err, ERR_HOST,
		       "the compiler or binutils do not work here; reinstall them (apt install "
		       "--reinstall gcc binutils), or name another compiler with --cc: %.*s",
		       out.len ? (int)strcspn(out.data, "\n") : 23,
		       out.len ? out.data : "they say nothing of why");
}

int rig_canary(const char *tree, const struct strv *before, const char *cc, bool joins,
	       struct err *err)
{
	_cleanup_free_ char *dir = str_printf("%s/../canary-XXXXXX", tree);
	struct err ignored = { 0 };
	int rc;

	if (!mkdtemp(dir))
		return err_errno(err, ERR_HOST, "cannot make a directory beside %s", tree);
	rc = run_canary(dir, before, cc, joins, err);
	fs_remove_tree(dir, &ignored);
	return rc;
}
