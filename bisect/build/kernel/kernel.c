// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before the first candidate: find one kernel whose source, config, Module.symvers, image and modules
 * belong together. Modules built from anything else load by luck or not at all.
 */
#include "build/kernel/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/config.h"
#include "build/kernel/config_file.h"
#include "build/kernel/source.h"

/* What one release lacks, gathered so that one command mends it all. */
struct lacks {
	struct buf pieces;   /* "no kernel source, no Module.symvers" */
	struct buf packages; /* " linux-source-6.1 linux-headers-6.1.0-57-amd64" */
	bool other;	     /* something that no package mends: said in pieces */
};

struct search {
	const char *root;
	const struct build_kernel *given;
	const struct kernel_sources *sources;
	bool ubuntu;
};

void build_kernel_deinit(struct build_kernel *k)
{
	free(k->release);
	free(k->source);
	free(k->config);
	free(k->symvers);
	free(k->image);
	free(k->modules);
	*k = (struct build_kernel){ 0 };
}

static void lacks_deinit(struct lacks *l)
{
	buf_deinit(&l->pieces);
	buf_deinit(&l->packages);
}

__attribute__((format(printf, 3, 4))) static void lack(struct lacks *l, const char *piece,
						       const char *package, ...)
{
	_cleanup_buf_ struct buf name = { 0 };
	va_list ap;

	if (l->pieces.len)
		buf_puts(&l->pieces, ", ");
	buf_puts(&l->pieces, piece);
	if (!package) {
		l->other = true;
		return;
	}
	va_start(ap, package);
	buf_vprintf(&name, package, ap);
	va_end(ap);
	if (!l->packages.len || !strstr(l->packages.data, name.data))
		buf_printf(&l->packages, " %s", name.data);
}

/* The first of some files that is there; NULL if none is. Takes the names over. */
static char *first_there(char *a, char *b)
{
	char *found = fs_exists(a) ? a : b && fs_exists(b) ? b : NULL;

	if (found != a)
		free(a);
	if (found != b)
		free(b);
	return found;
}

static void fill_source(const struct search *s, const struct kversion *v, struct build_kernel *k,
			struct lacks *l)
{
	for (size_t i = 0; i < s->sources->n && !k->source; i++)
		if (kversion_same_series(&s->sources->items[i].version, v))
			k->source = xstrdup(s->sources->items[i].path);
	if (k->source)
		return;
	if (s->ubuntu)
		lack(l, "no kernel source", "linux-source-%u.%u.%u", v->version, v->patchlevel,
		     v->sublevel);
	else
		lack(l, "no kernel source", "linux-source-%u.%u", v->version, v->patchlevel);
}

static void fill_files(const struct search *s, const char *release, struct build_kernel *k,
		       struct lacks *l)
{
	const char *r = s->root;

	if (!k->config)
		k->config = first_there(str_printf("%s/boot/config-%s", r, release),
					str_printf("%s/lib/modules/%s/config", r, release));
	if (!k->config)
		lack(l, "no config in /boot", "linux-image-%s", release);
	if (!k->symvers)
		k->symvers = first_there(
			str_printf("%s/usr/src/linux-headers-%s/Module.symvers", r, release),
			str_printf("%s/lib/modules/%s/build/Module.symvers", r, release));
	if (!k->symvers) /* Red Hat's kernel-devel */
		k->symvers = first_there(
			str_printf("%s/usr/src/kernels/%s/Module.symvers", r, release), NULL);
	if (!k->symvers)
		lack(l, "no Module.symvers", "linux-headers-%s", release);
	if (!k->image)
		k->image = first_there(str_printf("%s/boot/vmlinuz-%s", r, release),
				       str_printf("%s/lib/modules/%s/vmlinuz", r, release));
	if (!k->image)
		lack(l, "no image in /boot", "linux-image-%s", release);
	if (!k->modules)
		k->modules = first_there(str_printf("%s/lib/modules/%s/modules.dep", r, release),
					 str_printf("%s/lib/modules/%s/modules.order", r, release));
	if (!k->modules)
		lack(l, "no /lib/modules", "linux-image-%s", release);
	else if (strrchr(k->modules, '/') && str_starts(strrchr(k->modules, '/'), "/modules."))
		*strrchr(k->modules, '/') = '\0';
}

/* Pieces that are there, but of another kernel, or without this driver. */
static int check(const struct kversion *v, const struct build_kernel *k, struct lacks *l,
		 struct err *err)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *arch = NULL;
	struct kversion is;

	if (k->source) {
		if (source_version(k->source, &is, err) < 0)
			return -1;
		if (!kversion_same_series(&is, v)) {
			_cleanup_free_ char *what = str_printf("%s is source of %u.%u", k->source,
							       is.version, is.patchlevel);
			lack(l, what, NULL);
		}
	}
	if (!k->config)
		return 0;
	if (config_file_read(k->config, &text, err) < 0)
		return -1;
	arch = config_arch(text);
	if (strcmp(arch, "x86_64") != 0) {
		_cleanup_free_ char *what =
			str_printf("%s is a config of %s, not of x86_64", k->config, arch);
		lack(l, what, NULL);
		return 0;
	}
	if (kversion_of_config(text, &is) && !kversion_same_series(&is, v)) {
		_cleanup_free_ char *what =
			str_printf("%s is a config of %u.%u", k->config, is.version, is.patchlevel);
		lack(l, what, NULL);
	}
	if (!config_is(text, "CONFIG_DRM_AMDGPU", "m") ||
	    !config_is(text, "CONFIG_HMM_MIRROR", "y")) {
		_cleanup_free_ char *what =
			str_printf("%s does not build amdgpu as a module with HMM", k->config);
		lack(l, what, NULL);
	}
	return 0;
}

static struct build_kernel copy_of(const struct build_kernel *k)
{
	return (struct build_kernel){
		.release = xstrdup(k->release),
		.source = xstrdup(k->source),
		.config = xstrdup(k->config),
		.symvers = xstrdup(k->symvers),
		.image = xstrdup(k->image),
		.modules = xstrdup(k->modules),
	};
}

/* Fills @ret for one release; l->pieces is empty if nothing is lacking. */
static int try_release(const struct search *s, const char *release, struct build_kernel *ret,
		       struct lacks *l, struct err *err)
{
	struct kversion v;

	if (!kversion_parse(release, &v))
		return err_set(err, ERR_USAGE,
			       "'%s' is no kernel release; it begins like 6.1.0-57-amd64 (see "
			       "/lib/modules)",
			       release);
	*ret = copy_of(s->given);
	if (!ret->release)
		ret->release = xstrdup(release);
	fill_source(s, &v, ret, l);
	fill_files(s, release, ret, l);
	return check(&v, ret, l, err);
}

static bool is_ubuntu(const char *root)
{
	_cleanup_free_ char *path = str_printf("%s/etc/os-release", root);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };

	return fs_read(path, 65536, &text, NULL, &ignored) == 0 &&
	       (strstr(text, "\nID=ubuntu") || strstr(text, "\nID_LIKE=ubuntu") ||
		str_starts(text, "ID=ubuntu"));
}

static int no_release(const struct search *s, struct err *err)
{
	return err_set(err, ERR_USAGE, "no kernel is installed in /boot; apt install %s",
		       s->ubuntu ? "linux-image-generic linux-headers-generic linux-source"
				 : "linux-image-amd64 linux-headers-amd64 linux-source");
}

static int lacking(const char *release, const struct lacks *l, struct err *err)
{
	if (l->packages.len)
		return err_set(err, ERR_USAGE, "kernel %s: %s; apt install%s", release,
			       l->pieces.data, l->packages.data);
	return err_set(
		err, ERR_USAGE,
		"kernel %s: %s; name pieces of one kernel with --release, --source, --kconfig "
		"and --symvers",
		release, l->pieces.data);
}

struct piece {
	const char *path, *flag;
	bool may_be_dir;
};

/* What is no file would be waited for, or read without end. */
static int check_piece(const struct piece *p, struct err *err)
{
	if (access(p->path, F_OK) < 0 && errno != EACCES)
		return err_set(err, ERR_USAGE, "%s is not there; name another with %s", p->path,
			       p->flag);
	if (access(p->path, R_OK) < 0)
		return err_set(err, ERR_USAGE, "%s cannot be read; sudo chmod a+r %s", p->path,
			       p->path);
	if (fs_is_special(p->path) || (fs_is_dir(p->path) && !p->may_be_dir))
		return err_set(err, ERR_USAGE, "%s is no file; name another with %s", p->path,
			       p->flag);
	return 0;
}

static int check_modules(const char *dir, struct err *err)
{
	_cleanup_free_ char *list = dir ? str_printf("%s/modules.dep", dir) : NULL;

	if (list && !fs_exists(list))
		return err_set(err, ERR_USAGE,
			       "%s holds no modules: it has no modules.dep; name another with "
			       "--modules",
			       dir);
	return 0;
}

/* What the user named must be there, and the image readable: on Ubuntu only root may read it. */
static int check_readable(const struct build_kernel *k, struct err *err)
{
	const struct piece pieces[] = {
		{ k->source, "--source", true },    { k->config, "--kconfig", false },
		{ k->symvers, "--symvers", false }, { k->image, "--image", false },
		{ k->modules, "--modules", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		if (pieces[i].path && check_piece(&pieces[i], err) < 0)
			return -1;
	return check_modules(k->modules, err);
}

int kernel_find_below(const char *root, struct build_kernel *k, struct err *err)
{
	_cleanup_(kernel_sources_deinit) struct kernel_sources sources = { 0 };
	_cleanup_(lacks_deinit) struct lacks first = { 0 };
	_cleanup_strv_ struct strv releases = { 0 };
	struct search s = {
		.root = root, .given = k, .sources = &sources, .ubuntu = is_ubuntu(root)
	};

	if (check_readable(k, err) < 0)
		return -1;
	kernel_sources_scan(root, &sources);
	if (k->release)
		strv_add(&releases, k->release);
	else
		kernel_releases_scan(root, &releases);
	for (size_t i = 0; i < releases.n; i++) {
		_cleanup_(lacks_deinit) struct lacks l = { 0 };
		_cleanup_(build_kernel_deinit) struct build_kernel found = { 0 };

		if (try_release(&s, releases.items[i], &found, &l, err) < 0)
			return -1;
		if (!l.pieces.len) {
			if (check_readable(&found, err) < 0)
				return -1;
			build_kernel_deinit(k);
			*k = found;
			found = (struct build_kernel){ 0 };
			return 0;
		}
		if (i == 0) {
			first = l;
			l = (struct lacks){ 0 };
		}
	}
	return releases.n ? lacking(releases.items[0], &first, err) : no_release(&s, err);
}

int build_find(struct build_kernel *k, struct err *err)
{
	return kernel_find_below("", k, err);
}
