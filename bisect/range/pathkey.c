// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TREESAME, asked a hundred thousand times.
 *
 * The limited paths form a small tree of names. At each name the table remembers, per tree id, what that
 * tree holds below it, so a commit costs as many tree reads as it has changed directories on the way to
 * the paths: nearly always one, the root. Trees are scanned raw for the one name wanted; parsing all
 * entries of the root of a kernel would cost more than the rest of the walk.
 */
#include "range/pathkey.h"

#include <string.h>

#include "range/keymap.h"

struct entry {
	uint32_t mode; /* 0: not there */
	git_oid id;
};

struct name {
	char *name;
	struct name **children; /* [n]; none: a limited path ends here */
	size_t n;
	struct keymap memo;    /* tree id → number; only with children */
	struct keymap numbers; /* entry of a leaf, or the children's numbers → number */
};

struct pathkey {
	git_repository *repo;
	git_odb *odb;
	struct name *root;
	struct strv paths;
};

static struct name *name_create(const char *text, size_t len)
{
	struct name *n = xcalloc(1, sizeof(*n));

	n->name = xstrndup(text, len);
	return n;
}

static void name_destroy(struct name *n)
{
	for (size_t i = 0; i < n->n; i++)
		name_destroy(n->children[i]);
	keymap_deinit(&n->memo);
	keymap_deinit(&n->numbers);
	free(n->children);
	free(n->name);
	free(n);
}

/* A limited path into the tree of names; none of them is inside another. */
static void name_add(struct name *at, const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");
		struct name *next = NULL;

		for (size_t i = 0; i < at->n && !next; i++)
			if (strncmp(at->children[i]->name, path, len) == 0 &&
			    !at->children[i]->name[len])
				next = at->children[i];
		if (!next) {
			next = name_create(path, len);
			at->children = xrealloc(at->children, at->n + 1, sizeof(struct name *));
			at->children[at->n++] = next;
		}
		at = next;
		path += len;
		path += *path == '/';
	}
}

static void name_prepare(struct name *n)
{
	keymap_init(&n->memo, GIT_ID_LEN);
	keymap_init(&n->numbers, n->n ? n->n * sizeof(uint32_t) : sizeof(uint32_t) + GIT_ID_LEN);
	for (size_t i = 0; i < n->n; i++)
		name_prepare(n->children[i]);
}

int pathkey_create(git_repository *repo, const struct strv *paths, struct pathkey **ret,
		   struct err *err)
{
	_cleanup_(pathkey_destroy_p) struct pathkey *pk = xcalloc(1, sizeof(*pk));

	pk->repo = repo;
	if (git_repository_odb(&pk->odb, repo) < 0)
		return err_set(err, ERR_HOST,
			       "the objects of %s cannot be opened (%s); check with git fsck",
			       gitlib_place(repo), gitlib_words());
	pk->root = name_create("", 0);
	for (size_t i = 0; i < paths->n; i++) {
		name_add(pk->root, paths->items[i]);
		strv_add(&pk->paths, paths->items[i]);
	}
	name_prepare(pk->root);
	*ret = take_ptr(pk);
	return 0;
}

void pathkey_destroy(struct pathkey *pk)
{
	if (!pk)
		return;
	if (pk->root)
		name_destroy(pk->root);
	strv_deinit(&pk->paths);
	git_odb_free(pk->odb);
	free(pk);
}

/*
 * One name in a raw tree: "mode SP name NUL id" again and again, mode in octal.
 * Return: 1 found, 0 not there, -1 malformed. Source: git's Documentation, gitformat-pack and fsck.
 */
static int scan_tree(const unsigned char *p, size_t len, const char *name, size_t name_len,
		     struct entry *ret)
{
	const unsigned char *end = p + len;

	while (p < end) {
		const unsigned char *nul = memchr(p, '\0', (size_t)(end - p));
		uint32_t mode = 0;

		if (!nul || end - nul <= GIT_ID_LEN)
			return -1;
		for (; *p >= '0' && *p <= '7'; p++)
			mode = mode << 3 | (uint32_t)(*p - '0');
		if (*p++ != ' ' || !mode)
			return -1;
		if ((size_t)(nul - p) == name_len && memcmp(p, name, name_len) == 0) {
			ret->mode = mode;
			git_oid_fromraw(&ret->id, nul + 1);
			return 1;
		}
		p = nul + 1 + GIT_ID_LEN;
	}
	return 0;
}

static int read_tree(struct pathkey *pk, const git_oid *id, git_odb_object **ret, struct err *err)
{
	int rc = git_odb_read(ret, pk->odb, id);

	if (rc < 0)
		return gitlib_object_fail(pk->repo, "tree", id, rc, err);
	if (git_odb_object_type(*ret) != GIT_OBJECT_TREE)
		return gitlib_object_bad(pk->repo, "tree", id, "it is no tree", err);
	return 0;
}

static int find_child(struct pathkey *pk, const git_oid *tree_id, git_odb_object *tree,
		      const char *name, size_t name_len, struct entry *ret, struct err *err)
{
	*ret = (struct entry){ 0 };
	if (!tree || scan_tree(git_odb_object_data(tree), git_odb_object_size(tree), name, name_len,
			       ret) >= 0)
		return 0;
	return gitlib_object_bad(pk->repo, "tree", tree_id, "it is malformed", err);
}

static bool is_empty_tree(const struct entry *e)
{
	/* SHA-1 of "tree 0\0" */
	static const unsigned char id[GIT_ID_LEN] = { 0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e,
						      0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6,
						      0x92, 0x88, 0xfb, 0xee, 0x49, 0x04 };

	return e->mode == GIT_FILEMODE_TREE && memcmp(e->id.id, id, GIT_ID_LEN) == 0;
}

/* To git a directory without files is no directory at all. */
static uint32_t leaf_number(struct name *n, const struct entry *e)
{
	unsigned char key[sizeof(uint32_t) + GIT_ID_LEN] = { 0 };

	if (e->mode && !is_empty_tree(e)) {
		memcpy(key, &e->mode, sizeof(e->mode));
		memcpy(key + sizeof(e->mode), e->id.id, GIT_ID_LEN);
	}
	return keymap_intern(&n->numbers, key);
}

/* What an entry holds below @n; anything but a directory holds nothing below it. */
static int number_of(struct pathkey *pk, struct name *n, const struct entry *e, uint32_t *ret,
		     struct err *err)
{
	_cleanup_(git_odb_object_free_p) git_odb_object *tree = NULL;
	_cleanup_free_ uint32_t *numbers = NULL;
	bool is_dir = e->mode == GIT_FILEMODE_TREE;
	uint32_t number;

	if (!n->n) {
		*ret = leaf_number(n, e);
		return 0;
	}
	if (is_dir && keymap_get(&n->memo, e->id.id, ret))
		return 0;
	if (is_dir && read_tree(pk, &e->id, &tree, err) < 0)
		return -1;
	numbers = xmalloc(n->n * sizeof(*numbers));
	for (size_t i = 0; i < n->n; i++) {
		struct name *child = n->children[i];
		struct entry sub;

		if (find_child(pk, &e->id, tree, child->name, strlen(child->name), &sub, err) < 0 ||
		    number_of(pk, child, &sub, &numbers[i], err) < 0)
			return -1;
	}
	number = keymap_intern(&n->numbers, numbers);
	if (is_dir)
		keymap_put(&n->memo, e->id.id, number);
	*ret = number;
	return 0;
}

int pathkey_of(struct pathkey *pk, const git_oid *tree, uint32_t *ret, struct err *err)
{
	struct entry root = { 0 };

	if (tree) {
		root.mode = GIT_FILEMODE_TREE;
		git_oid_cpy(&root.id, tree);
	}
	return number_of(pk, pk->root, &root, ret, err);
}

static int find_path(struct pathkey *pk, const git_oid *tree, const char *path, struct entry *ret,
		     struct err *err)
{
	struct entry at = { .mode = GIT_FILEMODE_TREE };

	git_oid_cpy(&at.id, tree);
	while (*path && at.mode) {
		_cleanup_(git_odb_object_free_p) git_odb_object *dir = NULL;
		size_t len = strcspn(path, "/");
		struct entry next;

		if (at.mode == GIT_FILEMODE_TREE && read_tree(pk, &at.id, &dir, err) < 0)
			return -1;
		if (find_child(pk, &at.id, dir, path, len, &next, err) < 0)
			return -1;
		at = next;
		path += len;
		path += *path == '/';
	}
	*ret = at;
	return 0;
}

int pathkey_lines(struct pathkey *pk, const git_oid *tree, struct buf *ret, struct err *err)
{
	for (size_t i = 0; i < pk->paths.n; i++) {
		char hex[COMMIT_ID_SIZE] = "";
		struct entry e;

		if (find_path(pk, tree, pk->paths.items[i], &e, err) < 0)
			return -1;
		if (e.mode)
			gitlib_hex(&e.id, hex);
		buf_printf(ret, "%o %s %s\n", e.mode, hex, pk->paths.items[i]);
	}
	return 0;
}
