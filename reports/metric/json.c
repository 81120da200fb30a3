// SPDX-License-Identifier: GPL-2.0-or-later
/* A metric for programs: see metric.h. */
#include "base/cleanup.h"
#include "reports/metric/metric.h"

static void set_figures(struct json *obj, const struct spread *s)
{
	json_set_int(obj, "runs", (int64_t)s->n);
	json_set_num(obj, "least", s->value[0]);
	json_set_num(obj, "low", s->low);
	json_set_num(obj, "median", s->median);
	json_set_num(obj, "high", s->high);
	json_set_num(obj, "most", s->value[s->n - 1]);
}

static void set_like(struct json *obj, const struct metric *m, const struct spread *s)
{
	json_set_str(obj, "like",
		     gap_is_there(&m->ends) ? verdict_name(gap_judge(&m->ends, s)) : NULL);
}

void metric_json_trial(struct json *obj, const struct report *r, const struct store_trial *t)
{
	const struct spread *s = metric_of(r, t);
	struct json *is, *values;

	if (!s) {
		json_set_null(obj, "metric");
		return;
	}
	is = json_set_object(obj, "metric");
	set_figures(is, s);
	set_like(is, r->metric, s);
	values = json_set_array(is, "values");
	for (size_t i = 0; i < s->n; i++)
		json_push_num(values, s->value[i]);
}

static void set_ends(struct json *obj, const struct metric *m)
{
	bool apart = gap_is_there(&m->ends);

	if (m->good && m->bad)
		json_set_bool(obj, "apart", apart);
	else
		json_set_null(obj, "apart");
	json_set_str(obj, "worse",
		     !apart			     ? NULL
		     : gap_higher_is_worse(&m->ends) ? "higher"
						     : "lower");
	if (apart)
		json_set_num(obj, "error", gap_error(&m->ends, m->ends.bad.n));
	else
		json_set_null(obj, "error");
}

void metric_json(struct json *root, const struct report *r)
{
	_cleanup_free_ struct metric_row *rows = NULL;
	struct json *obj, *arr;
	size_t n;

	if (!r->metric) {
		json_set_null(root, "metric");
		return;
	}
	obj = json_set_object(root, "metric");
	json_set_str(obj, "name", r->metric->what);
	json_set_str(obj, "unit", *r->metric->unit ? r->metric->unit : NULL);
	set_ends(obj, r->metric);
	arr = json_set_array(obj, "rows");
	n = metric_rows(r, &rows);
	for (size_t i = 0; i < n; i++) {
		struct json *row = json_push_object(arr);

		json_set_str(row, "part", rows[i].part);
		json_set_str(row, "commit", rows[i].t->commit);
		json_set_int(row, "trial", rows[i].t->trial);
		if (rows[i].s) {
			set_figures(json_set_object(row, "figures"), rows[i].s);
			set_like(row, r->metric, rows[i].s);
		} else {
			json_set_null(row, "figures");
			json_set_null(row, "like");
		}
	}
}
