// SPDX-License-Identifier: GPL-2.0-or-later
/* See built.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "built.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"

struct built *built_create(enum build_scope scope)
{
	struct built *b = xcalloc(1, sizeof(*b));

	str_copy(b->root, sizeof(b->root), "/tmp/build-built-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	b->spec = (struct build_spec){ .scope = scope, .driver = AMD };
	b->tree.dir = xstrdup(b->root);
	b->tree.linux_dir = str_printf("%s/linux", b->root);
	b->steps = (struct steps){
		.spec = &b->spec, .tree = &b->tree, .mirror_hash = "0123456789", .out = b->root
	};
	return b;
}

int built_destroy(void **state)
{
	struct built *b = *state;
	struct err err = { 0 };

	fs_remove_tree(b->root, &err);
	free(b->tree.dir);
	free(b->tree.linux_dir);
	free(b);
	return 0;
}

void built_put(const struct built *b, const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", b->root, name);
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	struct err err = { 0 };

	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}
