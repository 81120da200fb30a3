// SPDX-License-Identifier: GPL-2.0-or-later
/* See inventory.h. */
#include "build/reads/inventory.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/reads/walk.h"

/* Outputs of make, as scripts/mod and the Makefiles name them; "." hides its notes. */
static const char *const output_ends[] = {
	".o", ".ko", ".a", ".mod", ".mod.c", ".order", ".symvers", ".cmd", ".s", ".so", ".dbg",
};
static const char *const source_ends[] = { ".c", ".h", ".S", ".inc" };
static const char *const document_ends[] = { ".rst", ".md", ".yaml", ".svg" };

struct taking {
	struct inventory *inventory;
	size_t root_len; /* of the tree's root and its slash */
};

static bool ends_with(const char *name, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_ends(name, ends[i]))
			return true;
	return false;
}

static bool take(const char *path, const char *name, void *arg)
{
	const struct taking *t = arg;
	const char *inner = path + t->root_len;
	struct stat st;

	if (*name == '.' || ends_with(name, output_ends, ARRAY_SIZE(output_ends)) ||
	    ends_with(name, document_ends, ARRAY_SIZE(document_ends)))
		return true;
	if (ends_with(name, source_ends, ARRAY_SIZE(source_ends)))
		strv_add(&t->inventory->sources, inner);
	else if (lstat(path, &st) == 0)
		strv_addf(&t->inventory->others, "%s %" PRIdMAX " %" PRIdMAX ".%09ld", inner,
			  (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

int inventory_take(const struct steps *s, struct inventory *ret, struct err *err)
{
	static const char *const everything[] = { "" };
	const char *const *paths = s->spec->whole ? everything : s->spec->paths;
	size_t n = s->spec->whole ? 1 : s->spec->n_paths;
	struct inventory found = { 0 };
	struct taking taking = { .inventory = &found, .root_len = strlen(s->tree->linux_dir) + 1 };

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *path =
			str_printf("%s%s%s", s->tree->linux_dir, *paths[i] ? "/" : "", paths[i]);

		if (walk_files(path, take, &taking, err) < 0) {
			inventory_deinit(&found);
			return -1;
		}
	}
	strv_sort_once(&found.sources);
	strv_sort_once(&found.others);
	*ret = found;
	return 0;
}

void inventory_deinit(struct inventory *i)
{
	strv_deinit(&i->sources);
	strv_deinit(&i->others);
}

void inventory_digest(const struct inventory *i, char ret[65])
{
	_cleanup_buf_ struct buf text = { 0 };

	for (size_t n = 0; n < i->others.n; n++)
		buf_printf(&text, "%s\n", i->others.items[n]);
	fs_sha256_text(text.data ? text.data : "", text.len, ret);
}
