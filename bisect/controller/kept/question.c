// SPDX-License-Identifier: GPL-2.0-or-later
/* A run's options in its store, and from there: see question.h. */
#include "controller/kept/question.h"

#include <string.h>

#include "base/cleanup.h"

int kept_option_put(struct store *s, const struct options *o, enum option id, struct err *err)
{
	const struct strv *v = options_list(o, id);
	_cleanup_free_ char *key = str_printf("option.%s", options_key(id));
	_cleanup_buf_ struct buf all = { 0 };

	for (size_t i = 0; i < v->n; i++)
		buf_printf(&all, "%s%s", i ? "\n" : "", v->items[i]);
	return v->n ? store_set(s, key, all.data, err) : 0;
}

/* With the names of those that a flag set to their default: a file may say another thing to who asks again. */
int kept_options_put(struct store *s, const struct options *o, struct err *err)
{
	_cleanup_buf_ struct buf said = { 0 };

	for (enum option i = 0; i < OPTIONS; i++) {
		if (!options_key(i) || i == OPT_DIR)
			continue;
		if (kept_option_put(s, o, i, err) < 0)
			return -1;
		if (o->o[i].said && options_is_default(o, i))
			buf_printf(&said, "%s%s", said.len ? " " : "", options_key(i));
	}
	return said.len ? store_set(s, "options.said", said.data, err) : 0;
}

/* One stored option; flags of this call win. */
static int recall_option(const char *key, const char *value, void *arg)
{
	struct options *o = arg;
	_cleanup_free_ char *copy = NULL;
	char *save = NULL;
	struct err ignored;

	if (!str_starts(key, "option."))
		return 0;
	key += strlen("option.");
	for (size_t i = 0; i < OPTIONS; i++)
		if (options_key(i) && strcmp(options_key(i), key) == 0 &&
		    o->o[i].origin == ORIGIN_FLAG)
			return 0;
	copy = xstrdup(value);
	/* Values were checked when the run began; one that an older version wrote is left out. */
	for (char *v = strtok_r(copy, "\n", &save); v; v = strtok_r(NULL, "\n", &save))
		options_set(o, key, v, ORIGIN_RUN, &ignored);
	return 0;
}

int kept_options(struct store *s, struct options *o, struct err *err)
{
	_cleanup_free_ char *said = NULL;
	char *save = NULL;

	if (store_each_fact(s, recall_option, o, err) < 0 ||
	    store_get(s, "options.said", &said, err) < 0)
		return -1;
	for (char *w = said ? strtok_r(said, " ", &save) : NULL; w; w = strtok_r(NULL, " ", &save))
		for (enum option i = 0; i < OPTIONS; i++)
			if (options_key(i) && strcmp(options_key(i), w) == 0)
				o->o[i].said = true;
	return 0;
}
