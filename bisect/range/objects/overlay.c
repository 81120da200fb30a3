// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replacements, grafts and shallow ends, all read once when the repository is opened.
 *
 * A replacement stands in for what an object holds; the object keeps its name. A graft gives a commit
 * other parents, looked up by the commit's own name; a shallow end is a graft without parents.
 *
 * Source: replace-object.c, commit.c and shallow.c of git; git-replace(1), gitrepository-layout(5).
 */
#include "range/objects/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

#define REPLACE_DEPTH_MAX 5	     /* MAXREPLACEDEPTH of git's replace-object.c */
#define GRAFTS_MAX_BYTES  (64 << 20) /* a million commits */

bool overlay_any(const struct overlay *o)
{
	return o->replaced.n || o->grafts.n;
}

int overlay_replaced(const struct overlay *o, const git_oid *id, git_oid *ret)
{
	uint32_t at;

	*ret = *id;
	for (int depth = 0; depth < REPLACE_DEPTH_MAX; depth++) {
		if (!keymap_get(&o->replaced, ret->id, &at))
			return 0;
		*ret = o->replacements.items[at];
	}
	return -1;
}

bool overlay_graft(const struct overlay *o, const git_oid *id, const git_oid **parents, size_t *n)
{
	uint32_t at;

	if (!keymap_get(&o->grafts, id->id, &at))
		return false;
	*n = o->graft[at].n;
	*parents = *n ? o->grafted.items + o->graft[at].first : NULL;
	return true;
}

/* The id after the last '/' of a replace ref's name; other names are not git's and are left alone. */
static bool replaced_by_name(const char *name, git_oid *ret)
{
	const char *hex = strrchr(name, '/');

	return hex && strlen(hex + 1) == 40 && commit_hex((const unsigned char *)hex + 1, ret);
}

static int read_replacement(git_repository *repo, const char *name, git_oid *ret, struct err *err)
{
	git_error_clear();
	if (git_reference_name_to_id(ret, repo, name) < 0)
		return err_set(err, ERR_HOST,
			       "%s in %s cannot be read (%s); git replace -d it, or mend it", name,
			       gitlib_place(repo), gitlib_words());
	return 0;
}

static int add_replacement(struct overlay *o, git_repository *repo, const char *name,
			   struct err *err)
{
	git_oid id;
	git_oid with;
	uint32_t known;

	if (!replaced_by_name(name, &id))
		return 0;
	if (read_replacement(repo, name, &with, err) < 0)
		return -1;
	if (keymap_get(&o->replaced, id.id, &known))
		return err_set(err, ERR_HOST,
			       "%s is not the only ref in %s that replaces this object; git "
			       "update-ref -d all but one of them",
			       name, gitlib_place(repo));
	keymap_put(&o->replaced, id.id, (uint32_t)o->replacements.n);
	*ids_add(&o->replacements) = with;
	return 0;
}

int overlay_check(git_repository *repo, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%srefs/replace", git_repository_commondir(repo));
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		_cleanup_free_ char *name = str_printf("refs/replace/%s", d->d_name);
		git_oid id;

		if (replaced_by_name(name, &id) && read_replacement(repo, name, &id, err) < 0)
			return -1;
	}
	return 0;
}

static int read_replacements(struct overlay *o, git_repository *repo, struct err *err)
{
	_cleanup_(git_reference_iterator_free_p) git_reference_iterator *it = NULL;
	const char *name;
	int rc;

	if (!gitlib_replaces(repo))
		return 0;
	if (overlay_check(repo, err) < 0)
		return -1;
	rc = git_reference_iterator_glob_new(&it, repo, "refs/replace/*");
	while (rc == 0 && (rc = git_reference_next_name(&name, it)) == 0)
		if (add_replacement(o, repo, name, err) < 0)
			return -1;
	if (rc != GIT_ITEROVER)
		return err_set(err, ERR_HOST,
			       "the refs under refs/replace/ in %s cannot be read (%s); check with "
			       "git replace -l",
			       gitlib_place(repo), gitlib_words());
	return 0;
}

/* Of two lines for one commit git keeps the first. */
static void add_graft(struct overlay *o, const git_oid *id, size_t first)
{
	uint32_t known;

	if (keymap_get(&o->grafts, id->id, &known)) {
		o->grafted.n = first;
		return;
	}
	if (o->n_grafts == o->cap_grafts) {
		o->cap_grafts = o->cap_grafts ? 2 * o->cap_grafts : 16;
		o->graft = xrealloc(o->graft, o->cap_grafts, sizeof(*o->graft));
	}
	keymap_put(&o->grafts, id->id, (uint32_t)o->n_grafts);
	o->graft[o->n_grafts++] = (struct graft){ .first = first, .n = o->grafted.n - first };
}

/* isspace() of git */
static bool is_blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void add_graft_line(struct overlay *o, const char *line, size_t len)
{
	const unsigned char *p = (const unsigned char *)line;
	size_t first = o->grafted.n;
	git_oid id;

	len = strnlen(line, len);
	while (len && is_blank(p[len - 1]))
		len--;
	if (len % 41 != 40 || !commit_hex(p, &id))
		return;
	for (size_t i = 40; i < len; i += 41) {
		git_oid parent;

		if (!is_blank(p[i]) || !commit_hex(p + i + 1, &parent)) {
			o->grafted.n = first;
			return;
		}
		*ids_add(&o->grafted) = parent;
	}
	add_graft(o, &id, first);
}

void overlay_add_grafts(struct overlay *o, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));

		if (!eol)
			eol = end;
		add_graft_line(o, text, (size_t)(eol - text));
		text = eol + 1;
	}
}

static int read_grafts(struct overlay *o, git_repository *repo, const char *name, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s%s", git_repository_commondir(repo), name);
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (!fs_exists(path))
		return 0;
	if (fs_is_special(path))
		return err_set(err, ERR_HOST, "%s is no file; remove it", path);
	if (fs_read(path, GRAFTS_MAX_BYTES, &text, &len, err) < 0)
		return -1;
	overlay_add_grafts(o, text, len);
	return 0;
}

int overlay_read(git_repository *repo, struct overlay *ret, struct err *err)
{
	struct overlay o = { 0 };
	int rc;

	keymap_init(&o.replaced, GIT_ID_LEN);
	keymap_init(&o.grafts, GIT_ID_LEN);
	rc = read_replacements(&o, repo, err);
	/* A shallow end counts more than a graft: in this order the first line for a commit does. */
	if (rc == 0)
		rc = read_grafts(&o, repo, "shallow", err);
	if (rc == 0)
		rc = read_grafts(&o, repo, "info/grafts", err);
	if (rc < 0)
		overlay_deinit(&o);
	else
		*ret = o;
	return rc;
}

void overlay_deinit(struct overlay *o)
{
	keymap_deinit(&o->replaced);
	ids_deinit(&o->replacements);
	keymap_deinit(&o->grafts);
	free(o->graft);
	ids_deinit(&o->grafted);
	*o = (struct overlay){ 0 };
}
