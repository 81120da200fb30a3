// SPDX-License-Identifier: GPL-2.0-or-later
/* Before the walk: ends that cannot bound a bisection are found here, in words that mend it. */
#include "range/ends.h"

#include <string.h>

#include "range/walk/revision.h"

char *ends_name(const char *rev, const git_oid *id)
{
	char hex[COMMIT_ID_SIZE];

	gitlib_hex(id, hex);
	return strcmp(rev, hex) == 0 ? str_printf("%.12s", hex)
				     : str_printf("%s (%.12s)", rev, hex);
}

const char *ends_old_word(const struct range_spec *spec)
{
	return spec->old_word ? spec->old_word : "good";
}

const char *ends_new_word(const struct range_spec *spec)
{
	return spec->new_word ? spec->new_word : "bad";
}

static int check_differ(const struct range_spec *spec, const char *good_rev, const git_oid *good_id,
			const git_oid *bad_id, struct err *err)
{
	_cleanup_free_ char *good = ends_name(good_rev, good_id);
	_cleanup_free_ char *bad = ends_name(spec->bad, bad_id);

	if (!git_oid_equal(good_id, bad_id))
		return 0;
	return err_set(err, ERR_USAGE,
		       "%s %s and %s %s are the same commit; name a %s one before the change and a "
		       "%s one after it",
		       ends_old_word(spec), good, ends_new_word(spec), bad, ends_old_word(spec),
		       ends_new_word(spec));
}

static bool is_known(const struct ends *e, const git_oid *id)
{
	for (size_t i = 0; i < e->n_good; i++)
		if (git_oid_equal(&e->good[i], id))
			return true;
	return false;
}

int ends_resolve(git_repository *repo, const struct range_spec *spec, struct ends *ret,
		 struct err *err)
{
	__attribute__((cleanup(ends_deinit))) struct ends e = { 0 };

	if (git_repository_is_shallow(repo) == 1)
		return err_set(err, ERR_USAGE,
			       "%s is a shallow clone, its history is cut off; git -C '%s' fetch "
			       "--unshallow",
			       gitlib_place(repo), gitlib_place(repo));
	if (!spec->n_good)
		return err_set(err, ERR_USAGE, "no %s revision is given; name one",
			       ends_old_word(spec));
	if (revision_resolve(repo, spec->bad, &e.bad, err) < 0)
		return -1;
	e.good = xcalloc(spec->n_good, sizeof(*e.good));
	e.given = xcalloc(spec->n_good, sizeof(*e.given));
	for (size_t i = 0; i < spec->n_good; i++) {
		git_oid id;

		if (revision_resolve(repo, spec->good[i], &id, err) < 0)
			return -1;
		if (is_known(&e, &id))
			continue;
		if (check_differ(spec, spec->good[i], &id, &e.bad, err) < 0)
			return -1;
		e.given[e.n_good] = i;
		git_oid_cpy(&e.good[e.n_good++], &id);
	}
	*ret = e;
	e = (struct ends){ 0 };
	return 0;
}

void ends_deinit(struct ends *e)
{
	free(e->good);
	free(e->given);
	*e = (struct ends){ 0 };
}
