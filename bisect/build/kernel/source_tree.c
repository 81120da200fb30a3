// SPDX-License-Identifier: GPL-2.0-or-later
/* A source that is a directory: see source_tree.h. */
#include "build/kernel/source_tree.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"
#include "base/str.h"

DEFINE_CLEANUP(FTS *, fts_close)

/* Of another configuration or compiler than ours, so worse than nothing. */
static const char *const skipped_paths[] = {
	".git",		  ".config", ".config.old", "include/config", "include/generated",
	"Module.symvers", "vmlinux", "vmlinux.o",   "System.map",
};
static const char *const skipped_ends[] = { ".o", ".ko", ".cmd", ".mod", ".mod.c", ".a", ".order" };

bool source_tree_skips(const char *inner)
{
	for (size_t i = 0; i < ARRAY_SIZE(skipped_paths); i++)
		if (strcmp(inner, skipped_paths[i]) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(skipped_ends); i++)
		if (str_ends(inner, skipped_ends[i]))
			return true;
	return str_starts(inner, "arch/") && str_ends(inner, "/include/generated");
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int source_tree_identity(const char *tree, char **ret, struct err *err)
{
	_cleanup_free_ char *root = xstrdup(tree);
	char *const roots[] = { root, NULL };
	_cleanup_(fts_close_p) FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	_cleanup_buf_ struct buf text = { 0 };
	char digest[65];
	FTSENT *e;

	if (!fts)
		return err_errno(err, ERR_USAGE, "cannot read the kernel source %s", tree);
	while ((e = fts_read(fts))) {
		const char *inner = e->fts_path + strlen(root);

		inner += strspn(inner, "/");
		if (e->fts_info == FTS_ERR || e->fts_info == FTS_DNR || e->fts_info == FTS_NS) {
			errno = e->fts_errno;
			return err_errno(err, ERR_USAGE, "cannot read the kernel source %s",
					 e->fts_path);
		}
		if (stop_check(err) < 0)
			return -1;
		if (*inner && source_tree_skips(inner))
			fts_set(fts, e, FTS_SKIP);
		else if (e->fts_info == FTS_F)
			buf_printf(&text, "%s %" PRIdMAX " %" PRIdMAX ".%09ld\n", inner,
				   (intmax_t)e->fts_statp->st_size,
				   (intmax_t)e->fts_statp->st_mtim.tv_sec,
				   e->fts_statp->st_mtim.tv_nsec);
	}
	fs_sha256_text(text.data ? text.data : "", text.len, digest);
	*ret = str_printf("%s %s", tree, digest);
	return 0;
}
