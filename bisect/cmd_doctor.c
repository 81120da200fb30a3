// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor: what this machine can do, one line each, and for each lack the command that mends it. */
#include <dirent.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/fs.h"
#include "base/spawn.h"
#include "build/build.h"
#include "cmd.h"
#include "cmd_doctor.h"
#include "guest/guest.h"
#include "paths.h"

#define KVM_LIMIT_MS 5000

/* What the cache needs for one kernel tree, its objects at scope module, and artifacts [bytes]. */
#define GIB		 (UINT64_C(1) << 30)
#define DISK_NEED_UNIT	 (6 * GIB)
#define DISK_NEED_MODULE (10 * GIB) /* or a kernel */

void doctor_say(struct doctor *d, enum doctor_state state, const char *what, const char *mend,
		const char *fmt, ...)
{
	static const char *const marks[] = { [FINE] = "ok", [NOTE] = "--", [LACK] = "NO" };
	va_list ap;

	printf("%-3s %-14s ", marks[state], what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (state != FINE && mend)
		printf("    %-14s mend: %s\n", "", mend);
	d->lacks += state == LACK;
}

static void check_tools(struct doctor *d)
{
	static const struct {
		const char *program, *package;
	} tools[] = {
		{ "make", "make" },
		{ "ld", "binutils" },
		{ "flex", "flex" },
		{ "bison", "bison" },
		{ "bc", "bc" },
		{ "strip", "binutils" },
		{ "pahole", "dwarves" },
		{ "python3", "python3" },
		{ "qemu-system-x86_64", "qemu-system-x86" },
	};
	/* objtool and the scripts that sign want them, at any scope */
	static const struct {
		const char *path, *package;
	} headers[] = {
		{ "/usr/include/libelf.h", "libelf-dev" },
		{ "/usr/include/openssl/ssl.h", "libssl-dev" },
	};
	const char *cc = options_str(d->o, OPT_CC);
	_cleanup_free_ char *compiler = spawn_find(cc);
	_cleanup_buf_ struct buf missing = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		_cleanup_free_ char *path = spawn_find(tools[i].program);

		if (!path)
			buf_printf(&missing, " %s", tools[i].package);
	}
	if (!compiler)
		buf_printf(&missing, " %s", cc);
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (!fs_exists(headers[i].path))
			buf_printf(&missing, " %s", headers[i].package);
	if (missing.len) {
		_cleanup_free_ char *mend = str_printf("apt-get install%s", missing.data);

		doctor_say(d, LACK, "tools", mend, "missing:%s", missing.data);
	} else {
		doctor_say(d, FINE, "tools", NULL,
			   "make, %s, binutils, flex, bison, bc, pahole, python3, QEMU", cc);
	}
}

static void check_kernel(struct doctor *d)
{
	struct build_kernel k = { .release = xstrdup(options_str(d->o, OPT_RELEASE)),
				  .source = xstrdup(options_str(d->o, OPT_SOURCE)),
				  .config = xstrdup(options_str(d->o, OPT_KCONFIG)),
				  .symvers = xstrdup(options_str(d->o, OPT_SYMVERS)),
				  .image = xstrdup(options_str(d->o, OPT_IMAGE)),
				  .modules = xstrdup(options_str(d->o, OPT_MODULES)) };
	struct err err;

	if (build_find(&k, &err) < 0) {
		doctor_say(d, LACK, "kernel", NULL, "%s", err.msg);
	} else {
		doctor_say(d, FINE, "kernel", NULL, "%s", k.release);
		doctor_say(d, FINE, "source", NULL, "%s", k.source);
		doctor_say(d, FINE, "config", NULL, "%s", k.config);
		doctor_say(d, FINE, "symvers", NULL, "%s", k.symvers);
		doctor_say(d, FINE, "image", NULL, "%s", k.image);
	}
	build_kernel_deinit(&k);
}

static void check_parts(struct doctor *d)
{
	static const char *const parts[] = { "amdgpu-bisect-agent", "copy-regimes", "mirror" };
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_free_ char *path = NULL;

		if (path_part(parts[i], &path, &err) < 0)
			doctor_say(d, LACK, parts[i], "cmake --install", "%s", err.msg);
	}
}

static void check_libvirt(struct doctor *d)
{
	const char *uri = options_str(d->o, OPT_CONNECT);
	_cleanup_free_ char *cache = path_cache();
	char text[256];
	struct err err;

	if (fs_mkdirs(cache, &err) < 0 ||
	    guest_check_libvirt(uri, cache, text, sizeof(text), &err) < 0)
		doctor_say(d, LACK, "libvirt", NULL, "%s", err.msg);
	else
		doctor_say(d, FINE, "libvirt", NULL, "%s", text);
}

static void check_kvm(struct doctor *d)
{
	char why[256];

	if (guest_probe_kvm(KVM_LIMIT_MS, why, sizeof(why)))
		doctor_say(d, FINE, "kvm", NULL, "%s", why);
	else
		doctor_say(d, NOTE, "kvm",
			   "none needed: guests run under emulation (TCG), several times slower",
			   "%s", why);
}

static size_t count_entries(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	size_t n = 0;

	if (!dir)
		return 0;
	for (struct dirent *e; (e = readdir(dir));)
		n += e->d_name[0] != '.';
	return n;
}

static void check_iommu(struct doctor *d)
{
	size_t groups = count_entries("/sys/kernel/iommu_groups");

	if (groups)
		doctor_say(d, FINE, "iommu", NULL, "%zu groups", groups);
	else
		doctor_say(d, NOTE, "iommu",
			   "only for passing a card through: enable it in the firmware, boot with "
			   "intel_iommu=on or amd_iommu=on",
			   "no groups");
}

/* Without it all works, and what two candidates share is compiled twice. */
static void check_ccache(struct doctor *d)
{
	_cleanup_free_ char *path = spawn_find("ccache");

	if (path)
		doctor_say(d, FINE, "ccache", NULL, "%s", path);
	else
		doctor_say(d, NOTE, "ccache", "apt-get install ccache",
			   "not there; files that many candidates share are compiled anew in each "
			   "tree");
}

static uint64_t sum_bytes;

/* An entry of several names counts once, in parts. */
static int add_bytes(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	uint64_t bytes = (uint64_t)st->st_blocks * 512;

	(void)path;
	(void)at;
	if (kind != FTW_NS)
		sum_bytes += kind == FTW_D || !st->st_nlink ? bytes : bytes / st->st_nlink;
	return 0;
}

static uint64_t bytes_below(const char *path)
{
	sum_bytes = 0;
	nftw(path, add_bytes, 32, FTW_PHYS | FTW_MOUNT);
	return sum_bytes;
}

/* How much is kept, and of what, but for what is too little to care for. */
static void check_cache(struct doctor *d)
{
	_cleanup_free_ char *cache = path_cache();
	_cleanup_closedir_ DIR *dir = opendir(cache);
	_cleanup_buf_ struct buf parts = { 0 };
	uint64_t all = 0;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		_cleanup_free_ char *path = str_printf("%s/%s", cache, e->d_name);
		uint64_t bytes = e->d_name[0] == '.' ? 0 : bytes_below(path);

		all += bytes;
		if (bytes >= GIB / 20)
			buf_printf(&parts, "%s%s %.1f", parts.len ? ", " : ": ", e->d_name,
				   (double)bytes / GIB);
	}
	doctor_say(d, FINE, "cache", NULL, "%.1f of at most %.0f GiB%s", (double)all / GIB,
		   (double)options_num(d->o, OPT_CACHE_SIZE) / 1024, parts.data ? parts.data : "");
}

/* What only scope kernel asks for, and so may --scope auto. */
static void check_scope(struct doctor *d)
{
	const char *scope = options_str(d->o, OPT_SCOPE);
	_cleanup_free_ char *path = NULL;
	struct err err;

	if (strcmp(scope, "kernel") != 0 && strcmp(scope, "auto") != 0)
		return;
	if (path_part("kconfigs", &path, &err) < 0)
		doctor_say(d, LACK, "kconfigs", "cmake --install", "%s", err.msg);
	else
		doctor_say(d, FINE, "kconfigs", NULL, "%s", path);
}

static void check_disk(struct doctor *d)
{
	_cleanup_free_ char *cache = path_cache();
	bool unit = strcmp(options_str(d->o, OPT_SCOPE), "unit") == 0;
	uint64_t need = unit ? DISK_NEED_UNIT : DISK_NEED_MODULE;
	uint64_t free_bytes = 0;
	struct err err;

	if (fs_mkdirs(cache, &err) < 0 || fs_free_bytes(cache, &free_bytes, &err) < 0)
		doctor_say(d, LACK, "disk", NULL, "%s", err.msg);
	else
		doctor_say(d, free_bytes < need ? LACK : FINE, "disk",
			   "free some, or set XDG_CACHE_HOME to a larger place",
			   "%.1f GiB free at %s, %.0f needed", (double)free_bytes / GIB, cache,
			   (double)need / GIB);
}

int cmd_doctor(struct options *o, struct err *err)
{
	struct doctor d = { .o = o };
	struct utsname u;

	if (o->args.n)
		return err_set(err, ERR_USAGE, "doctor takes no argument, not '%s'",
			       o->args.items[0]);
	if (options_str(o, OPT_RELEASE_CARD))
		return doctor_release(options_str(o, OPT_RELEASE_CARD), err);
	if (uname(&u) == 0)
		doctor_say(&d, strcmp(u.machine, "x86_64") == 0 ? FINE : LACK, "machine",
			   "use an x86-64 machine", "%s, Linux %s", u.machine, u.release);
	check_tools(&d);
	check_ccache(&d);
	check_scope(&d);
	check_kernel(&d);
	check_parts(&d);
	check_libvirt(&d);
	check_kvm(&d);
	check_iommu(&d);
	doctor_cards(&d);
	check_cache(&d);
	check_disk(&d);
	if (d.lacks)
		return err_set(err, ERR_USAGE,
			       "%u things are missing; `./quickstart` installs what it can",
			       d.lacks);
	puts("all a bisect without a GPU needs is here");
	return 0;
}
