// SPDX-License-Identifier: GPL-2.0-or-later
/* What several commands share: see cmd.h. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "cmd.h"
#include "cmd_session.h"
#include "controller/asked.h"
#include "halving.h"
#include "reports/kernel/kernel.h"
#include "reports/report.h"
#include "reports/words.h"
#include "run.h"
#include "run_facts.h"
#include "store/store.h"

int cmd_take_range(struct options *o, struct err *err)
{
	enum option old = halving_find(o) == SEARCH_FIX ? OPT_BAD : OPT_GOOD;
	enum option new = halving_find(o) == SEARCH_FIX ? OPT_GOOD : OPT_BAD;
	_cleanup_free_ char *range = NULL;
	char *dots;

	if (!o->args.n)
		return 0;
	if (o->args.n > 1)
		return err_set(err, ERR_USAGE, "one argument at most: GOOD..BAD; '%s' is too much",
			       o->args.items[1]);
	range = xstrdup(o->args.items[0]);
	dots = strstr(range, "..");
	if (!dots || dots == range || dots[2] == '.' || !dots[2])
		return err_set(err, ERR_USAGE,
			       "'%s': want GOOD..BAD, two revisions with two dots between", range);
	*dots = '\0';
	if (options_set(o, options_key(old), range, ORIGIN_FLAG, err) < 0)
		return -1;
	if (o->o[new].origin == ORIGIN_FLAG)
		strv_deinit(&o->o[new].values); /* the argument is the last word */
	return options_set(o, options_key(new), dots + 2, ORIGIN_FLAG, err);
}

int cmd_open_session(const struct options *o, struct session *ret, struct err *err)
{
	if (o->args.n > 1)
		return err_set(err, ERR_USAGE, "one run at a time; '%s' is too much",
			       o->args.items[1]);
	return session_open(o, o->args.n ? o->args.items[0] : NULL, ret, err);
}

int cmd_write(const struct options *o, const char *text, struct err *err)
{
	const char *path = options_str(o, OPT_OUTPUT);

	if (path)
		return fs_write(path, text, strlen(text), err);
	fputs(text, stdout);
	return 0;
}

char *cmd_plain(const char *text)
{
	struct buf b = { 0 };

	buf_plain(&b, text);
	return buf_take(&b);
}

static int write_reports(struct store *store, const char *dir, struct buf *text, struct err *err)
{
	_cleanup_buf_ struct buf json = { 0 };
	_cleanup_buf_ struct buf html = { 0 };
	_cleanup_(asked_deinit) struct report_asked asked = { 0 };
	const struct {
		const char *name;
		const struct buf *b;
	} files[] = { { "report.txt", text }, { "report.json", &json }, { "report.html", &html } };

	if (asked_read(store, &asked, err) < 0 || report_text(store, &asked, text, err) < 0 ||
	    report_json(store, &json, err) < 0 || report_html(store, &asked, &html, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, files[i].name);

		if (fs_write(path, files[i].b->data, files[i].b->len, err) < 0)
			return -1;
	}
	return 0;
}

int cmd_finish_run(const struct run_result *result, bool quiet, struct err *err)
{
	_cleanup_(store_close_p) struct store *store = NULL;
	_cleanup_buf_ struct buf text = { 0 };
	char took[32];

	if (store_open(result->dir, false, &store, err) < 0 ||
	    write_reports(store, result->dir, &text, err) < 0)
		return -1;
	if (quiet) {
		if (result->culprit[0])
			puts(result->culprit);
		return (int)result->outcome;
	}
	fputs(text.data, stdout);
	clock_duration_text(result->elapsed_ns, took, sizeof(took));
	printf("\nreport, after %s: %s/report.html, report.json, report.txt\n", took, result->dir);
	return (int)result->outcome;
}

int cmd_hint_resume(const struct run_result *result, struct err *err)
{
	_cleanup_(store_close_p) struct store *store = NULL;
	_cleanup_buf_ struct buf dir = { 0 };
	struct err was = *err;
	struct err ignored;

	/* What cannot be read cannot be gone on with either; its error says what to do instead. */
	if (!result->dir[0] || store_open(result->dir, false, &store, &ignored) < 0)
		return -1;
	buf_shell(&dir, result->dir);
	if (was.kind == ERR_STOPPED)
		return err_set(err, ERR_STOPPED, "stopped; go on with: amdgpu-bisect resume %s",
			       dir.data);
	if (was.kind == ERR_HOST)
		return err_set(err, ERR_HOST,
			       "%s; nothing is lost, go on with: amdgpu-bisect resume %s", was.msg,
			       dir.data);
	return -1;
}

int cmd_tell_kernel(struct store *s, int64_t trial, const char *label, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	size_t n;

	if (store_trial_kernel(s, trial, &samples, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		_cleanup_buf_ struct buf copy = { 0 };
		_cleanup_buf_ struct buf words = { 0 };

		kernel_label(&samples[i], &copy);
		kernel_words(&samples[i], &words);
		if (words.len)
			printf("%s %s: %s\n", label, copy.data, words.data);
	}
	return 0;
}
