// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tests with real guests share: see kit.h. */
#include "kit.h"

#include <glob.h>
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

int kit_qemus(int pid)
{
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
		    memmem(cmdline, len, needle, strlen(needle)))
			n++;
	}
	return n;
}

int kit_fds(void)
{
	_cleanup_closedir_ DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	return n;
}
