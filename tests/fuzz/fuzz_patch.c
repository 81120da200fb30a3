// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A patch from anybody: whatever it is, it is read whole or refused. What it does to the files that it
 * describes can be undone.
 */
#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "range/checkout/names.h"
#include "range/patch/diff.h"
#include "range/patch/spec.h"

static void check_name(const char *name)
{
	while (name) {
		size_t len = strcspn(name, "/");
		_cleanup_free_ char *part = xstrndup(name, len);

		assert(name_is_safe(part));
		name = name[len] ? name + len + 1 : NULL;
	}
}

/* All lines of one side, hunk after hunk: a file that the patch may be for. */
static void collect(const struct diff_file *f, char gone, struct buf *ret)
{
	for (size_t i = 0; i < f->n_hunks; i++) {
		const struct diff_hunk *h = &f->hunks[i];
		struct diff_line line;
		uint32_t n = 0;

		for (size_t at = 0; diff_line_next(h, &at, &line);)
			if (line.mark != gone) {
				buf_add(ret, line.text, line.len);
				n++;
			}
		assert(n == (gone == '+' ? h->old_lines : h->new_lines));
	}
}

static void check_file(const struct diff_file *f)
{
	_cleanup_buf_ struct buf old = { 0 }, new = { 0 }, done = { 0 }, undone = { 0 };
	uint64_t moved = 0;
	size_t rc;

	assert(f->old_name || f->new_name);
	check_name(f->old_name);
	check_name(f->new_name);
	collect(f, '+', &old);
	collect(f, '-', &new);
	rc = diff_fit(f, false, old.data ? old.data : "", old.len, &done, &moved);
	assert(rc <= f->n_hunks);
	if (rc == 0 && f->n_hunks == 1) {
		assert(done.len == new.len && (!new.len || !memcmp(done.data, new.data, new.len)));
		rc = diff_fit(f, true, done.data ? done.data : "", done.len, &undone, &moved);
		assert(rc || (undone.len == old.len &&
			      (!old.len || !memcmp(undone.data, old.data, old.len))));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(patch_spec_deinit) struct patch_spec spec = { 0 };
	_cleanup_(diff_deinit) struct diff diff = { 0 };
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	struct err err = { 0 };

	if (patch_spec_parse(text, &spec, &err) == 0)
		assert(*spec.name);
	else
		assert(err.kind == ERR_USAGE && err.msg[0]);
	err = (struct err){ 0 };
	if (diff_parse((const char *)data, size, &diff, &err) < 0) {
		assert(err.kind == ERR_USAGE && err.msg[0] && !diff.files);
		return 0;
	}
	assert(diff.n);
	for (size_t i = 0; i < diff.n; i++)
		check_file(&diff.files[i]);
	return 0;
}
