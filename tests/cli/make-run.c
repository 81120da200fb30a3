// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stored run without a guest, for tests of the commands that only read. From standard input:
 *   fact KEY VALUE
 *   trial ROLE COMMIT VERDICT RULE REASON...
 */
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "store/store.h"

static int add_trial(struct store *s, char *line, struct err *err)
{
	struct store_verdict v = { 0 };
	enum store_role role;
	char *word[4];
	int64_t trial;

	for (size_t i = 0; i < 4; i++) {
		word[i] = line;
		line += strcspn(line, " ");
		if (!*line)
			return err_set(err, ERR_USAGE, "a word is missing");
		*line++ = '\0';
	}
	if (!store_role_parse(word[0], &role) || !verdict_parse(word[2], &v.verdict))
		return err_set(err, ERR_USAGE, "no role '%s' or no verdict '%s'", word[0], word[2]);
	str_copy(v.rule, sizeof(v.rule), word[3]);
	str_copy(v.reason, sizeof(v.reason), line);
	return store_begin(s, word[1], role, &trial, err) < 0 ? -1 : store_end(s, trial, &v, err);
}

static int add_line(struct store *s, char *line, struct err *err)
{
	char *key = line + strlen("fact ");
	char *value = strchr(key, ' ');

	if (str_starts(line, "trial "))
		return add_trial(s, line + strlen("trial "), err);
	if (!str_starts(line, "fact ") || !value)
		return err_set(err, ERR_USAGE, "no such line: %s", line);
	*value++ = '\0';
	return store_set(s, key, value, err);
}

int main(int argc, char **argv)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	char line[4096];
	struct err err;

	if (argc != 2)
		return 2;
	if (fs_mkdirs(argv[1], &err) < 0 || store_create(argv[1], &s, &err) < 0)
		goto fail;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (add_line(s, line, &err) < 0)
			goto fail;
	}
	return 0;
fail:
	fprintf(stderr, "make-run: %s\n", err.msg);
	return 1;
}
