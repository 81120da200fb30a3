// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a `git bisect log`: see bisect_log.h. */
#include "controller/log/bisect_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define LINE_MAX_BYTES 65536  /* a start line with very many paths */
#define MARKS_MAX      100000 /* beyond any bisect */
#define WORDS_MAX      4096

struct parser {
	struct bisect_log *log;
	unsigned int line;
	struct strv
		remarks; /* ids in the comments before the start line: the new end, the old ones */
	bool settled;	 /* what the states are called can no longer change */
};

void bisect_log_deinit(struct bisect_log *l)
{
	for (size_t i = 0; i < l->n_marks; i++)
		free(l->marks[i].rev);
	free(l->marks);
	free(l->new_end);
	strv_deinit(&l->old_ends);
	strv_deinit(&l->paths);
	*l = (struct bisect_log){ 0 };
}

static int fail(const struct parser *p, const char *what, const char *word, struct err *err)
{
	return err_set(err, ERR_USAGE, "line %u: %s%s%.100s%s", p->line, what, word ? " '" : "",
		       word ? word : "", word ? "'" : "");
}

/* One word as sq_quote_buf() of git writes it: bare, or 'in quotes', a quote inside as '\''. */
static int take_word(struct parser *p, const char **s, char **ret, struct err *err)
{
	_cleanup_buf_ struct buf b = { 0 };
	const char *c = *s;
	bool quoted = false;

	for (; *c && (quoted || !strchr(" \t", *c)); c++) {
		if (*c == '\'')
			quoted = !quoted;
		else if (!quoted && *c == '\\' && (c[1] == '\'' || c[1] == '!'))
			buf_add(&b, ++c, 1);
		else
			buf_add(&b, c, 1);
	}
	if (quoted)
		return fail(p, "a quote is not closed", NULL, err);
	*s = c + strspn(c, " \t");
	*ret = buf_take(&b);
	return 0;
}

static int take_words(struct parser *p, const char *s, struct strv *ret, struct err *err)
{
	while (*s) {
		char *word;

		if (ret->n == WORDS_MAX)
			return fail(p, "more words than any start has", NULL, err);
		if (take_word(p, &s, &word, err) < 0)
			return -1;
		strv_take(ret, word);
	}
	return 0;
}

static void set_term(struct parser *p, enum log_state state, const char *word)
{
	str_copy(state == LOG_OLD ? p->log->old : p->log->new, TERM_SIZE, word);
	p->settled = true;
}

/* "--term-old=WORD", or the word in the next argument; git has each flag under two names. */
static int take_flag(struct parser *p, const struct strv *words, size_t *i, struct err *err)
{
	static const struct {
		const char *flag;
		enum log_state state;
	} flags[] = {
		{ "--term-old", LOG_OLD },
		{ "--term-good", LOG_OLD },
		{ "--term-new", LOG_NEW },
		{ "--term-bad", LOG_NEW },
	};
	const char *word = words->items[*i];

	if (strcmp(word, "--first-parent") == 0) {
		p->log->first_parent = true;
		return 0;
	}
	if (strcmp(word, "--no-checkout") == 0)
		return 0;
	for (size_t f = 0; f < ARRAY_SIZE(flags); f++) {
		size_t len = strlen(flags[f].flag);

		if (strncmp(word, flags[f].flag, len) != 0)
			continue;
		if (word[len] == '=')
			word += len + 1;
		else if (!word[len] && *i + 1 < words->n)
			word = words->items[++*i];
		else
			break;
		if (strlen(word) >= TERM_SIZE)
			return fail(p, "too long for what a state is called:", word, err);
		set_term(p, flags[f].state, word);
		return 0;
	}
	return fail(p, "no option of git bisect start:", word, err);
}

/* Names move, the ids that git wrote before the line do not. */
static void pin_ends(struct parser *p)
{
	struct bisect_log *l = p->log;

	if (!l->new_end || p->remarks.n != 1 + l->old_ends.n)
		return;
	free(l->new_end);
	l->new_end = xstrdup(p->remarks.items[0]);
	for (size_t i = 0; i < l->old_ends.n; i++) {
		free(l->old_ends.items[i]);
		l->old_ends.items[i] = xstrdup(p->remarks.items[i + 1]);
	}
}

static int take_start(struct parser *p, const char *rest, struct err *err)
{
	_cleanup_strv_ struct strv words = { 0 };
	struct bisect_log *l = p->log;
	bool paths = false;

	if (l->start_line)
		return err_set(err, ERR_USAGE,
			       "line %u: a second start, after line %u; give one session at a time",
			       p->line, l->start_line);
	if (l->n_marks)
		return fail(p, "the start comes after a verdict", NULL, err);
	l->start_line = p->line;
	if (take_words(p, rest, &words, err) < 0)
		return -1;
	for (size_t i = 0; i < words.n; i++) {
		const char *word = words.items[i];

		if (!*word)
			return fail(p, "an empty word", NULL, err);
		if (paths)
			strv_add(&l->paths, word);
		else if (strcmp(word, "--") == 0)
			paths = true;
		else if (word[0] == '-' && take_flag(p, &words, &i, err) < 0)
			return -1;
		else if (word[0] != '-' && !l->new_end)
			l->new_end = xstrdup(word);
		else if (word[0] != '-')
			strv_add(&l->old_ends, word);
	}
	if (l->new_end)
		p->settled = true;
	pin_ends(p);
	return terms_check(l->old, l->new, false, err) < 0 ? err_prefix(err, "line %u", p->line)
							   : 0;
}

/* Without flags and ends on the start line the first verdict says which of git's pairs is meant. */
static int state_of(struct parser *p, const char *word, enum log_state *ret, struct err *err)
{
	struct bisect_log *l = p->log;

	if (strcmp(word, "skip") == 0) {
		*ret = LOG_SKIP;
		return 0;
	}
	if (!p->settled && (strcmp(word, "old") == 0 || strcmp(word, "new") == 0)) {
		set_term(p, LOG_OLD, "old");
		set_term(p, LOG_NEW, "new");
	}
	p->settled = true;
	if (strcmp(word, l->old) != 0 && strcmp(word, l->new) != 0)
		return err_set(
			err, ERR_USAGE,
			"line %u: '%.100s' is neither %s, %s nor skip, which the log calls the "
			"states",
			p->line, word, l->old, l->new);
	*ret = strcmp(word, l->old) == 0 ? LOG_OLD : LOG_NEW;
	return 0;
}

static int take_mark(struct parser *p, const char *word, const char *rest, struct err *err)
{
	_cleanup_strv_ struct strv words = { 0 };
	struct bisect_log *l = p->log;
	enum log_state state = LOG_SKIP;

	if (state_of(p, word, &state, err) < 0 || take_words(p, rest, &words, err) < 0)
		return -1;
	if (words.n != 1 || !*words.items[0])
		return fail(p, "one revision is wanted after", word, err);
	if (l->n_marks == MARKS_MAX)
		return fail(p, "more verdicts than any bisect has", NULL, err);
	if (l->n_marks == l->cap_marks) {
		l->cap_marks = l->cap_marks ? 2 * l->cap_marks : 64;
		l->marks = xrealloc(l->marks, l->cap_marks, sizeof(*l->marks));
	}
	l->marks[l->n_marks++] = (struct log_mark){
		.state = state,
		.rev = xstrdup(words.items[0]),
		.line = p->line,
	};
	return 0;
}

/* "# bad: [ID] subject" before the start names an end; all other comments are for people. */
static void take_comment(struct parser *p, const char *s)
{
	const char *id = strstr(s, ": [");
	_cleanup_free_ char *hex = NULL;

	if (p->log->start_line || !id || p->remarks.n == WORDS_MAX)
		return;
	id += strlen(": [");
	hex = xstrndup(id, strcspn(id, "]"));
	if (str_is_commit_id(hex))
		strv_take(&p->remarks, take_ptr(hex));
}

static int take_line(struct parser *p, const char *s, struct err *err)
{
	_cleanup_free_ char *word = NULL;

	s += strspn(s, " \t");
	if (!*s)
		return 0;
	if (*s == '#') {
		take_comment(p, s);
		return 0;
	}
	if (!str_starts(s, "git bisect ") && !str_starts(s, "git-bisect "))
		return fail(p, "no line of a `git bisect log`:", s, err);
	s += strlen("git bisect ");
	s += strspn(s, " \t");
	if (take_word(p, &s, &word, err) < 0)
		return -1;
	if (strcmp(word, "start") == 0)
		return take_start(p, s, err);
	if (strcmp(word, "terms") == 0) /* asked for by the user, and logged */
		return 0;
	if (!p->log->start_line)
		return fail(p, "a verdict before `git bisect start`", NULL, err);
	return take_mark(p, word, s, err);
}

static int parse(struct parser *p, const char *text, size_t len, struct err *err)
{
	size_t pos = 0;

	while (pos < len) {
		const char *s = text + pos;
		const char *end = memchr(s, '\n', len - pos);
		size_t n = end ? (size_t)(end - s) : len - pos;
		_cleanup_free_ char *line = NULL;

		p->line++;
		pos += n + 1;
		if (n > LINE_MAX_BYTES)
			return fail(p, "too long for a line of a log", NULL, err);
		if (memchr(s, '\0', n))
			return fail(p, "a NUL byte: this is no text", NULL, err);
		if (n && s[n - 1] == '\r')
			n--;
		line = xstrndup(s, n);
		if (take_line(p, line, err) < 0)
			return -1;
	}
	if (!p->log->start_line)
		return err_set(err, ERR_USAGE, "no `git bisect start` in it");
	return 0;
}

int bisect_log_parse(const char *text, size_t len, struct bisect_log *ret, struct err *err)
{
	_cleanup_(bisect_log_deinit) struct bisect_log log = { .old = "good", .new = "bad" };
	struct parser p = { .log = &log };
	int rc = parse(&p, text, len, err);

	strv_deinit(&p.remarks);
	if (rc < 0)
		return -1;
	*ret = log;
	log = (struct bisect_log){ 0 };
	return 0;
}
