// SPDX-License-Identifier: GPL-2.0-or-later
/* A run's evidence as plain files: see evidence.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/evidence/evidence.h"
#include "reports/report.h"
#include "reports/words.h"
#include "wire/json.h"
#include "wire/wire.h"

#define TAIL_BYTES (64 << 10)

struct writer {
	struct store *s;
	const char *run;
	const char *dir;
	struct strv names; /* written so far */
	struct json *facts;
	struct strv configs;
	char *command, *tool, *band_trial, *exec;
};

static void writer_deinit(struct writer *w)
{
	strv_deinit(&w->names);
	strv_deinit(&w->configs);
	json_destroy(w->facts);
	free(w->command);
	free(w->tool);
	free(w->band_trial);
	free(w->exec);
}

static int put_file(struct writer *w, const char *name, const void *data, size_t len,
		    struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", w->dir, name);

	if (fs_write(path, data, len, err) < 0)
		return -1;
	strv_add(&w->names, name);
	return 0;
}

static int put_json(struct writer *w, const char *name, const struct json *j, struct err *err)
{
	_cleanup_free_ char *text = json_text(j, true);

	return put_file(w, name, text, strlen(text), err);
}

static int keep_fact(const char *key, const char *value, void *arg)
{
	struct writer *w = arg;

	json_set_str(w->facts, key, value);
	if (str_starts(key, "config.") && str_ends(key, ".file") && !strchr(value, '/') &&
	    str_starts(value, "config"))
		strv_add(&w->configs, value);
	return 0;
}

static int read_facts(struct writer *w, struct err *err)
{
	w->facts = json_object();
	return store_each_fact(w->s, keep_fact, w, err) < 0 ||
			       store_get(w->s, "run.command", &w->command, err) < 0 ||
			       store_get(w->s, "tool.version", &w->tool, err) < 0 ||
			       store_get(w->s, "band.trial", &w->band_trial, err) < 0 ||
			       store_get(w->s, "option.probe.exec", &w->exec, err) < 0
		       ? -1
		       : 0;
}

/* The last part of a log, from a whole line on; a log that is not there is none. */
static int put_tail(struct writer *w, const char *log, const char *name, struct err *err)
{
	_cleanup_close_ int fd = open(log, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *text = xmalloc(TAIL_BYTES);
	const char *from = text, *line;
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	ssize_t n;

	if (size <= 0)
		return 0;
	n = pread(fd, text, TAIL_BYTES, size > TAIL_BYTES ? size - TAIL_BYTES : 0);
	if (n < 0)
		return err_errno(err, ERR_HOST, "read %s", log);
	line = size > TAIL_BYTES ? memchr(text, '\n', (size_t)n) : NULL;
	if (line)
		from = line + 1;
	return put_file(w, name, from, (size_t)(text + n - from), err);
}

static int put_logs(struct writer *w, const struct store_trial *t, struct err *err)
{
	static const struct {
		const char *log, *to;
	} logs[] = { { "console.log", "console" }, { "build.log", "build" } };

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		_cleanup_free_ char *log = str_printf("%s/candidates/%.12s/%" PRId64 "/%s", w->run,
						      t->commit, t->trial, logs[i].log);
		_cleanup_free_ char *name = str_printf("%s/%" PRId64 ".txt", logs[i].to, t->trial);

		if (put_tail(w, log, name, err) < 0)
			return -1;
	}
	return 0;
}

static int put_samples(struct writer *w, int64_t trial, size_t *ret, struct err *err)
{
	_cleanup_free_ char *name = str_printf("samples/%" PRId64 ".jsonl", trial);
	_cleanup_free_ struct wire_sample *samples = NULL;
	_cleanup_buf_ struct buf text = { 0 };

	if (store_trial_samples(w->s, trial, &samples, ret, err) < 0)
		return -1;
	for (size_t i = 0; i < *ret; i++) {
		struct wire_msg msg = { .type = WIRE_SAMPLE, .sample = samples[i] };
		char line[WIRE_LINE_MAX];

		if (wire_encode(&msg, line, err) < 0)
			return -1;
		buf_puts(&text, line);
	}
	return put_file(w, name, text.data ? text.data : "", text.len, err);
}

static void put_trial(struct buf *lines, const struct store_trial *t, size_t n_samples)
{
	bool told = t->ended && t->v.verdict != VERDICT_NONE;
	_cleanup_free_ char *line = NULL;
	struct json *j = json_object(), *stages;

	json_set_int(j, "trial", t->trial);
	json_set_str(j, "commit", t->commit);
	json_set_str(j, "role", store_role_name(t->role));
	json_set_str(j, "verdict", told ? verdict_name(t->v.verdict) : NULL);
	json_set_str(j, "rule", told ? t->v.rule : "");
	json_set_str(j, "reason", told ? t->v.reason : "");
	json_set_int(j, "windows", told ? t->v.windows : 0);
	json_set_int(j, "predicted", told ? t->v.predicted : 0);
	json_set_int(j, "off", told ? t->v.off : 0);
	json_set_int(j, "samples", (int64_t)n_samples);
	json_set_str(j, "same_as", t->same_as);
	json_set_str(j, "signature", told ? t->v.signature : "");
	json_set_str(j, "key", t->key);
	json_set_str(j, "asked", t->asked);
	json_set_str(j, "config", t->config);
	json_set_str(j, "patches", t->patches);
	stages = json_set_object(j, "stages_ns");
	for (size_t i = 0; i < t->n_stages; i++)
		json_set_int(stages, t->stages[i].stage, t->stages[i].elapsed_ns);
	line = json_text(j, false);
	json_destroy(j);
	buf_printf(lines, "%s\n", line);
}

static int put_trials(struct writer *w, struct err *err)
{
	_cleanup_free_ struct store_trial *trials = NULL;
	_cleanup_buf_ struct buf lines = { 0 };
	size_t n;

	if (store_trials(w->s, &trials, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		size_t n_samples;

		if (put_samples(w, trials[i].trial, &n_samples, err) < 0 ||
		    put_logs(w, &trials[i], err) < 0)
			return -1;
		put_trial(&lines, &trials[i], n_samples);
	}
	return put_file(w, "trials.jsonl", lines.data ? lines.data : "", lines.len, err);
}

static int put_rules(struct writer *w, struct err *err)
{
	struct json *j = json_object();
	uint64_t trial = 0;
	int r;

	if (w->band_trial)
		str_to_u64(w->band_trial, INT64_MAX, &trial);
	json_set_str(j, "format", "amdgpu-bisect evidence");
	json_set_int(j, "version", 1);
	json_set_str(j, "tool", w->tool ? w->tool : AMDGPU_BISECT_VERSION);
	json_set_int(j, "window_ns", MEASURE_WINDOW_NS);
	json_set_int(j, "band_per_mille", (int64_t)(judge_default_limits.band_factor * 1000));
	json_set_int(j, "band_slack_ns", judge_default_limits.band_slack_ns);
	json_set_int(j, "ceiling_ns", judge_default_limits.ceiling_ns);
	json_set_int(j, "band_trial", (int64_t)trial);
	r = put_json(w, "rules.json", j, err);
	json_destroy(j);
	return r;
}

static int put_copies(struct writer *w, struct err *err)
{
	strv_add(&w->configs, "band.jsonl");
	strv_sort_once(&w->configs);
	for (size_t i = 0; i < w->configs.n; i++) {
		_cleanup_free_ char *from = str_printf("%s/%s", w->run, w->configs.items[i]);
		_cleanup_free_ char *text = NULL;
		size_t len;

		if (!fs_exists(from) || fs_is_special(from))
			continue;
		if (fs_read(from, 16 << 20, &text, &len, err) < 0 ||
		    put_file(w, w->configs.items[i], text, len, err) < 0)
			return -1;
	}
	return 0;
}

static int put_readme(struct writer *w, struct err *err)
{
	_cleanup_buf_ struct buf b = { 0 };

	buf_puts(&b, "Evidence of a run of amdgpu-bisect.\n\n"
		     "To judge every trial again from its raw copies, here or on another machine, "
		     "without the\n"
		     "repository and without a guest (exit code 0: all verdicts are the recorded "
		     "ones):\n\n"
		     "    amdgpu-bisect replay .\n\n"
		     "To run the whole test again:\n\n    ");
	buf_plain(&b, w->command ? w->command : "(the run was not told by a command)");
	buf_puts(&b, "\n\nsha256sum -c MANIFEST.sha256 checks the files. report.json has what was "
		     "found, facts.json\n"
		     "the options, the kernel and the versions, rules.json the limits of "
		     "judgement, trials.jsonl a\n"
		     "line for each trial, samples/ its copies, console/ and build/ the ends of "
		     "its logs.\n");
	return put_file(w, "README.txt", b.data, b.len, err);
}

static int put_report(struct writer *w, struct err *err)
{
	_cleanup_buf_ struct buf b = { 0 };

	return report_json(w->s, &b, err) < 0 ? -1 : put_file(w, "report.json", b.data, b.len, err);
}

/* What is in a folder already may be another run's. */
static int make_dirs(const char *dir, struct err *err)
{
	static const char *const below[] = { "samples", "console", "build" };
	_cleanup_closedir_ DIR *d = NULL;

	if (fs_mkdirs(dir, err) < 0)
		return -1;
	d = opendir(dir);
	if (!d)
		return err_errno(err, ERR_HOST, "open %s", dir);
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			return err_set(err, ERR_USAGE,
				       "%s is not empty; evidence goes to a folder of its own",
				       dir);
	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, below[i]);

		if (fs_mkdirs(path, err) < 0)
			return -1;
	}
	return 0;
}

static int put_all(struct writer *w, struct err *err)
{
	if (put_readme(w, err) < 0 || put_json(w, "facts.json", w->facts, err) < 0 ||
	    put_rules(w, err) < 0 || put_trials(w, err) < 0 || put_copies(w, err) < 0 ||
	    put_report(w, err) < 0)
		return -1;
	return evidence_list_write(w->dir, &w->names, err);
}

int evidence_write(struct store *s, const char *run, const char *dir, struct err *err)
{
	_cleanup_(writer_deinit) struct writer w = { .s = s, .run = run, .dir = dir };

	if (read_facts(&w, err) < 0)
		return -1;
	if (w.exec)
		return err_set(err, ERR_USAGE,
			       "%s used --exec: a program's verdicts do not come from copies, and "
			       "there is "
			       "no evidence folder of them; report --format json has its runs",
			       run);
	if (make_dirs(dir, err) < 0)
		return -1;
	if (put_all(&w, err) < 0) {
		struct err ignored;

		fs_remove_tree(dir,
			       &ignored); /* it was empty: all in it is ours, and no evidence */
		return -1;
	}
	return 0;
}
