// SPDX-License-Identifier: GPL-2.0-or-later
/* See order.h. */
#include "build/order.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/make/object.h"

#define ORDER_MAX_BYTES (4u << 20)
#define DEPTH_MAX	64 /* modules that need each other would go on for ever */

struct order {
	const char *tree;
	struct strv made; /* .ko files of modules.order, with paths */
	struct strv *ret;
};

char *order_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *name = xstrndup(base, strcspn(base, "."));

	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

/* A line of modules.order: once with "kernel/" before it, and since 6.2 with the object's name. */
static void take_line(struct order *o, const char *line)
{
	const char *inner = str_starts(line, "kernel/") ? line + strlen("kernel/") : line;
	_cleanup_free_ char *given = str_printf("%s/%s", o->tree, line);
	size_t stem;

	if (fs_exists(given)) /* the kernel has a directory of that name, too */
		inner = line;
	stem = strlen(inner) - (str_ends(inner, ".ko") ? 3 : str_ends(inner, ".o") ? 2 : 0);
	strv_addf(&o->made, "%s/%.*s.ko", o->tree, (int)stem, inner);
}

/* modpost names those that are needed by their files, with "-". */
static const char *find(const struct order *o, const char *name)
{
	_cleanup_free_ char *want = order_name(name);

	for (size_t i = 0; i < o->made.n; i++) {
		_cleanup_free_ char *is = order_name(o->made.items[i]);

		if (strcmp(is, want) == 0)
			return o->made.items[i];
	}
	return NULL;
}

static int add(struct order *o, const char *name, unsigned int depth, struct err *err)
{
	_cleanup_(object_identity_deinit) struct object_identity id = { 0 };
	const char *path = find(o, name);

	if (!path || !fs_exists(path))
		return err_set(err, ERR_BUILD, "make succeeded without making %s.ko", name);
	if (depth > DEPTH_MAX)
		return err_set(err, ERR_BUILD, "%s.ko needs a module that needs it", name);
	if (strv_has(o->ret, path))
		return 0;
	if (object_identity(path, &id, err) < 0)
		return -1;
	for (size_t i = 0; i < id.depends.n; i++)
		if (add(o, id.depends.items[i], depth + 1, err) < 0)
			return -1;
	if (!strv_has(o->ret, path))
		strv_add(o->ret, path);
	return 0;
}

int order_modules(const char *tree, const char *name, struct strv *ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/modules.order", tree);
	struct order o = { .tree = tree, .ret = ret };
	_cleanup_free_ char *text = NULL;
	char *save = NULL;
	int rc;

	if (!fs_exists(path))
		return err_set(err, ERR_BUILD, "make succeeded without making modules.order");
	if (fs_read(path, ORDER_MAX_BYTES, &text, NULL, err) < 0)
		return -1;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		take_line(&o, l);
	rc = add(&o, name, 0, err);
	strv_deinit(&o.made);
	return rc;
}
