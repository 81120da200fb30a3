// SPDX-License-Identifier: GPL-2.0-or-later
/* What earlier runs on this machine found: see known.h. */
#include "controller/known.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"
#include "store/store.h"

#define RUNS_MAX 64

/* Runs are named by their date, so names in reverse give the newest first; "latest" is one of them. */
static int newest_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

static int is_run(const struct dirent *d)
{
	return d->d_name[0] != '.' && strcmp(d->d_name, "latest") != 0;
}

static void get_id(struct store *s, const char *key, char ret[COMMIT_ID_SIZE])
{
	_cleanup_free_ char *value = NULL;
	struct err ignored;

	ret[0] = '\0';
	if (store_get(s, key, &value, &ignored) == 0 && value && strlen(value) < COMMIT_ID_SIZE)
		str_copy(ret, COMMIT_ID_SIZE, value);
}

static bool read_run(const char *dir, struct identity *ret)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_free_ char *outcome = NULL;
	struct err ignored;

	if (store_open(dir, false, &s, &ignored) < 0 ||
	    store_get(s, "run.outcome", &outcome, &ignored) < 0 || !outcome ||
	    strcmp(outcome, "proven") != 0)
		return false;
	*ret = (struct identity){ 0 };
	get_id(s, "culprit.commit", ret->id);
	get_id(s, "culprit.upstream", ret->upstream);
	get_id(s, "culprit.patch_id", ret->patch_id);
	ret->how = ret->upstream[0] ? SAME_UPSTREAM : SAME_NOT;
	return str_is_commit_id(ret->id);
}

size_t known_culprits(struct identity **ret)
{
	_cleanup_free_ char *state = path_state();
	struct dirent **names = NULL;
	int found = scandir(state, &names, is_run, newest_first);
	struct identity *known = xcalloc(RUNS_MAX, sizeof(*known));
	size_t n = 0;

	for (int i = 0; i < found; i++) {
		_cleanup_free_ char *dir = str_printf("%s/%s", state, names[i]->d_name);

		if (i < RUNS_MAX && read_run(dir, &known[n]))
			n++;
		free(names[i]);
	}
	free(names);
	*ret = known;
	return n;
}

void known_free(struct identity *known, size_t n)
{
	for (size_t i = 0; i < n; i++)
		identity_deinit(&known[i]);
	free(known);
}
