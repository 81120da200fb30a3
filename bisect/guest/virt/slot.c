// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before libvirt is opened: a directory for the embedded driver's state, and an end to what killed
 * controllers left in theirs. Its path is short because a UNIX socket's is at most 107 bytes and
 * libvirt appends some 70; so it does not lie in the cache but in the first of these that will do:
 *
 *	/run/amdgpu-bisect/N			root
 *	$XDG_RUNTIME_DIR/amdgpu-bisect/N	others
 *	/tmp/amdgpu-bisect-UID/N		where there is no such directory
 */
#include "guest/virt/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"

#define SLOTS	     32
#define BASE_MAX     40 /* [bytes] of the path, see above */
#define KILL_WAIT_MS 5000
#define CMDLINE_MAX  (256 * 1024)

static const char qemu_conf[] = "stdio_handler = \"file\"\n" /* virtlogd is a daemon */
				"remember_owner = 0\n"
				"namespaces = []\n"
				"security_driver = \"none\"\n"
				"cgroup_controllers = []\n";

/* A directory that is ours and nobody else's; /tmp is everybody's. */
static bool make_private(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return false;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 022) == 0;
}

char *slot_base(struct err *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char *path;

	if (geteuid() == 0)
		path = xstrdup("/run/amdgpu-bisect");
	else
		path = str_printf("%s/amdgpu-bisect", runtime && *runtime == '/' ? runtime : "");
	if (strlen(path) <= BASE_MAX && make_private(path))
		return path;
	free(path);
	path = str_printf("/tmp/amdgpu-bisect-%ju", (uintmax_t)geteuid());
	if (make_private(path))
		return path;
	err_set(err, ERR_HOST,
		"cannot use %s for libvirt's state: it must be a directory of yours "
		"that others cannot write to",
		path);
	free(path);
	return NULL;
}

/* True if @pid means the same directory by @root as we do; a container has another of that name. */
static bool same_root(const char *pid, const char *root)
{
	_cleanup_free_ char *theirs = str_printf("/proc/%s/root%s", pid, root);
	struct stat a, b;

	return stat(theirs, &a) == 0 && stat(root, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* True if process @pid is a QEMU that works below @root. */
static bool is_leftover(const char *pid, const char *root)
{
	_cleanup_free_ char *path = str_printf("/proc/%s/cmdline", pid);
	_cleanup_free_ char *needle = str_printf("%s/", root);
	_cleanup_free_ char *cmdline = NULL;
	const char *slash;
	struct err ignored;
	size_t len;

	if (fs_read(path, CMDLINE_MAX, &cmdline, &len, &ignored) < 0 || len == 0)
		return false;
	slash = strrchr(cmdline, '/');
	return str_starts(slash ? slash + 1 : cmdline, "qemu") &&
	       memmem(cmdline, len, needle, strlen(needle)) != NULL && same_root(pid, root);
}

pid_t slot_pid(const char *root, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/run/qemu/%s.pid", root, name);
	_cleanup_free_ char *pid = NULL;
	struct err ignored;
	uint64_t number;

	if (fs_read(path, 32, &pid, NULL, &ignored) < 0)
		return 0;
	pid[strcspn(pid, "\n")] = '\0';
	return str_to_u64(pid, INT32_MAX, &number) && is_leftover(pid, root) ? (pid_t)number : 0;
}

/* Kills what works below @root; returns how many there were. */
static int kill_round(const char *root)
{
	_cleanup_closedir_ DIR *proc = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while (proc && (e = readdir(proc)) != NULL) {
		uint64_t pid;

		if (str_to_u64(e->d_name, INT32_MAX, &pid) && is_leftover(e->d_name, root)) {
			kill((pid_t)pid, SIGKILL);
			n++;
		}
	}
	return n;
}

static void kill_leftovers(const char *root)
{
	int64_t end = clock_now_ns() + KILL_WAIT_MS * NS_PER_MS;

	while (kill_round(root) > 0 && clock_now_ns() < end)
		clock_sleep_ms(50);
}

static int clean(const char *root, struct err *err)
{
	static const char *const parts[] = { "run", "lib", "log", "etc", "cache" };

	kill_leftovers(root);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", root, parts[i]);

		if (fs_remove_tree(path, err) < 0)
			return -1;
	}
	return 0;
}

static int furnish(const char *root, const char *cache_dir, struct err *err)
{
	_cleanup_free_ char *etc = str_printf("%s/etc", root);
	_cleanup_free_ char *log = str_printf("%s/log", root);
	_cleanup_free_ char *conf = str_printf("%s/qemu.conf", etc);
	_cleanup_free_ char *link = str_printf("%s/cache", root);
	_cleanup_free_ char *cache = str_printf("%s/libvirt", cache_dir);
	_cleanup_buf_ struct buf text = { 0 };
	_cleanup_free_ char *full = NULL;

	if (geteuid() == 0) /* the cache lies below a home that other users cannot enter */
		buf_puts(&text, "user = \"root\"\ngroup = \"root\"\n");
	buf_puts(&text, qemu_conf);
	if (fs_mkdirs(etc, err) < 0 || fs_mkdirs(log, err) < 0 || fs_mkdirs(cache, err) < 0 ||
	    fs_write(conf, text.data, text.len, err) < 0)
		return -1;
	full = realpath(cache, NULL);
	if (!full || symlink(full, link) < 0)
		return err_errno(err, ERR_HOST, "cannot make %s", link);
	return 0;
}

void slot_sweep(void)
{
	struct err ignored;
	_cleanup_free_ char *base = slot_base(&ignored);

	for (int i = 0; base && i < SLOTS; i++) {
		_cleanup_free_ char *root = str_printf("%s/%d", base, i);
		_cleanup_free_ char *lock = str_printf("%s.lock", root);
		_cleanup_close_ int fd = -1;

		if (fs_is_dir(root) && fs_lock(lock, false, &fd, &ignored) == 0 &&
		    clean(root, &ignored) == 0)
			rmdir(root);
	}
}

/* Takes the first free slot; others that are free and not empty are cleaned on the way. */
static int take(const char *cache_dir, char **ret, struct err *err)
{
	_cleanup_free_ char *base = slot_base(err);
	_cleanup_free_ char *mine = NULL;

	if (!base)
		return -1;
	for (int i = 0; i < SLOTS; i++) {
		_cleanup_free_ char *root = str_printf("%s/%d", base, i);
		_cleanup_free_ char *lock = str_printf("%s.lock", root);
		_cleanup_close_ int fd = -1;

		if (mine && !fs_is_dir(root))
			continue;
		if (fs_lock(lock, false, &fd, err) < 0)
			continue;
		if (clean(root, err) < 0)
			continue;
		if (mine) {
			rmdir(root);
			continue;
		}
		if (furnish(root, cache_dir, err) < 0)
			return -1;
		mine = take_ptr(root);
		fd = -1; /* held until the process ends */
	}
	if (!mine)
		return err_prefix(err, "no room for libvirt's state in %s", base);
	*ret = take_ptr(mine);
	return 0;
}

int slot_take(const char *cache_dir, const char **ret, struct err *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char *root;
	int r = 0;

	pthread_mutex_lock(&lock);
	if (!root)
		r = take(cache_dir, &root, err);
	*ret = root;
	pthread_mutex_unlock(&lock);
	return r;
}
