/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file whose sections, symbols and relocations are read with bounds. Inner to make/signature.c. */
#ifndef BUILD_OBJFILE_H
#define BUILD_OBJFILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Where a symbol lies. Sections that are loaded are counted among themselves, from 1, so that debug
 * information between them changes nothing; any other number of the file stays as it is, with a mark.
 */
#define OBJFILE_ELSEWHERE  0u /* undefined: named, and found in another file */
#define OBJFILE_NOT_LOADED (UINT32_C(1) << 31)

struct objfile_section {
	GElf_Shdr sh;
	const char *name;
	Elf_Scn *scn;
	uint32_t place; /* as above */
	bool loaded;	/* allocated, and no note */
};

struct objfile_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint32_t place;
	unsigned char info, other; /* st_info, st_other */
};

struct objfile {
	const char *path; /* for errors */
	Elf *elf;
	GElf_Ehdr eh;
	struct objfile_section *sections;
	size_t n_sections;
	struct objfile_symbol *symbols;
	size_t n_symbols;
	size_t symtab; /* index of the section; 0: none */
};

/**
 * objfile_open() - read the tables of a file that is in memory
 * @bytes: [len] must stay until objfile_close(); not written to
 * @path:  of the file, must stay as well
 * @err:   ERR_HOST: no ELF file, or a damaged one
 */
int objfile_open(struct objfile *o, void *bytes, size_t len, const char *path, struct err *err);
void objfile_close(struct objfile *o);

/**
 * objfile_content() - the bytes of a section as the file has them
 * @ret: NULL if it has none (.bss); else [sh_size]
 */
int objfile_content(const struct objfile *o, const struct objfile_section *s,
		    const unsigned char **ret, struct err *err);

/** objfile_at() - the loaded section that a symbol's place names, or NULL */
const struct objfile_section *objfile_at(const struct objfile *o, uint32_t place);

struct objfile_reloc {
	uint64_t offset;
	int64_t addend; /* 0 where the section itself holds it */
	uint32_t type;
	const struct objfile_symbol *symbol;
};

/* The relocations of one section of the file. */
struct objfile_relocs {
	Elf_Data *data;
	size_t n;
	bool rela;
};

/** objfile_relocs() - @s is SHT_RELA or SHT_REL */
int objfile_relocs(const struct objfile *o, const struct objfile_section *s,
		   struct objfile_relocs *ret, struct err *err);

/** objfile_reloc() - the @i-th, below n */
int objfile_reloc(const struct objfile *o, const struct objfile_relocs *r, size_t i,
		  struct objfile_reloc *ret, struct err *err);

/** objfile_damaged() - ERR_HOST with the file's name; always -1 */
int objfile_damaged(const struct objfile *o, struct err *err);

#endif
