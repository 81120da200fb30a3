// SPDX-License-Identifier: GPL-2.0-or-later
/* Where things lie: see paths.h. */
#include "paths.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"

/* XDG Base Directory Specification: a relative value is to be ignored. */
static char *xdg(const char *variable, const char *fallback)
{
	const char *v = getenv(variable);
	const char *home = getenv("HOME");
	const struct passwd *user = NULL;

	if (v && v[0] == '/')
		return str_printf("%s/amdgpu-bisect", v);
	/* A service or a container may run without it. */
	if (!home || home[0] != '/')
		user = getpwuid(geteuid());
	if (user)
		home = user->pw_dir;
	return str_printf("%s/%s/amdgpu-bisect", home && home[0] == '/' ? home : "/root", fallback);
}

char *path_state(void)
{
	return xdg("XDG_STATE_HOME", ".local/state");
}

char *path_quarantine(void)
{
	_cleanup_free_ char *state = path_state();

	return str_printf("%s/.quarantine", state); /* no name of a run */
}

char *path_cache(void)
{
	return xdg("XDG_CACHE_HOME", ".cache");
}

int path_cache_make(char **ret, struct err *err)
{
	_cleanup_free_ char *path = path_cache();

	if (fs_mkdirs(path, err) < 0)
		return -1;
	if (access(path, W_OK | X_OK) < 0)
		return err_errno(err, ERR_HOST,
				 "the cache %s cannot be written; mend that, or set XDG_CACHE_HOME "
				 "to another place",
				 path);
	*ret = take_ptr(path);
	return 0;
}

char *path_absolute(const char *path)
{
	_cleanup_free_ char *cwd = NULL;

	if (path[0] == '/')
		return xstrdup(path);
	cwd = getcwd(NULL, 0);
	return cwd ? str_printf("%s/%s", cwd, path) : xstrdup(path);
}

int path_run_new(const char *dir, const char *what, char **ret, struct err *err)
{
	_cleanup_free_ char *state = NULL;
	_cleanup_free_ char *path = NULL;
	time_t now = clock_date_s();
	struct tm tm = { 0 };
	char date[32] = "run";

	if (dir) {
		*ret = path_absolute(dir);
		return 0;
	}
	state = path_state();
	if (gmtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	path = str_printf("%s/%s%s-%s", state, strcmp(what, "run") == 0 ? "" : "tests/", date,
			  what);
	if (fs_exists(path))
		return err_set(err, ERR_HOST, "%s exists already; give a directory with --dir",
			       path);
	*ret = take_ptr(path);
	return 0;
}

void path_run_latest(const char *dir)
{
	_cleanup_free_ char *state = path_state();
	_cleanup_free_ char *link = str_printf("%s/latest", state);
	_cleanup_free_ char *temp = str_printf("%s/.latest.%ld", state, (long)getpid());
	_cleanup_free_ char *target = path_absolute(dir);
	struct err ignored;

	/* Only a convenience: a run is found by its directory as well. */
	if (fs_mkdirs(state, &ignored) < 0)
		return;
	if (symlink(target, temp) < 0 || rename(temp, link) < 0)
		unlink(temp);
}

int path_run_find(const char *name, char **ret, struct err *err)
{
	_cleanup_free_ char *state = path_state();
	_cleanup_strv_ struct strv tries = { 0 };

	if (!name) {
		strv_addf(&tries, "%s/latest", state);
	} else {
		strv_add(&tries, name);
		strv_addf(&tries, "%s/run", name);
		strv_addf(&tries, "%s/%s", state, name);
	}
	for (size_t i = 0; i < tries.n; i++) {
		_cleanup_free_ char *db = str_printf("%s/run.db", tries.items[i]);
		char *real;

		if (!fs_exists(db))
			continue;
		real = realpath(tries.items[i], NULL);
		if (real) {
			*ret = real;
			return 0;
		}
	}
	return name ? err_set(err, ERR_USAGE,
			      "no run at '%s' nor below %s; `ls %s` shows the runs there", name,
			      state, state)
		    : err_set(err, ERR_USAGE,
			      "no run yet below %s; `amdgpu-bisect run GOOD..BAD` starts one",
			      state);
}

int path_part(const char *name, char **ret, struct err *err)
{
	static const char *const places[] = {
		"../guest-agent",
		"../libexec/amdgpu-bisect",
		"../libexec/amdgpu-bisect/probes",
		"../share/amdgpu-bisect",
	};
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (n <= 0)
		return err_errno(err, ERR_HOST, "/proc/self/exe");
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s/%s", exe, places[i], name);

		if (fs_exists(path)) {
			*ret = realpath(path, NULL);
			return *ret ? 0 : err_errno(err, ERR_HOST, "%s", path);
		}
	}
	return err_set(err, ERR_USAGE,
		       "%s is not installed beside %s; build and `cmake --install` again", name,
		       exe);
}
