// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options that mean nothing together. Left out without a word they would make a user believe
 * that what was measured is what was asked.
 */
#include "options.h"

#include <string.h>

#include "base/cleanup.h"
#include "controller/options/table.h"

static const struct {
	enum option with, without;
	const char *why;
} apart[] = {
	{ OPT_EXEC, OPT_WINDOW_TABLE,
	  "a table is made of copies, and a program takes their place" },
	{ OPT_EXEC, OPT_PROBE_ARGS, "these are for copy-regimes, and a program takes its place" },
	{ OPT_EXEC, OPT_PERMISSION, "it is for copies, and a program takes their place" },
	{ OPT_EXEC, OPT_SIZES, "it is for copies, and a program takes their place" },
	{ OPT_EXEC, OPT_OFFSETS, "it is for copies, and a program takes their place" },
	{ OPT_EXEC, OPT_KERNEL_EVIDENCE, "it is of copies, and a program takes their place" },
	{ OPT_PROBE_ARGS, OPT_KERNEL_EVIDENCE, "say --evidence inside --probe-args" },
	{ OPT_WINDOW_TABLE, OPT_KERNEL_EVIDENCE,
	  "--probe-args \"--patterns --evidence\" has both" },
	{ OPT_PROBE_ARGS, OPT_WINDOW_TABLE, "the table is --probe-args \"--patterns\"" },
	{ OPT_PROBE_ARGS, OPT_PERMISSION, "say it inside --probe-args" },
	{ OPT_PROBE_ARGS, OPT_SIZES, "say it inside --probe-args, in bytes" },
	{ OPT_PROBE_ARGS, OPT_OFFSETS, "say it inside --probe-args, in bytes" },
	{ OPT_PROBE_ARGS, OPT_REPEATS, "say it inside --probe-args" },
	{ OPT_WINDOW_TABLE, OPT_SIZES, "the table has its own sizes" },
	{ OPT_WINDOW_TABLE, OPT_OFFSETS, "the table has its own starts" },
	{ OPT_WINDOW_TABLE, OPT_REPEATS, "the table makes each copy once" },
	{ OPT_EVERY_COMMIT, OPT_PATH, "every commit counts, whatever it touches" },
	{ OPT_EVIDENCE, OPT_MAIL,
	  "a folder and a mail are two reports; ask for one after the other" },
	{ OPT_EVIDENCE, OPT_FORMAT, "the folder has its own files, report.json among them" },
	{ OPT_EVIDENCE, OPT_OUTPUT, "it names the folder that is written to" },
	{ OPT_MAIL, OPT_FORMAT, "a mail has a form of its own" },
};

static bool is_on(const struct options *o, enum option id)
{
	return option_table[id].kind == KIND_BOOL ? options_bool(o, id) : options_given(o, id);
}

/* What a file says in general gives way to a flag; of a default that was written down nothing is lost. */
static bool counts_beside(const struct options *o, enum option id, enum option with)
{
	const char *def = option_table[id].def;

	if (!is_on(o, id))
		return false;
	return o->o[id].origin == ORIGIN_FLAG ||
	       (o->o[id].origin == ORIGIN_FILE && o->o[with].origin == ORIGIN_FILE &&
		!(def && strcmp(options_str(o, id), def) == 0));
}

bool options_gave_way(const struct options *o, enum option id)
{
	for (size_t i = 0; i < ARRAY_SIZE(apart); i++)
		if (apart[i].without == id && is_on(o, apart[i].with))
			return true;
	return id == OPT_DISK && strcmp(options_str(o, OPT_GUEST), "disk") != 0;
}

static char *said(const struct options *o, enum option id)
{
	if (o->o[id].origin == ORIGIN_FLAG || !options_key(id))
		return str_printf("--%s", option_table[id].flag);
	return str_printf("%s%s%s", o->file ? o->file : "", o->file ? ": " : "", options_key(id));
}

/* A disk that is not booted would be named for nothing. */
static int disk_fits(const struct options *o, struct err *err)
{
	return o->o[OPT_DISK].origin == ORIGIN_FLAG &&
			       strcmp(options_str(o, OPT_GUEST), "disk") != 0
		       ? err_set(err, ERR_USAGE,
				 "--disk counts with --guest disk alone, and this is --guest %s",
				 options_str(o, OPT_GUEST))
		       : 0;
}

/* An audit alone builds nothing: what says how would be given for nothing. */
static int audit_fits(const struct options *o, struct err *err)
{
	if (o->command != CMD_AUDIT || options_bool(o, OPT_AUDIT_TEST))
		return 0;
	for (enum option id = 0; id < OPTIONS; id++) {
		unsigned int commands = option_table[id].commands;

		if (o->o[id].origin == ORIGIN_FLAG && commands != ~0U &&
		    (commands & CMD_VALIDATE) && id != OPT_REPO && id != OPT_PATH &&
		    id != OPT_FORMAT && id != OPT_OUTPUT)
			return err_set(err, ERR_USAGE, "--%s counts with --test alone",
				       option_table[id].flag);
	}
	return 0;
}

int options_fit(const struct options *o, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(apart); i++) {
		enum option with = apart[i].with, without = apart[i].without;
		_cleanup_free_ char *first = NULL;
		_cleanup_free_ char *second = NULL;

		if (!is_on(o, with) || !counts_beside(o, without, with))
			continue;
		first = said(o, with);
		second = said(o, without);
		return err_set(err, ERR_USAGE, "%s cannot be together with %s: %s", second, first,
			       apart[i].why);
	}
	return disk_fits(o, err) < 0 ? -1 : audit_fits(o, err);
}
