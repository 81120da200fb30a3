// SPDX-License-Identifier: GPL-2.0-or-later
/* WIRE_LOAD: see load.h. */
#include "guest-agent/agent/load.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest-agent/agent/child.h"
#include "guest-agent/agent/modules.h"
#include "guest-agent/agent/put.h"
#include "guest-agent/agent/text.h"

struct load {
	const char *path; /* of a streamed module; NULL: packed */
	const char *list;
	const char *name;
	const char *params;
};

/* In the child; what went wrong goes to the parent as text. */
static int run(void *arg)
{
	_cleanup_modules_ struct modules modules = { 0 };
	const struct load *l = arg;
	struct err err;
	int ret;

	if (l->path)
		ret = modules_insert(l->path, l->params, &err);
	else if ((ret = modules_read(l->list, &modules, &err)) == 0)
		ret = modules_load(&modules, l->name, l->params, &err);
	if (ret < 0)
		dprintf(STDERR_FILENO, "%s", err.msg);
	return ret < 0;
}

static int judge_end(struct child *c, const char *name, struct err *err)
{
	char text[WIRE_TEXT_MAX] = "";
	ssize_t n;

	if (WIFSIGNALED(c->status))
		return err_set(err, ERR_BOOT,
			       "signal %d ended the loading of %s: its init made the kernel oops",
			       WTERMSIG(c->status), name);
	if (!WEXITSTATUS(c->status))
		return 0;
	n = read(c->errors, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return err_set(err, ERR_BOOT, "%s", text[0] ? text : "the module could not be loaded");
}

int load_module(const char *put_dir, const char *list, const char *name, const char *params,
		uint32_t limit_ms, struct wire_msg *ret, struct err *err)
{
	_cleanup_child_ struct child c = { .pidfd = -1, .out = -1, .errors = -1 };
	struct load l = { .list = list, .name = name, .params = params };
	char path[PATH_MAX], where[256];

	if (put_find(put_dir, name, path, sizeof(path)))
		l.path = path;
	if (child_start(run, &l, &c, err) < 0)
		return -1;
	if (!child_ended(&c, limit_ms)) {
		child_where(&c, where, sizeof(where));
		child_kill(&c);
		return err_set(err, ERR_BOOT, "hung: %s was not in after %u ms (%s)%s", name,
			       limit_ms, where,
			       child_ended(&c, CHILD_DIES_MS) ? "" : " and cannot be killed");
	}
	if (judge_end(&c, name, err) < 0)
		return -1;
	if (l.path)
		unlink(path);
	modules_identity(name, ret);
	return 0;
}
