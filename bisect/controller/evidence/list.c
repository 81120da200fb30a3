// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of an evidence folder: see evidence.h. What it names comes from anywhere, so it must stay inside. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/evidence/evidence.h"

#define MANIFEST       "MANIFEST.sha256"
#define LIST_BYTES_MAX (16 << 20)
#define FILE_BYTES_MAX (64 << 20)

int evidence_list_write(const char *dir, const struct strv *names, struct err *err)
{
	_cleanup_free_ char *to = str_printf("%s/" MANIFEST, dir);
	_cleanup_buf_ struct buf list = { 0 };

	for (size_t i = 0; i < names->n; i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, names->items[i]);
		char digest[65];

		if (fs_sha256_file(path, digest, err) < 0)
			return -1;
		buf_printf(&list, "%s  %s\n", digest, names->items[i]);
	}
	return fs_write(to, list.data ? list.data : "", list.len, err);
}

void evidence_list_deinit(struct evidence_list *m)
{
	free(m->dir);
	strv_deinit(&m->names);
}

/* Letters, digits and what file names of ours have; no way up or out. */
static bool is_inside(const char *name)
{
	static const char fit[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";

	return *name && *name != '/' && *name != '.' && !strstr(name, "/.") &&
	       !strstr(name, "//") && strlen(name) < 256 && name[strspn(name, fit)] == '\0';
}

static int check_file(const char *dir, const char *name, const char *want, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	char digest[65];
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_HOST, "%s is missing from the evidence, or is no file",
			       path);
	if (st.st_size > FILE_BYTES_MAX)
		return err_set(err, ERR_HOST, "%s is larger than any evidence is", path);
	if (fs_sha256_file(path, digest, err) < 0)
		return -1;
	if (strcmp(digest, want) != 0)
		return err_set(
			err, ERR_HOST,
			"%s is not the file that the evidence was made with: its SHA-256 is not "
			"that of " MANIFEST,
			path);
	return 0;
}

/* "DIGEST  NAME" */
static int check_line(struct evidence_list *m, char *line, unsigned int n, struct err *err)
{
	char *name = strlen(line) > 66 ? line + 66 : line;

	if (name == line || line[64] != ' ' || line[65] != ' ' ||
	    strspn(line, "0123456789abcdef") != 64 || !is_inside(name))
		return err_set(err, ERR_HOST, "%s/" MANIFEST ": line %u is no digest and name",
			       m->dir, n);
	line[64] = '\0';
	if (check_file(m->dir, name, line, err) < 0)
		return -1;
	strv_add(&m->names, name);
	return 0;
}

int evidence_list_check(const char *dir, struct evidence_list *ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/" MANIFEST, dir);
	_cleanup_(evidence_list_deinit) struct evidence_list m = { .dir = xstrdup(dir) };
	_cleanup_free_ char *text = NULL;
	unsigned int n = 0;
	char *save = NULL;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE,
			       "%s is no evidence folder: there is no " MANIFEST
			       "; amdgpu-bisect report "
			       "--evidence makes one",
			       dir);
	if (fs_read(path, LIST_BYTES_MAX, &text, NULL, err) < 0)
		return -1;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (check_line(&m, l, ++n, err) < 0)
			return -1;
	*ret = m;
	m = (struct evidence_list){ 0 };
	return 0;
}

int evidence_list_read(const struct evidence_list *m, const char *name, char **ret, size_t *len,
		       struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", m->dir, name);

	if (!strv_has(&m->names, name))
		return err_set(err, ERR_HOST, "%s is not in the evidence's " MANIFEST, path);
	return fs_read(path, FILE_BYTES_MAX, ret, len, err);
}
