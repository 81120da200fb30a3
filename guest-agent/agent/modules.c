// SPDX-License-Identifier: GPL-2.0-or-later
/* Packed modules: see modules.h. */
#include "guest-agent/agent/modules.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest-agent/agent/text.h"

/* Linux 5.17, include/uapi/linux/module.h; the headers here may be older than the guest's kernel. */
#ifndef MODULE_INIT_COMPRESSED_FILE
#define MODULE_INIT_COMPRESSED_FILE 4
#endif

/* The list is made by the controller's own packer; more than this is no such list. */
#define MODULES_MAX 1024

int modules_read(const char *path, struct modules *ret, struct err *err)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	memset(ret, 0, sizeof(*ret));
	if (!f)
		return errno == ENOENT ? 0 : err_errno(err, ERR_BOOT, "cannot read %s", path);
	ret->items = xcalloc(MODULES_MAX, sizeof(*ret->items));
	while (ret->n < MODULES_MAX && getline(&line, &size, f) > 0) {
		char *rest = line;
		char *name = strtok_r(rest, " \t\n", &rest);
		char *file = name ? strtok_r(NULL, " \t\n", &rest) : NULL;
		char *needs = file ? strtok_r(NULL, " \t\n", &rest) : NULL;

		if (!file)
			continue;
		ret->items[ret->n].name = xstrdup(name);
		ret->items[ret->n].path = xstrdup(file);
		ret->items[ret->n++].needs = xstrdup(needs && strcmp(needs, "-") != 0 ? needs : "");
	}
	return 0;
}

void modules_deinit(struct modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->items[i].name);
		free(m->items[i].path);
		free(m->items[i].needs);
	}
	free(m->items);
	memset(m, 0, sizeof(*m));
}

void modules_name(const char *file, char ret[WIRE_NAME_MAX])
{
	size_t len = strlen(file);

	if (str_ends(file, ".ko"))
		len -= strlen(".ko");
	if (len > WIRE_NAME_MAX - 1)
		len = WIRE_NAME_MAX - 1;
	for (size_t i = 0; i < len; i++)
		ret[i] = (char)(file[i] == '-' ? '_' : file[i]);
	ret[len] = '\0';
}

/* Index below @end of a name, '-' and '_' being the same; or -1. */
static long find(const struct modules *m, const char *name, size_t end)
{
	char wanted[WIRE_NAME_MAX], have[WIRE_NAME_MAX];

	modules_name(name, wanted);
	for (size_t i = 0; i < end; i++) {
		modules_name(m->items[i].name, have);
		if (!strcmp(wanted, have))
			return (long)i;
	}
	return -1;
}

static bool is_in(const char *name)
{
	char path[WIRE_NAME_MAX + 16], plain[WIRE_NAME_MAX];

	modules_name(name, plain);
	snprintf(path, sizeof(path), "/sys/module/%s", plain);
	return !access(path, F_OK);
}

int modules_insert(const char *path, const char *params, struct err *err)
{
	int flags = str_ends(path, ".ko") ? 0 : MODULE_INIT_COMPRESSED_FILE;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, ERR_BOOT, "cannot open %s", path);
	if (syscall(SYS_finit_module, fd, params, flags) < 0)
		return err_errno(err, ERR_BOOT, "the kernel refuses %s", path);
	return 0;
}

/* Depth first; a dependency is looked for above its user only, so the list cannot send us round. */
static int load_item(const struct modules *m, size_t i, const char *params, struct err *err)
{
	const struct packed *item = &m->items[i];
	_cleanup_free_ char *copy = xstrdup(item->needs);
	struct err refused;
	char *rest = copy;
	char *need;

	if (is_in(item->name))
		return 0;
	while ((need = strsep(&rest, ","))) {
		long k = *need ? find(m, need, i) : -1;

		if (k >= 0 && load_item(m, (size_t)k, "", err) < 0)
			return -1;
		if (k < 0 && *need && !is_in(need))
			return err_set(err, ERR_BOOT, "module %s needs %s, which is not packed",
				       item->name, need);
	}
	if (modules_insert(item->path, params, &refused) < 0 && errno != EEXIST) {
		*err = refused;
		return -1;
	}
	return 0;
}

int modules_load(const struct modules *m, const char *name, const char *params, struct err *err)
{
	long i = find(m, name, m->n);

	if (i >= 0)
		return load_item(m, (size_t)i, params, err);
	if (is_in(name))
		return 0;
	return err_set(err, ERR_BOOT, "module %s was neither put nor packed", name);
}

void modules_build_id(const uint8_t *note, size_t len, char ret[65])
{
	Elf64_Nhdr h;
	size_t at = 0;

	ret[0] = '\0';
	while (len - at >= sizeof(h)) {
		size_t name, desc, next;

		memcpy(&h, note + at, sizeof(h));
		name = at + sizeof(h);
		desc = name + (((size_t)h.n_namesz + 3) & ~(size_t)3);
		next = desc + (((size_t)h.n_descsz + 3) & ~(size_t)3);
		if (desc > len || h.n_descsz > len - desc)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && h.n_descsz <= 32 &&
		    !memcmp(note + name, "GNU", 4)) {
			for (size_t i = 0; i < h.n_descsz; i++)
				snprintf(ret + 2 * i, 3, "%02x", note[desc + i]);
			return;
		}
		if (next > len)
			return;
		at = next;
	}
}

void modules_identity(const char *name, struct wire_msg *ret)
{
	char path[WIRE_NAME_MAX + 64], plain[WIRE_NAME_MAX];
	_cleanup_close_ int fd = -1;
	uint8_t note[512];
	ssize_t len;

	modules_name(name, plain);
	*ret = (struct wire_msg){ .type = WIRE_LOADED };
	str_copy(ret->loaded.name, sizeof(ret->loaded.name), plain);
	snprintf(path, sizeof(path), "/sys/module/%s/srcversion", plain);
	text_read(path, ret->loaded.srcversion, sizeof(ret->loaded.srcversion));
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", plain);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, note, sizeof(note));
	if (len > 0)
		modules_build_id(note, (size_t)len, ret->loaded.build_id);
}
