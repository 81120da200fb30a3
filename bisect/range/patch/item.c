// SPDX-License-Identifier: GPL-2.0-or-later
/* A patch comes in here: which file or commit it is, and when it is wanted. */
#include "range/patch/item.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "range/patch/spec.h"
#include "range/patch/trees.h"
#include "range/range.h"
#include "range/walk/revision.h"

#define PATCH_MAX_BYTES (16u << 20)

void item_deinit(struct item *i)
{
	free(i->name);
	diff_deinit(&i->diff);
	strv_deinit(&i->paths);
	strv_deinit(&i->if_has);
	strv_deinit(&i->unless_has);
	*i = (struct item){ 0 };
}

static int read_file(struct item *i, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (fs_is_special(i->name))
		return err_set(err, ERR_USAGE, "%s is no file; save the patch in one", i->name);
	if (fs_read(i->name, PATCH_MAX_BYTES, &text, &len, err) < 0) {
		err->kind = ERR_USAGE;
		return -1;
	}
	if (diff_parse(text, len, &i->diff, err) < 0)
		return err_prefix(err, "%s", i->name);
	for (size_t k = 0; k < i->diff.n; k++) {
		const struct diff_file *f = &i->diff.files[k];

		if (f->old_name)
			strv_add(&i->paths, f->old_name);
		if (f->new_name)
			strv_add(&i->paths, f->new_name);
	}
	strv_sort_once(&i->paths);
	return 0;
}

/* The tree of a commit as everybody sees it, replaced or not. */
static int tree_of(git_repository *git, const char *id, git_oid *ret, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;

	if (gitlib_commit_hex(git, id, &commit, err) < 0)
		return -1;
	git_oid_cpy(ret, git_commit_tree_id(commit));
	return 0;
}

static int read_commit(git_repository *git, const char *repo, struct item *i, struct err *err)
{
	_cleanup_strv_ struct strv parents = { 0 };
	git_oid id;

	if (revision_resolve(git, i->name, &id, err) < 0)
		return -1;
	gitlib_hex(&id, i->id);
	if (range_real_parents(repo, i->id, &parents, err) < 0 ||
	    tree_of(git, i->id, &i->to, err) < 0)
		return -1;
	i->is_root = parents.n == 0;
	if (!i->is_root && tree_of(git, parents.items[0], &i->from, err) < 0)
		return -1;
	if (trees_differ(git, i->is_root ? NULL : &i->from, &i->to, &i->paths, err) < 0)
		return -1;
	strv_sort_once(&i->paths);
	return 0;
}

/* "v6.1..v6.2", which no revision and hardly a path looks like. */
static bool is_range(const char *name)
{
	const char *dots = strstr(name, "..");

	return dots && dots != name && dots[-1] != '/' && dots[2] && dots[2] != '/';
}

static int read_patch(git_repository *git, const char *repo, struct item *i, struct err *err)
{
	struct err no_commit = { 0 };

	if (fs_exists(i->name) && !fs_is_dir(i->name))
		return read_file(i, err);
	if (is_range(i->name))
		return err_set(err, ERR_USAGE,
			       "%s is a range; name each of its commits with an --apply of its own",
			       i->name);
	if (read_commit(git, repo, i, &no_commit) == 0)
		return 0;
	if (no_commit.kind != ERR_USAGE) {
		*err = no_commit;
		return -1;
	}
	return err_set(err, ERR_USAGE, "%s is %s, and %s", i->name,
		       fs_is_dir(i->name) ? "a directory" : "no file", no_commit.msg);
}

static int resolve(git_repository *git, const char *word, const struct strv *revs, struct strv *ret,
		   struct err *err)
{
	for (size_t i = 0; i < revs->n; i++) {
		char hex[COMMIT_ID_SIZE];
		git_oid id;

		if (revision_resolve(git, revs->items[i], &id, err) < 0)
			return err_prefix(err, "%s", word);
		gitlib_hex(&id, hex);
		strv_add(ret, hex);
	}
	strv_sort_once(ret);
	return 0;
}

int item_open(git_repository *git, const char *repo, const char *text, struct item *ret,
	      struct err *err)
{
	_cleanup_(patch_spec_deinit) struct patch_spec spec = { 0 };
	_cleanup_(item_deinit) struct item i = { 0 };

	if (patch_spec_parse(text, &spec, err) < 0)
		return err_prefix(err, "--apply");
	i.name = xstrdup(spec.name);
	if (read_patch(git, repo, &i, err) < 0)
		return err_prefix(err, "--apply");
	if (resolve(git, "if-has", &spec.if_has, &i.if_has, err) < 0 ||
	    resolve(git, "unless-has", &spec.unless_has, &i.unless_has, err) < 0)
		return err_prefix(err, "--apply %s", i.name);
	*ret = i;
	i = (struct item){ 0 };
	return 0;
}

int item_read_file(const char *file, struct item *ret, struct err *err)
{
	_cleanup_(item_deinit) struct item i = { .name = xstrdup(file) };

	if (read_file(&i, err) < 0)
		return -1;
	*ret = i;
	i = (struct item){ 0 };
	return 0;
}

void item_identity(const struct item *i, struct buf *ret)
{
	char sum[65];

	if (i->diff.n) {
		fs_sha256_text(i->diff.text, i->diff.len, sum);
		buf_printf(ret, "diff %s\n", sum);
	} else {
		buf_printf(ret, "commit %s\n", i->id);
	}
	for (size_t k = 0; k < i->if_has.n; k++)
		buf_printf(ret, "if-has %s\n", i->if_has.items[k]);
	for (size_t k = 0; k < i->unless_has.n; k++)
		buf_printf(ret, "unless-has %s\n", i->unless_has.items[k]);
}
