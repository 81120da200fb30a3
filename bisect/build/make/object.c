// SPDX-License-Identifier: GPL-2.0-or-later
/* Object files and modules: see object.h. */
#include "build/make/object.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

struct object {
	int fd;
	Elf *elf;
	size_t names; /* index of the section names' string table */
};

static void object_close(struct object *o)
{
	if (o->elf)
		elf_end(o->elf);
	close_p(&o->fd);
}

static int object_open(struct object *o, const char *path, struct err *err)
{
	elf_version(EV_CURRENT);
	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (o->fd < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	o->elf = elf_begin(o->fd, ELF_C_READ, NULL);
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF || elf_getshdrstrndx(o->elf, &o->names) < 0)
		return err_set(err, ERR_HOST, "%s is no object file: %s", path, elf_errmsg(-1));
	return 0;
}

int object_undefined(const char *path, struct strv *ret, struct err *err)
{
	_cleanup_(object_close) struct object o = { .fd = -1 };
	Elf_Scn *scn = NULL;

	if (object_open(&o, path, err) < 0)
		return -1;
	while ((scn = elf_nextscn(o.elf, scn))) {
		GElf_Shdr sh;
		Elf_Data *data;
		size_t n;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		n = data ? sh.sh_size / sh.sh_entsize : 0;
		for (size_t i = 1; i < n; i++) {
			GElf_Sym sym;
			const char *name;

			if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx != SHN_UNDEF ||
			    GELF_ST_BIND(sym.st_info) != STB_GLOBAL)
				continue;
			name = elf_strptr(o.elf, sh.sh_link, sym.st_name);
			if (name && *name)
				strv_add(ret, name);
		}
	}
	return 0;
}

static void take_depends(const char *list, struct strv *ret)
{
	while (*list) {
		size_t len = strcspn(list, ",");

		if (len)
			strv_take(ret, xstrndup(list, len));
		list += len + (list[len] == ',');
	}
}

static void read_modinfo(const Elf_Data *data, struct object_identity *ret)
{
	const char *p = data->d_buf;
	const char *end = p + data->d_size;

	while (p < end) {
		size_t len = strnlen(p, (size_t)(end - p));

		if (p + len == end)
			break;
		if (str_starts(p, "srcversion="))
			str_copy(ret->srcversion, sizeof(ret->srcversion),
				 p + strlen("srcversion="));
		else if (str_starts(p, "vermagic="))
			str_copy(ret->vermagic, sizeof(ret->vermagic), p + strlen("vermagic="));
		else if (str_starts(p, "depends="))
			take_depends(p + strlen("depends="), &ret->depends);
		p += len + 1;
	}
}

static void read_build_id(Elf_Data *data, struct object_identity *ret)
{
	size_t offset = 0, name, desc;
	GElf_Nhdr note;

	while ((offset = gelf_getnote(data, offset, &note, &name, &desc)) > 0) {
		const unsigned char *id = (const unsigned char *)data->d_buf + desc;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((const char *)data->d_buf + name, "GNU", 4) != 0 ||
		    note.n_descsz * 2 >= sizeof(ret->build_id))
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			snprintf(ret->build_id + 2 * i, 3, "%02x", id[i]);
	}
}

void object_identity_deinit(struct object_identity *id)
{
	strv_deinit(&id->depends);
}

int object_identity(const char *path, struct object_identity *ret, struct err *err)
{
	_cleanup_(object_close) struct object o = { .fd = -1 };
	Elf_Scn *scn = NULL;
	bool is_module = false;

	if (object_open(&o, path, err) < 0)
		return -1;
	*ret = (struct object_identity){ 0 };
	while ((scn = elf_nextscn(o.elf, scn))) {
		GElf_Shdr sh;
		Elf_Data *data;
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(o.elf, o.names, sh.sh_name)) ||
		    !(data = elf_getdata(scn, NULL)) || !data->d_buf)
			continue;
		if (strcmp(name, ".modinfo") == 0) {
			is_module = true;
			read_modinfo(data, ret);
		} else if (sh.sh_type == SHT_NOTE && strcmp(name, ".note.gnu.build-id") == 0) {
			read_build_id(data, ret);
		}
	}
	if (!is_module) {
		object_identity_deinit(ret);
		return err_set(err, ERR_HOST, "%s is no kernel module", path);
	}
	return 0;
}
