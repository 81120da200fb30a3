// SPDX-License-Identifier: GPL-2.0-or-later
/* What a candidate came to be: see signature.h for what counts, and why. */
#include "build/make/signature.h"

#include <endian.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/str.h"
#include "build/make/objfile.h"
#include "build/make/lines.h"

/* Raised when the same file would get another signature than before. */
#define FORMAT "amdgpu-bisect signature 1"

/* What is summed up, small parts gathered; a text goes with its length, so that none runs into the next. */
struct sum {
	struct digest *digest;
	size_t used;
	unsigned char chunk[16384];
};

static void flush(struct sum *s)
{
	digest_add(s->digest, s->chunk, s->used);
	s->used = 0;
}

static void add(struct sum *s, const void *data, size_t len)
{
	if (len > sizeof(s->chunk) - s->used)
		flush(s);
	if (len > sizeof(s->chunk)) {
		digest_add(s->digest, data, len);
	} else if (len) {
		memcpy(s->chunk + s->used, data, len);
		s->used += len;
	}
}

static void add_number(struct sum *s, uint64_t n)
{
	n = htole64(n);
	add(s, &n, sizeof(n));
}

static void add_bytes(struct sum *s, const void *data, size_t len)
{
	add_number(s, len);
	add(s, data, len);
}

static void add_text(struct sum *s, const char *text)
{
	add_bytes(s, text, strlen(text));
}

static int add_header(const struct objfile *o, struct sum *s, struct err *err)
{
	size_t n;

	add(s, o->eh.e_ident, EI_NIDENT);
	add_number(s, o->eh.e_type);
	add_number(s, o->eh.e_machine);
	add_number(s, o->eh.e_entry);
	add_number(s, o->eh.e_flags);
	if (elf_getphdrnum(o->elf, &n) < 0)
		return objfile_damaged(o, err);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(o->elf, (int)i, &ph))
			return objfile_damaged(o, err);
		if (ph.p_type != PT_LOAD)
			continue;
		add_number(s, ph.p_flags);
		add_number(s, ph.p_vaddr);
		add_number(s, ph.p_paddr);
		add_number(s, ph.p_filesz);
		add_number(s, ph.p_memsz);
	}
	return 0;
}

/* "srcversion=" and hex digits */
static bool is_srcversion(const unsigned char *text, size_t len)
{
	static const char key[] = "srcversion=";

	if (len <= strlen(key) || memcmp(text, key, strlen(key)) != 0)
		return false;
	for (size_t i = strlen(key); i < len; i++)
		if (!strchr("0123456789ABCDEF", text[i]) || !text[i])
			return false;
	return true;
}

/* Source: add_srcversion() in scripts/mod/modpost.c. */
static void add_modinfo(struct sum *s, const unsigned char *text, size_t size)
{
	while (size) {
		size_t len = strnlen((const char *)text, size);
		size_t whole = len < size ? len + 1 : len;

		if (whole == len || !is_srcversion(text, len))
			add_bytes(s, text, whole);
		text += whole;
		size -= whole;
	}
	add_number(s, UINT64_MAX); /* no more of them */
}

static int add_section(const struct objfile *o, const struct objfile_section *sec, struct sum *s,
		       struct err *err)
{
	_cleanup_free_ unsigned char *cleared = NULL;
	const unsigned char *content;

	add_text(s, sec->name);
	add_number(s, sec->sh.sh_type);
	add_number(s, sec->sh.sh_flags);
	add_number(s, sec->sh.sh_addr);
	add_number(s, sec->sh.sh_addralign);
	add_number(s, sec->sh.sh_entsize);
	if (objfile_content(o, sec, &content, err) < 0 || lines_clear(o, sec, &cleared, err) < 0)
		return -1;
	if (o->eh.e_type == ET_REL && strcmp(sec->name, ".modinfo") == 0 && content) {
		add_modinfo(s, content, sec->sh.sh_size);
		return 0;
	}
	add_number(s, sec->sh.sh_size);
	if (content)
		add(s, cleared ? cleared : content, sec->sh.sh_size);
	return 0;
}

static int add_relocs(const struct objfile *o, const struct objfile_section *sec, struct sum *s,
		      struct err *err)
{
	struct objfile_relocs relocs;

	if (objfile_relocs(o, sec, &relocs, err) < 0)
		return -1;
	add_number(s, o->sections[sec->sh.sh_info].place);
	add_number(s, relocs.n);
	for (size_t i = 0; i < relocs.n; i++) {
		struct objfile_reloc r;
		uint64_t fixed[4];

		if (objfile_reloc(o, &relocs, i, &r, err) < 0)
			return -1;
		fixed[0] = htole64(r.offset);
		fixed[1] = htole64((uint64_t)r.addend);
		fixed[2] = htole64(r.symbol->value);
		fixed[3] = htole64((uint64_t)r.type << 32 | r.symbol->place);
		add(s, fixed, sizeof(fixed));
		if (r.symbol->place == OBJFILE_ELSEWHERE)
			add_text(s, r.symbol->name);
	}
	return 0;
}

static int add_all_relocs(const struct objfile *o, struct sum *s, struct err *err)
{
	for (size_t i = 1; i < o->n_sections; i++) {
		const struct objfile_section *sec = &o->sections[i];

		/* one that is loaded itself was added as a section */
		if ((sec->sh.sh_type != SHT_RELA && sec->sh.sh_type != SHT_REL) || sec->loaded ||
		    sec->sh.sh_info >= o->n_sections || !o->sections[sec->sh.sh_info].loaded)
			continue;
		if (add_relocs(o, sec, s, err) < 0)
			return -1;
	}
	add_number(s, UINT64_MAX);
	return 0;
}

static bool symbol_counts(const struct objfile_symbol *sym)
{
	return GELF_ST_BIND(sym->info) != STB_LOCAL || GELF_ST_TYPE(sym->info) == STT_FUNC;
}

/* By where they are, which is quick and tells nearly all apart; the order in the file does not count. */
static int by_place(const void *a, const void *b)
{
	const struct objfile_symbol *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	if (x->info != y->info)
		return x->info < y->info ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Last, since the symbols lose their order. */
static void add_symbols(struct objfile *o, struct sum *s)
{
	size_t n = 0;

	for (size_t i = 1; i < o->n_symbols; i++)
		if (symbol_counts(&o->symbols[i]))
			o->symbols[n++] = o->symbols[i];
	if (n)
		qsort(o->symbols, n, sizeof(*o->symbols), by_place);
	add_number(s, n);
	for (size_t i = 0; i < n; i++) {
		const struct objfile_symbol *sym = &o->symbols[i];

		add_text(s, sym->name);
		add_number(s, sym->value);
		add_number(s, sym->size);
		add_number(s, (uint64_t)sym->place << 32 | sym->info << 8 | sym->other);
	}
}

static int add_object(struct sum *s, void *bytes, size_t len, const char *path, struct err *err)
{
	_cleanup_(objfile_close) struct objfile o = { 0 };

	if (objfile_open(&o, bytes, len, path, err) < 0 || add_header(&o, s, err) < 0)
		return -1;
	for (size_t i = 1; i < o.n_sections; i++)
		if (o.sections[i].loaded && add_section(&o, &o.sections[i], s, err) < 0)
			return -1;
	add_number(s, UINT64_MAX);
	if (add_all_relocs(&o, s, err) < 0)
		return -1;
	add_symbols(&o, s);
	return 0;
}

static int add_file(struct sum *s, const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *bytes;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return err_set(err, ERR_HOST, "%s is no object file", path);
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	rc = add_object(s, bytes, (size_t)st.st_size, path, err);
	munmap(bytes, (size_t)st.st_size);
	return rc;
}

int signature_of(const char *const *paths, size_t n, char ret[65], struct err *err)
{
	_cleanup_(digest_destroy_p) struct digest *digest = digest_create();
	_cleanup_free_ struct sum *s = xcalloc(1, sizeof(*s));

	s->digest = digest;
	add_text(s, FORMAT);
	add_number(s, n);
	for (size_t i = 0; i < n; i++)
		if (add_file(s, paths[i], err) < 0)
			return -1;
	flush(s);
	digest_hex(digest, ret);
	return 0;
}
