// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a message says of other commits: see words.h.
 *
 * Tags have a line of their own. Prose is read as one text in which a line's end is a blank, as names of
 * commits are wrapped like any other words; what stands round a name says whether it is blamed.
 */
#include "range/audit/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "range/change/trailers.h"

#define MESSAGE_MAX   65536
#define MENTIONS_MAX  64
#define ORIGINS_MAX   8
#define SUBJECT_MIN   12 /* a shorter one names no commit */
#define SUBJECT_MAX   300
#define HEX_MIN	      7
#define PROSE_HEX_MIN 10  /* in prose shorter ones are mostly other numbers */
#define ROUND_BYTES   160 /* of a name, in which words of blame count */

struct span {
	const char *at, *end;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct span trim(struct span s)
{
	while (s.at < s.end && isspace((unsigned char)*s.at))
		s.at++;
	while (s.at < s.end && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

static bool starts(struct span s, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(s.end - s.at) >= len && strncasecmp(s.at, word, len) == 0;
}

/* Hex digits at a place, in lower case; the length, or 0 if they are no id. */
static size_t take_hex(struct span s, size_t min, char ret[COMMIT_ID_SIZE])
{
	size_t n = 0;

	while (s.at + n < s.end && n < COMMIT_ID_SIZE && isxdigit((unsigned char)s.at[n]))
		n++;
	if (n < min || n >= COMMIT_ID_SIZE || (s.at + n < s.end && is_word(s.at[n])))
		return 0;
	for (size_t i = 0; i < n; i++)
		ret[i] = (char)tolower((unsigned char)s.at[i]);
	ret[n] = '\0';
	return n;
}

static void add_mention(struct audit_words *w, enum audit_word word, const char *id,
			struct span subject)
{
	struct audit_mention *m;

	subject = trim(subject);
	if (subject.end - subject.at < SUBJECT_MIN || subject.end - subject.at > SUBJECT_MAX)
		subject.at = subject.end;
	if ((!*id && subject.at == subject.end) || w->n_mentions == MENTIONS_MAX)
		return;
	w->mentions = xrealloc(w->mentions, w->n_mentions + 1, sizeof(*w->mentions));
	m = &w->mentions[w->n_mentions++];
	*m = (struct audit_mention){ .word = word };
	str_copy(m->id, sizeof(m->id), id);
	if (subject.at < subject.end)
		m->subject = xstrndup(subject.at, (size_t)(subject.end - subject.at));
}

static void add_origin(struct audit_words *w, const char *id)
{
	for (size_t i = 0; i < w->n_origins; i++)
		if (strcmp(w->origins[i], id) == 0)
			return;
	if (w->n_origins == ORIGINS_MAX)
		return;
	w->origins = xrealloc(w->origins, w->n_origins + 1, sizeof(*w->origins));
	str_copy(w->origins[w->n_origins++], COMMIT_ID_SIZE, id);
}

/* What stands in quotes from a place on: it may hold quotes itself, and ends with ", or ") . */
static struct span quoted(struct span s)
{
	struct span none = { s.end, s.end };
	const char *q, *close = NULL;
	int depth = 0;

	while (s.at < s.end && (isspace((unsigned char)*s.at) || *s.at == '('))
		s.at++;
	if (s.at == s.end || *s.at != '"')
		return none;
	for (q = ++s.at; q < s.end && q - s.at <= SUBJECT_MAX; q++) {
		if (*q != '"')
			continue;
		/* Revert "x" within quotes opens one more. */
		if (q > s.at && q[-1] == ' ' && q + 1 < s.end && is_word(q[1])) {
			depth++;
			continue;
		}
		close = q;
		if (depth-- == 0)
			break;
	}
	return close ? (struct span){ s.at, close } : none;
}

static const char *const blame_words[] = {
	"introduc",  "regress",	 "broke",  "break",	"caus",	     "since ",	   "after ",
	"missed",    "missing",	 "forgot", "wrong",	"incorrect", "fix",	   "leftover",
	"left over", "overlook", "fail",   "no longer", "bug",	     "accidental", "unintend",
	"mistake",   "leak",	 "issue",  "revert",	"undo",	     "not needed", "unnecessary",
};

/* Words that make of a name a model, a place to look at, or what was before. */
static const char *const model_words[] = {
	"similar to", "like ",	    "same as", "as in ",	   "see ",
	"inspired",   "analog",	    "prepar",  "follow-up series", "based on",
	"cherry",     "depends on", "mirror",  "copied",	   "also ",
};

static bool has_any(struct span s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(words[i]);

		for (const char *p = s.at; p + len <= s.end; p++)
			if (strncasecmp(p, words[i], len) == 0 && (p == s.at || !is_word(p[-1])))
				return true;
	}
	return false;
}

/* The sentence or paragraph that a name stands in, as far as it counts. */
static bool is_blamed(struct span text, const char *name, const char *behind)
{
	struct span round = { name, behind };

	while (round.at > text.at && name - round.at < ROUND_BYTES && round.at[-1] != '\1')
		round.at--;
	while (round.end < text.end && round.end - behind < ROUND_BYTES && *round.end != '\1')
		round.end++;
	return has_any(round, blame_words, ARRAY_SIZE(blame_words)) &&
	       !has_any((struct span){ name - round.at > 40 ? name - 40 : round.at, name },
			model_words, ARRAY_SIZE(model_words));
}

/* "commit " or "commits " right before, or the quoted subject right behind. */
static bool is_introduced(struct span text, const char *name, const char *behind)
{
	struct span before = trim((struct span){ text.at, name });
	struct span after = trim((struct span){ behind, text.end });

	if (before.end - before.at >= 6 && (strncasecmp(before.end - 6, "commit", 6) == 0 ||
					    strncasecmp(before.end - 6, "ommits", 6) == 0))
		return true;
	return after.end - after.at > 2 && (strncmp(after.at, "(\"", 2) == 0 || *after.at == '"');
}

static bool reverts_before(struct span text, const char *name)
{
	struct span before = { name - text.at > 40 ? name - 40 : text.at, name };

	return has_any(before, (const char *const[]){ "reverts commit", "revert commit" }, 2) &&
	       !has_any(before,
			(const char *const[]){ "partial", "part of", "should", "to revert" }, 4);
}

static void read_ids(struct audit_words *w, struct span text)
{
	for (const char *p = text.at; p < text.end; p++) {
		char id[COMMIT_ID_SIZE];
		size_t n;

		if (!isxdigit((unsigned char)*p) ||
		    (p > text.at && (is_word(p[-1]) || p[-1] == '/')))
			continue;
		n = take_hex((struct span){ p, text.end }, PROSE_HEX_MIN, id);
		if (n && is_introduced(text, p, p + n)) {
			struct span subject = quoted((struct span){ p + n, text.end });
			enum audit_word word = AUDIT_NAMES;

			if (reverts_before(text, p))
				word = AUDIT_REVERTS;
			else if (is_blamed(text, p, subject.at < subject.end ? subject.end : p + n))
				word = AUDIT_BLAMES;
			add_mention(w, word, id, subject);
		}
		while (p < text.end && is_word(*p))
			p++;
	}
}

/* A subject in quotes with no id: it is known as one by whoever has that subject. */
static void read_quotes(struct audit_words *w, struct span text)
{
	for (const char *p = text.at; p < text.end; p++) {
		struct span subject;

		if (*p != '"' || (p > text.at && is_word(p[-1])))
			continue;
		subject = quoted((struct span){ p, text.end });
		if (subject.at == subject.end)
			continue;
		if (memmem(subject.at, (size_t)(subject.end - subject.at), ": ", 2))
			add_mention(w, is_blamed(text, p, subject.end) ? AUDIT_BLAMES : AUDIT_NAMES,
				    "", subject);
		p = subject.end;
	}
}

/* "Fixes: ID ("SUBJECT")"; the id, the brackets or the quotes may be left out. */
static void read_fixes(struct audit_words *w, struct span line)
{
	char id[COMMIT_ID_SIZE] = "";
	struct span rest, subject;
	size_t n;

	line.at += strlen("fixes");
	while (line.at < line.end && (isspace((unsigned char)*line.at) || *line.at == ':'))
		line.at++;
	if (starts(line, "commit"))
		line = trim((struct span){ line.at + 6, line.end });
	n = take_hex(line, HEX_MIN, id);
	rest = trim((struct span){ line.at + n, line.end });
	while (rest.at < rest.end && *rest.at == ':')
		rest = trim((struct span){ rest.at + 1, rest.end });
	subject = quoted(rest);
	if (subject.at == subject.end) {
		while (rest.at < rest.end && strchr("('`", *rest.at))
			rest.at++;
		while (rest.at < rest.end && strchr(")'`\"", rest.end[-1]))
			rest.end--;
		subject = rest;
	}
	if (memmem(subject.at, (size_t)(subject.end - subject.at), "://", 3))
		return; /* a bug's page */
	add_mention(w, AUDIT_FIXES, id, subject);
}

/* Lines that are no prose: whom, where, and what machines add. */
static bool is_tag(struct span line)
{
	static const char *const tags[] = {
		"link:",	"closes:",     "change-id:",   "stable-dep-of:", "bug:",
		"reported-by:", "message-id:", "bisected-by:", "signed-off-by:", "git-commit:"
	};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (starts(line, tags[i]))
			return true;
	return false;
}

/* Read as if it had a paragraph of its own, as some forms must. */
static bool is_pick(struct span line, char id[COMMIT_ID_SIZE])
{
	char text[256];
	int len = snprintf(text, sizeof(text), "\n\n%.*s\n", (int)(line.end - line.at), line.at);

	return len < (int)sizeof(text) && trailers_parse(text, strlen(text), id) != SAME_NOT;
}

static bool is_fixes(struct span line)
{
	return starts(line, "fixes:") || starts(line, "fixes :");
}

/* A tag that does not close its quotes goes on in the next line. */
static bool is_open(struct span line)
{
	return memchr(line.at, '"', (size_t)(line.end - line.at)) && line.end[-1] != ')' &&
	       line.end[-1] != '"';
}

static void read_line(struct audit_words *w, struct span line, struct buf *prose)
{
	char id[COMMIT_ID_SIZE];

	if (line.at == line.end) {
		buf_add(prose, "\1", 1); /* where one paragraph ends */
	} else if (starts(line, "cc:")) {
		w->cc_stable |= memmem(line.at, (size_t)(line.end - line.at), "stable@", 7) != NULL;
	} else if (is_pick(line, id)) {
		add_origin(w, id);
	} else if (!is_tag(line)) {
		buf_add(prose, line.at, (size_t)(line.end - line.at));
		buf_add(prose, " ", 1);
	}
}

static void read_lines(struct audit_words *w, struct span message, struct buf *prose)
{
	_cleanup_buf_ struct buf tag = { 0 };

	while (message.at < message.end) {
		const char *nl = memchr(message.at, '\n', (size_t)(message.end - message.at));
		struct span line = trim((struct span){ message.at, nl ? nl : message.end });

		message.at = nl ? nl + 1 : message.end;
		if (tag.len) {
			buf_add(&tag, " ", 1);
			buf_add(&tag, line.at, (size_t)(line.end - line.at));
			read_fixes(w, (struct span){ tag.data, tag.data + tag.len });
			buf_deinit(&tag);
			tag = (struct buf){ 0 };
		} else if (is_fixes(line) && is_open(line)) {
			buf_add(&tag, line.at, (size_t)(line.end - line.at));
		} else if (is_fixes(line)) {
			read_fixes(w, line);
		} else {
			read_line(w, line, prose);
		}
	}
	if (tag.len)
		read_fixes(w, (struct span){ tag.data, tag.data + tag.len });
}

/* 'Revert "X"', 'Reapply "X"': the second takes back a revert of X. */
static void read_title(struct audit_words *w, struct span title)
{
	struct span subject;
	char *made;

	if (starts(title, "revert ")) {
		subject = quoted((struct span){ title.at + 7, title.end });
		add_mention(w, AUDIT_REVERTS, "", subject);
	} else if (starts(title, "reapply ")) {
		subject = quoted((struct span){ title.at + 8, title.end });
		made = str_printf("Revert \"%.*s\"", (int)(subject.end - subject.at), subject.at);
		add_mention(w, AUDIT_REVERTS, "", (struct span){ made, made + strlen(made) });
		free(made);
	}
}

void words_parse(const char *message, size_t len, struct audit_words *ret)
{
	struct span all = { message, message + (len < MESSAGE_MAX ? len : MESSAGE_MAX) };
	_cleanup_buf_ struct buf prose = { 0 };
	struct audit_words w = { 0 };
	char id[COMMIT_ID_SIZE];
	const char *nl;

	while (all.at < all.end && *all.at == '\n')
		all.at++;
	nl = all.at < all.end ? memchr(all.at, '\n', (size_t)(all.end - all.at)) : NULL;
	read_title(&w, trim((struct span){ all.at, nl ? nl : all.end }));
	if (trailers_parse(all.at, (size_t)(all.end - all.at), id) != SAME_NOT)
		add_origin(&w, id);
	if (nl)
		read_lines(&w, (struct span){ nl + 1, all.end }, &prose);
	if (prose.len) {
		read_ids(&w, (struct span){ prose.data, prose.data + prose.len });
		read_quotes(&w, (struct span){ prose.data, prose.data + prose.len });
	}
	*ret = w;
}

void words_deinit(struct audit_words *w)
{
	for (size_t i = 0; i < w->n_mentions; i++)
		free(w->mentions[i].subject);
	free(w->mentions);
	free(w->origins);
	*w = (struct audit_words){ 0 };
}
