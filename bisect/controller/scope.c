// SPDX-License-Identifier: GPL-2.0-or-later
/* Before the first build: which scope sees all that the range changes. See scope.h. */
#include "controller/scope.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "controller/depends.h"
#include "controller/kernel_part.h"
#include "range/change/change.h"

static const char driver[] = "drivers/gpu/drm/amd";

/* What a range changes outside of the driver. */
struct survey {
	const struct strv *within; /* only files there are the candidate's; NULL: all are */
	struct strv read;	   /* by builds that are known, sorted */
	char file[128];		   /* the first that was met; "": none */
	bool more;		   /* others as well */
	size_t n_hits;		   /* candidates that change one */
	bool ends_differ;
};

static void survey_deinit(struct survey *s)
{
	strv_deinit(&s->read);
}

/* "./a/b/" as "a/b"; "" stands for the root. */
static struct strv plain_paths(const struct strv *paths)
{
	struct strv ret = { 0 };

	for (size_t i = 0; i < paths->n; i++) {
		const char *p = paths->items[i];
		size_t len;

		while (str_starts(p, "./"))
			p += 2;
		if (strcmp(p, ".") == 0)
			p = "";
		for (len = strlen(p); len && p[len - 1] == '/';)
			len--;
		strv_take(&ret, xstrndup(p, len));
	}
	return ret;
}

static bool is_at_or_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !len || (str_starts(path, dir) && (path[len] == '\0' || path[len] == '/'));
}

static bool is_within(const struct survey *s, const char *path)
{
	for (size_t i = 0; s->within && i < s->within->n; i++)
		if (is_at_or_below(path, s->within->items[i]))
			return true;
	return !s->within;
}

static bool leads_within(const struct survey *s, const char *dir)
{
	for (size_t i = 0; s->within && i < s->within->n; i++)
		if (is_at_or_below(s->within->items[i], dir))
			return true;
	return is_within(s, dir);
}

static size_t first_not_before(const struct strv *sorted, const char *s)
{
	size_t low = 0, high = sorted->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(sorted->items[mid], s) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool was_read(const struct survey *s, const char *path)
{
	size_t i = first_not_before(&s->read, path);

	return i < s->read.n && strcmp(s->read.items[i], path) == 0;
}

static bool was_read_below(const struct survey *s, const char *dir)
{
	_cleanup_free_ char *first = str_printf("%s/", dir);
	size_t i = first_not_before(&s->read, first);

	return i < s->read.n && str_starts(s->read.items[i], first);
}

static bool enters(void *arg, const char *dir)
{
	const struct survey *s = arg;

	return !is_at_or_below(dir, driver) && leads_within(s, dir) &&
	       (kernel_part_below(dir) || was_read_below(s, dir));
}

static bool counts(void *arg, const char *path)
{
	struct survey *s = arg;

	if (is_at_or_below(path, driver) || !is_within(s, path) ||
	    !(kernel_part(path) || was_read(s, path)))
		return false;
	if (!s->file[0])
		str_copy(s->file, sizeof(s->file), path);
	s->more |= strcmp(s->file, path) != 0;
	return true;
}

static bool only_driver(const struct strv *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (!is_at_or_below(paths->items[i], driver))
			return false;
	return true;
}

static int look(const char *repo, const struct range *range, struct survey *s, struct err *err)
{
	const struct change_files what = { .enters = enters, .counts = counts, .arg = s };
	_cleanup_free_ bool *hit = xcalloc(range->n, sizeof(*hit));

	for (enum build_scope scope = 0; scope < BUILD_SCOPES; scope++)
		depends_recall(repo, build_scope_name(scope), &s->read);
	strv_sort_once(&s->read);
	if (change_touches_such(repo, range, &what, hit, err) < 0)
		return -1;
	for (size_t i = 0; i < range->n; i++)
		s->n_hits += hit[i];
	for (size_t i = 0; !s->n_hits && !s->ends_differ && i < range->n_good; i++) {
		int rc = change_between(repo, range->good_ids[i], range->bad_id, &what, err);

		if (rc < 0)
			return -1;
		s->ends_differ = rc;
	}
	return 0;
}

/* "mm/hmm.c and others change in 3 of 64 candidates" */
static void say_hits(const struct survey *s, const struct range *range, char *ret, size_t size)
{
	if (s->n_hits)
		snprintf(ret, size, "%s%s in %zu of %zu candidate%s", s->file,
			 s->more ? " and others change" : " changes", s->n_hits, range->n,
			 range->n == 1 ? "" : "s");
	else
		snprintf(ret, size, "%s%s between the ends", s->file,
			 s->more ? " and others differ" : " differs");
}

static void say_none(const struct survey *s, bool alone, const struct range *range, char *ret,
		     size_t size)
{
	if (alone)
		snprintf(ret, size, "the candidates' files are those of %s", driver);
	else
		snprintf(ret, size, "no candidate of %zu changes what %s stands on%s", range->n,
			 driver, s->within ? " in the paths" : "");
}

int scope_choose(const struct options *o, const char *repo, const struct range *range,
		 struct scope_choice *ret, struct err *err)
{
	const char *given = options_str(o, OPT_SCOPE);
	bool choose = strcmp(given, "auto") == 0;
	bool whole = strcmp(options_str(o, OPT_TREE), "whole") == 0;
	_cleanup_strv_ struct strv paths = plain_paths(options_list(o, OPT_PATH));
	_cleanup_(survey_deinit) struct survey s = { .within = whole ? NULL : &paths };
	bool alone = !whole && only_driver(&paths), hit;
	struct scope_choice is = { .chosen = choose };
	struct err failed;
	char said[200];

	/* What is only a warning stops nothing. */
	if (!alone && look(repo, range, &s, &failed) < 0 &&
	    (choose || failed.kind == ERR_STOPPED)) {
		*err = failed;
		return -1;
	}
	hit = s.n_hits || s.ends_differ;
	if (hit)
		say_hits(&s, range, said, sizeof(said));
	else
		say_none(&s, alone, range, said, sizeof(said));
	if (choose) {
		is.scope = hit ? BUILD_SCOPE_KERNEL : BUILD_SCOPE_MODULE;
		str_copy(is.why, sizeof(is.why), said);
	} else {
		build_scope_parse(given, &is.scope);
		str_copy(is.why, sizeof(is.why),
			 options_given(o, OPT_SCOPE) ? "as --scope says" : "the default");
	}
	if (hit && is.scope != BUILD_SCOPE_KERNEL)
		snprintf(is.warning, sizeof(is.warning),
			 "scope %s does not see it: %s; --scope kernel does", given, said);
	else if (!choose && is.scope != BUILD_SCOPE_KERNEL && options_given(o, OPT_DRIVER))
		snprintf(is.warning, sizeof(is.warning),
			 "--driver counts at scope kernel alone, and this is scope %s", given);
	*ret = is;
	return 0;
}

int scope_settle(struct options *o, const char *repo, const struct range *range,
		 struct scope_choice *ret, struct err *err)
{
	if (scope_choose(o, repo, range, ret, err) < 0)
		return -1;
	if (strcmp(options_str(o, OPT_SCOPE), "auto") != 0)
		return 0;
	return options_set(o, options_key(OPT_SCOPE), build_scope_name(ret->scope),
			   o->o[OPT_SCOPE].origin, err);
}

int scope_settle_commits(struct options *o, const char *repo, const char *const *ids, size_t n,
			 struct scope_choice *ret, struct err *err)
{
	_cleanup_free_ struct range_commit *commits = xcalloc(n, sizeof(*commits));
	_cleanup_free_ char(*others)[COMMIT_ID_SIZE] = xcalloc(n, sizeof(*others));
	struct range range = { .commits = commits, .n = n, .good_ids = others, .n_good = n - 1 };

	for (size_t i = 0; i < n; i++)
		str_copy(commits[i].id, sizeof(commits[i].id), ids[i]);
	for (size_t i = 1; i < n; i++)
		str_copy(others[i - 1], sizeof(others[i - 1]), ids[i]);
	str_copy(range.bad_id, sizeof(range.bad_id), ids[0]);
	return scope_settle(o, repo, &range, ret, err);
}
