// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stored run without a guest, for tests of the commands that only read. From standard input:
 *   fact KEY VALUE
 *   also KEY VALUE                     one more line of it
 *   trial ROLE COMMIT VERDICT RULE REASON...
 *   probes FILE                        the last trial's copies under the kernel's probes
 *   copies ROLE COMMIT FILE [BAND]     judged by the samples of an agent's log, by those of another if there is one
 */
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "judge/judge.h"
#include "store/store.h"

static int add_trial(struct store *s, char *line, struct err *err)
{
	struct store_verdict v = { 0 };
	enum store_role role;
	char *word[4];
	int64_t trial;

	for (size_t i = 0; i < 4; i++) {
		word[i] = line;
		line += strcspn(line, " ");
		if (!*line)
			return err_set(err, ERR_USAGE, "a word is missing");
		*line++ = '\0';
	}
	if (!store_role_parse(word[0], &role) || !verdict_parse(word[2], &v.verdict))
		return err_set(err, ERR_USAGE, "no role '%s' or no verdict '%s'", word[0], word[2]);
	str_copy(v.rule, sizeof(v.rule), word[3]);
	str_copy(v.reason, sizeof(v.reason), line);
	return store_begin(s, word[1], role, &trial, err) < 0 ? -1 : store_end(s, trial, &v, err);
}

static size_t read_copies(const char *path, struct wire_sample *ret, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	char *save = NULL;
	size_t n = 0;

	if (fs_read(path, 16 << 20, &text, NULL, err) < 0)
		return 0;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct wire_msg msg;

		if (wire_decode(l, strlen(l), &msg, err) < 0)
			return 0;
		if (msg.type == WIRE_SAMPLE && n < WIRE_SAMPLES_MAX)
			ret[n++] = msg.sample;
	}
	return n;
}

static int measure_copies(const char *path, struct wire_sample *samples, size_t *n,
			  struct measurement *ret, struct err *err)
{
	*n = read_copies(path, samples, err);
	return *n ? measure_samples(samples, *n, MEASURE_WINDOW_NS, ret, err) : -1;
}

static int add_copies(struct store *s, const char *line, struct err *err)
{
	static struct wire_sample samples[WIRE_SAMPLES_MAX];
	static struct measurement m[MEASURE_MAX];
	static struct baseline band;
	char role_name[32], commit[COMMIT_ID_SIZE], path[1024], band_path[1024] = "";
	struct store_verdict v = { 0 };
	struct judgement j;
	enum store_role role;
	int64_t trial;
	size_t n;
	int n_m, n_band = 0;

	if (sscanf(line, "%31s %40s %1023s %1023s", role_name, commit, path, band_path) < 3 ||
	    !store_role_parse(role_name, &role))
		return err_set(err, ERR_USAGE, "copies ROLE COMMIT FILE, not %s", line);
	if (*band_path)
		n_band = measure_copies(band_path, samples, &n, band.m, err);
	n_m = n_band < 0 ? -1 : measure_copies(path, samples, &n, m, err);
	if (n_m < 0)
		return -1;
	band.n = (size_t)n_band;
	judge(m, (size_t)n_m, band.n ? &band : NULL, NULL, &j);
	v.verdict = j.verdict;
	v.windows = j.windows;
	v.predicted = j.predicted;
	v.off = j.off;
	str_copy(v.rule, sizeof(v.rule), judge_rule_name(j.rule));
	str_copy(v.reason, sizeof(v.reason), j.reason);
	return store_begin(s, commit, role, &trial, err) < 0 ||
			       store_samples(s, trial, samples, n, err) < 0
		       ? -1
		       : store_end(s, trial, &v, err);
}

static int add_probes(struct store *s, const char *path, struct err *err)
{
	static struct wire_sample samples[WIRE_SAMPLES_MAX];
	_cleanup_free_ struct store_trial *t = NULL;
	size_t n, n_t;

	n = read_copies(path, samples, err);
	if (!n || store_trials(s, &t, &n_t, err) < 0)
		return -1;
	return n_t ? store_kernel(s, t[n_t - 1].trial, samples, n, err) : -1;
}

static int add_also(struct store *s, const char *key, const char *value, struct err *err)
{
	_cleanup_free_ char *before = NULL;
	_cleanup_free_ char *both = NULL;

	if (store_get(s, key, &before, err) < 0)
		return -1;
	both = str_printf("%s%s%s", before ? before : "", before ? "\n" : "", value);
	return store_set(s, key, both, err);
}

static int add_line(struct store *s, char *line, struct err *err)
{
	char *key = line + strlen("fact ");
	char *value = strchr(key, ' ');
	bool also = str_starts(line, "also ");

	if (str_starts(line, "trial "))
		return add_trial(s, line + strlen("trial "), err);
	if (str_starts(line, "copies "))
		return add_copies(s, line + strlen("copies "), err);
	if (str_starts(line, "probes "))
		return add_probes(s, line + strlen("probes "), err);
	if ((!also && !str_starts(line, "fact ")) || !value)
		return err_set(err, ERR_USAGE, "no such line: %s", line);
	*value++ = '\0';
	return also ? add_also(s, key, value, err) : store_set(s, key, value, err);
}

int main(int argc, char **argv)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	char line[4096];
	struct err err;

	if (argc != 2)
		return 2;
	if (fs_mkdirs(argv[1], &err) < 0 || store_create(argv[1], &s, &err) < 0)
		goto fail;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (add_line(s, line, &err) < 0)
			goto fail;
	}
	return 0;
fail:
	fprintf(stderr, "make-run: %s\n", err.msg);
	return 1;
}
