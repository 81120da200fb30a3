// SPDX-License-Identifier: GPL-2.0-or-later
/* With a card the driver asks for firmware while it starts: the guest must have it by then. */
#include "guest/firmware/firmware.h"

#include <errno.h>
#include <libkmod.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/image/unpack.h"

#define MODULE_MAX_BYTES (256u << 20) /* eight times the largest of Debian 13 */

DEFINE_CLEANUP(struct kmod_ctx *, kmod_unref)
DEFINE_CLEANUP(struct kmod_module *, kmod_module_unref)

static void unref_modules(struct kmod_list **l)
{
	kmod_module_unref_list(*l);
}

static void free_info(struct kmod_list **l)
{
	kmod_module_info_free_list(*l);
}

void firmware_deinit(struct firmware *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->items[i].guest);
		free(f->items[i].host);
	}
	free(f->items);
	strv_deinit(&f->missing);
	*f = (struct firmware){ 0 };
}

static char *find(const char *dir, const char *name)
{
	static const char *const endings[] = { "", ".xz", ".zst" };

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s%s", dir, name, endings[i]);

		if (fs_exists(path))
			return take_ptr(path);
	}
	return NULL;
}

/* Names come from a file of the distribution, and become paths. */
static bool is_plain(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..");
}

/*
 * The module in plain, where libkmod can read it. libkmod unpacks by itself, but
 * grows what it unpacks to by 32 KiB at a time, which may copy all of it each time: under AddressSanitizer
 * the 28 MiB of amdgpu in Debian 13 took it minutes.
 */
static int plain_copy(const char *path, struct err *err)
{
	_cleanup_close_ int fd = memfd_create("module", MFD_CLOEXEC);
	_cleanup_buf_ struct buf text = { 0 };

	if (fd < 0)
		return err_set(err, ERR_HOST, "cannot copy %s: %s", path, strerror(errno));
	if (unpack_file(path, MODULE_MAX_BYTES, &text, err) < 0)
		return -1;
	for (size_t at = 0; at < text.len;) {
		ssize_t n = write(fd, text.data + at, text.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_HOST, "cannot copy %s: %s", path, strerror(errno));
		at += (size_t)n;
	}
	return take_fd(fd);
}

static void take_names(struct kmod_list *info, struct strv *ret)
{
	struct kmod_list *l;

	kmod_list_foreach(l, info)
	{
		if (strcmp(kmod_module_info_get_key(l), "firmware") == 0)
			strv_add(ret, kmod_module_info_get_value(l));
	}
}

static int read_names(struct kmod_ctx *ctx, struct kmod_module *mod, struct strv *ret,
		      struct err *err)
{
	const char *path = kmod_module_get_path(mod);
	_cleanup_close_ int fd = path ? plain_copy(path, err) : -1;
	_cleanup_free_ char *plain = str_printf("/proc/self/fd/%d", fd);
	_cleanup_(kmod_module_unref_p) struct kmod_module *copy = NULL;
	_cleanup_(free_info) struct kmod_list *info = NULL;

	if (path && fd < 0)
		return -1;
	/* One that is built in has no file. */
	if (path && (kmod_module_new_from_path(ctx, plain, &copy) < 0 ||
		     kmod_module_get_info(copy, &info) < 0))
		return err_set(err, ERR_HOST, "%s is damaged; install its package again", path);
	if (path || kmod_module_get_info(mod, &info) >= 0)
		take_names(info, ret);
	return 0;
}

static int names_of(const char *modules, const char *name, struct strv *ret, struct err *err)
{
	const char *const no_config = NULL; /* the host's /etc/modprobe.d is not the guest's */
	_cleanup_(kmod_unref_p) struct kmod_ctx *ctx = kmod_new(modules, &no_config);
	_cleanup_(unref_modules) struct kmod_list *found = NULL;
	struct kmod_list *l;

	if (!ctx)
		return err_set(err, ERR_HOST, "cannot read %s with libkmod", modules);
	if (kmod_module_new_from_lookup(ctx, name, &found) < 0 || !found)
		return err_set(err, ERR_USAGE, "no module %s in %s; give a kernel that has it",
			       name, modules);
	kmod_list_foreach(l, found)
	{
		_cleanup_(kmod_module_unref_p) struct kmod_module *mod = kmod_module_get_module(l);

		if (read_names(ctx, mod, ret, err) < 0)
			return -1;
	}
	strv_sort_once(ret);
	return 0;
}

int firmware_find(const char *modules, const char *name, const char *dir, struct firmware *ret,
		  struct err *err)
{
	struct firmware f = { 0 };
	_cleanup_strv_ struct strv names = { 0 };

	if (names_of(modules, name, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		char *host = is_plain(names.items[i]) ? find(dir, names.items[i]) : NULL;

		if (!host) {
			strv_add(&f.missing, names.items[i]);
			continue;
		}
		f.items = xrealloc(f.items, f.n + 1, sizeof(*f.items));
		f.items[f.n++] = (struct firmware_file){
			.guest = str_printf("/firmware/%s", names.items[i]),
			.host = host,
		};
	}
	if (!f.n) {
		firmware_deinit(&f);
		return err_set(err, ERR_USAGE,
			       "%s has none of the %zu files of firmware that %s names; install "
			       "firmware-amd-graphics (Debian, non-free-firmware) or "
			       "linux-firmware (Ubuntu)",
			       dir, names.n, name);
	}
	*ret = f;
	return 0;
}
