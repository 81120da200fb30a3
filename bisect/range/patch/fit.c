// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a patch meets a file: each hunk goes where all of its lines are, nearest to where it says.
 *
 * Source: apply_one_fragment(), find_pos() and match_fragment() of git's apply.c, without the options
 * that loosen them: a hunk that begins with line 1 belongs to the beginning, one without trailing context
 * to the end, and no line is matched that an earlier hunk put there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "range/patch/diff.h"

struct line {
	const char *text;
	size_t len;
	bool patched; /* put there by a hunk */
};

/* Zero-initialised it is empty. */
struct page {
	struct line *lines; /* [n] */
	size_t n, cap;
};

static void page_deinit(struct page *p)
{
	free(p->lines);
}

static void page_add(struct page *p, const char *text, size_t len)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->lines = xrealloc(p->lines, p->cap, sizeof(*p->lines));
	}
	p->lines[p->n++] = (struct line){ .text = text, .len = len };
}

static void page_read(struct page *p, const char *text, size_t len)
{
	while (len) {
		const char *eol = memchr(text, '\n', len);
		size_t n = eol ? (size_t)(eol + 1 - text) : len;

		page_add(p, text, n);
		text += n;
		len -= n;
	}
}

bool diff_line_next(const struct diff_hunk *h, size_t *at, struct diff_line *ret)
{
	const char *p = h->text + *at;
	const char *end = h->text + h->len;
	const char *eol;

	while (p < end && *p == '\\') { /* of the line before, which has looked ahead */
		eol = memchr(p, '\n', (size_t)(end - p));
		p = eol ? eol + 1 : end;
	}
	if (p >= end)
		return false;
	eol = memchr(p, '\n', (size_t)(end - p));
	ret->mark = *p == '\n' ? ' ' : *p;
	ret->text = *p == '\n' ? p : p + 1;
	p = eol ? eol + 1 : end;
	ret->len = (size_t)(p - ret->text);
	if (p < end && *p == '\\' && eol)
		ret->len--; /* "\ No newline at end of file" */
	*at = (size_t)(p - h->text);
	return true;
}

/* One hunk in the direction it is taken. */
struct piece {
	struct page before, after;
	size_t wanted; /* line, from 0 */
	bool at_start, at_end;
};

static void piece_deinit(struct piece *p)
{
	page_deinit(&p->before);
	page_deinit(&p->after);
}

static void piece_init(struct piece *p, const struct diff_hunk *h, bool reverse)
{
	uint32_t old = reverse ? h->new_start : h->old_start;
	uint32_t new = reverse ? h->old_start : h->new_start;
	struct diff_line line;
	size_t trailing = 0;

	for (size_t at = 0; diff_line_next(h, &at, &line);) {
		char gone = reverse ? '+' : '-';

		trailing = line.mark == ' ' ? trailing + 1 : 0;
		if (line.mark == ' ' || line.mark == gone)
			page_add(&p->before, line.text, line.len);
		if (line.mark != gone)
			page_add(&p->after, line.text, line.len);
	}
	p->wanted = new ? new - 1 : 0;
	p->at_start = old <= 1;
	p->at_end = !trailing;
}

static bool fits_at(const struct page *image, const struct piece *p, size_t at)
{
	const struct page *want = &p->before;

	if (want->n > image->n || at > image->n - want->n || (p->at_start && at) ||
	    (p->at_end && at + want->n != image->n))
		return false;
	for (size_t i = 0; i < want->n; i++) {
		const struct line *have = &image->lines[at + i];

		if (have->patched || have->len != want->lines[i].len ||
		    memcmp(have->text, want->lines[i].text, have->len) != 0)
			return false;
	}
	return true;
}

/* Nearest to where it should be; of two as near the later, as git has it. */
static bool find_place(const struct page *image, const struct piece *p, size_t *ret)
{
	size_t start = p->wanted;

	if (p->at_start)
		start = 0;
	else if (p->at_end)
		start = image->n >= p->before.n ? image->n - p->before.n : 0;
	if (start > image->n)
		start = image->n;
	for (size_t d = 0; d <= image->n; d++) {
		*ret = start + d;
		if (*ret <= image->n && fits_at(image, p, *ret))
			return true;
		*ret = start - d;
		if (d && d <= start && fits_at(image, p, *ret))
			return true;
	}
	return false;
}

static void put(struct page *image, const struct piece *p, size_t at)
{
	size_t behind = image->n - at - p->before.n;
	struct page new = { .n = at + p->after.n + behind };

	new.cap = new.n + 1;
	new.lines = xmalloc(new.cap * sizeof(*new.lines));
	for (size_t i = 0; i < at; i++)
		new.lines[i] = image->lines[i];
	for (size_t i = 0; i < p->after.n; i++) {
		new.lines[at + i] = p->after.lines[i];
		new.lines[at + i].patched = true;
	}
	for (size_t i = 0; i < behind; i++)
		new.lines[at + p->after.n + i] = image->lines[at + p->before.n + i];
	page_deinit(image);
	*image = new;
}

size_t diff_fit(const struct diff_file *f, bool reverse, const char *text, size_t len,
		struct buf *ret, uint64_t *moved)
{
	_cleanup_(page_deinit) struct page image = { 0 };

	page_read(&image, text, len);
	for (size_t i = 0; i < f->n_hunks; i++) {
		_cleanup_(piece_deinit) struct piece p = { 0 };
		size_t at;

		piece_init(&p, &f->hunks[i], reverse);
		if (!find_place(&image, &p, &at))
			return i + 1;
		*moved += at > p.wanted ? at - p.wanted : p.wanted - at;
		put(&image, &p, at);
	}
	for (size_t i = 0; i < image.n; i++)
		buf_add(ret, image.lines[i].text, image.lines[i].len);
	return 0;
}
