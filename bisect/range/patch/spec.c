// SPDX-License-Identifier: GPL-2.0-or-later
/* What a user asks for, before anything is looked up: see spec.h. */
#include "range/patch/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define BLANKS " \t"

void patch_spec_deinit(struct patch_spec *s)
{
	free(s->name);
	strv_deinit(&s->if_has);
	strv_deinit(&s->unless_has);
	*s = (struct patch_spec){ 0 };
}

/* Cuts the last word off @text, which has no blanks at its end; it is left without any again. */
static char *cut_word(char *text)
{
	size_t len = strlen(text), from = len;
	char *word;

	while (from && !strchr(BLANKS, text[from - 1]))
		from--;
	word = xstrdup(text + from);
	while (from && strchr(BLANKS, text[from - 1]))
		from--;
	text[from] = '\0';
	return word;
}

static struct strv *list_of(struct patch_spec *s, const char *word)
{
	if (strcmp(word, "if-has") == 0)
		return &s->if_has;
	return strcmp(word, "unless-has") == 0 ? &s->unless_has : NULL;
}

/* Return: whether there was a condition at the end of @text, which is cut off. */
static bool cut_condition(struct patch_spec *s, char *text)
{
	_cleanup_free_ char *rest = xstrdup(text);
	_cleanup_free_ char *rev = cut_word(rest);
	_cleanup_free_ char *word = cut_word(rest);
	struct strv *list = list_of(s, word);

	if (!list)
		return false;
	strv_add(list, rev);
	strcpy(text, rest);
	return true;
}

int patch_spec_parse(const char *text, struct patch_spec *ret, struct err *err)
{
	_cleanup_(patch_spec_deinit) struct patch_spec s = { 0 };
	size_t len;

	text += strspn(text, BLANKS);
	len = strlen(text);
	while (len && strchr(BLANKS, text[len - 1]))
		len--;
	s.name = xstrndup(text, len);
	while (cut_condition(&s, s.name))
		;
	if (!*s.name)
		return err_set(err, ERR_USAGE,
			       "'%s' names no patch; give a file with a diff, or a commit", text);
	for (const char *word = "if-has"; word; word = *word == 'i' ? "unless-has" : NULL) {
		size_t n = strlen(s.name), k = strlen(word);

		if (str_ends(s.name, word) && (n == k || strchr(BLANKS, s.name[n - k - 1])))
			return err_set(err, ERR_USAGE,
				       "'%s' ends with %s; name a revision behind it", text, word);
	}
	*ret = s;
	s = (struct patch_spec){ 0 };
	return 0;
}
