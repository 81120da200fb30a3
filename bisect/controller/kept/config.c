// SPDX-License-Identifier: GPL-2.0-or-later
/* After a build: with which config. See config.h. */
#include "controller/kept/config.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/config.h"
#include "run_facts.h"

/* A distribution's has 300 KB. */
#define CONFIG_BYTES_MAX (8 << 20)

char *config_compiler(const char *path)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored;

	if (!path || fs_read(path, CONFIG_BYTES_MAX, &text, NULL, &ignored) < 0)
		return NULL;
	return config_value(text, "CONFIG_CC_VERSION_TEXT");
}

/* The first keeps the plain name, also where the run was killed before that was noted. */
static char *name_for(const char *dir, const char *digest)
{
	_cleanup_free_ char *first = str_printf("%s/config", dir);
	struct err ignored;
	char is[65];

	if (!fs_exists(first) ||
	    (fs_sha256_file(first, is, &ignored) == 0 && strcmp(is, digest) == 0))
		return xstrdup("config");
	return str_printf("config-%.12s", digest);
}

/* Nothing of it is noted before the file is there, so that a run killed in between does it again. */
static int keep(struct store *s, const char *dir, const char *path, const char *digest,
		struct err *err)
{
	_cleanup_free_ char *name = name_for(dir, digest);
	_cleanup_free_ char *to = str_printf("%s/%s", dir, name);
	_cleanup_free_ char *cc = config_compiler(path);
	_cleanup_free_ char *text = NULL;
	_cleanup_strv_ struct strv keys = { 0 };
	size_t len;

	strv_addf(&keys, "config.%.12s.digest", digest);
	strv_addf(&keys, "config.%.12s.cc", digest);
	strv_addf(&keys, "config.%.12s.file", digest);
	if (fs_read(path, CONFIG_BYTES_MAX, &text, &len, err) < 0 ||
	    fs_write(to, text, len, err) < 0)
		return -1;
	return facts_put(s,
			 (struct fact[]){ { keys.items[0], digest },
					  { keys.items[1], cc },
					  { keys.items[2], name },
					  { NULL, NULL } },
			 err);
}

int config_keep(struct store *s, const char *dir, const char *path, char ret[13], struct err *err)
{
	_cleanup_free_ char *key = NULL;
	_cleanup_free_ char *file = NULL;
	struct err ignored;
	char digest[65];

	ret[0] = '\0';
	if (!path || fs_sha256_file(path, digest, &ignored) < 0)
		return 0;
	key = str_printf("config.%.12s.file", digest);
	if (store_get(s, key, &file, err) < 0 || (!file && keep(s, dir, path, digest, err) < 0))
		return -1;
	str_copy(ret, 13, digest);
	return 0;
}
