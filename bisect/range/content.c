// SPDX-License-Identifier: GPL-2.0-or-later
/* By this name builds and verdicts are found again: see content.h. */
#include "range/content.h"

#include "base/fs.h"
#include "range/objects/overlay.h"
#include "range/patch/trees.h"

/* A replaced commit has another tree, and so another id in its lines already. */
static bool is_commit(git_odb *odb, const git_oid *id)
{
	git_object_t type = GIT_OBJECT_INVALID;
	size_t len;

	return git_odb_read_header(&len, &type, odb, id) == 0 && type == GIT_OBJECT_COMMIT;
}

static int add_replaced(git_repository *git, struct buf *lines, struct err *err)
{
	_cleanup_(overlay_deinit) struct overlay o = { 0 };
	_cleanup_(git_odb_free_p) git_odb *odb = NULL;
	_cleanup_strv_ struct strv pairs = { 0 };

	if (overlay_read(git, &o, err) < 0)
		return -1;
	if (git_repository_odb(&odb, git) < 0)
		return err_set(err, ERR_HOST, "the objects of %s cannot be found (%s)",
			       gitlib_place(git), gitlib_words());
	for (size_t i = 0; i < o.replacements.n; i++) {
		char from[COMMIT_ID_SIZE], to[COMMIT_ID_SIZE];
		git_oid id;

		git_oid_fromraw(&id, o.replaced.keys + i * GIT_ID_LEN);
		gitlib_hex(&id, from);
		gitlib_hex(&o.replacements.items[i], to);
		if (!is_commit(odb, &o.replacements.items[i]))
			strv_addf(&pairs, "replace %s %s", from, to);
	}
	strv_sort_once(&pairs);
	for (size_t i = 0; i < pairs.n; i++)
		buf_printf(lines, "%s\n", pairs.items[i]);
	return 0;
}

int content_key(git_repository *git, const git_tree *tree, const char *const *paths, size_t n_paths,
		char ret[65], struct err *err)
{
	static const char *const whole[] = { "." };
	_cleanup_strv_ struct strv limits = { 0 };
	_cleanup_buf_ struct buf lines = { 0 };

	if (gitlib_paths(n_paths ? paths : whole, n_paths ? n_paths : 1, &limits, err) < 0)
		return -1;
	for (size_t i = 0; i < limits.n; i++) {
		char hex[COMMIT_ID_SIZE] = "";
		uint32_t mode;
		git_oid id;

		if (trees_find(git, tree, limits.items[i], &mode, &id, err) < 0)
			return -1;
		if (mode)
			gitlib_hex(&id, hex);
		buf_printf(&lines, "%o %s %s\n", mode, hex, limits.items[i]);
	}
	if (add_replaced(git, &lines, err) < 0)
		return -1;
	fs_sha256_text(lines.data, lines.len, ret);
	return 0;
}
