// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo plants: the culprit and the faults, in whatever form the function has. */
#include <string.h>

#include "base/str.h"
#include "demo/text/function.h"
#include "demo/text/unit.h"

bool unit_has_function(const char *text, size_t len)
{
	struct cfunction function;
	struct ctext scan;
	bool found;

	ctext_scan(text, len, &scan);
	found = ctext_function(&scan, FUNCTION_NAME, &function);
	ctext_deinit(&scan);
	return found;
}

static int make_stages(const char *path, struct unit *u, struct err *err)
{
	struct function f = { 0 };
	const char *loop;
	int r;

	u->stages[UNIT_UNTOUCHED] = xstrndup(u->text + u->from, u->to - u->from);
	if (function_init(path, u->stages[UNIT_UNTOUCHED], u->to - u->from, &f, err))
		return -1;
	u->has_loop = f.label != FUNCTION_NONE;
	if (u->has_loop)
		u->stages[UNIT_LOOP] = xstrdup(u->stages[UNIT_UNTOUCHED]);
	r = u->has_loop ? 0 : function_add_loop(path, &f, &u->stages[UNIT_LOOP], err);
	function_deinit(&f);
	if (r)
		return -1;
	loop = u->stages[UNIT_LOOP];
	if (function_init(path, loop, strlen(loop), &f, err))
		return -1;
	r = function_move_read(path, &f, &u->stages[UNIT_CULPRIT], err);
	function_deinit(&f);
	return r;
}

/* Before the first #include <>, or the first token if there is none. */
static size_t find_include(const struct ctext *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct ctoken *t = &c->tokens[i];

		if (t->kind == CTOKEN_DIRECTIVE && t->len > 9 &&
		    !memcmp(c->text + t->at, "#include ", 9))
			return ctext_line(c, t->at);
	}
	return c->n ? ctext_line(c, c->tokens[0].at) : 0;
}

int unit_init(const char *path, const char *text, size_t len, struct unit *ret, struct err *err)
{
	struct unit u = { .text = text };
	struct cfunction f;

	ctext_scan(text, len, &u.scan);
	if (!ctext_function(&u.scan, FUNCTION_NAME, &f)) {
		unit_deinit(&u);
		return err_set(err, ERR_USAGE,
			       "%s: looked for one definition of " FUNCTION_NAME "()", path);
	}
	u.from = ctext_line(&u.scan, u.scan.tokens[f.first].at);
	u.to = ctext_line_end(&u.scan, u.scan.tokens[f.close].at);
	u.include = find_include(&u.scan);
	if (make_stages(path, &u, err)) {
		unit_deinit(&u);
		return -1;
	}
	*ret = u;
	return 0;
}

void unit_deinit(struct unit *u)
{
	for (int i = 0; i < UNIT_STAGES; i++)
		free(u->stages[i]);
	ctext_deinit(&u->scan);
	*u = (struct unit){ 0 };
}

/* The statements that are the fault. All are put where the declarations have ended. */
static char *fault_text(const struct unit *u, const struct function *f, enum demo_fault fault)
{
	const struct ctext *c = &f->scan;
	size_t object = c->tokens[f->read].at;

	switch (fault) {
	case DEMO_FAULT_BUILD:
		/* A member that does not exist, of the object that has notifier_seq. */
		return str_printf("\t%.*snotifier_stamp = 0;\n",
				  (int)(c->tokens[f->seq].at - object), c->text + object);
	case DEMO_FAULT_OOPS:
		/* Volatile, so that the compiler neither drops nor foresees the access. */
		return xstrdup("\t{\n\t\tstatic int *volatile last;\n\n\t\t*last = 0;\n\t}\n");
	case DEMO_FAULT_HANG:
		return xstrdup("\tfor (;;)\n\t\tmsleep(20);\n");
	case DEMO_FAULT_SLOW:
		/* Where slowness is what is looked for it would be found, and mended, before the culprit. */
		if (u->culprit == DEMO_CULPRIT_SLOW)
			return fault_text(u, f, DEMO_FAULT_BUILD);
		/* No divisor of a window, and far above what any regime takes. */
		return xstrdup("\tmsleep(330);\n");
	case DEMO_FAULTS:
		break;
	}
	return xstrdup("");
}

static const char *const culprit_texts[] = {
	[DEMO_CULPRIT_SLOW] = "\tmdelay(60);\n",
	[DEMO_CULPRIT_WARN] = "\tWARN_ON_ONCE(1);\n",
};

void unit_splice(const struct unit *u, enum unit_stage stage, enum demo_fault fault,
		 struct splices *ret)
{
	bool own = stage == UNIT_CULPRIT && u->culprit != DEMO_CULPRIT_WINDOWS;
	const char *text = u->stages[own ? UNIT_LOOP : stage];
	bool delays = fault == DEMO_FAULT_HANG || fault == DEMO_FAULT_SLOW;
	_cleanup_splices_ struct splices inner = { 0 };
	struct function f = { 0 };
	struct err err;
	size_t len;

	if (stage == UNIT_UNTOUCHED && fault == DEMO_FAULTS)
		return;
	/* unit_init() has read each form once already, so this cannot fail. */
	if ((own || fault != DEMO_FAULTS) && !function_init("", text, strlen(text), &f, &err)) {
		size_t at = ctext_line(&f.scan, f.scan.tokens[f.start].at);

		if (fault != DEMO_FAULTS)
			splices_add(&inner, at, 0, fault_text(u, &f, fault));
		if (own)
			splices_add(&inner, at, 0, xstrdup(culprit_texts[u->culprit]));
		function_deinit(&f);
	}
	if (delays || (own && u->culprit == DEMO_CULPRIT_SLOW))
		splices_add(ret, u->include, 0, xstrdup("#include <linux/delay.h>\n"));
	splices_add(ret, u->from, u->to - u->from, splices_apply(&inner, text, strlen(text), &len));
}
