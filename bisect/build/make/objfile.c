// SPDX-License-Identifier: GPL-2.0-or-later
/* An ELF file's tables: see objfile.h. */
#include "build/make/objfile.h"

#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"

int objfile_damaged(const struct objfile *o, struct err *err)
{
	return err_set(err, ERR_HOST, "%s is no whole object file: remove it and build again",
		       o->path);
}

void objfile_close(struct objfile *o)
{
	if (o->elf)
		elf_end(o->elf);
	free(o->sections);
	free(o->symbols);
	*o = (struct objfile){ 0 };
}

static int read_sections(struct objfile *o, struct err *err)
{
	uint32_t loaded = 0;
	size_t names;

	if (elf_getshdrnum(o->elf, &o->n_sections) < 0 || !o->n_sections ||
	    elf_getshdrstrndx(o->elf, &names) < 0)
		return objfile_damaged(o, err);
	o->sections = xcalloc(o->n_sections, sizeof(*o->sections));
	for (size_t i = 0; i < o->n_sections; i++) {
		struct objfile_section *s = &o->sections[i];

		s->scn = elf_getscn(o->elf, i);
		if (!s->scn || !gelf_getshdr(s->scn, &s->sh) ||
		    !(s->name = i ? elf_strptr(o->elf, names, s->sh.sh_name) : ""))
			return objfile_damaged(o, err);
		s->loaded = i && (s->sh.sh_flags & SHF_ALLOC) && s->sh.sh_type != SHT_NOTE;
		s->place = s->loaded ? ++loaded : OBJFILE_NOT_LOADED | (uint32_t)i;
		if (s->sh.sh_type == SHT_SYMTAB && o->symtab)
			return objfile_damaged(o, err);
		if (s->sh.sh_type == SHT_SYMTAB)
			o->symtab = i;
	}
	return 0;
}

static uint32_t place_of(const struct objfile *o, const GElf_Sym *sym)
{
	if (sym->st_shndx == SHN_UNDEF)
		return OBJFILE_ELSEWHERE;
	if (sym->st_shndx < SHN_LORESERVE && sym->st_shndx < o->n_sections)
		return o->sections[sym->st_shndx].place;
	return OBJFILE_NOT_LOADED | sym->st_shndx; /* absolute, common */
}

static int read_symbols(struct objfile *o, struct err *err)
{
	const struct objfile_section *s = &o->sections[o->symtab];
	Elf_Data *data = o->symtab ? elf_getdata(s->scn, NULL) : NULL;
	size_t size = gelf_fsize(o->elf, ELF_T_SYM, 1, EV_CURRENT);

	if (!o->symtab)
		return 0;
	if (!data || !size || data->d_size / size > INT_MAX)
		return objfile_damaged(o, err);
	o->n_symbols = data->d_size / size;
	o->symbols = xcalloc(o->n_symbols + 1, sizeof(*o->symbols));
	for (size_t i = 0; i < o->n_symbols; i++) {
		struct objfile_symbol *to = &o->symbols[i];
		GElf_Sym sym;

		/* more sections than a symbol can name: no kernel, and no module of one */
		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_XINDEX ||
		    !(to->name = elf_strptr(o->elf, s->sh.sh_link, sym.st_name)))
			return objfile_damaged(o, err);
		to->value = sym.st_value;
		to->size = sym.st_size;
		to->place = place_of(o, &sym);
		to->info = sym.st_info;
		to->other = sym.st_other;
	}
	return 0;
}

int objfile_open(struct objfile *o, void *bytes, size_t len, const char *path, struct err *err)
{
	*o = (struct objfile){ .path = path };
	elf_version(EV_CURRENT);
	o->elf = len ? elf_memory(bytes, len) : NULL;
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF || !gelf_getehdr(o->elf, &o->eh))
		return err_set(err, ERR_HOST, "%s is no object file", path);
	if (read_sections(o, err) < 0)
		return -1;
	return read_symbols(o, err);
}

int objfile_content(const struct objfile *o, const struct objfile_section *s,
		    const unsigned char **ret, struct err *err)
{
	Elf_Data *data;

	*ret = NULL;
	if (s->sh.sh_type == SHT_NOBITS || !s->sh.sh_size)
		return 0;
	data = elf_rawdata(s->scn, NULL);
	if (!data || !data->d_buf || data->d_size != s->sh.sh_size)
		return objfile_damaged(o, err);
	*ret = data->d_buf;
	return 0;
}

const struct objfile_section *objfile_at(const struct objfile *o, uint32_t place)
{
	/* never more than there are sections in all, and never before its own number */
	for (size_t i = place; place && i < o->n_sections; i++)
		if (o->sections[i].place == place)
			return &o->sections[i];
	return NULL;
}

int objfile_relocs(const struct objfile *o, const struct objfile_section *s,
		   struct objfile_relocs *ret, struct err *err)
{
	bool rela = s->sh.sh_type == SHT_RELA;
	size_t size = gelf_fsize(o->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	Elf_Data *data = elf_getdata(s->scn, NULL);

	if (!data || !size || data->d_size / size > INT_MAX || s->sh.sh_link != o->symtab)
		return objfile_damaged(o, err);
	*ret = (struct objfile_relocs){ .data = data, .n = data->d_size / size, .rela = rela };
	return 0;
}

int objfile_reloc(const struct objfile *o, const struct objfile_relocs *r, size_t i,
		  struct objfile_reloc *ret, struct err *err)
{
	GElf_Rela rela = { 0 };
	GElf_Rel rel;
	size_t symbol;

	if (r->rela ? !gelf_getrela(r->data, (int)i, &rela) : !gelf_getrel(r->data, (int)i, &rel))
		return objfile_damaged(o, err);
	if (!r->rela)
		rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	symbol = GELF_R_SYM(rela.r_info);
	if (symbol >= o->n_symbols)
		return objfile_damaged(o, err);
	*ret = (struct objfile_reloc){ .offset = rela.r_offset,
				       .addend = rela.r_addend,
				       .type = (uint32_t)GELF_R_TYPE(rela.r_info),
				       .symbol = &o->symbols[symbol] };
	return 0;
}
