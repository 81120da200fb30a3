// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tests with real guests share: see kit.h. */
#include "kit/kit.h"

#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

static char image[256], modules[256], release[128];

bool kit_spec(struct guest_spec *ret, const char *agent, const char *dir)
{
	const char *wanted = getenv("AMDGPU_BISECT_TEST_KERNEL");
	_cleanup_free_ char *pattern = str_printf("/boot/vmlinuz-%s", wanted ? wanted : "*-amd64");
	bool found = false;
	glob_t g = { 0 };

	glob(pattern, 0, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc && !found; i++) {
		str_copy(release, sizeof(release), g.gl_pathv[i] + strlen("/boot/vmlinuz-"));
		str_copy(image, sizeof(image), g.gl_pathv[i]);
		snprintf(modules, sizeof(modules), "/lib/modules/%s", release);
		found = fs_is_dir(modules);
	}
	globfree(&g);
	*ret = (struct guest_spec){
		.image = image,
		.modules = modules,
		.agent = agent,
		.cache_dir = dir,
		.accel = GUEST_ACCEL_TCG,
		.memory_mib = 256,
	};
	return found;
}

const char *kit_release(void)
{
	return release;
}

const char *kit_slot(int pid)
{
	static struct {
		int pid;
		char root[128];
	} seen[16];
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	_cleanup_free_ char *pattern =
		str_printf("{/run,%s,/tmp}/amdgpu-bisect*/*.lock", runtime ? runtime : "");
	size_t n = 0;
	glob_t g = { 0 };

	for (; n < ARRAY_SIZE(seen) && seen[n].pid; n++)
		if (seen[n].pid == pid)
			return seen[n].root;
	glob(pattern, GLOB_BRACE, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc && n < ARRAY_SIZE(seen) && !seen[n].pid; i++) {
		_cleanup_free_ char *text = NULL;
		struct err ignored;

		if (fs_read(g.gl_pathv[i], 32, &text, NULL, &ignored) < 0 || atoi(text) != pid)
			continue;
		seen[n].pid = pid;
		str_copy(seen[n].root, sizeof(seen[n].root), g.gl_pathv[i]);
		strcpy(strrchr(seen[n].root, '.'), "/");
	}
	globfree(&g);
	return n < ARRAY_SIZE(seen) && seen[n].pid ? seen[n].root : NULL;
}

/* Counts them; with @sig other than 0 each gets that signal. */
static int each_qemu(int pid, int sig)
{
	const char *slot = pid ? kit_slot(pid) : NULL;
	_cleanup_closedir_ DIR *proc = opendir("/proc");
	char needle[64];
	struct dirent *e;
	int n = 0;

	snprintf(needle, sizeof(needle), pid ? "guest=ab-%d-" : "guest=ab-", pid);
	while (proc && (e = readdir(proc)) != NULL) {
		_cleanup_free_ char *path = str_printf("/proc/%s/cmdline", e->d_name);
		_cleanup_free_ char *cmdline = NULL;
		struct err ignored;
		size_t len;

		if (*e->d_name >= '0' && *e->d_name <= '9' &&
		    fs_read(path, 1 << 20, &cmdline, &len, &ignored) == 0 &&
		    (memmem(cmdline, len, needle, strlen(needle)) ||
		     (slot && memmem(cmdline, len, "guest=ab-saved", 14) &&
		      memmem(cmdline, len, slot, strlen(slot))))) {
			n++;
			if (sig)
				kill((pid_t)atoi(e->d_name), sig);
		}
	}
	return n;
}

int kit_qemus(int pid)
{
	return each_qemu(pid, 0);
}

int kit_kill_qemus(int pid)
{
	return each_qemu(pid, SIGKILL);
}

int kit_fds(void)
{
	_cleanup_closedir_ DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	return n;
}
