// SPDX-License-Identifier: GPL-2.0-or-later
/* After a crash: see mend.h. */
#include "build/make/mend.h"

#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

DEFINE_CLEANUP(FTS *, fts_close)

static bool is_linked_or_compiled(const char *name)
{
	return str_ends(name, ".o") || str_ends(name, ".ko");
}

/* Other targets that Kbuild notes down (asm-offsets.s, programs) are told by that note alone. */
static bool is_whole(const FTSENT *e)
{
	size_t dir = e->fts_pathlen - e->fts_namelen;
	_cleanup_free_ char *cmd = str_printf("%.*s.%s.cmd", (int)dir, e->fts_path, e->fts_name);
	const struct timespec *made = &e->fts_statp->st_mtim;
	struct stat st;

	if (stat(cmd, &st) < 0)
		return !is_linked_or_compiled(e->fts_name);
	return st.st_mtim.tv_sec != made->tv_sec ? st.st_mtim.tv_sec > made->tv_sec
						 : st.st_mtim.tv_nsec >= made->tv_nsec;
}

int mend_objects(const char *dir, struct err *err)
{
	_cleanup_free_ char *root = xstrdup(dir);
	char *const roots[] = { root, NULL };
	_cleanup_(fts_close_p) FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;

	if (!fts)
		return err_errno(err, ERR_HOST, "cannot read %s", dir);
	while ((e = fts_read(fts)))
		if (e->fts_info == FTS_F && !is_whole(e) && unlink(e->fts_path) < 0 &&
		    errno != ENOENT)
			return err_errno(err, ERR_HOST, "cannot remove %s", e->fts_path);
	return 0;
}
