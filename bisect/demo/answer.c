// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo keeps its answer where the run does not look. */
#include <inttypes.h>
#include <string.h>

#include "base/fs.h"
#include "demo/answer.h"

#define MAGIC	   "amdgpu-bisect demo 1"
#define ANSWER_MAX (64u << 10)

int answer_write(const char *path, const struct demo *d, const char *key, struct err *err)
{
	_cleanup_buf_ struct buf b = { 0 };

	buf_printf(&b, "made-by=" MAGIC "\nsource=%s\ndriver=%s\nkey=%s\n", d->source, d->driver,
		   key);
	buf_printf(&b, "commits=%u\nseed=%" PRIu64 "\n", d->commits, d->seed);
	if (d->touch_core)
		buf_puts(&b, "touch-core=1\n");
	if (d->culprit != DEMO_CULPRIT_WINDOWS)
		buf_printf(&b, "fault=%s\n", demo_culprit_name(d->culprit));
	buf_printf(&b, "good=%s\nbad=%s\nculprit=%s\n", d->good_id, d->bad_id, d->culprit_id);
	for (int i = 0; i < DEMO_FAULTS; i++) {
		const struct demo_planted *p = &d->planted[i];

		buf_printf(&b, "fault-%s=%s %s %u\n", demo_fault_name(p->fault), p->id,
			   p->mended_id, p->n_broken);
	}
	return fs_write(path, b.data, b.len, err);
}

static const char *find(const struct strv *lines, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < lines->n; i++) {
		if (str_starts(lines->items[i], key) && lines->items[i][len] == '=')
			return lines->items[i] + len + 1;
	}
	return "";
}

static bool parse_id(const struct strv *lines, const char *key, char ret[COMMIT_ID_SIZE])
{
	return str_copy(ret, COMMIT_ID_SIZE, find(lines, key)) && str_is_commit_id(ret);
}

static bool parse_fault(const struct strv *lines, struct demo_planted *ret)
{
	_cleanup_free_ char *key = str_printf("fault-%s", demo_fault_name(ret->fault));

	return sscanf(find(lines, key), "%40[0-9a-f] %40[0-9a-f] %u", ret->id, ret->mended_id,
		      &ret->n_broken) == 3 &&
	       str_is_commit_id(ret->id) && str_is_commit_id(ret->mended_id);
}

static bool parse(const struct strv *lines, struct demo *d, char key[65])
{
	uint64_t commits;

	if (strcmp(find(lines, "made-by"), MAGIC) != 0 ||
	    !str_to_u64(find(lines, "commits"), DEMO_COMMITS_MAX, &commits) ||
	    !str_to_u64(find(lines, "seed"), UINT64_MAX, &d->seed) ||
	    !parse_id(lines, "good", d->good_id) || !parse_id(lines, "bad", d->bad_id) ||
	    !parse_id(lines, "culprit", d->culprit_id) || !str_copy(key, 65, find(lines, "key")))
		return false;
	d->commits = (unsigned int)commits;
	d->touch_core = strcmp(find(lines, "touch-core"), "1") == 0;
	d->culprit = DEMO_CULPRIT_WINDOWS;
	if (*find(lines, "fault") && !demo_culprit_parse(find(lines, "fault"), &d->culprit))
		return false;
	d->source = xstrdup(find(lines, "source"));
	d->driver = xstrdup(find(lines, "driver"));
	for (enum demo_fault f = 0; f < DEMO_FAULTS; f++) {
		d->planted[f].fault = f;
		if (!parse_fault(lines, &d->planted[f]))
			return false;
	}
	return true;
}

int answer_read(const char *path, struct demo *ret, char key[65], struct err *err)
{
	_cleanup_strv_ struct strv lines = { 0 };
	_cleanup_free_ char *text = NULL;
	struct demo d = { 0 };
	char *rest;

	if (fs_read(path, ANSWER_MAX, &text, NULL, err))
		return -1;
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));)
		strv_add(&lines, line);
	if (!parse(&lines, &d, key)) {
		demo_deinit(&d);
		return err_set(err, ERR_USAGE,
			       "%s: is not the answer of a demo; choose another --dir", path);
	}
	d.repo = take_ptr(ret->repo);
	d.reused = ret->reused;
	*ret = d;
	return 0;
}
