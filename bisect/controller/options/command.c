// SPDX-License-Identifier: GPL-2.0-or-later
/* Options as a command line or a file: what was asked, whichever of flags, file and range said it. */
#include "options.h"

#include <string.h>

#include "base/cleanup.h"
#include "controller/options/table.h"

static void put_option(struct buf *b, const struct options *o, enum option id)
{
	const struct option_def *def = &option_table[id];
	const struct strv *v = options_list(o, id);

	if (def->kind == KIND_BOOL) {
		buf_printf(b, " --%s%s", def->flag, options_bool(o, id) ? "" : "=false");
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		buf_printf(b, " --%s ", def->flag);
		buf_shell(b, v->items[i]);
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

bool options_is_default(const struct options *o, enum option id)
{
	const struct strv *v = options_list(o, id);
	const char *def = option_table[id].def;

	return v->n == 0 || (def && v->n == 1 && strcmp(v->items[0], def) == 0);
}

/* Where it is looked, in which range and for what, and where the result goes: who asks again says that anew. */
static bool is_of_the_range(enum option id)
{
	static const enum option of_it[] = {
		OPT_REPO,    OPT_GOOD,	       OPT_BAD,	      OPT_FIND,
		OPT_SUSPECT, OPT_SUSPECT_FILE, OPT_REPLAY,    OPT_SUSPECT_FUNCTION,
		OPT_TIP,     OPT_NO_PROVE,     OPT_FOLLOW_UP, OPT_DIR
	};

	for (size_t i = 0; i < ARRAY_SIZE(of_it); i++)
		if (of_it[i] == id)
			return true;
	return false;
}

char *options_asked(const struct options *o, enum command command)
{
	struct buf b = { 0 };

	for (enum option id = 0; id < OPTIONS; id++)
		if (options_key(id) && (option_table[id].commands & command) &&
		    !is_of_the_range(id) && !options_gave_way(o, id) &&
		    (!options_is_default(o, id) || o->o[id].said))
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
