// SPDX-License-Identifier: GPL-2.0-or-later
/* RPM packages: see rpm.h. The payload is libarchive's to read; the header says what it is of. */
#include "build/package/rpm.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define LEAD_BYTES  96
#define INTRO_BYTES 16
#define INDEX_BYTES 16
#define INDEX_MAX   65535u	/* rpm's own bound */
#define STORE_MAX   (64u << 20) /* a kernel's header has 3 MB: the names of all its modules */

/* rpmtag.h */
enum {
	TAG_NAME = 1000,
	TAG_VERSION = 1001,
	TAG_RELEASE = 1002,
	TAG_ARCH = 1022,
	TAG_SOURCERPM = 1044, /* what it was built of: no source package has it */
	TYPE_STRING = 6,
};

static const unsigned char lead_magic[] = { 0xed, 0xab, 0xee, 0xdb };
static const unsigned char header_magic[] = { 0x8e, 0xad, 0xe8, 0x01 };

struct header {
	unsigned char *index; /* [n * INDEX_BYTES] */
	char *store;	      /* [size] */
	uint32_t n, size;
};

static void header_deinit(struct header *h)
{
	free(h->index);
	free(h->store);
}

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool is_word(const char *s)
{
	for (const char *p = s; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '/')
			return false;
	return *s;
}

bool rpm_is(const char *path)
{
	_cleanup_fclose_ FILE *f = fs_is_special(path) ? NULL : fopen(path, "rbe");
	unsigned char magic[sizeof(lead_magic)];

	return f && fread(magic, sizeof(magic), 1, f) == 1 &&
	       memcmp(magic, lead_magic, sizeof(magic)) == 0;
}

/* The last '-' or '.' of a text that ends at @end; NULL: there is none. */
static const char *last_of(const char *s, const char *end, char c)
{
	while (end > s && end[-1] != c)
		end--;
	return end > s ? end - 1 : NULL;
}

static bool copy_part(char *dst, const char *from, const char *to)
{
	size_t len = (size_t)(to - from);

	if (!len || len >= RPM_TEXT_MAX)
		return false;
	memcpy(dst, from, len);
	dst[len] = '\0';
	return is_word(dst);
}

bool rpm_parse_name(const char *file, struct rpm_name *ret)
{
	const char *end = str_ends(file, ".rpm") ? file + strlen(file) - strlen(".rpm") : NULL;
	const char *arch = end ? last_of(file, end, '.') : NULL;
	const char *release = arch ? last_of(file, arch, '-') : NULL;
	const char *version = release ? last_of(file, release, '-') : NULL;
	struct rpm_name n = { 0 };

	if (!version || !copy_part(n.name, file, version) ||
	    !copy_part(n.version, version + 1, release) ||
	    !copy_part(n.release, release + 1, arch) || !copy_part(n.arch, arch + 1, end))
		return false;
	*ret = n;
	return true;
}

static int damaged(const char *path, const char *why, struct err *err)
{
	return err_set(err, ERR_USAGE, "%s cannot be read as an RPM package: %s", path, why);
}

/* Index and store of the header that begins here; what they say they need is there, or nothing is made for it. */
static int read_one(FILE *f, const char *path, uint64_t size, struct header *ret, struct err *err)
{
	unsigned char intro[INTRO_BYTES];
	struct header h = { 0 };
	long at;

	if (fread(intro, sizeof(intro), 1, f) != 1)
		return damaged(path, "it is cut off", err);
	if (memcmp(intro, header_magic, sizeof(header_magic)) != 0)
		return damaged(path, "it has no header where one must be", err);
	h.n = be32(intro + 8);
	h.size = be32(intro + 12);
	if (!h.n || h.n > INDEX_MAX || h.size > STORE_MAX)
		return damaged(path, "its header is larger than any of a kernel", err);
	at = ftell(f);
	if (at < 0 || (uint64_t)at + (uint64_t)h.n * INDEX_BYTES + h.size > size)
		return damaged(path, "it is cut off", err);
	h.index = xmalloc((size_t)h.n * INDEX_BYTES);
	h.store = xmalloc((size_t)h.size + 1);
	if (fread(h.index, INDEX_BYTES, h.n, f) != h.n || fread(h.store, 1, h.size, f) != h.size) {
		header_deinit(&h);
		return damaged(path, "it is cut off", err);
	}
	h.store[h.size] = '\0';
	*ret = h;
	return 0;
}

static const char *tag_text(const struct header *h, uint32_t tag)
{
	for (uint32_t i = 0; i < h->n; i++) {
		const unsigned char *e = h->index + (size_t)i * INDEX_BYTES;

		if (be32(e) != tag)
			continue;
		return be32(e + 4) == TYPE_STRING && be32(e + 8) < h->size ? h->store + be32(e + 8)
									   : NULL;
	}
	return NULL;
}

static bool take_tag(const struct header *h, uint32_t tag, char *dst)
{
	const char *text = tag_text(h, tag);

	return text && str_copy(dst, RPM_TEXT_MAX, text) && is_word(dst);
}

static int read_tags(const struct header *h, const char *path, struct rpm_name *ret,
		     struct err *err)
{
	struct rpm_name n;

	if (!take_tag(h, TAG_NAME, n.name) || !take_tag(h, TAG_VERSION, n.version) ||
	    !take_tag(h, TAG_RELEASE, n.release) || !take_tag(h, TAG_ARCH, n.arch))
		return damaged(path, "its header does not say its name and version", err);
	if (!tag_text(h, TAG_SOURCERPM))
		strcpy(n.arch, "src");
	*ret = n;
	return 0;
}

int rpm_read_header(const char *path, struct rpm_name *ret, struct err *err)
{
	_cleanup_fclose_ FILE *f = fs_is_special(path) ? NULL : fopen(path, "rbe");
	_cleanup_(header_deinit) struct header signatures = { 0 };
	_cleanup_(header_deinit) struct header tags = { 0 };
	unsigned char lead[LEAD_BYTES];
	struct stat st;

	if (!f || fstat(fileno(f), &st) < 0)
		return damaged(path, "it is no file that can be read", err);
	if (fread(lead, sizeof(lead), 1, f) != 1 ||
	    memcmp(lead, lead_magic, sizeof(lead_magic)) != 0)
		return damaged(path, "it does not begin like one", err);
	if (read_one(f, path, (uint64_t)st.st_size, &signatures, err) < 0)
		return -1;
	/* the next one begins at a multiple of 8 */
	if (fseek(f, (8 - (long)(signatures.size % 8)) % 8, SEEK_CUR) < 0)
		return damaged(path, "it is cut off", err);
	return read_one(f, path, (uint64_t)st.st_size, &tags, err) < 0
		       ? -1
		       : read_tags(&tags, path, ret, err);
}

int rpm_check_name(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	struct rpm_name is, named;

	if (rpm_read_header(path, &is, err) < 0)
		return -1;
	if (!rpm_parse_name(slash ? slash + 1 : path, &named) || strcmp(is.name, named.name) != 0 ||
	    strcmp(is.version, named.version) != 0 || strcmp(is.release, named.release) != 0 ||
	    strcmp(is.arch, named.arch) != 0)
		return err_set(err, ERR_USAGE, "%s: its header says that it is %s-%s-%s.%s.rpm",
			       path, is.name, is.version, is.release, is.arch);
	return 0;
}

/* SUSE: usr/src/linux-VERSION-obj/x86_64/FLAVOUR/Module.symvers is of the kernel VERSION-FLAVOUR. */
static char *suse_symvers(const char *path)
{
	const char *version = path + strlen("usr/src/linux-");
	const char *obj = strstr(version, "-obj/");
	const char *arch = obj ? obj + strlen("-obj/") : NULL;
	const char *flavour = arch ? strchr(arch, '/') : NULL;
	const char *end = flavour ? strchr(flavour + 1, '/') : NULL;

	if (!end || strcmp(end, "/Module.symvers") != 0)
		return NULL;
	return str_printf("usr/src/kernels/%.*s-%.*s/Module.symvers", (int)(obj - version), version,
			  (int)(end - flavour - 1), flavour + 1);
}

/* SUSE has the source as a tree, usr/src/linux-VERSION. */
static char *source_tree(const char *path)
{
	const char *inner = path + strlen("usr/src/linux-");

	return strchr(inner, '/') ? str_printf("usr/src/linux-source-%s", inner) : NULL;
}

char *rpm_wanted(const struct rpm_name *package, const char *path)
{
	if (strcmp(package->arch, "src") == 0)
		return str_starts(path, "linux-") && strstr(path, ".tar") && !strchr(path, '/')
			       ? str_printf("usr/src/linux-source-%s", path + strlen("linux-"))
			       : NULL;
	if (str_starts(path, "boot/vmlinuz-") || str_starts(path, "boot/config-") ||
	    str_starts(path, "lib/modules/") ||
	    (str_starts(path, "usr/src/kernels/") && str_ends(path, "/Module.symvers")))
		return xstrdup(path);
	if (!str_starts(path, "usr/src/linux-"))
		return NULL;
	return str_starts(package->name, "kernel-source") ? source_tree(path) : suse_symvers(path);
}

bool rpm_is_patch(const struct rpm_name *package, const char *path)
{
	return strcmp(package->arch, "src") == 0 && str_ends(path, ".patch");
}
