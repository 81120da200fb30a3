// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel's Kconfig files: see kconfig.h. */
#include "build/kernel/kconfig.h"

#include <errno.h>
#include <fts.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"

#define FILE_MAX_BYTES (4u << 20)
#define PREFIX	       "CONFIG_"
#define BLANKS	       " \t\r\n\\"

DEFINE_CLEANUP(FTS *, fts_close)

void kconfig_files(const char *cmd, struct strv *ret)
{
	/* The rest are environment variables that were asked, and their values. */
	const char *p = strstr(cmd, "deps_config :=");
	size_t len;

	for (p = p ? p + strcspn(p, "\\\n") : ""; *p && *p != '\n'; p += len) {
		p += strspn(p, " \t\r\\");
		/* a line that goes on ends with a backslash, so this one is the last */
		if (*p == '\n' && p[-1] != '\\')
			break;
		p += strspn(p, "\n \t");
		len = strcspn(p, BLANKS);
		if (len)
			strv_take(ret, xstrndup(p, len));
	}
	strv_sort_once(ret);
}

static bool is_word(const char *p, const char *word)
{
	size_t len = strlen(word);

	return strncmp(p, word, len) == 0 && (!p[len] || strchr(BLANKS, p[len]));
}

bool kconfig_defines(const char *text, const char *option)
{
	const char *name = option + (str_starts(option, PREFIX) ? strlen(PREFIX) : 0);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		size_t skip;

		p += strspn(p, "\n \t");
		skip = is_word(p, "config") ? 6 : is_word(p, "menuconfig") ? 10 : 0;
		if (skip && is_word(p + skip + strspn(p + skip, " \t"), name))
			return true;
	}
	return false;
}

int kconfig_text(const char *linux_dir, struct buf *ret, struct err *err)
{
	_cleanup_free_ char *root = xstrdup(linux_dir);
	char *const roots[] = { root, NULL };
	_cleanup_(fts_close_p) FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;

	if (!fts)
		return err_errno(err, ERR_HOST, "cannot read %s", linux_dir);
	while ((e = fts_read(fts))) {
		_cleanup_free_ char *text = NULL;

		if (stop_check(err) < 0)
			return -1;
		if (e->fts_info != FTS_F || !str_starts(e->fts_name, "Kconfig"))
			continue;
		if (fs_read(e->fts_path, FILE_MAX_BYTES, &text, NULL, err) < 0)
			return -1;
		buf_puts(ret, text);
		buf_puts(ret, "\n");
	}
	return 0;
}
