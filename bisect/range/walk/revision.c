// SPDX-License-Identifier: GPL-2.0-or-later
/* Revisions: see revision.h. */
#include "range/walk/revision.h"

#include <string.h>

#include "base/stop.h"
#include "range/objects/objects.h"

#define COUNT_MAX   INT32_MAX
#define CHECK_EVERY 4096 /* steps */

/* "~N": the first parent, N times; "^N": the Nth parent, once. */
struct turn {
	uint32_t steps;
	uint32_t parent; /* counted from 1; 0: the commit itself */
};

/* Where the turns begin: at the first '~' or '^' outside of braces; NULL: there are none to be taken here. */
static const char *find_turns(const char *rev)
{
	unsigned int braces = 0;

	for (const char *c = rev; *c; c++) {
		if (*c == ':' && !braces)
			return NULL; /* the rest is a path, or the start of a message */
		if ((*c == '~' || *c == '^') && !braces)
			return c == rev ? NULL : c;
		braces += *c == '{';
		braces -= *c == '}' && braces;
	}
	return NULL;
}

/* The number at *@s, or @none if there are no digits. */
static bool take_count(const char **s, uint32_t none, uint32_t *ret)
{
	size_t n = strspn(*s, "0123456789");
	_cleanup_free_ char *digits = xstrndup(*s, n);
	uint64_t count = none;

	if (n && !str_to_u64(digits, COUNT_MAX, &count))
		return false;
	*s += n;
	*ret = (uint32_t)count;
	return true;
}

/* Return: false if it is something that libgit2 has to read: "^{tree}", "^{/text}", or nothing that is right. */
static bool take_turn(const char **s, struct turn *ret)
{
	static const char *const peels[] = { "^{}", "^{commit}" };

	for (size_t i = 0; i < ARRAY_SIZE(peels); i++) {
		if (!str_starts(*s, peels[i]))
			continue;
		*s += strlen(peels[i]);
		*ret = (struct turn){ 0 };
		return true;
	}
	*ret = (struct turn){ .steps = 1, .parent = 1 };
	if (*(*s)++ == '~')
		return take_count(s, 1, &ret->steps);
	return take_count(s, 1, &ret->parent);
}

static int no_such(git_repository *repo, const char *rev, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "'%s' names no commit in %s; check the spelling, or fetch it first", rev,
		       gitlib_place(repo));
}

/* A loop, which only what is laid over can make, would be walked as often as @steps says: up to this. */
static int take_steps(struct reader *reader, const struct turn *turn, git_oid *id, struct err *err)
{
	git_oid seen = *id;
	uint32_t look = 1;

	for (uint32_t i = 1; turn->parent && i <= turn->steps; i++) {
		struct commit_head head;

		if (i % CHECK_EVERY == 0 && stop_check(err) < 0)
			return -1;
		if (reader_commit(reader, id, &head, err) < 0)
			return -1;
		if (turn->parent > head.n_parents)
			return 0;
		git_oid_cpy(id, &head.parents[turn->parent - 1]);
		if (git_oid_equal(id, &seen) && turn->steps > 1)
			return 0;
		if (i == look) {
			seen = *id;
			look *= 2;
		}
	}
	return 1;
}

static int turn_all(git_repository *repo, const char *rev, const char *turns, git_oid *id,
		    struct err *err)
{
	_cleanup_(objects_destroy_p) struct objects *objects = NULL;
	_cleanup_(reader_destroy_p) struct reader *reader = NULL;
	struct turn turn;

	if (objects_open(repo, &objects, err) < 0 || reader_create(objects, &reader, err) < 0)
		return -1;
	while (*turns) {
		int rc = take_turn(&turns, &turn) ? take_steps(reader, &turn, id, err) : 0;

		if (rc < 0)
			return -1;
		if (rc == 0)
			return no_such(repo, rev, err);
	}
	return 0;
}

/* Whether all turns can be taken here. */
static bool are_known(const char *turns)
{
	struct turn turn;

	while (*turns)
		if ((*turns != '~' && *turns != '^') || !take_turn(&turns, &turn))
			return false;
	return true;
}

int revision_resolve(git_repository *repo, const char *rev, git_oid *ret, struct err *err)
{
	const char *turns = find_turns(rev);
	bool known = turns && are_known(turns);
	size_t plain = turns && known ? (size_t)(turns - rev) : strlen(rev);
	_cleanup_free_ char *name = xstrndup(rev, plain);
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	git_oid id;

	if (turns && !known && !strpbrk(turns, "{:"))
		return no_such(repo, rev, err); /* libgit2 takes "^@" for something */
	if (gitlib_resolve(repo, name, &commit, err) < 0)
		return -1;
	git_oid_cpy(&id, git_commit_id(commit));
	if (known && turn_all(repo, rev, turns, &id, err) < 0)
		return -1;
	git_oid_cpy(ret, &id);
	return 0;
}
