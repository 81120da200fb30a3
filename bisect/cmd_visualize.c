// SPDX-License-Identifier: GPL-2.0-or-later
/* visualize: the graph of what a run has left. Only reads. */
#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "base/fs.h"
#include "cmd.h"
#include "controller/graph/graph.h"
#include "cmd_session.h"

static bool terminal_takes_utf8(void)
{
	_cleanup_free_ char *before = xstrdup(setlocale(LC_CTYPE, NULL));
	bool utf8 = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	/* Nothing else here depends on the user's locale, and it stays so. */
	setlocale(LC_CTYPE, before);
	return utf8;
}

static int write_json(const struct options *o, const struct session *s, const struct graph *g,
		      struct err *err)
{
	_cleanup_(json_out_deinit) struct json_out j = { 0 };
	const char *path = options_str(o, OPT_OUTPUT);

	if (!path)
		j.to = stdout;
	json_out_object(&j, NULL);
	json_out_int(&j, "version", 1);
	json_out_str(&j, "run", s->dir);
	json_out_object(&j, "terms");
	json_out_str(&j, "old", g->words.old);
	json_out_str(&j, "new", g->words.new);
	json_out_end(&j);
	json_out_int(&j, "left", (int64_t)s->step.left);
	json_out_list(&j, "next");
	for (size_t i = 0; i < g->n_next; i++)
		json_out_str(&j, NULL, s->range->commits[g->next[i]].id);
	json_out_end(&j);
	graph_json(g, &j);
	json_out_end(&j);
	return path ? fs_write(path, j.text.data, j.text.len, err) : 0;
}

int cmd_visualize(struct options *o, struct err *err)
{
	_cleanup_(session_deinit) struct session s = { 0 };
	_cleanup_free_ char *text = NULL;
	const char *format = options_str(o, OPT_FORMAT);
	struct graph g;

	if (cmd_open_session(o, &s, err) < 0)
		return -1;
	g = (struct graph){
		.range = s.range,
		.views = s.views,
		.words = halving_words(&s.o),
		.new = halving_new(&s.o),
		.next = &s.step.node,
		.n_next = s.step.action == SEARCH_TEST,
		.trials = s.trials,
		.n_trials = s.n_trials,
		.mass = options_real(&s.o, OPT_FLAKY) > 0,
		.utf8 = terminal_takes_utf8(),
		.limit = options_num(o, OPT_LIMIT),
	};
	if (strcmp(format, "json") == 0)
		return write_json(o, &s, &g, err);
	text = strcmp(format, "dot") == 0 ? graph_dot(&g) : graph_text(&g);
	return cmd_write(o, text, err);
}
