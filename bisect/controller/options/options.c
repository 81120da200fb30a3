// SPDX-License-Identifier: GPL-2.0-or-later
/* Options: see options.h. Before the flow starts: what the user asked for, checked where it came in. */
#include "options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/options/rule_conf.h"
#include "controller/options/table.h"
#include "range/conf.h"

static const char *const origin_names[] = {
	[ORIGIN_DEFAULT] = "default",
	[ORIGIN_FILE] = "file",
	[ORIGIN_FLAG] = "flag",
	[ORIGIN_RUN] = "run",
};
static_assert(ARRAY_SIZE(origin_names) == ORIGINS, "an origin has no name");

void options_deinit(struct options *o)
{
	for (size_t i = 0; i < OPTIONS; i++)
		strv_deinit(&o->o[i].values);
	free(o->file);
	strv_deinit(&o->args);
	*o = (struct options){ 0 };
}

const char *options_key(enum option id)
{
	return option_table[id].key;
}

const char *options_str(const struct options *o, enum option id)
{
	return o->o[id].values.n ? o->o[id].values.items[0] : NULL;
}

const struct strv *options_list(const struct options *o, enum option id)
{
	return &o->o[id].values;
}

static bool is_auto(enum option id, const char *value)
{
	return option_table[id].kind == KIND_AUTO && strcmp(value, "auto") == 0;
}

uint64_t options_num(const struct options *o, enum option id)
{
	uint64_t v = 0;

	assert(option_table[id].kind == KIND_NUM || option_table[id].kind == KIND_AUTO);
	if (options_str(o, id) && !is_auto(id, options_str(o, id)) &&
	    !str_to_u64(options_str(o, id), option_table[id].max, &v))
		assert(!"a number was not checked when it was set");
	return v;
}

/* Of the table's unit: exact where a double is not. */
#define REAL_SCALE 10000

/* "0.05", "1", ".5": a decimal fraction with four places at most, in ten-thousandths. */
static bool to_real(const char *v, uint64_t max, uint64_t *ret)
{
	char digits[24];
	size_t whole = strcspn(v, ".");
	const char *places = v[whole] ? v + whole + 1 : "";

	if (whole > 8 || strlen(places) > 4 || (!whole && !*places))
		return false;
	snprintf(digits, sizeof(digits), "%.*s%s%.*s", (int)whole, v, places,
		 4 - (int)strlen(places), "0000");
	return str_to_u64(digits, max, ret);
}

double options_real(const struct options *o, enum option id)
{
	uint64_t v = 0;

	assert(option_table[id].kind == KIND_REAL);
	if (options_str(o, id) && !to_real(options_str(o, id), option_table[id].max, &v))
		assert(!"a fraction was not checked when it was set");
	return (double)v / REAL_SCALE;
}

bool options_bool(const struct options *o, enum option id)
{
	const char *v = options_str(o, id);

	return v && strcmp(v, "true") == 0;
}

bool options_given(const struct options *o, enum option id)
{
	return o->o[id].values.n && o->o[id].origin != ORIGIN_DEFAULT;
}

/* Edit distance for "did you mean"; names are short. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], n = strlen(b);

	if (n >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);
			size_t best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

			diagonal = row[j];
			row[j] = change < best ? change : best;
		}
	}
	return row[n];
}

static const char *nearest(const char *name, enum command command, bool keys)
{
	const char *found = NULL;
	size_t best = 4;

	for (size_t i = 0; i < OPTIONS; i++) {
		const char *s = keys ? option_table[i].key : option_table[i].flag;
		size_t d = s && (option_table[i].commands & command) ? distance(name, s) : SIZE_MAX;

		if (d < best) {
			best = d;
			found = s;
		}
	}
	return found;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t len = strlen(value);

	for (const char *p = choices; len && p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
		if (strncmp(p, value, len) == 0 && (p[len] == '|' || p[len] == '\0'))
			return true;
	return false;
}

/* git-config's words for a truth value, so that the file reads as users expect. */
static const char *to_bool(const char *v)
{
	static const char *const yes[] = { "true", "yes", "on", "1", "" };
	static const char *const no[] = { "false", "no", "off", "0" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (strcasecmp(v, yes[i]) == 0)
			return "true";
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (strcasecmp(v, no[i]) == 0)
			return "false";
	return NULL;
}

/* A value may come from a script that did not look at it, and ends in a log, a guest or a list of lines. */
static bool has_control(const char *value)
{
	for (const char *c = value; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return true;
	return false;
}

/* Checks and sets; @name is how the user calls it ("--scope", "bisect.conf: build.scope"). */
static int set(struct options *o, enum option id, const char *name, const char *value,
	       enum option_origin origin, struct err *err)
{
	const struct option_def *d = &option_table[id];
	uint64_t num;

	switch (d->kind) {
	case KIND_NUM:
	case KIND_AUTO:
		if (!is_auto(id, value) && (!str_to_u64(value, d->max, &num) || num < d->min))
			return err_set(
				err, ERR_USAGE, "%s: '%s' is no whole number from %llu to %llu%s",
				name, value, (unsigned long long)d->min, (unsigned long long)d->max,
				d->kind == KIND_AUTO ? ", nor auto" : "");
		break;
	case KIND_REAL:
		if (!to_real(value, d->max, &num) || num < d->min)
			return err_set(err, ERR_USAGE,
				       "%s: '%s' is no number from %g to %g with four places at "
				       "most",
				       name, value, (double)d->min / REAL_SCALE,
				       (double)d->max / REAL_SCALE);
		break;
	case KIND_CHOICE:
		if (!is_choice(option_choices(id, o->command), value))
			return err_set(err, ERR_USAGE, "%s: '%s' is not one of %s", name, value,
				       option_choices(id, o->command));
		break;
	case KIND_BOOL:
		if (!to_bool(value))
			return err_set(err, ERR_USAGE, "%s: '%s' is neither true nor false", name,
				       value);
		value = to_bool(value);
		break;
	case KIND_TEXT:
	case KIND_LIST:
		if (!*value)
			return err_set(err, ERR_USAGE, "%s: the value is empty", name);
		if (has_control(value))
			return err_set(err, ERR_USAGE,
				       "%s: the value has a control character in it; take it out",
				       name);
		break;
	}
	/* A list grows within one origin; a stronger origin starts it anew. */
	if (d->kind != KIND_LIST || o->o[id].origin != origin)
		strv_deinit(&o->o[id].values);
	strv_add(&o->o[id].values, value);
	o->o[id].origin = origin;
	o->o[id].said |= origin == ORIGIN_FLAG;
	return 0;
}

int options_set(struct options *o, const char *key, const char *value, enum option_origin origin,
		struct err *err)
{
	const char *hint;

	for (size_t i = 0; i < OPTIONS; i++) {
		_cleanup_free_ char *name = NULL;

		if (!option_table[i].key || strcmp(option_table[i].key, key) != 0)
			continue;
		name = o->file && origin == ORIGIN_FILE ? str_printf("%s: %s", o->file, key)
							: xstrdup(key);
		return set(o, i, name, value, origin, err);
	}
	hint = nearest(key, ~0U, true);
	return err_set(err, ERR_USAGE,
		       "%s%sunknown key '%s'%s%s%s; `amdgpu-bisect run --show-config` lists all",
		       o->file ? o->file : "", o->file ? ": " : "", key,
		       hint ? ", did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
}

static int from_file(const char *key, const char *value, void *arg, struct err *err)
{
	_cleanup_free_ char *rule = NULL;

	if (str_starts(key, "rule.")) {
		if (rule_conf(key, value ? value : "true", &rule, err) < 0)
			return err_prefix(err, "%s", ((struct options *)arg)->file);
		return rule ? options_set(arg, options_key(OPT_RULE), rule, ORIGIN_FILE, err) : 0;
	}
	return options_set(arg, key, value ? value : "true", ORIGIN_FILE, err);
}

static int find_flag(enum command command, const char *arg, size_t len, enum option *ret)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_def *d = &option_table[i];

		if (!(d->commands & command))
			continue;
		if ((str_starts(arg, "--") && strlen(d->flag) == len - 2 &&
		     strncmp(d->flag, arg + 2, len - 2) == 0) ||
		    (len == 2 && d->letter && arg[1] == d->letter)) {
			*ret = i;
			return 0;
		}
	}
	return -1;
}

/* One argument that starts with a dash; @i moves on if it takes the next one as its value. */
static int parse_flag(struct options *o, enum command command, int argc, char **argv, int *i,
		      struct err *err)
{
	const char *arg = argv[*i];
	const char *value = strchr(arg, '=');
	size_t len = value ? (size_t)(value - arg) : strlen(arg);
	_cleanup_free_ char *name = xstrndup(arg, len);
	const char *hint;
	enum option id;

	if (find_flag(command, arg, len, &id) < 0) {
		hint = nearest(name + strspn(name, "-"), command, false);
		return err_set(err, ERR_USAGE, "unknown option '%s'%s%s%s; see --help", name,
			       hint ? ", did you mean '--" : "", hint ? hint : "",
			       hint ? "'?" : "");
	}
	if (value)
		value++;
	else if (option_table[id].kind == KIND_BOOL)
		value = "true";
	else if (*i + 1 < argc)
		value = argv[++*i];
	else
		return err_set(err, ERR_USAGE, "option '%s' needs a value: %s", name,
			       option_choices(id, command));
	return set(o, id, name, value, ORIGIN_FLAG, err);
}

/* The file is read after --config is known and before the other flags, which win over it. */
static int read_file(struct options *o, int argc, char **argv, struct err *err)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (str_starts(argv[i], "--config="))
			o->file = xstrdup(argv[i] + strlen("--config="));
		else if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
			o->file = xstrdup(argv[i + 1]);
		else
			continue;
		break;
	}
	if (!o->file && fs_exists("bisect.conf"))
		o->file = xstrdup("bisect.conf");
	return o->file ? conf_read(o->file, from_file, o, err) : 0;
}

void options_default(enum command command, struct options *ret)
{
	*ret = (struct options){ .command = command };
	for (size_t i = 0; i < OPTIONS; i++)
		if (option_table[i].def)
			strv_add(&ret->o[i].values, option_table[i].def);
}

int options_parse(enum command command, int argc, char **argv, struct options *ret, struct err *err)
{
	_cleanup_(options_deinit) struct options o = { 0 };

	options_default(command, &o);
	if (read_file(&o, argc, argv, err) < 0)
		return -1;
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			while (++i < argc)
				strv_add(&o.args, argv[i]);
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			strv_add(&o.args, argv[i]);
		else if (parse_flag(&o, command, argc, argv, &i, err) < 0)
			return -1;
	}
	*ret = o;
	o = (struct options){ 0 };
	return 0;
}

void options_show(const struct options *o, enum command command, FILE *out)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_def *d = &option_table[i];
		const struct strv *v = &o->o[i].values;
		const char *origin = v->n ? origin_names[o->o[i].origin] : "not set";

		if (!d->key || !(d->commands & command))
			continue;
		if (v->n && o->o[i].origin == ORIGIN_FILE && o->file)
			origin = o->file;
		for (size_t j = 0; j < (v->n ? v->n : 1); j++)
			fprintf(out, "%-20s %-28s %s\n", d->key, v->n ? v->items[j] : "-", origin);
	}
}

void options_help(enum command command, FILE *out)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_def *d = &option_table[i];
		const char *arg = option_choices(i, command);
		char left[64];
		char letter[5] = "    ";

		if (!(d->commands & command))
			continue;
		if (d->letter)
			snprintf(letter, sizeof(letter), "-%c, ", d->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, d->flag, arg ? " " : "",
			 arg ? arg : "");
		fprintf(out, "  %-28s %s", left, d->help);
		if (d->kind == KIND_NUM && d->min > 1)
			fprintf(out, " (%ju to %ju; %s)", (uintmax_t)d->min, (uintmax_t)d->max,
				d->def ? d->def : "not set");
		else if (d->def && d->kind != KIND_BOOL)
			fprintf(out, " (%s)", d->def);
		fputc('\n', out);
	}
}
