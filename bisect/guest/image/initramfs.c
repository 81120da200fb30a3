// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The small guest is one cpio: the agent as /init, probes, libraries, modules. It is not
 * compressed: an emulated CPU would take longer to unpack it than the host takes to hand it over.
 */
#include "guest/image/initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/image/closure.h"
#include "guest/image/keep.h"
#include "guest/image/manifest.h"
#include "guest/image/own.h"
#include "guest/image/runtime.h"
#include "guest/image/unpack.h"

#define FORMAT	   "initramfs 2" /* part of its name: raise it when the layout changes */
#define FILE_MAX   ((size_t)512 << 20)
#define MODULE_DIR "/lib/modules"
#define PROBE_DIR  "/usr/libexec/amdgpu-bisect"
#define LIST_PATH  "/etc/amdgpu-bisect/modules" /* NAME PATH DEPENDENCY,... in load order */
#define BOOT_PATH  "/etc/amdgpu-bisect/boot"	/* names of those the channel itself needs */

DEFINE_CLEANUP(struct archive *, archive_write_free)
DEFINE_CLEANUP(struct archive_entry *, archive_entry_free)

void initramfs_boot_names(const struct guest_spec *spec, struct strv *ret)
{
	strv_add(ret, "virtio_pci");
	strv_add(ret, "virtio_console");
	strv_add(ret, "-i6300esb");
	if (runtime_wanted(spec) || spec->has_disk)
		strv_add(ret, "virtio_blk");
	if (runtime_wanted(spec))
		strv_add(ret, "squashfs");
	if (spec->has_disk) {
		strv_add(ret,
			 "-crc32c_generic"); /* ext4 asks the crypto layer for it, by no symbol */
		strv_add(ret, "ext4");
	}
}

/* One file of the guest. */
struct item {
	char *guest;
	char *host;
	mode_t mode;
	bool unpack; /* a module: the agent inserts plain files only */
};

struct plan {
	struct item *items;
	size_t n;
	struct buf list, boot; /* content of LIST_PATH and BOOT_PATH */
};

static void plan_deinit(struct plan *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->items[i].guest);
		free(p->items[i].host);
	}
	free(p->items);
	buf_deinit(&p->list);
	buf_deinit(&p->boot);
}

static void plan_add(struct plan *p, char *guest, const char *host, mode_t mode, bool unpack)
{
	p->items = xrealloc(p->items, p->n + 1, sizeof(*p->items));
	p->items[p->n++] = (struct item){
		.guest = guest,
		.host = xstrdup(host),
		.mode = mode,
		.unpack = unpack,
	};
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Beside the probes, whatever they are; what a script is run by under its own path. */
static int plan_own(struct plan *p, const struct guest_spec *spec, struct closure *libs,
		    struct err *err)
{
	char program[256];
	bool twice;

	for (size_t i = 0; i < spec->n_own; i++) {
		const char *path = spec->own[i];

		if (own_needs(path, !spec->has_disk, libs, program, err) < 0)
			return -1;
		plan_add(p, str_printf(PROBE_DIR "/%s", base_name(path)), path,
			 access(path, X_OK) == 0 ? 0755 : 0644, false);
		twice = false;
		for (size_t k = 0; k < p->n; k++)
			twice |= strcmp(p->items[k].guest, program) == 0;
		if (*program && !twice)
			plan_add(p, xstrdup(program), program, 0755, false);
	}
	return 0;
}

static int plan_make(struct plan *p, const struct guest_spec *spec, const struct modules *modules,
		     struct err *err)
{
	_cleanup_(closure_deinit) struct closure libs = { 0 };
	_cleanup_strv_ struct strv boot = { 0 };

	if (closure_add(&libs, spec->agent, err) < 0)
		return err_prefix(err, "agent");
	plan_add(p, xstrdup("/init"), spec->agent, 0755, false);
	for (size_t i = 0; i < spec->n_probes; i++) {
		if (closure_add(&libs, spec->probes[i], err) < 0)
			return err_prefix(err, "probe");
		plan_add(p, str_printf(PROBE_DIR "/%s", base_name(spec->probes[i])),
			 spec->probes[i], 0755, false);
	}
	if (plan_own(p, spec, &libs, err) < 0)
		return -1;
	for (size_t i = 0; i < libs.n; i++)
		plan_add(p, xstrdup(libs.items[i].guest), libs.items[i].host, 0755, false);
	for (size_t i = 0; i < modules->n; i++) {
		const struct module *m = &modules->items[i];

		plan_add(p, str_printf(MODULE_DIR "/%s.ko", m->name), m->path, 0644, true);
		buf_printf(&p->list, "%s " MODULE_DIR "/%s.ko ", m->name, m->name);
		for (size_t d = 0; d < m->depends.n; d++)
			buf_printf(&p->list, "%s%s", d ? "," : "", m->depends.items[d]);
		buf_puts(&p->list, m->depends.n ? "\n" : "-\n");
	}
	initramfs_boot_names(spec, &boot);
	for (size_t i = 0; i < boot.n; i++) {
		const char *name = boot.items[i];
		const struct module *m = modules_find(modules, name + (*name == '-'));

		if (m)
			buf_printf(&p->boot, "%s\n", m->name);
	}
	return 0;
}

/* Everything the content depends on, so that an unchanged one is not made again. */
static int plan_manifest(const struct plan *p, struct manifest *ret, struct err *err)
{
	manifest_say(ret, FORMAT);
	for (size_t i = 0; i < p->n; i++)
		if (manifest_file(ret, p->items[i].guest, p->items[i].host, err) < 0)
			return -1;
	buf_puts(&ret->inputs, p->list.data ? p->list.data : "");
	buf_puts(&ret->inputs, p->boot.data ? p->boot.data : "");
	return 0;
}

static int put_entry(struct archive *a, const char *path, mode_t mode, const void *data, size_t len,
		     struct err *err)
{
	_cleanup_(archive_entry_free_p) struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, path + 1); /* members of an initramfs have no leading slash */
	archive_entry_set_mode(e, mode);
	archive_entry_set_nlink(e, 1);
	archive_entry_set_mtime(e, 0, 0);
	if (S_ISCHR(mode)) {
		archive_entry_set_rdevmajor(e, 5); /* /dev/console */
		archive_entry_set_rdevminor(e, 1);
	}
	archive_entry_set_size(e, (la_int64_t)len);
	if (archive_write_header(a, e) != ARCHIVE_OK ||
	    (len && archive_write_data(a, data, len) != (la_ssize_t)len)) {
		errno = archive_errno(a);
		return err_errno(err, ERR_HOST, "cannot write %s into the initramfs", path);
	}
	return 0;
}

/* Parents first; a directory that came before is not written again. */
static int put_parents(struct archive *a, struct strv *made, const char *path, struct err *err)
{
	for (const char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
		_cleanup_free_ char *dir = xstrndup(path, (size_t)(s - path));

		if (strv_has(made, dir))
			continue;
		if (put_entry(a, dir, S_IFDIR | 0755, NULL, 0, err) < 0)
			return -1;
		strv_take(made, take_ptr(dir));
	}
	return 0;
}

static int put_item(struct archive *a, struct strv *made, const struct item *item, struct err *err)
{
	_cleanup_buf_ struct buf plain = { 0 };
	_cleanup_free_ char *data = NULL;
	size_t len;

	if (put_parents(a, made, item->guest, err) < 0)
		return -1;
	if (item->unpack) {
		if (unpack_file(item->host, FILE_MAX, &plain, err) < 0)
			return -1;
		return put_entry(a, item->guest, S_IFREG | item->mode, plain.data, plain.len, err);
	}
	if (fs_read(item->host, FILE_MAX, &data, &len, err) < 0)
		return -1;
	return put_entry(a, item->guest, S_IFREG | item->mode, data, len, err);
}

static int put_all(struct archive *a, const struct plan *p, struct err *err)
{
	static const char *const dirs[] = { "/dev", "/proc", "/sys", "/tmp", "/run", "/root" };
	_cleanup_strv_ struct strv made = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		if (put_entry(a, dirs[i], S_IFDIR | 0755, NULL, 0, err) < 0)
			return -1;
		strv_add(&made, dirs[i]);
	}
	if (put_entry(a, "/dev/console", S_IFCHR | 0600, NULL, 0, err) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if (put_item(a, &made, &p->items[i], err) < 0)
			return -1;
	if (put_parents(a, &made, LIST_PATH, err) < 0 ||
	    put_entry(a, LIST_PATH, S_IFREG | 0644, p->list.data, p->list.len, err) < 0)
		return -1;
	return put_entry(a, BOOT_PATH, S_IFREG | 0644, p->boot.data, p->boot.len, err);
}

static int write_cpio(const struct plan *p, int fd, const char *path, struct err *err)
{
	_cleanup_(archive_write_free_p) struct archive *a = archive_write_new();

	if (archive_write_set_format_cpio_newc(a) != ARCHIVE_OK ||
	    archive_write_open_fd(a, fd) != ARCHIVE_OK)
		return err_set(err, ERR_HOST, "cannot write %s: %s", path, archive_error_string(a));
	if (put_all(a, p, err) < 0)
		return err_prefix(err, "%s", path);
	if (archive_write_close(a) != ARCHIVE_OK) {
		errno = archive_errno(a);
		return err_errno(err, ERR_HOST, "cannot write %s", path);
	}
	return 0;
}

static int write_image(const struct plan *p, const struct manifest *m, const char *path,
		       struct err *err)
{
	_cleanup_free_ char *tmp = str_printf("%s.XXXXXX", path);
	_cleanup_close_ int fd = mkostemp(tmp, O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", tmp);
	fchmod(fd, 0644); /* another user's QEMU may read it */
	if (write_cpio(p, fd, path, err) < 0) {
		unlink(tmp);
		return -1;
	}
	if (rename(tmp, path) < 0)
		return err_errno(err, ERR_HOST, "cannot rename %s", tmp);
	return manifest_write(m, path, err);
}

int initramfs_make(const struct guest_spec *spec, const struct modules *modules, const char *dir,
		   char **ret, struct err *err)
{
	_cleanup_(plan_deinit) struct plan plan = { 0 };
	_cleanup_manifest_ struct manifest manifest = { 0 };
	_cleanup_free_ char *path = NULL;
	char key[65];

	if (plan_make(&plan, spec, modules, err) < 0 || plan_manifest(&plan, &manifest, err) < 0)
		return -1;
	manifest_key(&manifest, key);
	path = str_printf("%s/initramfs-%.16s", dir, key);
	if (!fs_exists(path) && write_image(&plan, &manifest, path, err) < 0)
		return -1;
	keep_used(path);
	*ret = take_ptr(path);
	return 0;
}
