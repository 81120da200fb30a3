// SPDX-License-Identifier: GPL-2.0-or-later
/* Config fragments: see fragment.h. */
#include "build/kernel/fragment.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "build/kernel/config.h"

#define PREFIX	 "CONFIG_"
#define NOT_SET	 " is not set"
#define OPTIONAL "# optional"

void settings_deinit(struct settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].name);
		free(s->items[i].value);
	}
	free(s->items);
	*s = (struct settings){ 0 };
}

/* Length of the option's name that a text begins with, or 0. */
static size_t name_len(const char *p, const char *also)
{
	size_t len = strlen(PREFIX);

	if (!str_starts(p, PREFIX))
		return 0;
	while (isalnum((unsigned char)p[len]) || p[len] == '_' || (p[len] && strchr(also, p[len])))
		len++;
	return len > strlen(PREFIX) ? len : 0;
}

/* A line without its end: blanks, and the carriage return of an editor elsewhere. */
static char *cut_line(const char *text, size_t *len)
{
	size_t n = strcspn(text, "\n");

	*len = n + (text[n] == '\n');
	while (n && strchr(" \t\r", text[n - 1]))
		n--;
	return xstrndup(text, n);
}

static bool split(const char *line, char **name, char **value)
{
	size_t len = name_len(line, "");

	if (len && line[len] == '=' && line[len + 1]) {
		*name = xstrndup(line, len);
		*value = xstrdup(line + len + 1);
		return true;
	}
	if (!str_starts(line, "# "))
		return false;
	len = name_len(line + 2, "");
	if (!len || strcmp(line + 2 + len, NOT_SET) != 0)
		return false;
	*name = xstrndup(line + 2, len);
	*value = xstrdup("n");
	return true;
}

static void push(struct settings *s, struct setting item)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 128;
		s->items = xrealloc(s->items, s->cap, sizeof(*s->items));
	}
	s->items[s->n++] = item;
}

static int by_name(const void *a, const void *b)
{
	const struct setting *x = *(struct setting *const *)a, *y = *(struct setting *const *)b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : x < y ? -1 : x > y;
}

static void mark_overridden(struct settings *s)
{
	_cleanup_free_ struct setting **sorted = xcalloc(s->n + 1, sizeof(*sorted));

	for (size_t i = 0; i < s->n; i++)
		sorted[i] = &s->items[i];
	qsort(sorted, s->n, sizeof(struct setting *), by_name);
	for (size_t i = 0; i + 1 < s->n; i++)
		sorted[i]->overridden = strcmp(sorted[i]->name, sorted[i + 1]->name) == 0;
}

int settings_add(struct settings *s, const char *text, const char *origin, struct err *err)
{
	unsigned int number = 0;
	bool optional = false;
	size_t before = s->n;
	size_t len;

	for (; *text; text += len) {
		_cleanup_free_ char *line = cut_line(text, &len);
		struct setting item = { .origin = origin, .line = ++number };

		if (split(line, &item.name, &item.value)) {
			item.optional = optional;
			push(s, item);
		} else if (!*line) {
			optional = false;
		} else if (str_starts(line, OPTIONAL)) {
			optional = true;
		} else if (*line != '#') {
			return err_set(
				err, ERR_USAGE,
				"%s, line %u, is no line of a config fragment: '%.60s'; want "
				"CONFIG_NAME=value or # CONFIG_NAME is not set",
				origin, number, line);
		}
	}
	if (s->n == before)
		return err_set(err, ERR_USAGE,
			       "%s is no config fragment: it sets no option; want lines such as "
			       "CONFIG_NAME=y",
			       origin);
	mark_overridden(s);
	return 0;
}

void settings_print(const struct settings *s, struct buf *ret)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct setting *item = &s->items[i];

		if (item->overridden)
			continue;
		if (strcmp(item->value, "n") == 0)
			buf_printf(ret, "# %s" NOT_SET "\n", item->name);
		else
			buf_printf(ret, "%s=%s\n", item->name, item->value);
	}
}

static bool is_kept(const struct setting *item, const char *config)
{
	_cleanup_free_ char *value = config_value(config, item->name);
	const char *want = item->value;
	size_t len = strlen(want);

	if (strcmp(want, "n") == 0)
		return !value || strcmp(value, "n") == 0;
	/* config_value() takes the quotes of a text away */
	if (len >= 2 && *want == '"' && want[len - 1] == '"')
		return value && strlen(value) == len - 2 && strncmp(value, want + 1, len - 2) == 0;
	return value && strcmp(value, want) == 0;
}

const struct setting *settings_lost(const struct settings *s, const char *config, size_t *at)
{
	while (*at < s->n) {
		const struct setting *item = &s->items[(*at)++];

		if (!item->overridden && !is_kept(item, config))
			return item;
	}
	return NULL;
}

int keep_parse(const char *text, const char *origin, struct strv *ret, struct err *err)
{
	unsigned int number = 0;
	size_t len;

	for (; *text; text += len) {
		_cleanup_free_ char *line = cut_line(text, &len);

		number++;
		if (!*line || *line == '#')
			continue;
		if (name_len(line, "*") != strlen(line))
			return err_set(err, ERR_USAGE,
				       "%s, line %u, is no name of an option: '%.60s'; want "
				       "CONFIG_NAME or CONFIG_NAME_*",
				       origin, number, line);
		strv_add(ret, line);
	}
	return 0;
}

void keep_pick(const struct strv *names, const char *config, struct buf *ret)
{
	size_t len;

	for (; *config; config += len) {
		_cleanup_free_ char *line = cut_line(config, &len);
		_cleanup_free_ char *name = NULL;
		_cleanup_free_ char *value = NULL;

		if (!split(line, &name, &value))
			continue;
		for (size_t i = 0; i < names->n; i++)
			if (fnmatch(names->items[i], name, 0) == 0) {
				buf_printf(ret, "%s\n", line);
				break;
			}
	}
}
