// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bisect.conf: git's syntax, because everybody who bisects kernels has written it before.
 *
 * Exactly one file is read. Nobody's ~/.gitconfig is looked at, and an include in the file is an error:
 * a run must be repeatable from its one file.
 */
#include "range/conf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "range/gitlib.h"

/* Far beyond any real one; libgit2 takes a minute over 100 MB of it. */
#define CONF_BYTES_MAX (1 << 20)

static int check_file(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_set(err, ERR_USAGE, "cannot read %s: %s; name another with --config",
			       path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "%s is no regular file; name another with --config",
			       path);
	if (st.st_size > CONF_BYTES_MAX)
		return err_set(err, ERR_USAGE,
			       "%s is larger than 1 MiB; name another with --config", path);
	if (access(path, R_OK) < 0)
		return err_set(err, ERR_USAGE, "cannot read %s: %s; chmod +r it", path,
			       strerror(errno));
	return 0;
}

/* libgit2 follows includes by itself, so what came from an included file is told by its depth. */
static int give_entry(const git_config_entry *e, const char *path,
		      int (*each)(const char *key, const char *value, void *arg, struct err *err),
		      void *arg, struct err *err)
{
	if (e->include_depth || str_starts(e->name, "include.") ||
	    str_starts(e->name, "includeif."))
		return err_set(
			err, ERR_USAGE,
			"%s includes another file, which is not supported; copy its lines into %s",
			path, path);
	/* "[section] key" alone means true to git. */
	return each(e->name, e->value ? e->value : "true", arg, err);
}

int conf_read(const char *path,
	      int (*each)(const char *key, const char *value, void *arg, struct err *err),
	      void *arg, struct err *err)
{
	_cleanup_(git_config_free_p) git_config *config = NULL;
	_cleanup_(git_config_iterator_free_p) git_config_iterator *it = NULL;
	git_config_entry *e;
	int rc;

	gitlib_init();
	if (check_file(path, err) < 0)
		return -1;
	if (git_config_open_ondisk(&config, path) < 0 || git_config_iterator_new(&it, config) < 0)
		return err_set(err, ERR_USAGE,
			       "%s: %s; correct that line (git-config(1) has the syntax)", path,
			       gitlib_words());
	while ((rc = git_config_next(&e, it)) == 0)
		if (give_entry(e, path, each, arg, err) < 0)
			return -1;
	if (rc != GIT_ITEROVER)
		return err_set(err, ERR_USAGE,
			       "%s: %s; correct that line (git-config(1) has the syntax)", path,
			       gitlib_words());
	return 0;
}
