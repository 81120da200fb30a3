// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables with line numbers: see lines.h.
 *
 * What an entry looks like differs between kernels and by their config, so a table is only taken for one
 * if all of its relocations are where that layout has its pointers, and one of them always leads to the
 * name of a source file. Another layout of the same size would have to have all that in common.
 */
#include "build/make/lines.h"

#include <endian.h>
#include <string.h>

#include "base/str.h"

#define POINTERS_MAX 4

struct layout {
	const char *section;
	unsigned int bytes; /* of an entry */
	unsigned int pointer[POINTERS_MAX], n_pointers;
	unsigned int type; /* of their relocations */
	unsigned int file; /* which of them leads to the file's name */
	bool code;	   /* the first one leads into code */
	unsigned int line; /* offset of a little-endian number */
	uint32_t bits;	   /* those of it that are the line's */
};

static const struct layout layouts[] = {
	/* bug_addr_disp, file_disp, u16 line, u16 flags */
	{ "__bug_table", 12, { 0, 4 }, 2, R_X86_64_PC32, 1, true, 8, 0xffff },
	/* bug_addr_disp, format_disp, file_disp, u16 line, u16 flags: from 6.19 on */
	{ "__bug_table", 16, { 0, 4, 8 }, 3, R_X86_64_PC32, 2, true, 12, 0xffff },
	/* modname, function, filename, format, lineno:18 and more, static key (CONFIG_JUMP_LABEL) */
	{ "__dyndbg", 56, { 0, 8, 16, 24 }, 4, R_X86_64_64, 2, false, 32, 0x3ffff },
	{ "__dyndbg", 40, { 0, 8, 16, 24 }, 4, R_X86_64_64, 2, false, 32, 0x3ffff },
	/* u32 flags, u32 lineno, modname, function, filename, counters; with a per-CPU one up to 6.14 */
	{ "alloc_tags", 40, { 8, 16, 24, 32 }, 4, R_X86_64_64, 2, false, 4, 0xffffffff },
	{ "alloc_tags", 40, { 8, 16, 24 }, 3, R_X86_64_64, 2, false, 4, 0xffffffff },
	{ ".codetag.alloc_tags", 40, { 8, 16, 24 }, 3, R_X86_64_64, 2, false, 4, 0xffffffff },
};

/* "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c" in a section of strings */
static bool names_source(const struct objfile *o, const struct objfile_reloc *r)
{
	const struct objfile_section *s = objfile_at(o, r->symbol->place);
	uint64_t offset = r->symbol->value + (uint64_t)r->addend;
	const unsigned char *text;
	struct err ignored = { 0 };
	size_t len;

	if (!s || !(s->sh.sh_flags & SHF_STRINGS) || (s->sh.sh_flags & SHF_WRITE) ||
	    offset >= s->sh.sh_size || objfile_content(o, s, &text, &ignored) < 0 || !text)
		return false;
	len = strnlen((const char *)text + offset, s->sh.sh_size - offset);
	if (len < 3 || len == s->sh.sh_size - offset)
		return false;
	text += offset + len - 2;
	return text[0] == '.' && (text[1] == 'c' || text[1] == 'h');
}

static bool leads_into_code(const struct objfile *o, const struct objfile_reloc *r)
{
	const struct objfile_section *s = objfile_at(o, r->symbol->place);

	return s && (s->sh.sh_flags & SHF_EXECINSTR);
}

static bool has_layout(const struct objfile *o, const struct objfile_section *s,
		       const struct objfile_relocs *relocs, const struct layout *l)
{
	struct err ignored = { 0 };

	if (strcmp(s->name, l->section) != 0 || s->sh.sh_size % l->bytes ||
	    relocs->n % l->n_pointers || relocs->n / l->n_pointers != s->sh.sh_size / l->bytes)
		return false;
	for (size_t i = 0; i < relocs->n; i++) {
		size_t entry = i / l->n_pointers, which = i % l->n_pointers;
		struct objfile_reloc r;

		if (objfile_reloc(o, relocs, i, &r, &ignored) < 0 || r.type != l->type ||
		    r.offset != entry * l->bytes + l->pointer[which] ||
		    (which == l->file && !names_source(o, &r)) ||
		    (which == 0 && l->code && !leads_into_code(o, &r)))
			return false;
	}
	return true;
}

static void clear(unsigned char *table, size_t size, const struct layout *l)
{
	for (size_t at = l->line; at < size; at += l->bytes) {
		uint32_t number;

		memcpy(&number, table + at, sizeof(number));
		number &= htole32(~l->bits);
		memcpy(table + at, &number, sizeof(number));
	}
}

static bool can_be_one(const struct objfile *o)
{
	return o->eh.e_machine == EM_X86_64 && o->eh.e_type == ET_REL &&
	       o->eh.e_ident[EI_CLASS] == ELFCLASS64 && o->eh.e_ident[EI_DATA] == ELFDATA2LSB;
}

/* NULL if there is none, or more than one */
static const struct objfile_section *relocs_for(const struct objfile *o,
						const struct objfile_section *s)
{
	size_t index = (size_t)(s - o->sections);
	const struct objfile_section *found = NULL;

	for (size_t i = 1; i < o->n_sections; i++) {
		const struct objfile_section *r = &o->sections[i];

		if ((r->sh.sh_type != SHT_RELA && r->sh.sh_type != SHT_REL) ||
		    r->sh.sh_info != index)
			continue;
		if (found || r->sh.sh_type == SHT_REL)
			return NULL;
		found = r;
	}
	return found;
}

static bool may_be_table(const struct objfile *o, const struct objfile_section *s)
{
	if (!can_be_one(o))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (strcmp(s->name, layouts[i].section) == 0)
			return true;
	return false;
}

int lines_clear(const struct objfile *o, const struct objfile_section *s, unsigned char **ret,
		struct err *err)
{
	const struct objfile_section *relocs = may_be_table(o, s) ? relocs_for(o, s) : NULL;
	const unsigned char *content;
	struct objfile_relocs r;

	*ret = NULL;
	if (!relocs)
		return 0;
	if (objfile_relocs(o, relocs, &r, err) < 0 || objfile_content(o, s, &content, err) < 0)
		return -1;
	for (size_t i = 0; content && i < ARRAY_SIZE(layouts); i++) {
		if (!has_layout(o, s, &r, &layouts[i]))
			continue;
		*ret = xmalloc(s->sh.sh_size);
		memcpy(*ret, content, s->sh.sh_size);
		clear(*ret, s->sh.sh_size, &layouts[i]);
		break;
	}
	return 0;
}
