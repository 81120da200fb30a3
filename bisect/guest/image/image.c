// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guest boots an uncompressed vmlinux through the PVH entry: without KVM that takes 4 s where a
 * bzImage takes 12. The kernel inside a bzImage is found by the boot protocol's setup header.
 */
#include "guest/image/image.h"

#include <elf.h>
#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/image/manifest.h"
#include "guest/image/unpack.h"

#define FORMAT		  "kernel 1"	    /* raise it when the same file gives another image */
#define IMAGE_MAX	  ((size_t)2 << 30) /* a vmlinux with debug information is large */
#define SETUP_SECTS	  0x1f1
#define SETUP_MAGIC	  0x202
#define SETUP_VERSION	  0x206
#define SETUP_PAYLOAD	  0x248
#define SETUP_PAYLOAD_LEN 0x24c
#define SETUP_END	  0x250
#define SECTOR		  512
#define NOTE_PVH	  18 /* XEN_ELFNOTE_PHYS32_ENTRY */

static uint32_t le32(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static bool is_bzimage(const char *data, size_t len)
{
	return len > SETUP_END && memcmp(data + SETUP_MAGIC, "HdrS", 4) == 0;
}

static bool is_elf(const char *data, size_t len)
{
	return len > sizeof(Elf64_Ehdr) && memcmp(data, ELFMAG, SELFMAG) == 0;
}

/* The payload is the compressed vmlinux; its last four bytes are the plain length. */
static int unpack_bzimage(const char *path, const char *data, size_t len, struct buf *ret,
			  struct err *err)
{
	uint64_t sects = (unsigned char)data[SETUP_SECTS];
	uint64_t start, size;
	uint32_t plain;
	uint16_t version;

	memcpy(&version, data + SETUP_VERSION, sizeof(version));
	if (le16toh(version) < 0x0208)
		return err_set(err, ERR_USAGE,
			       "%s speaks boot protocol %x.%02x; 2.08 or later "
			       "is needed",
			       path, le16toh(version) >> 8, le16toh(version) & 0xff);
	start = ((sects ? sects : 4) + 1) * SECTOR + le32(data + SETUP_PAYLOAD);
	size = le32(data + SETUP_PAYLOAD_LEN);
	if (size < 8 || start + size > len)
		return err_set(err, ERR_USAGE, "%s is cut short; install its package again", path);
	plain = le32(data + start + size - 4);
	/* gzip ends with the plain length itself; the kernel's build appends it to the others */
	if (memcmp(data + start, "\x1f\x8b", 2) != 0)
		size -= 4;
	return unpack_memory(data + start, size, plain, IMAGE_MAX, path, ret, err);
}

static bool note_is_pvh(const char *p, size_t len)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;
		uint64_t name, desc;

		memcpy(&n, p, sizeof(n));
		name = (n.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
		desc = (n.n_descsz + UINT64_C(3)) & ~UINT64_C(3);
		if (sizeof(n) + name + desc > len)
			return false;
		if (n.n_type == NOTE_PVH && n.n_namesz == 4 && memcmp(p + sizeof(n), "Xen", 4) == 0)
			return true;
		p += sizeof(n) + name + desc;
		len -= sizeof(n) + name + desc;
	}
	return false;
}

/* What keeps an ELF from being booted, or NULL; @end: of what is booted [bytes]. */
static const char *fault_of(const char *data, size_t len, uint64_t *end)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)data;
	bool pvh = false;

	*end = 0;
	if (!is_elf(data, len) || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_machine != EM_X86_64 || eh->e_phentsize != sizeof(Elf64_Phdr))
		return "is no x86-64 kernel";
	if (eh->e_phoff > len || eh->e_phnum * sizeof(Elf64_Phdr) > len - eh->e_phoff)
		return "is cut short";
	*end = eh->e_phoff + eh->e_phnum * sizeof(Elf64_Phdr);
	for (unsigned int i = 0; i < eh->e_phnum; i++) {
		Elf64_Phdr ph;

		memcpy(&ph, data + eh->e_phoff + i * sizeof(ph), sizeof(ph));
		if (ph.p_type != PT_LOAD && ph.p_type != PT_NOTE)
			continue;
		if (ph.p_offset > len || ph.p_filesz > len - ph.p_offset)
			return "is cut short";
		if (ph.p_offset + ph.p_filesz > *end)
			*end = ph.p_offset + ph.p_filesz;
		if (ph.p_type == PT_NOTE)
			pvh = pvh || note_is_pvh(data + ph.p_offset, ph.p_filesz);
	}
	return pvh ? NULL : "was built without CONFIG_PVH";
}

/* Cuts off everything after the last segment: sections and debug information come behind. */
static int strip_elf(const char *path, struct buf *b, struct err *err)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)b->data;
	uint64_t end;
	const char *fault = fault_of(b->data, b->len, &end);

	if (fault)
		return err_set(err, ERR_USAGE,
			       "%s %s; give another with --image, or install its package again",
			       path, fault);
	eh->e_shoff = 0;
	eh->e_shnum = 0;
	eh->e_shstrndx = 0;
	b->len = end;
	return 0;
}

int image_check(const char *path, struct err *err)
{
	_cleanup_free_ char *data = NULL;
	const char *fault;
	uint64_t end;
	size_t len;

	if (fs_read(path, IMAGE_MAX, &data, &len, err) < 0)
		return -1;
	fault = fault_of(data, len, &end);
	return fault ? err_set(err, ERR_BOOT, "the kernel %s %s", path, fault) : 0;
}

int image_extract(const char *path, struct buf *ret, struct err *err)
{
	_cleanup_free_ char *data = NULL;
	_cleanup_buf_ struct buf plain = { 0 };
	size_t len;
	int r;

	if (!fs_exists(path))
		return err_set(err, ERR_USAGE, "no kernel image %s; give another with --image",
			       path);
	if (fs_read(path, IMAGE_MAX, &data, &len, err) < 0)
		return -1;
	if (is_bzimage(data, len))
		r = unpack_bzimage(path, data, len, &plain, err);
	else if (is_elf(data, len))
		r = (buf_add(&plain, data, len), 0);
	else
		r = unpack_memory(data, len, 0, IMAGE_MAX, path, &plain, err);
	if (r < 0 || strip_elf(path, &plain, err) < 0)
		return -1;
	buf_add(ret, plain.data, plain.len);
	return 0;
}

int image_make(const char *path, const char *cache_dir, char **ret, struct err *err)
{
	_cleanup_manifest_ struct manifest manifest = { 0 };
	_cleanup_free_ char *out = NULL;
	_cleanup_buf_ struct buf elf = { 0 };
	char key[65];

	if (!fs_exists(path))
		return err_set(err, ERR_USAGE, "no kernel image %s; give another with --image",
			       path);
	manifest_say(&manifest, FORMAT);
	if (manifest_file(&manifest, "vmlinux", path, err) < 0)
		return -1;
	manifest_key(&manifest, key);
	out = str_printf("%s/vmlinux-%.16s", cache_dir, key);
	if (!fs_exists(out) &&
	    (image_extract(path, &elf, err) < 0 || fs_write(out, elf.data, elf.len, err) < 0 ||
	     manifest_write(&manifest, out, err) < 0))
		return -1;
	*ret = take_ptr(out);
	return 0;
}
