// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent is packed with the libraries it needs, found as the dynamic linker finds them. */
#include "guest/image/closure.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/image/ldcache.h"

#define LIBC "libc.so.6"

static void elf_end_p(Elf **e)
{
	elf_end(*e); /* NULL is fine */
}

/* What one ELF file asks for. */
struct wants {
	char *interp;
	char *runpath; /* DT_RUNPATH, or DT_RPATH where there is none */
	struct strv needed;
};

static void wants_deinit(struct wants *w)
{
	free(w->interp);
	free(w->runpath);
	strv_deinit(&w->needed);
}

void closure_deinit(struct closure *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].host);
		free(c->items[i].guest);
	}
	free(c->items);
	*c = (struct closure){ 0 };
}

static bool closure_has(const struct closure *c, const char *guest)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->items[i].guest, guest) == 0)
			return true;
	return false;
}

static void read_dynamic(Elf *e, Elf_Scn *scn, const GElf_Shdr *sh, struct wants *w)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	bool runpath = false;
	GElf_Dyn d;

	for (int i = 0; data && gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
		const char *s;

		if (d.d_tag != DT_NEEDED && d.d_tag != DT_RUNPATH && d.d_tag != DT_RPATH)
			continue;
		s = elf_strptr(e, sh->sh_link, d.d_un.d_val);
		if (!s)
			continue;
		if (d.d_tag == DT_NEEDED) {
			strv_add(&w->needed, s);
		} else if (!runpath) {
			free(w->runpath);
			w->runpath = xstrdup(s);
			runpath = d.d_tag == DT_RUNPATH;
		}
	}
}

static void read_interp(Elf *e, struct wants *w)
{
	size_t n = 0, size;
	const char *raw = elf_rawfile(e, &size);

	elf_getphdrnum(e, &n);
	for (size_t i = 0; raw && i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(e, (int)i, &ph) && ph.p_type == PT_INTERP && ph.p_offset < size &&
		    ph.p_filesz <= size - ph.p_offset)
			w->interp = xstrndup(raw + ph.p_offset, ph.p_filesz);
	}
}

static int read_wants(const char *path, struct wants *w, struct err *err)
{
	_cleanup_(elf_end_p) Elf *e = NULL;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;

	if (fd < 0)
		return err_errno(err, ERR_USAGE, "cannot read the program %s", path);
	elf_version(EV_CURRENT);
	e = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!e || elf_kind(e) != ELF_K_ELF || !gelf_getehdr(e, &eh) || eh.e_machine != EM_X86_64)
		return err_set(err, ERR_USAGE, "%s is no program for an x86-64 guest", path);
	read_interp(e, w);
	while ((scn = elf_nextscn(e, scn)) != NULL) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC)
			read_dynamic(e, scn, &sh, w);
	}
	return 0;
}

static bool is_x86_64(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr eh;

	return fd >= 0 && read(fd, &eh, sizeof(eh)) == sizeof(eh) &&
	       memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 && eh.e_ident[EI_CLASS] == ELFCLASS64 &&
	       eh.e_machine == EM_X86_64;
}

/* Looks in RUNPATH; $ORIGIN is the directory of the file that asks. */
static char *find_in_runpath(const char *runpath, const char *asker, const char *name)
{
	const char *p = runpath, *slash = strrchr(asker, '/');
	int origin = slash ? (int)(slash - asker) : 0;

	while (p && *p) {
		size_t len = strcspn(p, ":");
		_cleanup_free_ char *dir = NULL, *path = NULL;

		if (len >= 7 && strncmp(p, "$ORIGIN", 7) == 0)
			dir = str_printf("%.*s%.*s", origin, asker, (int)len - 7, p + 7);
		else if (len >= 9 && strncmp(p, "${ORIGIN}", 9) == 0)
			dir = str_printf("%.*s%.*s", origin, asker, (int)len - 9, p + 9);
		else
			dir = xstrndup(p, len);
		path = str_printf("%s/%s", dir, name);
		if (is_x86_64(path))
			return take_ptr(path);
		p += len + (p[len] == ':');
	}
	return NULL;
}

static char *find_standard(const char *name)
{
	static const char *const dirs[] = {
		"/lib/x86_64-linux-gnu",
		"/usr/lib/x86_64-linux-gnu",
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
	};
	char *path = ldcache_find(name, is_x86_64);

	for (size_t i = 0; !path && i < ARRAY_SIZE(dirs); i++) {
		path = str_printf("%s/%s", dirs[i], name);
		if (!is_x86_64(path)) {
			free(path);
			path = NULL;
		}
	}
	return path;
}

/* The guest has no ld.so.cache: libraries go where the C library is, which is always searched. */
static char *standard_place(const char *name)
{
	_cleanup_free_ char *libc = find_standard(LIBC);
	const char *slash = libc ? strrchr(libc, '/') : NULL;

	return slash ? str_printf("%.*s/%s", (int)(slash - libc), libc, name)
		     : str_printf("/lib64/%s", name);
}

/* What must be of one build with the C library, which is this machine's. */
static bool of_libc(const char *name)
{
	static const char *const names[] = { LIBC,	   "libm.so.6",
					     "libdl.so.2", "libpthread.so.0",
					     "librt.so.1", "libresolv.so.2" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static char *find_in_dirs(const struct closure *c, const char *name)
{
	for (size_t i = 0; i < c->n_dirs && !of_libc(name); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", c->dirs[i], name);

		if (is_x86_64(path))
			return take_ptr(path);
	}
	return NULL;
}

/* A library that is loaded finds these two in the process. */
static bool is_there(const struct closure *c, const char *name)
{
	return c->place && (strcmp(name, LIBC) == 0 || str_starts(name, "ld-linux"));
}

static int add_file(struct closure *c, char *host, char *guest, struct err *err);

static int add_needed(struct closure *c, const char *asker, const struct wants *w, const char *name,
		      struct err *err)
{
	char *host, *guest;

	if (strchr(name, '/'))
		return add_file(c, xstrdup(name), xstrdup(name), err);
	if (is_there(c, name))
		return 0;
	host = find_in_dirs(c, name);
	if (!host)
		host = find_in_runpath(w->runpath, asker, name);
	if (!host)
		host = find_standard(name);
	if (!host)
		return err_set(err, ERR_USAGE,
			       "%s needs %s, which is not on this machine; install "
			       "the package that brings it",
			       asker, name);
	guest = c->place ? str_printf("%s/%s", c->place, name) : standard_place(name);
	return add_file(c, host, guest, err);
}

static int add_wants_of(struct closure *c, const char *path, struct err *err)
{
	_cleanup_(wants_deinit) struct wants w = { 0 };

	if (read_wants(path, &w, err) < 0)
		return -1;
	if (w.interp && !c->place && add_file(c, xstrdup(w.interp), xstrdup(w.interp), err) < 0)
		return -1;
	for (size_t i = 0; i < w.needed.n; i++)
		if (add_needed(c, path, &w, w.needed.items[i], err) < 0)
			return -1;
	return 0;
}

/* Takes ownership of both paths. */
static int add_file(struct closure *c, char *host, char *guest, struct err *err)
{
	if (closure_has(c, guest)) {
		free(host);
		free(guest);
		return 0;
	}
	c->items = xrealloc(c->items, c->n + 1, sizeof(*c->items));
	c->items[c->n++] = (struct library){ .host = host, .guest = guest };
	return add_wants_of(c, host, err);
}

int closure_add(struct closure *c, const char *program, struct err *err)
{
	return add_wants_of(c, program, err);
}

int closure_add_library(struct closure *c, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');

	return add_file(c, xstrdup(path), str_printf("%s/%s", c->place, slash ? slash + 1 : path),
			err);
}
