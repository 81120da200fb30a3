// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workers: each has a display of its own that only writes lines, and the run's shows what they say. A line is
 * "stage EXPECT-NS NAME", "detail TEXT", "event TEXT", "warn TEXT" or "tick"; both ends are one program.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/progress/relay.h"
#include "base/str.h"

#define DETAIL_MIN_NS (250 * NS_PER_MS)
#define TICK_NS	      (2 * NS_PER_S)

void progress_workers(struct progress *p, size_t n)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->n_workers; i++)
		progress_end_stage(p, &p->workers[i]);
	progress_clear(p);
	free(p->workers);
	p->workers = xcalloc(n, sizeof(*p->workers));
	p->n_workers = n;
	for (size_t i = 0; i < n; i++) {
		struct progress_line *l = &p->workers[i].line;

		snprintf(l->who, sizeof(l->who), "worker %zu", i + 1);
		l->expect_ns = l->eta_ns = -1;
	}
	progress_draw(p);
	pthread_mutex_unlock(&p->lock);
}

void progress_worker(struct progress *p, size_t i, const char *name)
{
	_cleanup_free_ char *text = NULL;
	struct progress_row *row;

	if (!p || i >= p->n_workers)
		return;
	pthread_mutex_lock(&p->lock);
	row = &p->workers[i];
	progress_end_stage(p, row);
	line_clean(row->line.name, sizeof(row->line.name), name ? name : "");
	row->stage_start_ns = clock_now_ns();
	if (name && !p->live && !p->quiet) {
		text = str_printf("%s: %s", row->line.who, row->line.name);
		progress_stay(p, "", "", text);
	}
	progress_draw(p);
	pthread_mutex_unlock(&p->lock);
}

struct progress *progress_relay(FILE *out)
{
	struct progress *p = progress_new(out, false);

	p->relay = true;
	return p;
}

static void tell(struct progress *p, const char *kind, const char *text)
{
	fprintf(p->out, "%s%s%s\n", kind, *text ? " " : "", text);
	fflush(p->out);
	p->drawn_at_ns = clock_now_ns();
}

void relay_stage(struct progress *p, const char *stage, int64_t expect_ns)
{
	_cleanup_free_ char *text = str_printf("%" PRId64 " %s", expect_ns, stage ? stage : "");

	tell(p, "stage", text);
}

void relay_detail(struct progress *p)
{
	if (clock_now_ns() - p->drawn_at_ns >= DETAIL_MIN_NS)
		tell(p, "detail", p->own.line.detail);
}

void relay_tick(struct progress *p)
{
	if (clock_now_ns() - p->drawn_at_ns >= TICK_NS)
		tell(p, "tick", "");
}

void relay_words(struct progress *p, const char *kind, const char *text)
{
	tell(p, kind, text);
}

static void show_stage(struct progress *p, struct progress_row *row, const char *text)
{
	char *name;
	int64_t expect_ns = strtoll(text, &name, 10);

	name += *name == ' ';
	progress_end_stage(p, row);
	line_clean(row->line.stage, sizeof(row->line.stage), name);
	row->line.expect_ns = expect_ns;
	row->stage_start_ns = clock_now_ns();
}

static void show_words(struct progress *p, const struct progress_row *row, bool warn,
		       const char *text)
{
	_cleanup_free_ char *line = str_printf("%s: %s", row->line.who, text);
	_cleanup_free_ char *clean = xmalloc(strlen(line) + 1);

	line_clean(clean, strlen(line) + 1, line);
	if (warn)
		progress_stay(p, "warning: ", "\033[1;33m", clean);
	else if (!p->quiet)
		progress_stay(p, "", "", clean);
}

/* What follows a word and a blank; NULL: the line begins with another word. */
static const char *after(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0 || (line[len] && line[len] != ' '))
		return NULL;
	return line[len] ? line + len + 1 : "";
}

static void show(struct progress *p, struct progress_row *row, const char *line)
{
	const char *text;

	if ((text = after(line, "stage")))
		show_stage(p, row, text);
	else if ((text = after(line, "detail")))
		line_clean(row->line.detail, sizeof(row->line.detail), text);
	else if ((text = after(line, "event")))
		show_words(p, row, false, text);
	else if ((text = after(line, "warn")))
		show_words(p, row, true, text);
}

void progress_relayed(struct progress *p, size_t i, const char *line)
{
	if (!p || i >= p->n_workers)
		return;
	pthread_mutex_lock(&p->lock);
	show(p, &p->workers[i], line);
	progress_draw(p);
	pthread_mutex_unlock(&p->lock);
}
