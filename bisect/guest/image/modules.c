// SPDX-License-Identifier: GPL-2.0-or-later
/* Before the initramfs is made: which module files it needs, by libkmod, in load order. */
#include "guest/image/modules.h"

#include <libkmod.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"

#define DEPTH_MAX 32 /* of dependencies; a loop in modules.dep must not end us */

DEFINE_CLEANUP(struct kmod_ctx *, kmod_unref)

static void unref_list(struct kmod_list **l)
{
	kmod_module_unref_list(*l);
}
#define _cleanup_list_ _cleanup_(unref_list)

void modules_deinit(struct modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->items[i].name);
		free(m->items[i].path);
		strv_deinit(&m->items[i].depends);
	}
	free(m->items);
	*m = (struct modules){ 0 };
}

void modules_name(const char *name, char *ret, size_t size)
{
	str_copy(ret, size, name);
	for (; *ret; ret++)
		if (*ret == '-')
			*ret = '_';
}

const struct module *modules_find(const struct modules *m, const char *name)
{
	char want[256];

	modules_name(name, want, sizeof(want));
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->items[i].name, want) == 0)
			return &m->items[i];
	return NULL;
}

static void add_once(struct strv *v, const char *s)
{
	if (!strv_has(v, s))
		strv_add(v, s);
}

/* Depth first: what a module needs stands before it. */
static int visit(struct modules *m, struct kmod_module *mod, int depth, struct err *err)
{
	_cleanup_list_ struct kmod_list *deps = kmod_module_get_dependencies(mod);
	const char *name = kmod_module_get_name(mod);
	const char *path = kmod_module_get_path(mod);
	struct strv depends = { 0 };
	struct kmod_list *l;

	if (!path || modules_find(m, name))
		return 0;
	if (depth > DEPTH_MAX)
		return err_set(err, ERR_USAGE, "module %s depends on itself; run `depmod -a`",
			       name);
	kmod_list_foreach(l, deps)
	{
		struct kmod_module *dep = kmod_module_get_module(l);
		const struct module *known;
		int r = visit(m, dep, depth + 1, err);

		known = r < 0 ? NULL : modules_find(m, kmod_module_get_name(dep));
		for (size_t i = 0; known && i < known->depends.n; i++)
			add_once(&depends, known->depends.items[i]);
		if (known)
			add_once(&depends, known->name);
		kmod_module_unref(dep);
		if (r < 0) {
			strv_deinit(&depends);
			return -1;
		}
	}
	m->items = xrealloc(m->items, m->n + 1, sizeof(*m->items));
	m->items[m->n++] = (struct module){
		.name = xstrdup(name),
		.path = xstrdup(path),
		.depends = depends,
	};
	return 0;
}

static int visit_name(struct modules *m, struct kmod_ctx *ctx, const char *dir, const char *name,
		      struct err *err)
{
	_cleanup_list_ struct kmod_list *found = NULL;
	bool optional = *name == '-';
	struct kmod_list *l;

	name += optional;
	if (kmod_module_new_from_lookup(ctx, name, &found) < 0 || !found)
		return optional ? 0
				: err_set(err, ERR_USAGE,
					  "no module %s in %s; install that kernel's whole "
					  "package, or run "
					  "`depmod -a %s`",
					  name, dir,
					  strrchr(dir, '/') ? strrchr(dir, '/') + 1 : dir);
	kmod_list_foreach(l, found)
	{
		struct kmod_module *mod = kmod_module_get_module(l);
		int r = visit(m, mod, 0, err);

		kmod_module_unref(mod);
		if (r < 0)
			return -1;
	}
	return 0;
}

static void silent(void *data, int prio, const char *file, int line, const char *fn,
		   const char *format, va_list ap)
{
	(void)data;
	(void)prio;
	(void)file;
	(void)line;
	(void)fn;
	(void)format;
	(void)ap;
}

int modules_resolve(const char *dir, const char *const *names, size_t n, struct modules *ret,
		    struct err *err)
{
	const char *const no_config = NULL; /* the host's /etc/modprobe.d is not the guest's */
	_cleanup_(kmod_unref_p) struct kmod_ctx *ctx = NULL;
	struct modules m = { 0 };

	if (!fs_is_dir(dir))
		return err_set(err, ERR_USAGE, "no modules in %s; install that kernel's package",
			       dir);
	ctx = kmod_new(dir, &no_config);
	if (!ctx)
		return err_set(err, ERR_HOST, "cannot read %s with libkmod", dir);
	kmod_set_log_fn(ctx, silent, NULL);
	for (size_t i = 0; i < n; i++)
		if (visit_name(&m, ctx, dir, names[i], err) < 0) {
			modules_deinit(&m);
			return -1;
		}
	*ret = m;
	return 0;
}
