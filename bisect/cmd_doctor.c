// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor: what this machine can do, one line each, and for each lack the command that mends it. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/fs.h"
#include "base/spawn.h"
#include "build/build.h"
#include "cmd.h"
#include "guest/guest.h"
#include "paths.h"

#define KVM_LIMIT_MS 5000
#define AMD_VENDOR   0x1002

/* What the cache needs for one kernel tree, its objects at scope module, and artifacts [bytes]. */
#define DISK_NEED_UNIT	 (UINT64_C(6) << 30)
#define DISK_NEED_MODULE (UINT64_C(10) << 30)

enum state { FINE, NOTE, LACK };

struct doctor {
	const struct options *o;
	unsigned int lacks;
};

/* A lack stops a run; a note does not. @mend may be NULL. */
__attribute__((format(printf, 5, 6))) static void
say(struct doctor *d, enum state state, const char *what, const char *mend, const char *fmt, ...)
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
	if (missing.len) {
		_cleanup_free_ char *mend = str_printf("apt-get install%s", missing.data);

		say(d, LACK, "tools", mend, "missing:%s", missing.data);
	} else {
		say(d, FINE, "tools", NULL,
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
		say(d, LACK, "kernel", NULL, "%s", err.msg);
	} else {
		say(d, FINE, "kernel", NULL, "%s", k.release);
		say(d, FINE, "source", NULL, "%s", k.source);
		say(d, FINE, "config", NULL, "%s", k.config);
		say(d, FINE, "symvers", NULL, "%s", k.symvers);
		say(d, FINE, "image", NULL, "%s", k.image);
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
			say(d, LACK, parts[i], "cmake --install", "%s", err.msg);
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
		say(d, LACK, "libvirt", NULL, "%s", err.msg);
	else
		say(d, FINE, "libvirt", NULL, "%s", text);
}

static void check_kvm(struct doctor *d)
{
	char why[256];

	if (guest_probe_kvm(KVM_LIMIT_MS, why, sizeof(why)))
		say(d, FINE, "kvm", NULL, "%s", why);
	else
		say(d, NOTE, "kvm",
		    "none needed: guests run under emulation (TCG), several times slower", "%s",
		    why);
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

static unsigned long read_hex(const char *dir, const char *name, const char *file)
{
	_cleanup_free_ char *path = str_printf("%s/%s/%s", dir, name, file);
	_cleanup_free_ char *text = NULL;
	struct err err;

	return fs_read(path, 64, &text, NULL, &err) < 0 ? 0 : strtoul(text, NULL, 16);
}

/* Display controllers (03xx) and processing accelerators (12xx) by AMD; PCI Code and ID Assignment. */
static void check_cards(struct doctor *d)
{
	static const char devices[] = "/sys/bus/pci/devices";
	_cleanup_closedir_ DIR *dir = opendir(devices);
	size_t groups = count_entries("/sys/kernel/iommu_groups");
	_cleanup_buf_ struct buf cards = { 0 };

	for (struct dirent *e; dir && (e = readdir(dir));) {
		unsigned long class = read_hex(devices, e->d_name, "class") >> 16;

		if (e->d_name[0] != '.' && read_hex(devices, e->d_name, "vendor") == AMD_VENDOR &&
		    (class == 0x03 || class == 0x12))
			buf_printf(&cards, " %s", e->d_name);
	}
	if (groups)
		say(d, FINE, "iommu", NULL, "%zu groups", groups);
	else
		say(d, NOTE, "iommu",
		    "only for passing a card through: enable it in the firmware, boot with "
		    "intel_iommu=on or amd_iommu=on",
		    "no groups");
	if (cards.len)
		say(d, FINE, "cards", NULL, "AMD:%s (the mirror does not use them)", cards.data);
	else
		say(d, NOTE, "cards",
		    "none needed: the mirror runs the driver's own code without one", "no AMD GPU");
}

static void check_disk(struct doctor *d)
{
	_cleanup_free_ char *cache = path_cache();
	bool module = strcmp(options_str(d->o, OPT_SCOPE), "module") == 0;
	uint64_t need = module ? DISK_NEED_MODULE : DISK_NEED_UNIT;
	uint64_t free_bytes = 0;
	struct err err;

	if (fs_mkdirs(cache, &err) < 0 || fs_free_bytes(cache, &free_bytes, &err) < 0)
		say(d, LACK, "disk", NULL, "%s", err.msg);
	else
		say(d, free_bytes < need ? LACK : FINE, "disk",
		    "free some, or set XDG_CACHE_HOME to a larger place",
		    "%.1f GiB free at %s, %.0f needed", (double)free_bytes / (1 << 30), cache,
		    (double)need / (1 << 30));
}

int cmd_doctor(struct options *o, struct err *err)
{
	struct doctor d = { .o = o };
	struct utsname u;

	if (o->args.n)
		return err_set(err, ERR_USAGE, "doctor takes no argument, not '%s'",
			       o->args.items[0]);
	if (uname(&u) == 0)
		say(&d, strcmp(u.machine, "x86_64") == 0 ? FINE : LACK, "machine",
		    "use an x86-64 machine", "%s, Linux %s", u.machine, u.release);
	check_tools(&d);
	check_kernel(&d);
	check_parts(&d);
	check_libvirt(&d);
	check_kvm(&d);
	check_cards(&d);
	check_disk(&d);
	if (d.lacks)
		return err_set(err, ERR_USAGE,
			       "%u things are missing; `./quickstart` installs what it can",
			       d.lacks);
	puts("all a bisect without a GPU needs is here");
	return 0;
}
