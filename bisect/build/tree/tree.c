// SPDX-License-Identifier: GPL-2.0-or-later
/* The prepared kernel tree, between candidates: see tree.h; tree/prepare.c makes it. */
#include "build/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/source.h"
#include "build/tree/inputs.h"
#include "range/checkout/checkout.h"
#include "range/range.h"

#define TREE_FORMAT 3  /* raised when a tree made before would be wrong now */
#define SHORT_KEY   16 /* of 64 hex digits: enough for names in one directory */
#define STATE_MAX   8192

int tree_init(struct tree *t, const struct build_spec *spec, const char *cc, const char *cc_version,
	      struct err *err)
{
	const struct build_kernel *k = spec->kernel;
	_cleanup_buf_ struct buf text = { 0 };
	_cleanup_free_ char *source = NULL;
	_cleanup_(config_inputs_deinit) struct config_inputs in = { 0 };
	char symvers[65] = "";

	if (config_inputs_read(spec, &in, err) < 0 ||
	    (!spec->whole && source_identity(k->source, &source, err) < 0) ||
	    (!in.trimmed && fs_sha256_file(k->symvers, symvers, err) < 0))
		return -1;
	buf_printf(&text, "tree %d\nsource %s\nrelease %s\n%s %s\nsymvers %s\ncc %s: %s\n",
		   TREE_FORMAT, spec->whole ? "candidate" : source, k->release,
		   in.trimmed ? "trimmed" : "config", in.digest, symvers, cc, cc_version);
	/* Other limited paths would leave this tree's own ones at a candidate of ours. */
	for (size_t i = 0; i < spec->n_paths && !spec->whole; i++)
		buf_printf(&text, "path %s\n", spec->paths[i]);
	t->inputs = xmalloc(sizeof(*t->inputs));
	*t->inputs = in;
	in = (struct config_inputs){ 0 };
	fs_sha256_text(text.data, text.len, t->key);
	t->dir = str_printf("%s/trees/%.*s", spec->cache_dir, SHORT_KEY, t->key);
	t->linux_dir = str_printf("%s/linux", t->dir);
	t->config = str_printf("%s/.config", t->linux_dir);
	return 0;
}

void tree_deinit(struct tree *t)
{
	free(t->dir);
	free(t->linux_dir);
	free(t->config);
	if (t->inputs)
		config_inputs_deinit(t->inputs);
	free(t->inputs);
	*t = (struct tree){ 0 };
}

int tree_lock(const struct tree *t, struct progress *progress, int *ret, struct err *err)
{
	/* beside the tree, which may be removed and made anew under the lock */
	_cleanup_free_ char *path = str_printf("%s.lock", t->dir);
	_cleanup_free_ char *trees = xstrndup(t->dir, (size_t)(strrchr(t->dir, '/') - t->dir));
	struct err busy = { 0 };

	if (fs_mkdirs(trees, err) < 0)
		return -1;
	if (fs_lock(path, false, ret, &busy) == 0)
		return 0;
	if (progress) {
		progress_detail(progress, "waiting: %s", busy.msg);
		progress_tick(progress);
	}
	return fs_lock(path, true, ret, err);
}

int tree_version(const struct build_spec *spec, const char *id, struct kversion *ret,
		 struct err *err)
{
	_cleanup_free_ char *text = NULL;

	if (!spec->whole)
		return source_version(spec->kernel->source, ret, err);
	if (range_file(spec->repo, id, "Makefile", &text, err) < 0)
		return -1;
	if (!text || !kversion_of_makefile(text, ret))
		return err_set(
			err, ERR_BUILD,
			"commit %.12s is no whole kernel: it has no Makefile with a VERSION; "
			"use --tree overlay",
			id);
	return 0;
}

static const char *digest_of(const struct patches *patches)
{
	return patches ? patches_digest(patches) : "";
}

/* The line that *text begins with, cut out of it. */
static char *next_line(char **text)
{
	char *line = *text, *end = line + strcspn(line, "\n");

	*text = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

/* In the state's last line: the files are the commit's, but not every object is whole. */
#define STOPPED "stopped"

/*
 * The commit that the candidate's files are of, or NULL if that is not known.
 * @whole: set to whether its objects are as well
 */
static char *known_commit(const struct tree *t, const char *repo, const struct patches *patches,
			  bool *whole)
{
	_cleanup_free_ char *path = str_printf("%s/state", t->dir);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	const char *commit, *from, *digest;
	char id[COMMIT_ID_SIZE];
	char *rest;

	if (fs_read(path, STATE_MAX, &text, NULL, &ignored) < 0)
		return NULL;
	rest = text;
	commit = next_line(&rest);
	from = next_line(&rest);
	digest = next_line(&rest);
	*whole = strcmp(next_line(&rest), STOPPED) != 0;
	/* Another repository may have taken the place of the one that was here. */
	if (!str_is_commit_id(commit) || strcmp(from, repo) != 0 ||
	    strcmp(digest, digest_of(patches)) != 0 ||
	    range_resolve(repo, commit, id, &ignored) < 0)
		return NULL;
	return xstrdup(commit);
}

int tree_begin(const struct tree *t, const struct build_spec *spec, const struct patches *patches,
	       const char *id, bool *was_known, struct err *err)
{
	static const char *const everything[] = { "" };
	_cleanup_free_ char *path = str_printf("%s/state", t->dir);
	bool whole = false;
	_cleanup_free_ char *from = known_commit(t, spec->repo, patches, &whole);
	const char *const *paths = spec->whole ? everything : spec->paths;
	size_t n_paths = spec->whole ? 1 : spec->n_paths;

	*was_known = from && whole;
	if (fs_write(path, "", 0, err) < 0)
		return -1;
	return checkout_sync(spec->repo, patches, from, id, paths, n_paths, t->linux_dir, NULL,
			     err);
}

static int write_state(const struct tree *t, const struct build_spec *spec,
		       const struct patches *patches, const char *id, const char *objects,
		       struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/state", t->dir);
	_cleanup_free_ char *text =
		str_printf("%s\n%s\n%s\n%s\n", id, spec->repo, digest_of(patches), objects);

	return fs_write(path, text, strlen(text), err);
}

int tree_end(const struct tree *t, const struct build_spec *spec, const struct patches *patches,
	     const char *id, struct err *err)
{
	return write_state(t, spec, patches, id, "", err);
}

int tree_stopped(const struct tree *t, const struct build_spec *spec, const struct patches *patches,
		 const char *id, struct err *err)
{
	return write_state(t, spec, patches, id, STOPPED, err);
}
