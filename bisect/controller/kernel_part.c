// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of the driver's kernel: see kernel_part.h.
 *
 * What is not known to be of others counts: to take a part too much costs the time of a larger scope, to
 * miss one costs the answer. The driver itself is not among them.
 */
#include "controller/kernel_part.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

enum counts { NO, OWN, ALL }; /* OWN: files right in the directory, not those further down */

/*
 * The longest one that holds a file decides. Source: the kernel's Makefiles; modules.dep of amdgpu (drm,
 * ttm, scheduler, display helpers, i2c, video, cec). Network and sound are part of a kernel and do nothing
 * for a copy to a device.
 */
static const struct {
	const char *dir;
	enum counts counts;
} parts[] = {
	{ "Documentation", NO },
	{ "LICENSES", NO },
	{ "arch", OWN },
	{ "arch/x86", ALL },
	{ "arch/x86/configs", NO },
	{ "drivers", OWN },
	{ "drivers/acpi", ALL },
	{ "drivers/base", ALL },
	{ "drivers/char", ALL },
	{ "drivers/clk", OWN },
	{ "drivers/clocksource", ALL },
	{ "drivers/dma-buf", ALL },
	{ "drivers/firmware", OWN },
	{ "drivers/gpu", OWN },
	{ "drivers/gpu/drm", OWN },
	{ "drivers/gpu/drm/display", ALL },
	{ "drivers/gpu/drm/scheduler", ALL },
	{ "drivers/gpu/drm/ttm", ALL },
	{ "drivers/gpu/vga", ALL },
	{ "drivers/i2c", OWN },
	{ "drivers/i2c/algos", ALL },
	{ "drivers/iommu", ALL },
	{ "drivers/media/cec", ALL },
	{ "drivers/pci", ALL },
	{ "drivers/tty", OWN },
	{ "drivers/tty/hvc", ALL },
	{ "drivers/tty/serial", OWN },
	{ "drivers/video", OWN },
	{ "drivers/virtio", ALL },
	{ "fs", OWN },
	{ "fs/debugfs", ALL },
	{ "fs/iomap", ALL },
	{ "fs/kernfs", ALL },
	{ "fs/notify", ALL },
	{ "fs/proc", ALL },
	{ "fs/ramfs", ALL },
	{ "fs/sysfs", ALL },
	{ "include/dt-bindings", NO },
	{ "include/linux/mfd", NO },
	{ "include/linux/mlx5", NO },
	{ "include/linux/mtd", NO },
	{ "include/linux/qed", NO },
	{ "include/net", NO },
	{ "include/pcmcia", NO },
	{ "include/rdma", NO },
	{ "include/scsi", NO },
	{ "include/soc", NO },
	{ "include/sound", NO },
	{ "include/target", NO },
	{ "kernel/configs", NO },
	{ "net", NO },
	{ "samples", NO },
	{ "sound", NO },
	{ "tools", NO },
	{ "usr", NO },
};

static bool is_at_or_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return str_starts(path, dir) && (path[len] == '\0' || path[len] == '/');
}

/* What counts of a directory; *exact: it is named in the table itself. */
static enum counts counts_of(const char *dir, bool *exact)
{
	enum counts ret = ALL;
	size_t longest = 0;

	*exact = true; /* of what is not named, everything counts, and in the root itself too */
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t len = strlen(parts[i].dir);

		if (len < longest || !is_at_or_below(dir, parts[i].dir))
			continue;
		longest = len;
		ret = parts[i].counts;
		*exact = dir[len] == '\0';
	}
	return ret;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What a kernel is made from, by its name; all of scripts/ may take part in it. */
static bool is_code(const char *path)
{
	static const char *const suffixes[] = { ".c",	".h",	".S",  ".rs", ".lds", ".inc",
						".tbl", ".txt", ".mk", ".y",  ".l" };
	static const char *const names[] = { "Makefile", "Kbuild", "Kconfig" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(name_of(path), names[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (str_ends(path, suffixes[i]))
			return true;
	return is_at_or_below(path, "scripts");
}

bool kernel_part(const char *path)
{
	char dir[4096];
	const char *slash = strrchr(path, '/');
	enum counts counts;
	bool exact;

	if (!is_code(path))
		return false;
	if (slash && (size_t)(slash - path) >= sizeof(dir))
		return true;
	memcpy(dir, path, slash ? (size_t)(slash - path) : 0);
	dir[slash ? slash - path : 0] = '\0';
	counts = counts_of(dir, &exact);
	return counts == ALL || (counts == OWN && exact);
}

bool kernel_part_below(const char *dir)
{
	bool exact;
	enum counts counts = counts_of(dir, &exact);

	if (counts == ALL || (counts == OWN && exact))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].counts != NO && is_at_or_below(parts[i].dir, dir))
			return true;
	return false;
}
