// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel that is not installed: see package.h. Found in a root of its own as an installed one is in "/". */
#include "build/package/package.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cap/cap.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "build/kernel/kernel.h"
#include "build/package/names.h"
#include "build/package/rpm.h"

#define KEY_MAGIC	"amdgpu-bisect packages 1"
#define UNPACKED_BYTES	(UINT64_C(1) << 30) /* 6.1: 140 MB of source, 420 of modules */
#define DEPMOD_LIMIT_MS 300000
#define DEPMOD_LOG_MAX	(1u << 20)

void package_set_deinit(struct package_set *s)
{
	strv_deinit(&s->files);
	free(s->release);
	free(s->version);
	*s = (struct package_set){ 0 };
}

void package_kernel_deinit(struct package_kernel *k)
{
	build_kernel_deinit(&k->kernel);
	free(k->version);
	cap_release(take_ptr(k->hold));
}

/* What was unpacked goes with the log, so that its first line is said. */
static int depmod_failed(const char *log, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored;

	if (fs_read(log, DEPMOD_LOG_MAX, &text, NULL, &ignored) < 0 || !*text)
		return err_set(err, ERR_HOST, "depmod failed; install kmod if it is missing");
	return err_set(err, ERR_HOST, "depmod failed: %.*s", (int)strcspn(text, "\n"), text);
}

/* A package's list of modules is made where it is installed. */
static int make_modules_dep(const char *root, const char *release, struct err *err)
{
	const char *argv[] = { "depmod", "-b", root, release, NULL };
	const char *env[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			      NULL };
	_cleanup_free_ char *log = str_printf("%s/depmod.log", root);
	struct spawn spawn = {
		.argv = argv, .env = env, .output = log, .limit_ms = DEPMOD_LIMIT_MS
	};
	struct spawn_result r;

	if (fs_exists("/usr/sbin/depmod"))
		argv[0] = "/usr/sbin/depmod";
	else if (fs_exists("/sbin/depmod"))
		argv[0] = "/sbin/depmod";
	if (spawn_run(&spawn, &r, err) < 0)
		return -1;
	return r.exit_code == 0 ? 0 : depmod_failed(log, err);
}

/* What a kernel says it is, where the names of its packages do not: its modules lie in a directory of that name. */
static int find_release(const char *root, const struct package_set *set, char **ret,
			struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/lib/modules", root);
	_cleanup_closedir_ DIR *dir = opendir(path);
	_cleanup_free_ char *found = NULL;
	struct kversion v;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!kversion_parse(e->d_name, &v))
			continue;
		if (found)
			return err_set(err, ERR_USAGE,
				       "the packages of version %s have modules of several "
				       "kernels, %s and %s",
				       set->version, found, e->d_name);
		found = xstrdup(e->d_name);
	}
	if (!found)
		return err_set(err, ERR_USAGE, "the packages of version %s have no modules",
			       set->version);
	*ret = take_ptr(found);
	return 0;
}

/* On the disk before it has its name: after a power cut an empty file would be taken for a whole one. */
static int unpack_all(const struct package_set *set, const char *root, struct progress *progress,
		      struct err *err)
{
	_cleanup_free_ char *release = xstrdup(set->release);

	for (size_t i = 0; i < set->files.n; i++) {
		progress_detail(progress, "%s", strrchr(set->files.items[i], '/') + 1);
		if (package_unpack(set->files.items[i], root, err) < 0)
			return -1;
	}
	if (!release && find_release(root, set, &release, err) < 0)
		return -1;
	return make_modules_dep(root, release, err) < 0 ? -1 : fs_settle(root, err);
}

static int check_space(const char *cache_dir, struct err *err)
{
	uint64_t space;

	if (fs_free_bytes(cache_dir, &space, err) < 0)
		return -1;
	return space < UNPACKED_BYTES
		       ? err_set(err, ERR_HOST,
				 "%s: %u MB are needed to unpack a kernel, %u MB are free; free "
				 "some, or set XDG_CACHE_HOME to a larger place",
				 cache_dir, (unsigned int)(UNPACKED_BYTES / 1000000),
				 (unsigned int)(space / 1000000))
		       : 0;
}

/* Return: 1 done and held, 0 another process was faster, -1. */
static int place(const char *draft, const char *root, struct err *err)
{
	if (rename(draft, root) == 0)
		return 1;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return err_errno(err, ERR_HOST, "cannot make %s", root);
	return fs_remove_tree(draft, err);
}

/* Return: as place(). A killed one leaves a draft, which is nobody's: it is swept away. */
static int unpack_cached(const struct package_set *set, const char *root, struct progress *progress,
			 struct cap_hold **ret, struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *hold = NULL;
	_cleanup_free_ char *dir = xstrndup(root, (size_t)(strrchr(root, '/') - root));
	_cleanup_free_ char *draft = NULL;
	int placed = -1;

	progress_stage(progress, "unpack", -1);
	progress_event(progress, "unpacking the packages of %s, once",
		       set->release ? set->release : set->version);
	if (check_space(dir, err) < 0 || cap_draft(dir, &draft, &hold, err) < 0)
		return -1;
	chmod(draft, 0755); /* a guest of the system's daemon may read of it */
	if (unpack_all(set, draft, progress, err) == 0)
		placed = place(draft, root, err);
	if (placed < 0) {
		struct err ignored;

		fs_remove_tree(draft, &ignored);
	}
	if (placed == 1)
		*ret = take_ptr(hold);
	progress_stage(progress, NULL, -1);
	return placed;
}

/* It is there and held; others make room for it. */
static int open_cached(const struct package_set *set, const char *root, uint64_t max_bytes,
		       struct progress *progress, struct cap_hold **ret, struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *hold = NULL;
	_cleanup_free_ char *dir = xstrndup(root, (size_t)(strrchr(root, '/') - root));
	int held;

	if (cap_sweep(dir, err) < 0)
		return -1;
	do {
		held = cap_hold(root, &hold, err);
		if (held == 0)
			held = unpack_cached(set, root, progress, &hold, err);
	} while (held == 0);
	if (held < 0)
		return -1;
	utimensat(AT_FDCWD, root, NULL, 0);
	if (cap_trim(dir, (max_bytes ? max_bytes : BUILD_CACHE_MAX_BYTES) / 4,
		     strrchr(root, '/') + 1, err) < 0)
		return -1;
	*ret = take_ptr(hold);
	return 0;
}

static char *root_of(const struct strv *packages, const char *cache_dir)
{
	_cleanup_buf_ struct buf text = { 0 };
	char key[65];

	buf_puts(&text, KEY_MAGIC "\n");
	for (size_t i = 0; i < packages->n; i++)
		fs_stamp(packages->items[i], packages->items[i], &text);
	fs_sha256_text(text.data, text.len, key);
	return str_printf("%s/packages/%.16s", cache_dir, key);
}

/* What an installed kernel lacks is installed; here the packages are not those that they are named as. */
static int pieces_lack(const char *where, const char *version, struct err *why, struct err *err)
{
	char *cure = strstr(why->msg, "; apt install");

	if (!cure)
		return err_set(err, why->kind, "%s: %s", where, why->msg);
	*cure = '\0';
	return err_set(err, why->kind,
		       "%s: %s, though all packages of version %s are there; get "
		       "them again",
		       where, why->msg, version);
}

static int list_packages(const char *dir, struct strv *ret, struct err *err)
{
	_cleanup_closedir_ DIR *d = opendir(dir);

	if (!d)
		return err_errno(err, ERR_USAGE, "open %s", dir);
	for (struct dirent *e; (e = readdir(d));)
		if (str_ends(e->d_name, ".deb") || str_ends(e->d_name, ".rpm"))
			strv_add(ret, e->d_name);
	strv_sort_once(ret);
	return 0;
}

static int find_both(const char *dir, const struct strv *names, struct package_set *ret,
		     struct err *err)
{
	_cleanup_(package_set_deinit) struct package_set other = { 0 };
	int deb = deb_find(dir, names, NULL, ret, err);
	int rpm = deb < 0 ? -1 : rpm_find(dir, names, NULL, deb ? &other : ret, err);

	if (rpm < 0)
		return -1;
	if (deb && rpm)
		return err_set(err, ERR_USAGE,
			       "%s has several kernels, a Debian package's and an RPM package's; "
			       "name one by its image",
			       dir);
	return deb || rpm ? 0
			  : err_set(err, ERR_USAGE,
				    "%s has no linux-image-RELEASE_*.deb and no "
				    "kernel-core-VERSION.rpm (SUSE: kernel-default-VERSION.rpm)",
				    dir);
}

/* An RPM package says itself what it is. */
static int check_headers(const struct package_set *set, struct err *err)
{
	for (size_t i = 0; i < set->files.n; i++)
		if (str_ends(set->files.items[i], ".rpm") &&
		    rpm_check_name(set->files.items[i], err) < 0)
			return -1;
	return 0;
}

static int find_set(const char *where, struct package_set *ret, struct err *err)
{
	_cleanup_free_ char *real = realpath(where, NULL);
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_free_ char *dir = NULL;
	const char *image = NULL;

	if (!real)
		return err_errno(err, ERR_USAGE, "%s", where);
	if (!fs_is_dir(real)) {
		image = strrchr(real, '/') + 1;
		dir = xstrndup(real, (size_t)(image - 1 - real));
	}
	if (list_packages(!dir ? real : *dir ? dir : "/", &names, err) < 0)
		return -1;
	if (!image)
		return find_both(real, &names, ret, err) < 0 ? -1 : check_headers(ret, err);
	if (str_ends(image, ".rpm"))
		return rpm_find(dir, &names, image, ret, err) < 0 ? -1 : check_headers(ret, err);
	return deb_find(dir, &names, image, ret, err) < 0 ? -1 : 0;
}

int package_open(const char *where, const char *cache_dir, uint64_t max_bytes,
		 struct progress *progress, struct package_kernel *ret, struct err *err)
{
	_cleanup_(package_kernel_deinit) struct package_kernel k = { 0 };
	_cleanup_(package_set_deinit) struct package_set set = { 0 };
	_cleanup_free_ char *root = NULL;
	struct err why;

	if (find_set(where, &set, err) < 0)
		return -1;
	root = root_of(&set.files, cache_dir);
	if (open_cached(&set, root, max_bytes, progress, &k.hold, err) < 0)
		return -1;
	if (!set.release && find_release(root, &set, &set.release, err) < 0)
		return -1;
	k.kernel.release = xstrdup(set.release);
	if (kernel_find_below(root, &k.kernel, &why) < 0)
		return pieces_lack(where, set.version, &why, err);
	k.version = take_ptr(set.version);
	*ret = k;
	k = (struct package_kernel){ 0 };
	return 0;
}
