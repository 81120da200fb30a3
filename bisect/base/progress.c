// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress: see progress.h. A thread of its own redraws the live line, so that it moves while the
 * loop waits for a compiler or a guest.
 */
#include "base/progress.h"

#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/progress/relay.h"
#include "base/progress/state.h"
#include "base/str.h"

#define REDRAW_MS	250
#define TICK_MIN_NS	(100 * NS_PER_MS)
#define COLUMNS_UNKNOWN 80
#define ROWS_UNKNOWN	24
#define ECHO_FROM	20 /* columns; a narrower terminal has none to give away */

static bool is_live(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

static unsigned int columns_of(FILE *out)
{
	struct winsize w;
	const char *env = getenv("COLUMNS");
	uint64_t n;

	if (ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	if (env && str_to_u64(env, 10000, &n) && n > 0)
		return (unsigned int)n;
	return COLUMNS_UNKNOWN;
}

static unsigned int rows_of(FILE *out)
{
	struct winsize w;

	return ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_row > 0 ? w.ws_row : ROWS_UNKNOWN;
}

/* A job in the background keeps off the terminal that is someone else's now. */
static bool in_foreground(FILE *out)
{
	pid_t group = tcgetpgrp(fileno(out));

	return group < 0 || group == getpgrp();
}

/*
 * Terminals that wrap a drawn line anew when they get narrower, so that it takes several rows.
 * Others cut it; going up there would wipe out a line that must stay.
 */
static bool terminal_reflows(void)
{
	static const char *const marks[] = { "TMUX", "VTE_VERSION", "KITTY_WINDOW_ID",
					     "KONSOLE_VERSION" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (getenv(marks[i]))
			return true;
	return false;
}

static unsigned int wrapped(const struct progress_row *row, unsigned int columns)
{
	return row->drawn_columns > columns && terminal_reflows()
		       ? (row->drawn_columns - 1) / columns
		       : 0;
}

/* The rows of workers stand above the run's own; the cursor is at the end of that. */
static void add_clear(struct progress *p, unsigned int columns, struct buf *out)
{
	unsigned int up = wrapped(&p->own, columns);

	if (!p->own.drawn_columns)
		return;
	p->own.drawn_columns = 0;
	for (size_t i = 0; i < p->n_workers; i++) {
		if (p->workers[i].drawn_columns)
			up += 1 + wrapped(&p->workers[i], columns);
		p->workers[i].drawn_columns = 0;
	}
	buf_puts(out, "\r");
	if (up)
		buf_printf(out, "\033[%uA\033[J", up);
	else
		buf_puts(out, "\033[K");
}

static void emit(struct progress *p, const struct buf *text)
{
	if (!text->len)
		return;
	fwrite(text->data, 1, text->len, p->out);
	fflush(p->out);
}

void progress_clear(struct progress *p)
{
	_cleanup_buf_ struct buf out = { 0 };

	add_clear(p, columns_of(p->out), &out);
	emit(p, &out);
}

static void draw_row(struct progress *p, struct progress_row *row, unsigned int columns,
		     int64_t now, struct buf *out)
{
	row->line.elapsed_ns = now - row->stage_start_ns;
	/*
	 * The last column stays free: some terminals wrap as soon as it is filled. So do two for the
	 * ^C that the terminal echoes: wrapped, it would leave the line behind.
	 */
	row->drawn_columns =
		line_compose(&row->line, columns - (columns > ECHO_FROM ? 3 : 1), p->color, out);
}

void progress_draw(struct progress *p)
{
	_cleanup_buf_ struct buf out = { 0 };
	struct progress_line *own = &p->own.line;
	int64_t now = clock_now_ns();
	unsigned int columns, rows;

	if (!p->live || p->quiet || (!own->step && !*own->stage) || !in_foreground(p->out))
		return;
	columns = columns_of(p->out);
	rows = rows_of(p->out);
	own->eta_ns = p->end_at_ns < now ? -1 : p->end_at_ns - now; /* overdue: none is better */
	add_clear(p, columns, &out);
	for (size_t i = 0; i < p->n_workers && i + 2 < rows; i++) {
		draw_row(p, &p->workers[i], columns, now, &out);
		buf_puts(&out, "\n");
	}
	draw_row(p, &p->own, columns, now, &out);
	p->drawn_at_ns = now;
	emit(p, &out);
}

static void *redraw(void *arg)
{
	struct progress *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->ending) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += REDRAW_MS * NS_PER_MS;
		until.tv_sec += until.tv_nsec / NS_PER_S;
		until.tv_nsec %= NS_PER_S;
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
		if (!p->ending)
			progress_draw(p);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void start_redrawer(struct progress *p)
{
	sigset_t all, old;

	/* Signals are for the thread that waits for something. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	p->has_redrawer = pthread_create(&p->redrawer, NULL, redraw, p) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct progress *progress_new(FILE *out, bool quiet)
{
	struct progress *p = xcalloc(1, sizeof(*p));
	pthread_condattr_t monotonic;

	p->out = out;
	p->quiet = quiet;
	p->end_at_ns = -1;
	p->own.line.expect_ns = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return p;
}

struct progress *progress_create(FILE *out, bool quiet)
{
	struct progress *p = progress_new(out, quiet);
	const char *no_color = getenv("NO_COLOR");

	p->live = is_live(out);
	p->color = p->live && !(no_color && *no_color);
	if (p->live && !quiet)
		start_redrawer(p);
	return p;
}

/* A line that stays: dated where nobody watches it come. */
void progress_stay(struct progress *p, const char *mark, const char *mark_color, const char *text)
{
	_cleanup_buf_ struct buf out = { 0 };
	char date[32];

	if (p->live) {
		add_clear(p, columns_of(p->out), &out);
		buf_printf(&out, "%s%s%s", p->color ? mark_color : "", mark,
			   p->color && *mark_color ? "\033[0m" : "");
	} else {
		clock_date_text(clock_date_s(), date, sizeof(date));
		buf_printf(&out, "%s  %s", date, mark);
	}
	buf_printf(&out, "%s\n", text);
	emit(p, &out);
	progress_draw(p);
}

/* Without a live line, what is tried now is told once. */
static void begin_step(struct progress *p)
{
	_cleanup_buf_ struct buf out = { 0 };

	if (p->live || p->quiet || !p->own.line.step)
		return;
	buf_printf(&out, "step %u of ~%u: %s", p->own.line.step, p->own.line.about,
		   p->own.line.name);
	progress_stay(p, "", "", out.data);
}

/* Without a live line, what a stage took is told when it is over. */
void progress_end_stage(struct progress *p, struct progress_row *row)
{
	const struct progress_line *l = &row->line;
	_cleanup_buf_ struct buf out = { 0 };
	char took[32];

	if (*l->stage && !p->live && !p->quiet && !p->relay) {
		clock_duration_text(clock_now_ns() - row->stage_start_ns, took, sizeof(took));
		if (*l->who)
			buf_printf(&out, "%s, ", l->who);
		else if (l->step)
			buf_printf(&out, "step %u of ~%u, ", l->step, l->about);
		/* Its short id; the line of the step's begin has the whole name. */
		if (*l->name)
			buf_printf(&out, "%.*s: ", (int)strcspn(l->name, " "), l->name);
		buf_printf(&out, "%s %s", l->stage, took);
		if (*l->detail)
			buf_printf(&out, ", %s", l->detail);
		progress_stay(p, "", "", out.data);
	}
	*row->line.stage = '\0';
	*row->line.detail = '\0';
	row->line.expect_ns = -1;
}

void progress_destroy(struct progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	progress_end_stage(p, &p->own);
	p->ending = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	if (p->has_redrawer)
		pthread_join(p->redrawer, NULL);
	progress_clear(p);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p->workers);
	free(p);
}

void progress_step(struct progress *p, unsigned int step, unsigned int about, const char *name,
		   int64_t eta_ns)
{
	if (!p || p->relay)
		return;
	pthread_mutex_lock(&p->lock);
	progress_end_stage(p, &p->own);
	p->own.line.step = step;
	p->own.line.about = about > step ? about : step;
	line_clean(p->own.line.name, sizeof(p->own.line.name), name);
	p->end_at_ns = eta_ns < 0 ? -1 : clock_now_ns() + eta_ns;
	p->own.stage_start_ns = clock_now_ns();
	begin_step(p);
	progress_draw(p);
	pthread_mutex_unlock(&p->lock);
}

void progress_stage(struct progress *p, const char *stage, int64_t expect_ns)
{
	progress_stage_since(p, stage, clock_now_ns(), expect_ns);
}

void progress_stage_since(struct progress *p, const char *stage, int64_t start_ns,
			  int64_t expect_ns)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	if (p->relay) {
		relay_stage(p, stage, expect_ns);
	} else {
		progress_end_stage(p, &p->own);
		line_clean(p->own.line.stage, sizeof(p->own.line.stage), stage ? stage : "");
		p->own.line.expect_ns = expect_ns;
		p->own.stage_start_ns = start_ns;
		progress_draw(p);
	}
	pthread_mutex_unlock(&p->lock);
}

void progress_detail(struct progress *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!p)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&p->lock);
	line_clean(p->own.line.detail, sizeof(p->own.line.detail), text);
	if (p->relay)
		relay_detail(p);
	pthread_mutex_unlock(&p->lock);
	progress_tick(p);
}

void progress_tick(struct progress *p)
{
	if (!p || (!p->live && !p->relay))
		return;
	pthread_mutex_lock(&p->lock);
	if (p->relay)
		relay_tick(p);
	else if (clock_now_ns() - p->drawn_at_ns >= TICK_MIN_NS)
		progress_draw(p);
	pthread_mutex_unlock(&p->lock);
}

static void stay_v(struct progress *p, const char *mark, const char *mark_color, const char *fmt,
		   va_list ap)
{
	_cleanup_buf_ struct buf raw = { 0 };
	_cleanup_free_ char *text = NULL;

	buf_vprintf(&raw, fmt, ap);
	text = xmalloc(raw.len + 1);
	line_clean(text, raw.len + 1, raw.data);
	pthread_mutex_lock(&p->lock);
	if (p->relay)
		relay_words(p, *mark ? "warn" : "event", text);
	else
		progress_stay(p, mark, mark_color, text);
	pthread_mutex_unlock(&p->lock);
}

void progress_event(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	if (!p || p->quiet)
		return;
	va_start(ap, fmt);
	stay_v(p, "", "", fmt, ap);
	va_end(ap);
}

void progress_warn(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	if (!p)
		return;
	va_start(ap, fmt);
	stay_v(p, "warning: ", "\033[1;33m", fmt, ap);
	va_end(ap);
}
