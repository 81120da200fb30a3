// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words that trees use for "this is that commit": see trailers.h.
 *
 * Each form is a line of its own. In the middle of a text the same words only speak about a commit, and
 * what a revert takes back is often "which is\ncommit ID upstream.", so that form must open a paragraph.
 */
#include "range/change/trailers.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define HEX_MIN 12

struct line {
	const char *at;
	const char *end;
};

/* What was seen of the message above a line. */
struct above {
	bool blank;   /* the line right above is empty, or the subject */
	bool tracker; /* a distribution's header with a bug or the upstream's state */
};

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static struct line trimmed(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (at < end && isspace((unsigned char)end[-1]))
		end--;
	return (struct line){ at, end };
}

/* One of the words, in any case, with blanks or punctuation behind it: both are skipped. */
static bool eat(struct line *l, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(l->end - l->at) < len || strncasecmp(l->at, word, len) != 0 ||
	    (l->at + len < l->end && isalnum((unsigned char)l->at[len])))
		return false;
	l->at += len;
	while (l->at < l->end && is_one_of(*l->at, " \t:-"))
		l->at++;
	return true;
}

static bool eat_id(struct line *l, char ret[COMMIT_ID_SIZE])
{
	size_t n = 0;

	while (l->at + n < l->end && isxdigit((unsigned char)l->at[n]))
		n++;
	if (n < HEX_MIN || n >= COMMIT_ID_SIZE ||
	    (l->at + n < l->end && isalnum((unsigned char)l->at[n])))
		return false;
	for (size_t i = 0; i < n; i++)
		ret[i] = (char)tolower((unsigned char)l->at[i]);
	ret[n] = '\0';
	l->at += n;
	return true;
}

static bool ends_with_word(const struct line *l, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(l->end - l->at) > len && strncasecmp(l->end - len, word, len) == 0 &&
	       !isalnum((unsigned char)l->end[-(long)len - 1]);
}

/* What a line is without the brackets round it and the stop at its end. */
static struct line bare(struct line l)
{
	while (l.at < l.end && is_one_of(*l.at, "(["))
		l.at++;
	while (l.at < l.end && is_one_of(l.end[-1], ")].,"))
		l.end--;
	return trimmed(l.at, l.end);
}

/* "(cherry picked from commit ID)", and what is said behind the id about the tree it was in. */
static bool is_pick(struct line l, char ret[COMMIT_ID_SIZE])
{
	bool bracket = l.at < l.end && *l.at == '(';

	l = bare(l);
	if (!(eat(&l, "cherry") && eat(&l, "picked")) && !eat(&l, "backported") &&
	    !(eat(&l, "back") && eat(&l, "ported")) && !eat(&l, "backport"))
		return false;
	if (!eat(&l, "from") && !eat(&l, "of"))
		return false;
	eat(&l, "upstream");
	eat(&l, "commit");
	return eat_id(&l, ret) && (bracket || l.at == l.end);
}

/* On top of a paragraph, or in brackets: not the middle of a sentence. */
static bool stands_alone(const struct line *l, const struct above *above)
{
	return above->blank || (l->at < l->end && is_one_of(*l->at, "(["));
}

/* "commit ID upstream.", maybe with the subject in between. */
static bool is_stable(struct line l, const struct above *above, char ret[COMMIT_ID_SIZE])
{
	bool alone = stands_alone(&l, above);

	l = bare(l);
	return alone && eat(&l, "commit") && eat_id(&l, ret) && ends_with_word(&l, "upstream");
}

/* "[ Upstream commit ID ]", or anywhere "Upstream commit: ID", "Git-commit: ID". */
static bool is_named(struct line l, const struct above *above, char ret[COMMIT_ID_SIZE])
{
	bool alone = stands_alone(&l, above);
	const char *word;

	l = bare(l);
	if (!eat(&l, "upstream") && !eat(&l, "git") && !eat(&l, "mainline"))
		return false;
	word = l.at;
	if (!eat(&l, "commit"))
		return false;
	alone |= memchr(word, ':', (size_t)(l.at - word)) != NULL;
	return alone && eat_id(&l, ret) && l.at == l.end;
}

/* "commit ID" alone, where the line below shows that a distribution's header is meant. */
static bool is_header(struct line l, struct line next, const struct above *above,
		      char ret[COMMIT_ID_SIZE])
{
	if (!eat(&l, "commit") || !eat_id(&l, ret) || l.at != l.end)
		return false;
	return eat(&next, "category") || (above->tracker && eat(&next, "author"));
}

static bool is_tracker(struct line l)
{
	return eat(&l, "jira") || eat(&l, "bugzilla") || (eat(&l, "upstream") && eat(&l, "status"));
}

/* The line at @at without its ends; @next: where the one below begins. */
static struct line line_at(const char *at, const char *end, const char **next)
{
	const char *nl = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

	*next = nl ? nl + 1 : end;
	return trimmed(at, nl ? nl : end);
}

enum same_how trailers_parse(const char *message, size_t len, char ret[COMMIT_ID_SIZE])
{
	const char *end = message + len;
	char pick[COMMIT_ID_SIZE] = "";
	struct above above = { 0 };
	const char *at = message;

	while (at < end) {
		char id[COMMIT_ID_SIZE];
		const char *below, *ignored;
		struct line l = line_at(at, end, &below);
		struct line next = line_at(below, end, &ignored);

		if (is_stable(l, &above, id) || is_named(l, &above, id) ||
		    is_header(l, next, &above, id)) {
			str_copy(ret, COMMIT_ID_SIZE, id);
			return SAME_UPSTREAM;
		}
		if (is_pick(l, id))
			str_copy(pick, sizeof(pick), id);
		above.tracker |= is_tracker(l);
		above.blank = l.at == l.end || at == message;
		at = below;
	}
	str_copy(ret, COMMIT_ID_SIZE, pick);
	return *pick ? SAME_PICK : SAME_NOT;
}
