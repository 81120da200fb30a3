// SPDX-License-Identifier: GPL-2.0-or-later
/* Terms: see terms.h. What git would refuse is refused here, before a run makes a log with it. */
#include "controller/log/terms.h"

#include <string.h>

#include "base/str.h"

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

bool term_is_word(const char *word)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t len = strlen(word);

	if (!len || len >= TERM_SIZE || !strchr(letters, word[0]))
		return false;
	for (const char *c = word; *c; c++)
		if (!strchr(letters, *c) && !strchr("._-", *c))
			return false;
	/* git makes a ref of it: git-check-ref-format(1) */
	return !strstr(word, "..") && word[len - 1] != '.' && !str_ends(word, ".lock");
}

bool term_is_command(const char *word)
{
	static const char *const commands[] = {
		"help", "start",  "skip", "next", "reset", "visualize",
		"view", "replay", "log",  "run",  "terms",
	};

	return is_one_of(word, commands, ARRAY_SIZE(commands));
}

static int check_word(const char *flag, const char *word, const char *const *taken, size_t n,
		      struct err *err)
{
	if (!term_is_word(word))
		return err_set(
			err, ERR_USAGE,
			"--%s: '%s' is no word for a state; letters, digits, '-', '_' and '.', "
			"%d at most",
			flag, word, TERM_SIZE - 1);
	if (term_is_command(word))
		return err_set(err, ERR_USAGE,
			       "--%s: '%s' is a command of git bisect; take another word", flag,
			       word);
	if (is_one_of(word, taken, n))
		return err_set(err, ERR_USAGE,
			       "--%s: '%s' means the other state; take another word", flag, word);
	return 0;
}

int terms_check(const char *old, const char *new, bool fix, struct err *err)
{
	const char *const not_old[] = { "new", fix ? "good" : "bad" };
	const char *const not_new[] = { "old", fix ? "bad" : "good" };

	if (old && check_word("term-old", old, not_old, ARRAY_SIZE(not_old), err) < 0)
		return -1;
	if (new &&check_word("term-new", new, not_new, ARRAY_SIZE(not_new), err) < 0)
		return -1;
	if (old && new &&strcmp(old, new) == 0)
		return err_set(err, ERR_USAGE,
			       "--term-old and --term-new are both '%s'; the states need two words",
			       old);
	return 0;
}
