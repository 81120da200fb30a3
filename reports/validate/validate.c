// SPDX-License-Identifier: GPL-2.0-or-later
/* A stored validation as text and JSON: see validate.h. */
#include "reports/validate/validate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "measure/measure.h"
#include "reports/kernel/kernel.h"
#include "reports/words.h"
#include "wire/json.h"

#define VALIDATE_VERSION 1
#define NAME_COLUMNS	 30

DEFINE_CLEANUP(struct json *, json_destroy)

struct row {
	char *name, *commit, *effect, *rule, *reason;
	struct measurement *m; /* [n] */
	size_t n;
	struct wire_sample *kernel; /* [n_kernel], what the kernel's probes saw in all rounds */
	size_t n_kernel;
	size_t last_round; /* where those of the last one begin */
	unsigned int trials;
};

struct table {
	struct row *rows; /* [n] */
	size_t n;
};

static void table_deinit(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->rows[i].name);
		free(t->rows[i].commit);
		free(t->rows[i].effect);
		free(t->rows[i].rule);
		free(t->rows[i].reason);
		free(t->rows[i].m);
		free(t->rows[i].kernel);
	}
	free(t->rows);
}

static int fact(struct store *s, size_t row, const char *key, char **ret, struct err *err)
{
	_cleanup_free_ char *name = str_printf("validate.%zu.%s", row, key);

	if (store_get(s, name, ret, err) < 0)
		return -1;
	if (!*ret)
		*ret = xstrdup("");
	return 0;
}

static int add_kernel(struct store *s, int64_t trial, struct row *row, struct err *err)
{
	_cleanup_free_ struct wire_sample *one = NULL;
	size_t n;

	if (store_trial_kernel(s, trial, &one, &n, err) < 0)
		return -1;
	if (!n)
		return 0;
	row->kernel = xrealloc(row->kernel, row->n_kernel + n, sizeof(*one));
	memcpy(row->kernel + row->n_kernel, one, n * sizeof(*one));
	row->last_round = row->n_kernel;
	row->n_kernel += n;
	return 0;
}

/* All samples of a commit's trials together: they were made in turns with the other builds'. */
static int read_samples(struct store *s, const struct store_trial *t, size_t n, struct row *row,
			struct err *err)
{
	_cleanup_free_ struct wire_sample *all = NULL;
	size_t n_all = 0;
	int got;

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ struct wire_sample *one = NULL;
		size_t n_one;

		if (t[i].role != ROLE_VALIDATE || strcmp(t[i].commit, row->commit) != 0)
			continue;
		if (store_trial_samples(s, t[i].trial, &one, &n_one, err) < 0 ||
		    add_kernel(s, t[i].trial, row, err) < 0)
			return -1;
		all = xrealloc(all, n_all + n_one + 1, sizeof(*all));
		memcpy(all + n_all, one, n_one * sizeof(*one));
		n_all += n_one;
		row->trials++;
	}
	row->m = xcalloc(MEASURE_MAX, sizeof(*row->m));
	got = measure_samples(all, n_all, MEASURE_WINDOW_NS, row->m, err);
	row->n = got < 0 ? 0 : (size_t)got;
	return got < 0 ? -1 : 0;
}

static int read_table(struct store *s, struct table *ret, struct err *err)
{
	_cleanup_free_ struct store_trial *t = NULL;
	_cleanup_free_ char *count = NULL;
	uint64_t rows;
	size_t n;

	if (store_get(s, "validate.rows", &count, err) < 0 || store_trials(s, &t, &n, err) < 0)
		return -1;
	if (!count || !str_to_u64(count, 10000, &rows))
		return err_set(err, ERR_USAGE, "the validation has not ended, so it has no table");
	ret->rows = xcalloc(rows, sizeof(*ret->rows));
	for (; ret->n < rows; ret->n++) {
		struct row *r = &ret->rows[ret->n];

		if (fact(s, ret->n, "name", &r->name, err) < 0 ||
		    fact(s, ret->n, "commit", &r->commit, err) < 0 ||
		    fact(s, ret->n, "effect", &r->effect, err) < 0 ||
		    fact(s, ret->n, "rule", &r->rule, err) < 0 ||
		    fact(s, ret->n, "reason", &r->reason, err) < 0 ||
		    read_samples(s, t, n, r, err) < 0) {
			ret->n++;
			return -1;
		}
	}
	return 0;
}

static void put_cell(struct buf *b, const struct row *r, enum wire_regime regime,
		     const struct measurement *size)
{
	const struct measurement *m = NULL;
	char text[64] = "-";

	for (size_t i = 0; i < r->n; i++)
		if (r->m[i].regime == regime && r->m[i].bytes == size->bytes &&
		    r->m[i].offset == size->offset)
			m = &r->m[i];
	if (m && m->repeats) {
		int n = snprintf(text, sizeof(text), "%.1f (%.1f to %.1f)",
				 (double)m->median_ns / NS_PER_MS, (double)m->min_ns / NS_PER_MS,
				 (double)m->max_ns / NS_PER_MS);

		if (m->windows)
			snprintf(text + n, sizeof(text) - (size_t)n, ", %u w", m->windows);
	}
	buf_printf(b, "  %-*s", regime == REGIME_RW_RESIDENT ? 0 : 24, text);
}

/* The rows of any build say which sizes there are. */
static const struct row *measured(const struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].n)
			return &t->rows[i];
	return NULL;
}

static void put_size(struct buf *b, const struct table *t, const struct measurement *size)
{
	_cleanup_free_ char *head = str_printf("%" PRIu64 " KiB, ms", size->bytes >> 10);

	buf_printf(b, "%-*s  %-24s  %-24s  %s\n", NAME_COLUMNS, head,
		   regime_name(REGIME_R_RESIDENT), regime_name(REGIME_RW_ABSENT),
		   regime_name(REGIME_RW_RESIDENT));
	for (size_t i = 0; i < t->n; i++) {
		buf_plain_cut(b, t->rows[i].name, NAME_COLUMNS, true);
		put_cell(b, &t->rows[i], REGIME_R_RESIDENT, size);
		put_cell(b, &t->rows[i], REGIME_RW_ABSENT, size);
		put_cell(b, &t->rows[i], REGIME_RW_RESIDENT, size);
		buf_puts(b, "\n");
	}
	buf_puts(b, "\n");
}

/* Of the last round, since they differ little; all are in JSON. */
static void put_kernel(struct buf *b, const struct table *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n; i++)
		any |= kernel_is_told(t->rows[i].kernel, t->rows[i].n_kernel);
	if (!any)
		return;
	buf_puts(b, "\n");
	kernel_head(b);
	for (size_t i = 0; i < t->n; i++)
		kernel_lines(b, t->rows[i].name, t->rows[i].kernel + t->rows[i].last_round,
			     t->rows[i].n_kernel - t->rows[i].last_round);
}

int report_validate_text(struct store *s, struct buf *ret, struct err *err)
{
	_cleanup_(table_deinit) struct table t = { 0 };
	const struct row *sizes;

	if (read_table(s, &t, err) < 0)
		return -1;
	sizes = measured(&t);
	for (size_t i = 0; sizes && i < sizes->n; i++)
		if (sizes->m[i].regime == sizes->m[0].regime)
			put_size(ret, &t, &sizes->m[i]);
	for (size_t i = 0; i < t.n; i++) {
		buf_plain_cut(ret, t.rows[i].name, NAME_COLUMNS, true);
		buf_puts(ret, "  ");
		buf_plain(ret, t.rows[i].effect);
		buf_puts(ret, " (");
		buf_plain(ret, t.rows[i].rule);
		buf_puts(ret, "): ");
		buf_plain(ret, t.rows[i].reason);
		buf_puts(ret, "\n");
	}
	put_kernel(ret, &t);
	return 0;
}

static void push_measurement(struct json *arr, const struct measurement *m)
{
	struct json *o = json_push_object(arr);

	json_set_str(o, "regime", regime_name(m->regime));
	json_set_int(o, "bytes", (int64_t)m->bytes);
	json_set_int(o, "offset", (int64_t)m->offset);
	json_set_int(o, "copies", m->repeats);
	json_set_int(o, "failed", m->failed);
	json_set_num(o, "min_ms", (double)m->min_ns / NS_PER_MS);
	json_set_num(o, "median_ms", (double)m->median_ns / NS_PER_MS);
	json_set_num(o, "max_ms", (double)m->max_ns / NS_PER_MS);
	json_set_int(o, "windows", m->windows);
	json_set_int(o, "predicted", m->predicted);
}

int report_validate_json(struct store *s, struct buf *ret, struct err *err)
{
	_cleanup_(table_deinit) struct table t = { 0 };
	_cleanup_(json_destroy_p) struct json *root = json_object();
	_cleanup_free_ char *text = NULL;
	struct json *builds;

	if (read_table(s, &t, err) < 0)
		return -1;
	json_set_str(root, "format", "amdgpu-bisect validate");
	json_set_int(root, "version", VALIDATE_VERSION);
	builds = json_set_array(root, "builds");
	for (size_t i = 0; i < t.n; i++) {
		const struct row *r = &t.rows[i];
		struct json *o = json_push_object(builds), *rows;

		json_set_str(o, "name", r->name);
		json_set_str(o, "commit", r->commit);
		json_set_str(o, "effect", r->effect);
		json_set_str(o, "rule", r->rule);
		json_set_str(o, "reason", r->reason);
		json_set_int(o, "trials", r->trials);
		rows = json_set_array(o, "rows");
		for (size_t k = 0; k < r->n; k++)
			push_measurement(rows, &r->m[k]);
		kernel_json(o, r->kernel, r->n_kernel);
	}
	text = json_text(root, true);
	buf_puts(ret, text);
	buf_puts(ret, "\n");
	return 0;
}
