// SPDX-License-Identifier: GPL-2.0-or-later
/* Before a card is taken: who would miss it. */
#include "guest/gpu/users.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"

#define CMDLINE_MAX (256 * 1024)

/* The entries of a directory, but those that begin with a dot; none if it is not there. */
static void entries(const char *dir, struct strv *ret)
{
	_cleanup_closedir_ DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			strv_add(ret, e->d_name);
}

/* "guest l2 (process 812)" for a QEMU that libvirt started, else "process 812 (Xorg)". */
static void describe(const struct card_roots *roots, const char *pid, char *ret, size_t size)
{
	_cleanup_free_ char *dir = str_printf("%s/%s", roots->proc, pid);
	_cleanup_free_ char *path = str_printf("%s/cmdline", dir);
	_cleanup_free_ char *comm = sysfs_text(dir, "comm");
	_cleanup_free_ char *cmdline = NULL;
	static const char mark[] = "guest=";
	struct err ignored;
	char *at = NULL;
	size_t len;

	if (fs_read(path, CMDLINE_MAX, &cmdline, &len, &ignored) == 0)
		at = memmem(cmdline, len, mark, strlen(mark));
	if (at)
		snprintf(ret, size, "guest %.*s (process %s)", (int)strcspn(at + 6, ","), at + 6,
			 pid);
	else
		snprintf(ret, size, "process %s (%s)", pid, comm ? comm : "?");
	for (char *p = ret; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
}

static bool has_open(const struct card_roots *roots, const char *pid, const struct strv *nodes)
{
	_cleanup_free_ char *dir = str_printf("%s/%s/fd", roots->proc, pid);
	_cleanup_closedir_ DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, e->d_name);
		char target[PATH_MAX];
		ssize_t n = readlink(path, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		if (n > 0 && strv_has(nodes, target))
			return true;
	}
	return false;
}

/* The first process that has one of @nodes open; false if none is seen. */
static bool opener(const struct card_roots *roots, const struct strv *nodes, char *ret, size_t size)
{
	_cleanup_strv_ struct strv pids = { 0 };
	uint64_t pid;

	if (!nodes->n)
		return false;
	entries(roots->proc, &pids);
	for (size_t i = 0; i < pids.n; i++) {
		if (!str_to_u64(pids.items[i], INT_MAX, &pid) ||
		    !has_open(roots, pids.items[i], nodes))
			continue;
		describe(roots, pids.items[i], ret, size);
		return true;
	}
	return false;
}

/* Is a console of this kind shown? "(S) VGA+", "(M) frame buffer device"; drivers/tty/vt/vt.c. */
static bool console_shown(const struct card_roots *roots, const char *kind)
{
	_cleanup_free_ char *dir = str_printf("%s/class/vtconsole", roots->sys);
	_cleanup_strv_ struct strv all = { 0 };

	entries(dir, &all);
	for (size_t i = 0; i < all.n; i++) {
		_cleanup_free_ char *one = str_printf("%s/%s", dir, all.items[i]);
		_cleanup_free_ char *name = sysfs_text(one, "name");
		_cleanup_free_ char *bind = sysfs_text(one, "bind");

		if (name && bind && strstr(name, kind) && strcmp(bind, "1") == 0)
			return true;
	}
	return false;
}

/* Is there a frame buffer of another PCI function? Then the console may be there. */
static bool other_frame_buffer(const struct sysfs *s, const struct card_function *f)
{
	for (size_t i = 0; i < s->n; i++) {
		_cleanup_free_ char *dir = str_printf("%s/bus/pci/devices/%s/graphics",
						      s->roots.sys, s->functions[i].address);

		if (fs_is_dir(dir) && strcmp(s->functions[i].address, f->address) != 0)
			return true;
	}
	return false;
}

static bool has_console(const struct sysfs *s, const struct card_function *f, bool own_buffer)
{
	if (console_shown(&s->roots, "frame buffer") &&
	    (own_buffer || (f->boot_display && !other_frame_buffer(s, f))))
		return true;
	return f->boot_display && console_shown(&s->roots, "VGA");
}

void users_screen(const struct sysfs *s, const struct card_function *f, char *ret, size_t size)
{
	_cleanup_free_ char *dir = str_printf("%s/bus/pci/devices/%s", s->roots.sys, f->address);
	_cleanup_free_ char *graphics = str_printf("%s/graphics", dir);
	_cleanup_free_ char *drm = str_printf("%s/drm", dir);
	_cleanup_strv_ struct strv fbs = { 0 }, cards = { 0 }, nodes = { 0 };
	char who[96];

	*ret = '\0';
	entries(graphics, &fbs);
	entries(drm, &cards);
	for (size_t i = 0; i < fbs.n; i++)
		strv_addf(&nodes, "/dev/%s", fbs.items[i]);
	for (size_t i = 0; i < cards.n; i++)
		strv_addf(&nodes, "/dev/dri/%s", cards.items[i]);
	if (has_console(s, f, fbs.n))
		snprintf(ret, size, "the host's console%s",
			 f->boot_display ? ", on its boot display" : "");
	else if (opener(&s->roots, &nodes, who, sizeof(who)))
		snprintf(ret, size, "%s", who);
}

void users_vfio(const struct card_roots *roots, const struct card_function *f, char *ret,
		size_t size)
{
	_cleanup_free_ char *dir =
		str_printf("%s/bus/pci/devices/%s/vfio-dev", roots->sys, f->address);
	_cleanup_free_ char *path = str_printf("%s/vfio/%d", roots->dev, f->group);
	_cleanup_strv_ struct strv nodes = { 0 }, devices = { 0 };
	int fd;

	*ret = '\0';
	if (f->group < 0)
		return;
	strv_addf(&nodes, "/dev/vfio/%d", f->group);
	entries(dir, &devices); /* the newer way in, by iommufd */
	for (size_t i = 0; i < devices.n; i++)
		strv_addf(&nodes, "/dev/vfio/devices/%s", devices.items[i]);
	if (opener(roots, &nodes, ret, size))
		return;
	/* Another user's descriptors are not shown, but a group opens only once. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	else if (errno == EBUSY)
		str_copy(ret, size, "another guest");
}
