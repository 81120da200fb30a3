// SPDX-License-Identifier: GPL-2.0-or-later
/* Before the first trial: the user's program and rules, checked. See rule.h. */
#include "controller/rule/rule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "paths.h"

/* Of one run, unless --probe-limit says otherwise; several of them are made in one guest. */
#define LIMIT_MS 60000

#define IN_GUEST "guest:"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int add_file(struct own *own, const char *path, struct buf *asked, struct err *err)
{
	const char *name = base_name(path);
	char content[65];

	if (!fs_exists(path) || fs_is_dir(path))
		return err_set(err, ERR_USAGE, "%s: no such file", path);
	if (!wire_name_ok(name))
		return err_set(err, ERR_USAGE,
			       "%s: its name must be of letters, digits, '.', '_' and '-'", path);
	if (strcmp(name, "copy-regimes") == 0 || strcmp(name, "amdgpu-bisect-agent") == 0)
		return err_set(err, ERR_USAGE, "%s: that name is taken in the guest", path);
	for (size_t i = 0; i < own->files.n; i++)
		if (strcmp(base_name(own->files.items[i]), name) == 0)
			return err_set(err, ERR_USAGE, "%s and %s have one name in the guest",
				       own->files.items[i], path);
	if (fs_sha256_file(path, content, err) < 0)
		return -1;
	buf_printf(asked, " %s=%.16s", name, content);
	strv_take(&own->files, path_absolute(path));
	return 0;
}

static int take_program(struct own *own, const char *exec, struct buf *asked, struct err *err)
{
	if (str_starts(exec, IN_GUEST)) {
		own->program = xstrdup(exec + strlen(IN_GUEST));
		if (own->program[0] != '/' || strpbrk(own->program, " \t") ||
		    strlen(own->program) > 255)
			return err_set(err, ERR_USAGE,
				       "--exec %s: want guest: and an absolute path without blanks",
				       exec);
		return 0;
	}
	own->program = xstrdup(base_name(exec));
	if (add_file(own, exec, asked, err) < 0)
		return err_prefix(err, "--exec");
	if (access(exec, X_OK) < 0)
		return err_set(err, ERR_USAGE, "--exec %s: it is not executable; chmod +x it",
			       exec);
	return 0;
}

static int take_repeats(struct own *own, const struct options *o, struct err *err)
{
	bool metric = rules_find(&own->rules, RULE_METRIC);

	own->repeats = (unsigned int)options_num(o, OPT_REPEATS);
	if (metric && !options_given(o, OPT_REPEATS))
		own->repeats = GAP_RUNS_DEFAULT;
	if (metric && own->repeats < GAP_RUNS_MIN)
		return err_set(err, ERR_USAGE,
			       "--repeats %u: a metric needs %d runs at least, or it has no range",
			       own->repeats, GAP_RUNS_MIN);
	return 0;
}

/* What only makes sense with a program. */
static int check_alone(const struct options *o, struct err *err)
{
	static const enum option with[] = { OPT_EXEC_ARGS, OPT_PACK, OPT_RULE };

	for (size_t i = 0; i < ARRAY_SIZE(with); i++)
		if (options_list(o, with[i])->n)
			return err_set(err, ERR_USAGE,
				       "%s is for a program of your own; name it with --exec",
				       options_key(with[i]));
	return 0;
}

static int fill(struct own *own, const struct options *o, struct err *err)
{
	const char *exec = options_str(o, OPT_EXEC);
	const struct strv *rules = options_list(o, OPT_RULE), *pack = options_list(o, OPT_PACK);
	_cleanup_buf_ struct buf asked = { 0 };
	uint64_t limit_s = options_num(o, OPT_PROBE_LIMIT);

	own->args = options_str(o, OPT_EXEC_ARGS);
	if (own->args && strlen(own->args) > 511)
		return err_set(err, ERR_USAGE, "--exec-args: 511 characters at most");
	if (rules_parse((const char *const *)rules->items, rules->n, &own->rules, err) < 0 ||
	    take_repeats(own, o, err) < 0)
		return -1;
	own->limit_ms = limit_s ? (int64_t)limit_s * 1000 : LIMIT_MS;
	buf_printf(&asked, "exec %s", str_starts(exec, IN_GUEST) ? exec : base_name(exec));
	if (own->args)
		buf_printf(&asked, " %s", own->args);
	buf_printf(&asked, "; %u runs;", own->repeats);
	for (size_t i = 0; i < rules->n; i++)
		buf_printf(&asked, " rule %s;", rules->items[i]);
	if (take_program(own, exec, &asked, err) < 0)
		return -1;
	for (size_t i = 0; i < pack->n; i++)
		if (add_file(own, pack->items[i], &asked, err) < 0)
			return err_prefix(err, "--pack");
	own->asked = buf_take(&asked);
	return 0;
}

int own_open(const struct options *o, struct own **ret, struct err *err)
{
	struct own *own;

	if (!options_str(o, OPT_EXEC)) {
		*ret = NULL;
		return check_alone(o, err);
	}
	own = xcalloc(1, sizeof(*own));
	if (fill(own, o, err) < 0) {
		own_close(own);
		return -1;
	}
	*ret = own;
	return 0;
}

void own_close(struct own *own)
{
	if (!own)
		return;
	rules_deinit(&own->rules);
	strv_deinit(&own->files);
	free(own->program);
	free(own->asked);
	free(own);
}

void own_spec(const struct own *own, struct trial_spec *spec)
{
	if (!own)
		return;
	spec->probe = NULL;
	spec->exec = own->program;
	spec->args = own->args;
	spec->repeats = own->repeats;
	spec->probe_limit_ms = own->limit_ms;
}
