// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a patch is read: from text to files and hunks. What is around them is left out, as git apply
 * leaves it out, but not what would be lost: binary files, submodules, hunks without a file.
 */
#include "range/patch/diff.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "range/patch/names.h"

#define MODE_TYPE 0170000

static const char binary[] = "changes a binary file, which is not supported; commit the patch to a "
			     "branch and name that commit";

/* The text, line by line. */
struct lines {
	const char *at; /* the line */
	size_t len;	/* without its newline */
	const char *end;
	uint32_t no; /* counted from 1 */
};

static void file_deinit(struct diff_file *f)
{
	free(f->old_name);
	free(f->new_name);
	free(f->hunks);
	*f = (struct diff_file){ 0 };
}

void diff_deinit(struct diff *d)
{
	for (size_t i = 0; i < d->n; i++)
		file_deinit(&d->files[i]);
	free(d->files);
	free(d->text);
	*d = (struct diff){ 0 };
}

static void measure(struct lines *l)
{
	const char *eol = l->at < l->end ? memchr(l->at, '\n', (size_t)(l->end - l->at)) : NULL;

	l->len = (size_t)((eol ? eol : l->end) - l->at);
}

static bool at_end(const struct lines *l)
{
	return l->at >= l->end;
}

static void next(struct lines *l)
{
	l->at += l->len;
	l->at += l->at < l->end;
	l->no++;
	measure(l);
}

/* What stands behind @word at the start of the line, or NULL. */
static const char *behind(const struct lines *l, const char *word)
{
	size_t n = strlen(word);

	return l->len >= n && memcmp(l->at, word, n) == 0 ? l->at + n : NULL;
}

static int damaged(const struct lines *l, const char *why, struct err *err)
{
	return err_set(err, ERR_USAGE, "line %u %s", l->no, why);
}

/* "12" or "12,3" at *@s, moved behind it. */
static bool take_span(const char **s, const char *end, uint32_t *start, uint32_t *lines)
{
	uint32_t *into[] = { start, lines };

	*lines = 1;
	for (int i = 0; i < 2; i++) {
		const char *p = *s;
		uint64_t v = 0;

		for (; p < end && *p >= '0' && *p <= '9' && v < INT32_MAX; p++)
			v = v * 10 + (uint64_t)(*p - '0');
		if (p == *s || v > INT32_MAX)
			return false;
		*into[i] = (uint32_t)v;
		*s = p;
		if (i || p == end || *p != ',')
			break;
		++*s;
	}
	return true;
}

static bool read_hunk_head(const struct lines *l, struct diff_hunk *ret)
{
	const char *end = l->at + l->len;
	const char *p = behind(l, "@@ -");

	if (!p || !take_span(&p, end, &ret->old_start, &ret->old_lines) || end - p < 2 ||
	    memcmp(p, " +", 2) != 0)
		return false;
	p += 2;
	return take_span(&p, end, &ret->new_start, &ret->new_lines) && end - p >= 3 &&
	       memcmp(p, " @@", 3) == 0;
}

static int read_hunk(struct lines *l, struct diff_file *f, struct err *err)
{
	struct diff_hunk h = { 0 };
	uint32_t old, new;

	if (!read_hunk_head(l, &h))
		return damaged(l, "is no head of a hunk", err);
	next(l);
	h.text = l->at;
	for (old = h.old_lines, new = h.new_lines; old || new; next(l)) {
		char mark = l->len ? *l->at : ' ';

		if (at_end(l))
			return damaged(l, "is missing: the patch ends in the middle of a hunk",
				       err);
		if (mark == '\\' && l->at != h.text)
			continue;
		if ((mark != ' ' && mark != '-' && mark != '+') || (mark != '+' && !old--) ||
		    (mark != '-' && !new --))
			return damaged(l, "does not belong into its hunk; the patch is damaged",
				       err);
	}
	if (!at_end(l) && *l->at == '\\')
		next(l);
	h.len = (size_t)(l->at - h.text);
	f->hunks = xrealloc(f->hunks, f->n_hunks + 1, sizeof(h));
	f->hunks[f->n_hunks++] = h;
	return 0;
}

static int read_mode(const struct lines *l, const char *text, uint32_t *ret, struct err *err)
{
	const char *end = l->at + l->len;
	uint32_t mode = 0;

	for (; text < end && *text >= '0' && *text <= '7' && mode < MODE_TYPE; text++)
		mode = mode * 8 + (uint32_t)(*text - '0');
	switch (mode & MODE_TYPE) {
	case 0100000:
		*ret = mode & 0100 ? 0100755 : 0100644;
		return 0;
	case 0120000:
		*ret = 0120000;
		return 0;
	case 0160000:
		return damaged(l, "changes a submodule, which is not in this repository", err);
	default:
		return damaged(l, "has a mode that no file has", err);
	}
}

/* Return: whether the file is absent on that side. */
static bool set_name(const struct lines *l, const char *rest, char **ret)
{
	bool absent;

	free(*ret);
	*ret = patch_name_read(rest, (size_t)(l->at + l->len - rest), &absent);
	return absent;
}

/* What a line of git's head says. */
struct head {
	struct patch_names names;
	bool made, removed;
	bool index, content; /* there is an index line; lines are to follow it */
};

static void head_deinit(struct head *h)
{
	patch_names_deinit(&h->names);
}

/* An object's id, short or whole, of a file with nothing in it, or of none. */
static bool is_nothing(const char *id, size_t len)
{
	/* git hash-object /dev/null, by SHA-1 and by SHA-256 */
	return strspn(id, "0") >= len ||
	       (len >= 4 && (memcmp(id, "e69de29b", len < 8 ? len : 8) == 0 ||
			     memcmp(id, "473a0f4c", len < 8 ? len : 8) == 0));
}

/* "index 1a2b..3c4d 100644" */
static int read_index(const struct lines *l, const char *text, struct head *h, struct diff_file *f,
		      struct err *err)
{
	const char *end = l->at + l->len;
	const char *blank = memchr(text, ' ', (size_t)(end - text));
	const char *dots = memmem(text, (size_t)(end - text), "..", 2);

	h->index = true;
	if (dots) {
		const char *new = dots + 2;

		h->content = !is_nothing(text, (size_t)(dots - text)) ||
			     !is_nothing(new, (size_t)((blank ? blank : end) - new));
	}
	return blank ? read_mode(l, blank + 1, &f->old_mode, err) : 0;
}

/* Return: 1: it belongs to the head; 0: not */
static int read_head_line(const struct lines *l, struct head *h, struct diff_file *f,
			  struct err *err)
{
	const char *rest;

	if ((rest = behind(l, "old mode ")) || (rest = behind(l, "deleted file mode "))) {
		h->removed |= *l->at == 'd';
		return read_mode(l, rest, &f->old_mode, err) < 0 ? -1 : 1;
	}
	if ((rest = behind(l, "new mode ")) || (rest = behind(l, "new file mode "))) {
		h->made |= l->at[4] == 'f';
		return read_mode(l, rest, &f->new_mode, err) < 0 ? -1 : 1;
	}
	if ((rest = behind(l, "index ")))
		return read_index(l, rest, h, f, err) < 0 ? -1 : 1;
	if ((rest = behind(l, "copy from ")) || (rest = behind(l, "rename from "))) {
		f->copied = *l->at == 'c';
		set_name(l, rest, &h->names.moved_from);
		return 1;
	}
	if ((rest = behind(l, "copy to ")) || (rest = behind(l, "rename to "))) {
		set_name(l, rest, &h->names.moved_to);
		return 1;
	}
	rest = behind(l, "similarity index ");
	if (rest && !behind(l, "similarity index 100%"))
		h->content = true; /* moved and changed */
	return rest || behind(l, "dissimilarity index ");
}

static int read_sides(struct lines *l, struct patch_names *names, struct err *err)
{
	const char *rest = behind(l, "--- ");

	if (!rest)
		return 0;
	names->no_from = set_name(l, rest, &names->from);
	next(l);
	rest = behind(l, "+++ ");
	if (!rest)
		return damaged(l, "should begin with +++", err);
	names->no_to = set_name(l, rest, &names->to);
	next(l);
	if (!names->from || !names->to)
		return damaged(l, "follows a name that cannot be read", err);
	return 0;
}

static int check_file(const struct lines *l, const struct diff_file *f, struct err *err)
{
	uint32_t old = 0, new = 0;

	for (size_t i = 0; i < f->n_hunks; i++) {
		old |= f->hunks[i].old_lines;
		new |= f->hunks[i].new_lines;
	}
	if ((!f->old_name && old) || (!f->new_name && new))
		return damaged(l, "ends a file that is made or removed, and yet has another side",
			       err);
	if (f->old_mode && f->new_mode && (f->old_mode ^ f->new_mode) & MODE_TYPE)
		return damaged(l, "ends a file that becomes a link, or a link that becomes a file",
			       err);
	return 0;
}

/* Without a hunk: does the head say all of what becomes of the file? */
static bool is_whole(const struct head *h, const struct diff_file *f)
{
	if (f->n_hunks)
		return true;
	if (h->content || h->names.from)
		return false;
	if (h->made || h->removed)
		return h->index; /* of nothing: an empty file */
	return h->names.moved_to || (f->old_mode && f->new_mode);
}

static int read_file(struct lines *l, struct head *h, struct diff_file *f, struct err *err)
{
	uint32_t begun = l->no;
	const char *why;
	int rc;

	if (h->names.header) {
		next(l);
		while ((rc = read_head_line(l, h, f, err)) > 0)
			next(l);
		if (rc < 0)
			return -1;
	}
	if (behind(l, "GIT binary patch") || behind(l, "Binary files "))
		return damaged(l, binary, err);
	if (read_sides(l, &h->names, err) < 0)
		return -1;
	why = patch_names_settle(&h->names, &f->old_name, &f->new_name);
	if (why)
		return err_set(err, ERR_USAGE, "the file at line %u %s", begun, why);
	if (h->made)
		free(take_ptr(f->old_name));
	if (h->removed)
		free(take_ptr(f->new_name));
	while (behind(l, "@@ -"))
		if (read_hunk(l, f, err) < 0)
			return -1;
	if (!is_whole(h, f))
		return damaged(l, "should go on with its file; the patch is cut off", err);
	if (!f->old_name && !f->new_name)
		return damaged(l, "ends a file that is made and removed at once", err);
	return check_file(l, f, err);
}

static int read_next_file(struct lines *l, struct diff *d, struct err *err)
{
	_cleanup_(head_deinit) struct head h = { 0 };
	_cleanup_(file_deinit) struct diff_file f = { 0 };
	const char *rest = behind(l, "diff --git ");

	if (rest)
		h.names.header = xstrndup(rest, (size_t)(l->at + l->len - rest));
	if (read_file(l, &h, &f, err) < 0)
		return -1;
	d->files = xrealloc(d->files, d->n + 1, sizeof(f));
	d->files[d->n++] = f;
	f = (struct diff_file){ 0 };
	return 0;
}

/* "--- x", "+++ y", "@@ -": anything less may be a line of prose. */
static bool is_plain_head(const struct lines *l)
{
	struct lines ahead = *l;
	struct diff_hunk ignored;

	if (!behind(&ahead, "--- "))
		return false;
	next(&ahead);
	if (!behind(&ahead, "+++ "))
		return false;
	next(&ahead);
	return read_hunk_head(&ahead, &ignored);
}

/* A mail whose lines are not what was sent. */
static int check_mail(const struct lines *from, struct err *err)
{
	static const char word[] = "Content-Transfer-Encoding:";
	struct lines l = *from;

	for (; !at_end(&l) && l.len && !behind(&l, "diff "); next(&l)) {
		const char *p = l.at + sizeof(word) - 1;

		if (l.len < sizeof(word) || strncasecmp(l.at, word, sizeof(word) - 1) != 0)
			continue;
		p += strspn(p, " \t");
		if (strncasecmp(p, "quoted-printable", 16) == 0 || strncasecmp(p, "base64", 6) == 0)
			return damaged(&l,
				       "says that the mail is encoded; git am it on a branch "
				       "and name the commit, or save it with b4 am",
				       err);
	}
	return 0;
}

static void take_text(struct diff *d, const char *text, size_t len)
{
	const char *end = text + len;
	size_t n = 0;
	bool crs = len > 0;

	for (const char *p = text; crs && p < end; p++) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			break;
		crs = p > text && p[-1] == '\r';
	}
	d->text = xmalloc(len + 1);
	for (size_t i = 0; i < len; i++)
		if (!crs || text[i] != '\r' || i + 1 == len || text[i + 1] != '\n')
			d->text[n++] = text[i];
	d->text[n] = '\0';
	d->len = n;
}

static int parse(struct diff *d, struct err *err)
{
	struct lines l = { .at = d->text, .end = d->text + d->len, .no = 1 };

	measure(&l);
	if (check_mail(&l, err) < 0)
		return -1;
	while (!at_end(&l)) {
		struct diff_hunk stray;

		if (behind(&l, "diff --git ") || is_plain_head(&l)) {
			if (read_next_file(&l, d, err) < 0)
				return -1;
			continue;
		}
		if (read_hunk_head(&l, &stray))
			return damaged(&l, "is a hunk without the name of its file", err);
		if (behind(&l, "Binary files ") && l.len > 7 &&
		    memcmp(l.at + l.len - 7, " differ", 7) == 0)
			return damaged(&l, binary, err);
		next(&l);
	}
	return d->n ? 0 : err_set(err, ERR_USAGE, "there is no diff in it");
}

int diff_parse(const char *text, size_t len, struct diff *ret, struct err *err)
{
	struct diff d = { 0 };

	take_text(&d, text, len);
	if (parse(&d, err) < 0) {
		diff_deinit(&d);
		return -1;
	}
	*ret = d;
	return 0;
}
