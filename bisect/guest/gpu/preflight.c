// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before anything is built: what stands in the way of passing a card through. libvirt and QEMU find most
 * of it too, but late, one at a time, and in words that name no way out.
 */
#include <libkmod.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/card.h"
#include "guest/gpu/sysfs.h"

DEFINE_CLEANUP(struct kmod_ctx *, kmod_unref)

#define CAP_SYS_RESOURCE_BIT 24 /* include/uapi/linux/capability.h */
#define STATUS_MAX	     65536
/* What VFIO locks besides the guest's memory; libvirt's qemuDomainGetMemLockLimitBytes(). */
#define LOCK_EXTRA_MIB 1024

/* Loaded, built in, or there to be loaded. */
static bool have_module(const struct card_roots *r, const char *name, const char *loaded)
{
	_cleanup_free_ char *path = str_printf("%s/%s", r->sys, loaded);
	_cleanup_(kmod_unref_p) struct kmod_ctx *ctx = NULL;
	struct kmod_list *list = NULL;
	bool found;

	if (fs_exists(path))
		return true;
	if (strcmp(r->sys, "/sys") != 0) /* another machine's tree, and not its modules */
		return false;
	ctx = kmod_new(NULL, NULL);
	found = ctx && kmod_module_new_from_lookup(ctx, name, &list) >= 0 && list;
	kmod_module_unref_list(list);
	return found;
}

/* An interrupt chip that remaps calls itself IR-something; drivers/iommu/{intel,amd}. */
static bool remaps(const struct card_roots *r)
{
	_cleanup_free_ char *dir = str_printf("%s/kernel/irq", r->sys);
	_cleanup_free_ char *unsafe =
		sysfs_text(r->sys, "module/vfio_iommu_type1/parameters/allow_unsafe_interrupts");
	_cleanup_closedir_ DIR *d = opendir(dir);

	if (unsafe && strcmp(unsafe, "Y") == 0)
		return true;
	for (struct dirent *e; d && (e = readdir(d));) {
		_cleanup_free_ char *one = str_printf("%s/%s", dir, e->d_name);
		_cleanup_free_ char *chip =
			e->d_name[0] == '.' ? NULL : sysfs_text(one, "chip_name");

		if (chip && str_starts(chip, "IR-"))
			return true;
	}
	return false;
}

static bool has_groups(const struct card_roots *r)
{
	_cleanup_free_ char *dir = str_printf("%s/kernel/iommu_groups", r->sys);
	_cleanup_closedir_ DIR *d = opendir(dir);

	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			return true;
	return false;
}

/* proc(5): "CapEff:\t000001ffffffffff". */
static bool may_raise_limits(const struct card_roots *r)
{
	_cleanup_free_ char *path = str_printf("%s/self/status", r->proc);
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	const char *at;

	if (fs_read(path, STATUS_MAX, &text, NULL, &ignored) < 0)
		return false;
	at = strstr(text, "CapEff:");
	return at && (strtoull(at + strlen("CapEff:"), NULL, 16) >> CAP_SYS_RESOURCE_BIT & 1);
}

void card_host_read(const char *uri, const struct card_roots *roots, struct card_host *ret)
{
	const struct card_roots r = sysfs_roots(roots);
	const char *slashes = uri ? strstr(uri, "://") : NULL;
	struct card_host h = { 0 };
	struct rlimit limit;

	h.iommu = has_groups(&r);
	h.remapping = remaps(&r);
	h.vfio = have_module(&r, "vfio", "module/vfio");
	h.vfio_pci = have_module(&r, "vfio-pci", "bus/pci/drivers/vfio-pci");
	h.daemon = uri && strstr(uri, "/system");
	h.root = geteuid() == 0;
	h.privileged = may_raise_limits(&r);
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
		h.locked_bytes = limit.rlim_max == RLIM_INFINITY ? UINT64_MAX : limit.rlim_max;
	if (slashes && slashes[3] != '/')
		str_copy(h.remote, sizeof(h.remote), uri);
	*ret = h;
}

static bool host_uses(const struct card_function *f)
{
	return f->driver[0] && strcmp(f->driver, "vfio-pci") != 0 &&
	       strcmp(f->driver, "pci-stub") != 0;
}

static int check_kernel(const struct card *c, const struct card_host *h, struct err *err)
{
	const char *a = c->self.address;

	if (h->remote[0])
		return err_set(err, ERR_USAGE,
			       "%s is on this machine, and %s is another; run amdgpu-bisect there, "
			       "or take qemu:///system",
			       a, h->remote);
	if (!h->iommu || c->self.group < 0)
		return err_set(err, ERR_USAGE,
			       "%s: no IOMMU: enable it in the firmware (AMD-Vi, VT-d) and boot "
			       "with amd_iommu=on or intel_iommu=on",
			       a);
	if (!h->vfio)
		return err_set(err, ERR_USAGE,
			       "%s: this kernel is without VFIO; boot one with CONFIG_VFIO and "
			       "CONFIG_VFIO_PCI, as distributions have them",
			       a);
	if (!h->vfio_pci)
		return err_set(err, ERR_USAGE,
			       "%s: no vfio-pci for this kernel; install its modules (on Ubuntu "
			       "linux-modules-extra), then `modprobe vfio-pci`",
			       a);
	if (!h->remapping)
		return err_set(
			err, ERR_USAGE,
			"%s: interrupts are not remapped, so the kernel gives it to no guest; "
			"enable interrupt remapping in the firmware and leave intremap=off out, "
			"or, for guests that are trusted, set vfio_iommu_type1's "
			"allow_unsafe_interrupts=1",
			a);
	return 0;
}

/* A member that the host uses and that is no part of the card makes the group useless. */
static int check_group(const struct card *c, struct err *err)
{
	for (size_t i = 0; i < c->n_members; i++) {
		const struct card_function *f = &c->members[i];

		if (!f->along && !sysfs_is_bridge(f) && host_uses(f))
			return err_set(
				err, ERR_USAGE,
				"%s: its IOMMU group %d holds %s (%04x:%04x) as well, which the "
				"host uses by %s: put one of the two into another slot, or, if "
				"the host can do without it, `echo %s "
				">/sys/bus/pci/devices/%s/driver/unbind`",
				c->self.address, c->self.group, f->address, f->vendor, f->device,
				f->driver, f->address, f->address);
	}
	return 0;
}

static int check_users(const struct card *c, bool give_screen, struct err *err)
{
	if (c->user[0])
		return err_set(err, ERR_USAGE,
			       "%s is in use by %s; end that, or name another card with --gpu",
			       c->self.address, c->user);
	if (c->screen[0] && !give_screen)
		return err_set(err, ERR_USAGE,
			       "%s is the screen of %s; end that, give the host another screen, or "
			       "add --give-screen if it can do without",
			       c->self.address, c->screen);
	return 0;
}

static bool all_bound(const struct card *c)
{
	for (size_t i = 0; i < c->n_members; i++)
		if (c->members[i].along && strcmp(c->members[i].driver, "vfio-pci") != 0)
			return false;
	return true;
}

static int check_rights(const struct card *c, const struct card_host *h, unsigned int memory_mib,
			struct err *err)
{
	uint64_t need = ((uint64_t)memory_mib + LOCK_EXTRA_MIB) << 20;

	if (h->daemon)
		return 0;
	if (!h->root && !all_bound(c))
		return err_set(err, ERR_USAGE,
			       "%s: no right to bind it to vfio-pci; run as root, or with "
			       "--connect qemu:///system",
			       c->self.address);
	if (!h->root && !c->opens)
		return err_set(err, ERR_USAGE,
			       "%s: no right to /dev/vfio/%d; `sudo chown $USER /dev/vfio/%d`, or "
			       "run with --connect qemu:///system",
			       c->self.address, c->self.group, c->self.group);
	if (!h->privileged && h->locked_bytes < need)
		return err_set(
			err, ERR_USAGE,
			"%s: a guest of %u MiB with a card locks %ju MiB of memory, and the "
			"limit is %ju; raise memlock in /etc/security/limits.conf and log in "
			"again, or give it less --memory",
			c->self.address, memory_mib, (uintmax_t)(need >> 20),
			(uintmax_t)(h->locked_bytes >> 20));
	return 0;
}

int card_check(const struct card *card, const struct card_host *host, unsigned int memory_mib,
	       bool give_screen, struct err *err)
{
	if (check_kernel(card, host, err) < 0 || check_group(card, err) < 0 ||
	    check_users(card, give_screen, err) < 0)
		return -1;
	return check_rights(card, host, memory_mib, err);
}
