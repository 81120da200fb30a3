// SPDX-License-Identifier: GPL-2.0-or-later
/* Options as a command line or a file: what was asked, whichever of flags, file and range said it. */
#include "options.h"

#include <string.h>

#include "base/cleanup.h"
#include "controller/options/table.h"

/* As a shell takes it for one word. */
static void put_word(struct buf *b, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "%+,-./:=@_^~";

	if (*word && word[strspn(word, plain)] == '\0' && *word != '~') {
		buf_puts(b, word);
		return;
	}
	buf_puts(b, "'");
	for (; *word; word++)
		buf_printf(b, *word == '\'' ? "'\\%c'" : "%c", *word);
	buf_puts(b, "'");
}

static void put_option(struct buf *b, const struct options *o, enum option id)
{
	const struct option_def *def = &option_table[id];
	const struct strv *v = options_list(o, id);

	if (def->kind == KIND_BOOL) {
		if (options_bool(o, id))
			buf_printf(b, " --%s", def->flag);
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		buf_printf(b, " --%s ", def->flag);
		put_word(b, v->items[i]);
	}
}

char *options_command(const struct options *o, enum command command, const char *name)
{
	struct buf b = { 0 };

	buf_printf(&b, "amdgpu-bisect %s", name);
	for (enum option id = 0; id < OPTIONS; id++)
		if (options_key(id) && id != OPT_DIR && (option_table[id].commands & command) &&
		    options_given(o, id))
			put_option(&b, o, id);
	return buf_take(&b);
}

void options_conf_value(enum option id, const char *value, struct buf *ret)
{
	const char *key = options_key(id);
	size_t section = strcspn(key, ".");

	if (!value)
		return;
	/* Quoted, so that blanks, # and ; are taken as they are; git-config(1), Syntax. */
	buf_printf(ret, "[%.*s]\n\t%s = \"", (int)section, key, key + section + 1);
	for (; *value; value++)
		buf_printf(ret, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
	buf_puts(ret, "\"\n");
}

void options_conf(const struct options *o, enum command command, struct buf *ret)
{
	for (enum option id = 0; id < OPTIONS; id++) {
		const struct strv *v = options_list(o, id);

		if (!options_key(id) || id == OPT_DIR || id == OPT_REPO ||
		    !(option_table[id].commands & command) || options_gave_way(o, id))
			continue; /* in a file all are of one origin, and none gives way */
		for (size_t i = 0; i < v->n; i++)
			options_conf_value(id, v->items[i], ret);
	}
}
