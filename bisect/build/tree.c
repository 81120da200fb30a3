// SPDX-License-Identifier: GPL-2.0-or-later
/* The prepared kernel tree, between candidates: see tree.h; tree_prepare.c makes it. */
#include "build/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/source.h"
#include "range/checkout/checkout.h"
#include "range/range.h"

#define TREE_FORMAT 2  /* raised when a tree made before would be wrong now */
#define SHORT_KEY   16 /* of 64 hex digits: enough for names in one directory */
#define STATE_MAX   8192

int tree_init(struct tree *t, const struct build_spec *spec, const char *cc_version,
	      struct err *err)
{
	const struct build_kernel *k = spec->kernel;
	_cleanup_buf_ struct buf text = { 0 };
	_cleanup_free_ char *source = NULL;
	char config[65], symvers[65];

	if (source_identity(k->source, &source, err) < 0 ||
	    fs_sha256_file(k->config, config, err) < 0 ||
	    fs_sha256_file(k->symvers, symvers, err) < 0)
		return -1;
	buf_printf(&text, "tree %d\nsource %s\nrelease %s\nconfig %s\nsymvers %s\ncc %s: %s\n",
		   TREE_FORMAT, source, k->release, config, symvers, spec->cc, cc_version);
	/* Other limited paths would leave this tree's own ones at a candidate of ours. */
	for (size_t i = 0; i < spec->n_paths; i++)
		buf_printf(&text, "path %s\n", spec->paths[i]);
	fs_sha256_text(text.data, text.len, t->key);
	t->dir = str_printf("%s/trees/%.*s", spec->cache_dir, SHORT_KEY, t->key);
	t->linux_dir = str_printf("%s/linux", t->dir);
	return 0;
}

void tree_deinit(struct tree *t)
{
	free(t->dir);
	free(t->linux_dir);
	*t = (struct tree){ 0 };
}

int tree_lock(const struct tree *t, struct progress *progress, int *ret, struct err *err)
{
	/* beside the tree, which may be removed and made anew under the lock */
	_cleanup_free_ char *path = str_printf("%s.lock", t->dir);
	struct err busy = { 0 };

	if (fs_lock(path, false, ret, &busy) == 0)
		return 0;
	if (progress) {
		progress_detail(progress, "waiting: %s", busy.msg);
		progress_tick(progress);
	}
	return fs_lock(path, true, ret, err);
}

/* The commit that the limited paths hold, or NULL if that is not known. */
static char *known_commit(const struct tree *t, const char *repo)
{
	_cleanup_free_ char *path = str_printf("%s/state", t->dir);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	char id[COMMIT_ID_SIZE];
	char *end;

	if (fs_read(path, STATE_MAX, &text, NULL, &ignored) < 0)
		return NULL;
	end = strchr(text, '\n');
	if (!end)
		return NULL;
	*end++ = '\0';
	end[strcspn(end, "\n")] = '\0';
	/* Another repository may have taken the place of the one that was here. */
	if (!str_is_commit_id(text) || strcmp(end, repo) != 0 ||
	    range_resolve(repo, text, id, &ignored) < 0)
		return NULL;
	return take_ptr(text);
}

int tree_begin(const struct tree *t, const struct build_spec *spec, const char *id, bool *was_known,
	       struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/state", t->dir);
	_cleanup_free_ char *from = known_commit(t, spec->repo);

	*was_known = from != NULL;
	if (fs_write(path, "", 0, err) < 0)
		return -1;
	return checkout_sync(spec->repo, NULL, from, id, spec->paths, spec->n_paths, t->linux_dir,
			     NULL, err);
}

int tree_end(const struct tree *t, const struct build_spec *spec, const char *id, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/state", t->dir);
	_cleanup_free_ char *text = str_printf("%s\n%s\n", id, spec->repo);

	return fs_write(path, text, strlen(text), err);
}
