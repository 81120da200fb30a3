// SPDX-License-Identifier: GPL-2.0-or-later
/* A program's last line becomes figures, or an error: see metrics.h. */
#include "wire/metrics.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "wire/cjson_tree.h"

static int take(const cJSON *item, struct wire_metric *m, size_t n, struct err *err)
{
	struct wire_metric *at = &m[n];

	if (n == WIRE_METRICS_MAX)
		return err_set(err, ERR_PROTOCOL, "more than %d metrics", WIRE_METRICS_MAX);
	if (!wire_name_ok(item->string))
		return err_set(err, ERR_PROTOCOL,
			       "a metric whose name is not of letters, digits, '.', '_' and '-'");
	for (size_t i = 0; i < n; i++)
		if (strcmp(m[i].name, item->string) == 0)
			return err_set(err, ERR_PROTOCOL, "the metric %s is there twice",
				       item->string);
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) ||
	    fabs(item->valuedouble) > WIRE_METRIC_MAX)
		return err_set(err, ERR_PROTOCOL, "the metric %s is no number from %g to %g",
			       item->string, -WIRE_METRIC_MAX, WIRE_METRIC_MAX);
	str_copy(at->name, sizeof(at->name), item->string);
	at->value = item->valuedouble;
	return 0;
}

int wire_metrics_parse(const char *line, size_t len, struct wire_metric ret[WIRE_METRICS_MAX],
		       struct err *err)
{
	_cleanup_(cJSON_Delete_p) cJSON *obj = NULL;
	struct wire_metric m[WIRE_METRICS_MAX];
	const cJSON *all;
	const char *why;
	size_t n = 0;

	if (len >= WIRE_TEXT_MAX)
		return err_set(err, ERR_PROTOCOL, "a line of %zu bytes, longer than %d", len,
			       WIRE_TEXT_MAX - 1);
	obj = cjson_tree_parse(line, len, 2, &why);
	if (!obj)
		return err_set(err, ERR_PROTOCOL, "no JSON: %s", why);
	all = cJSON_IsObject(obj) ? obj->child : NULL;
	if (!all || strcmp(all->string, "metrics") != 0 || all->next || !cJSON_IsObject(all))
		return err_set(err, ERR_PROTOCOL, "not {\"metrics\":{...}} and nothing else");
	for (const cJSON *i = all->child; i; i = i->next)
		if (take(i, m, n++, err) < 0)
			return -1;
	if (!n)
		return err_set(err, ERR_PROTOCOL, "no metrics in it");
	memcpy(ret, m, n * sizeof(*ret));
	return (int)n;
}
