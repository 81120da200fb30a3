// SPDX-License-Identifier: GPL-2.0-or-later
/* The check of owners that libgit2 makes in the call that opens a repository with its grafts, and nowhere else. */
#include "range/door/owner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "range/gitlib.h"

static bool is_sudo_user(uid_t uid)
{
	const char *text = getenv("SUDO_UID");
	char *end;
	uintmax_t id;

	if (geteuid() != 0 || !text || *text < '0' || *text > '9')
		return false;
	id = strtoumax(text, &end, 10);
	return !*end && id == uid;
}

/* What is not there is nobody's. */
static bool is_ours(const char *path, bool only_files)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT;
	return (only_files && !S_ISREG(st.st_mode)) || st.st_uid == geteuid() ||
	       is_sudo_user(st.st_uid);
}

struct asked {
	const char *place;
	size_t len; /* without the final '/' */
	bool safe;
};

/* An empty value takes back all before it, and '*' stands for any place. */
static int look(const git_config_entry *entry, void *data)
{
	struct asked *a = data;

	if (!entry->value || !*entry->value)
		a->safe = false;
	else if (strcmp(entry->value, "*") == 0 ||
		 (strlen(entry->value) == a->len && memcmp(entry->value, a->place, a->len) == 0))
		a->safe = true;
	return 0;
}

static bool is_named_safe(const char *place)
{
	_cleanup_(git_config_free_p) git_config *config = NULL;
	struct asked asked = { .place = place, .len = strlen(place) };

	if (asked.len > 1 && place[asked.len - 1] == '/')
		asked.len--;
	if (git_config_open_default(&config) == 0)
		git_config_get_multivar_foreach(config, "safe.directory", NULL, look, &asked);
	return asked.safe;
}

bool owner_is_trusted(const char *tree, const char *link, const char *git)
{
	if ((!tree || is_ours(tree, false)) && is_ours(link, true) && is_ours(git, false))
		return true;
	return is_named_safe(tree ? tree : git);
}
