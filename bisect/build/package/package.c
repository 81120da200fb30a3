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

#define KEY_MAGIC	"amdgpu-bisect packages 1"
#define UNPACKED_BYTES	(UINT64_C(1) << 30) /* 6.1: 140 MB of source, 420 of modules */
#define DEPMOD_LIMIT_MS 300000
#define DEPMOD_LOG_MAX	(1u << 20)

/* PACKAGE_VERSION_ARCHITECTURE.deb, and what of it is the kernel's release. */
struct image_name {
	char *release;
	char *version;
};

static void image_name_deinit(struct image_name *n)
{
	free(n->release);
	free(n->version);
}

void package_kernel_deinit(struct package_kernel *k)
{
	build_kernel_deinit(&k->kernel);
	free(k->version);
	cap_release(take_ptr(k->hold));
}

static bool parse_image(const char *file, struct image_name *ret)
{
	static const char *const prefixes[] = { "linux-image-unsigned-", "linux-image-" };
	const char *version = strchr(file, '_');
	const char *end = version ? strchr(version + 1, '_') : NULL;

	if (!end || !str_ends(file, ".deb"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const char *release = file + strlen(prefixes[i]);
		_cleanup_free_ char *name = NULL;
		struct kversion v;

		if (!str_starts(file, prefixes[i]) || release >= version)
			continue;
		name = xstrndup(release, (size_t)(version - release));
		/* linux-image-amd64 only names others, and a -dbg has no image. */
		if (str_ends(name, "-dbg") || !kversion_parse(name, &v))
			return false;
		ret->release = take_ptr(name);
		ret->version = xstrndup(version + 1, (size_t)(end - version - 1));
		return true;
	}
	return false;
}

static int list_debs(const char *dir, struct strv *ret, struct err *err)
{
	_cleanup_closedir_ DIR *d = opendir(dir);

	if (!d)
		return err_errno(err, ERR_USAGE, "open %s", dir);
	for (struct dirent *e; (e = readdir(d));)
		if (str_ends(e->d_name, ".deb"))
			strv_add(ret, e->d_name);
	strv_sort_once(ret);
	return 0;
}

static int find_image(const char *where, const char *dir, const struct strv *debs,
		      struct image_name *ret, struct err *err)
{
	_cleanup_(image_name_deinit) struct image_name other = { 0 };
	const char *slash = strrchr(where, '/');

	if (!fs_is_dir(where))
		return parse_image(slash + 1, ret)
			       ? 0
			       : err_set(err, ERR_USAGE,
					 "%s is no linux-image-RELEASE_VERSION_ARCHITECTURE.deb; "
					 "only "
					 "Debian packages are read",
					 where);
	for (size_t i = 0; i < debs->n; i++) {
		if (!ret->release) {
			parse_image(debs->items[i], ret);
			continue;
		}
		image_name_deinit(&other);
		other = (struct image_name){ 0 };
		/* The signed one beside the unsigned one is the same kernel. */
		if (parse_image(debs->items[i], &other) &&
		    (strcmp(other.release, ret->release) != 0 ||
		     strcmp(other.version, ret->version) != 0))
			return err_set(
				err, ERR_USAGE,
				"%s has several kernels, %s and %s; name one by its linux-image",
				dir, ret->release, other.release);
	}
	return ret->release ? 0
			    : err_set(err, ERR_USAGE, "%s has no linux-image-RELEASE_*.deb", dir);
}

/* The packages of that version whose name begins so, up to the version or whatever follows. */
static size_t add_packages(const char *dir, const struct strv *debs, const char *prefix,
			   const char *version, struct strv *ret)
{
	_cleanup_free_ char *middle = str_printf("_%s_", version);
	size_t n = 0;

	for (size_t i = 0; i < debs->n; i++)
		if (str_starts(debs->items[i], prefix) && strstr(debs->items[i], middle)) {
			strv_addf(ret, "%s/%s", dir, debs->items[i]);
			n++;
		}
	return n;
}

static int find_packages(const char *dir, const struct strv *debs, const struct image_name *image,
			 struct strv *ret, struct err *err)
{
	static const struct {
		const char *prefix;
		bool of_release, may_lack;
	} wanted[] = { { "linux-image-", true, true },	  { "linux-image-unsigned-", true, true },
		       { "linux-modules-", true, true },  { "linux-modules-extra-", true, true },
		       { "linux-headers-", true, false }, { "linux-source-", false, false } };

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		_cleanup_free_ char *prefix =
			wanted[i].of_release ? str_printf("%s%s_", wanted[i].prefix, image->release)
					     : xstrdup(wanted[i].prefix);

		/* signed or not, the image is one file; one of the two is enough */
		if (i == 1 && ret->n)
			continue;
		if (!add_packages(dir, debs, prefix, image->version, ret) && !wanted[i].may_lack)
			return err_set(
				err, ERR_USAGE,
				"%s lacks %s%s of version %s; all packages of a kernel must lie "
				"together",
				dir, prefix, wanted[i].of_release ? "*.deb" : "SERIES_*.deb",
				image->version);
	}
	return 0;
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

/* On the disk before it has its name: after a power cut an empty file would be taken for a whole one. */
static int unpack_all(const struct strv *packages, const char *root, const char *release,
		      struct progress *progress, struct err *err)
{
	for (size_t i = 0; i < packages->n; i++) {
		progress_detail(progress, "%s", strrchr(packages->items[i], '/') + 1);
		if (package_unpack(packages->items[i], root, err) < 0)
			return -1;
	}
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
static int unpack_cached(const struct strv *packages, const char *root, const char *release,
			 struct progress *progress, struct cap_hold **ret, struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *hold = NULL;
	_cleanup_free_ char *dir = xstrndup(root, (size_t)(strrchr(root, '/') - root));
	_cleanup_free_ char *draft = NULL;
	int placed = -1;

	progress_stage(progress, "unpack", -1);
	progress_event(progress, "unpacking the packages of %s, once", release);
	if (check_space(dir, err) < 0 || cap_draft(dir, &draft, &hold, err) < 0)
		return -1;
	chmod(draft, 0755); /* a guest of the system's daemon may read of it */
	if (unpack_all(packages, draft, release, progress, err) == 0)
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
static int open_cached(const struct strv *packages, const char *root, const char *release,
		       uint64_t max_bytes, struct progress *progress, struct cap_hold **ret,
		       struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *hold = NULL;
	_cleanup_free_ char *dir = xstrndup(root, (size_t)(strrchr(root, '/') - root));
	int held;

	if (cap_sweep(dir, err) < 0)
		return -1;
	do {
		held = cap_hold(root, &hold, err);
		if (held == 0)
			held = unpack_cached(packages, root, release, progress, &hold, err);
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
static int pieces_lack(const char *where, const struct image_name *image, struct err *why,
		       struct err *err)
{
	char *cure = strstr(why->msg, "; apt install");

	if (!cure)
		return err_set(err, why->kind, "%s: %s", where, why->msg);
	*cure = '\0';
	return err_set(err, why->kind,
		       "%s: %s, though all packages of version %s are there; get "
		       "them again",
		       where, why->msg, image->version);
}

int package_open(const char *where, const char *cache_dir, uint64_t max_bytes,
		 struct progress *progress, struct package_kernel *ret, struct err *err)
{
	_cleanup_free_ char *real = realpath(where, NULL);
	_cleanup_(image_name_deinit) struct image_name image = { 0 };
	_cleanup_(package_kernel_deinit) struct package_kernel k = { 0 };
	_cleanup_strv_ struct strv debs = { 0 };
	_cleanup_strv_ struct strv packages = { 0 };
	_cleanup_free_ char *dir = NULL;
	_cleanup_free_ char *root = NULL;
	struct err why;

	if (!real)
		return err_errno(err, ERR_USAGE, "%s", where);
	dir = fs_is_dir(real) ? xstrdup(real) : xstrndup(real, (size_t)(strrchr(real, '/') - real));
	if (list_debs(*dir ? dir : "/", &debs, err) < 0 ||
	    find_image(real, dir, &debs, &image, err) < 0 ||
	    find_packages(dir, &debs, &image, &packages, err) < 0)
		return -1;
	root = root_of(&packages, cache_dir);
	if (open_cached(&packages, root, image.release, max_bytes, progress, &k.hold, err) < 0)
		return -1;
	k.kernel.release = xstrdup(image.release);
	if (kernel_find_below(root, &k.kernel, &why) < 0)
		return pieces_lack(where, &image, &why, err);
	k.version = take_ptr(image.version);
	*ret = k;
	k = (struct package_kernel){ 0 };
	return 0;
}
