// SPDX-License-Identifier: GPL-2.0-or-later
/* A folder read back, every byte of which may be anyone's: see evidence.h. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/evidence/evidence.h"
#include "wire/json.h"
#include "wire/wire.h"

#define TRIALS_MAX 20000

void evidence_deinit(struct evidence *e)
{
	evidence_list_deinit(&e->list);
	free(e->trials);
}

static bool copy_str(const struct json *j, const char *key, char *ret, size_t size)
{
	const char *s = json_get_str(j, key);

	return s && str_copy(ret, size, s);
}

static bool copy_u32(const struct json *j, const char *key, uint32_t *ret)
{
	int64_t n;

	if (!json_get_int(j, key, &n) || n < 0 || n > UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static bool take_trial(const struct json *j, struct evidence_trial *ret)
{
	struct store_trial *t = &ret->t;
	const char *role = json_get_str(j, "role"), *verdict = json_get_str(j, "verdict");

	*ret = (struct evidence_trial){ 0 };
	if (!json_get_int(j, "trial", &t->trial) || t->trial < 1 ||
	    !copy_str(j, "commit", t->commit, sizeof(t->commit)) || !str_is_commit_id(t->commit) ||
	    !role || !store_role_parse(role, &t->role) ||
	    !json_get_int(j, "samples", &ret->n_samples) || ret->n_samples < 0 ||
	    ret->n_samples > WIRE_SAMPLES_MAX)
		return false;
	if (!copy_str(j, "same_as", t->same_as, sizeof(t->same_as)) ||
	    (*t->same_as && !str_is_commit_id(t->same_as)))
		return false;
	if (!verdict)
		return true;
	t->ended = true;
	return verdict_parse(verdict, &t->v.verdict) &&
	       copy_str(j, "rule", t->v.rule, sizeof(t->v.rule)) &&
	       copy_str(j, "reason", t->v.reason, sizeof(t->v.reason)) &&
	       copy_u32(j, "windows", &t->v.windows) && copy_u32(j, "predicted", &t->v.predicted) &&
	       copy_u32(j, "off", &t->v.off);
}

static int damaged(const struct evidence *e, const char *name, unsigned int line, struct err *err)
{
	return err_set(err, ERR_HOST, "%s/%s: line %u is not what amdgpu-bisect writes",
		       e->list.dir, name, line);
}

static int read_trials(struct evidence *e, struct err *err)
{
	static const char name[] = "trials.jsonl";
	_cleanup_free_ char *text = NULL;
	char *save = NULL;

	if (evidence_list_read(&e->list, name, &text, NULL, err) < 0)
		return -1;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct json *j = json_parse(l, strlen(l));
		bool ok;

		if ((e->n & (e->n + 1)) == 0) /* room for twice as many */
			e->trials = xrealloc(e->trials, 2 * e->n + 2, sizeof(*e->trials));
		ok = j && e->n < TRIALS_MAX && take_trial(j, &e->trials[e->n]) &&
		     (!e->n || e->trials[e->n].t.trial > e->trials[e->n - 1].t.trial);
		json_destroy(j);
		e->n++;
		if (!ok)
			return damaged(e, name, (unsigned int)e->n, err);
	}
	return 0;
}

static int read_rules(struct evidence *e, struct err *err)
{
	static const char name[] = "rules.json";
	_cleanup_free_ char *text = NULL;
	const char *format;
	struct json *j;
	int64_t version, factor;
	bool ok;
	size_t len;

	if (evidence_list_read(&e->list, name, &text, &len, err) < 0)
		return -1;
	j = json_parse(text, len);
	format = j ? json_get_str(j, "format") : NULL;
	ok = format && strcmp(format, "amdgpu-bisect evidence") == 0 &&
	     json_get_int(j, "version", &version) && version == 1 &&
	     copy_str(j, "tool", e->version, sizeof(e->version)) &&
	     json_get_int(j, "window_ns", &e->window_ns) && e->window_ns > 0 &&
	     json_get_int(j, "band_per_mille", &factor) && factor > 0 &&
	     json_get_int(j, "band_slack_ns", &e->limits.band_slack_ns) &&
	     e->limits.band_slack_ns >= 0 && json_get_int(j, "ceiling_ns", &e->limits.ceiling_ns) &&
	     e->limits.ceiling_ns > 0 && json_get_int(j, "band_trial", &e->band_trial) &&
	     e->band_trial >= 0;
	e->limits.band_factor = ok ? (double)factor / 1000 : 0;
	json_destroy(j);
	return ok ? 0 : damaged(e, name, 1, err);
}

/* One that is there and not vouched for would silently leave the others without it. */
static int find_band(struct evidence *e, struct err *err)
{
	static const char name[] = "band.jsonl";
	_cleanup_free_ char *path = str_printf("%s/%s", e->list.dir, name);

	e->has_band_file = evidence_list_has(&e->list, name);
	if (!e->has_band_file && fs_exists(path))
		return err_set(err, ERR_HOST, "%s is not in the evidence's MANIFEST.sha256", path);
	return 0;
}

int evidence_open(const char *dir, struct evidence *ret, struct err *err)
{
	_cleanup_(evidence_deinit) struct evidence e = { 0 };

	if (evidence_list_check(dir, &e.list, err) < 0 || read_rules(&e, err) < 0 ||
	    find_band(&e, err) < 0 || read_trials(&e, err) < 0)
		return -1;
	*ret = e;
	e = (struct evidence){ 0 };
	return 0;
}

int evidence_samples(const struct evidence *e, const char *name, struct wire_sample **ret,
		     size_t *n, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = xcalloc(WIRE_SAMPLES_MAX, sizeof(*samples));
	_cleanup_free_ char *text = NULL;
	char *save = NULL;
	size_t k = 0;

	if (evidence_list_read(&e->list, name, &text, NULL, err) < 0)
		return -1;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct wire_msg msg;
		struct err why;

		if (k == WIRE_SAMPLES_MAX || wire_decode(l, strlen(l), &msg, &why) < 0 ||
		    msg.type != WIRE_SAMPLE)
			return damaged(e, name, (unsigned int)k + 1, err);
		samples[k++] = msg.sample;
	}
	*ret = take_ptr(samples);
	*n = k;
	return 0;
}
