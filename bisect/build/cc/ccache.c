// SPDX-License-Identifier: GPL-2.0-or-later
/* ccache under make: see ccache.h. */
#include "build/cc/ccache.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/spawn.h"

#define SHARE	       4 /* of the whole cache is ccache's, one part of so many */
#define LIST_MAX_BYTES (64u << 20)
#define MIB	       (UINT64_C(1) << 20)

enum state { IN_USE, PASSES_ON, NOT_CALLED };

struct ccache {
	char *dir;
	uint64_t max_bytes;
	struct progress *progress;
	_Atomic enum state state;
};

static void warn(struct progress *p, const char *why)
{
	if (p)
		progress_warn(p, "ccache is not used, so builds take longer: %s", why);
}

/* Why it does not work, owned by the caller; NULL: it does. */
static char *trouble(const char *dir)
{
	_cleanup_free_ char *set = str_printf("CCACHE_DIR=%s", dir);
	_cleanup_buf_ struct buf out = { 0 };
	struct spawn_result result;
	struct err err = { 0 };
	const struct spawn spawn = {
		.argv = (const char *const[]){ "ccache", "--version", NULL },
		.env = (const char *const[]){ set, "LC_ALL=C", NULL },
		.capture = &out,
		.limit_ms = 30000,
	};

	if (fs_mkdirs(dir, &err) < 0 || spawn_run(&spawn, &result, &err) < 0)
		return xstrdup(err.msg);
	if (result.exit_code || !str_starts(out.len ? out.data : "", "ccache version "))
		return xstrdup("'ccache --version' fails; reinstall it (apt install --reinstall "
			       "ccache)");
	if (access(dir, W_OK) < 0)
		return str_printf("%s cannot be written to; change its owner", dir);
	return NULL;
}

struct ccache *ccache_create(const char *cache_dir, uint64_t max_bytes, struct progress *progress)
{
	_cleanup_free_ char *dir = str_printf("%s/ccache", cache_dir);
	_cleanup_free_ char *program = spawn_find("ccache");
	_cleanup_free_ char *why = program ? trouble(dir) : NULL;
	struct ccache *c;

	if (why)
		warn(progress, why);
	if (!program || why)
		return NULL;
	c = xcalloc(1, sizeof(*c));
	c->dir = take_ptr(dir);
	c->max_bytes = max_bytes / SHARE;
	c->progress = progress;
	return c;
}

void ccache_destroy(struct ccache *c)
{
	if (!c)
		return;
	free(c->dir);
	free(c);
}

void ccache_fall_back(struct ccache *c, const char *why)
{
	enum state was = IN_USE;

	if (atomic_compare_exchange_strong(&c->state, &was, PASSES_ON))
		warn(c->progress, why);
	else
		atomic_store(&c->state, NOT_CALLED);
}

bool ccache_in_use(const struct ccache *c)
{
	return c && atomic_load(&c->state) == IN_USE;
}

char *ccache_cc(const struct ccache *c, const char *cc)
{
	if (!c || atomic_load(&c->state) == NOT_CALLED)
		return xstrdup(cc);
	return str_printf("ccache %s", cc);
}

/* Names of the headers that may come and go, as one digest; empty while there is no list yet. */
static void headers_digest(const char *tree, char ret[65])
{
	_cleanup_free_ char *path = str_printf("%s/../sources", tree);
	_cleanup_buf_ struct buf names = { 0 };
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	char *save = NULL;

	ret[0] = '\0';
	if (!fs_exists(path) || fs_read(path, LIST_MAX_BYTES, &text, NULL, &ignored) < 0)
		return;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (!str_ends(l, ".c") && !str_ends(l, ".S"))
			buf_printf(&names, "%s\n", l);
	fs_sha256_text(names.len ? names.data : "", names.len, ret);
}

/* Size and time beside the version: a compiler of one's own may change under one version. */
static void compiler_text(const char *cc, const char *version, struct buf *ret)
{
	_cleanup_free_ char *first = xstrndup(cc, strcspn(cc, " "));
	_cleanup_free_ char *program = spawn_find(first);
	struct stat st;

	buf_puts(ret, version);
	if (program && stat(program, &st) == 0)
		buf_printf(ret, " %" PRIdMAX " %" PRIdMAX, (intmax_t)st.st_size,
			   (intmax_t)st.st_mtim.tv_sec);
}

void ccache_env(const struct ccache *c, const char *cc, const char *version, const char *tree,
		struct strv *argv)
{
	_cleanup_buf_ struct buf check = { 0 };
	char headers[65];

	for (char **e = environ; e && *e; e++)
		if (str_starts(*e, "CCACHE_"))
			strv_addf(argv, "--unset=%.*s", (int)strcspn(*e, "="), *e);
	if (!c)
		return;
	if (!ccache_in_use(c)) {
		strv_add(argv, "CCACHE_DISABLE=1");
		return;
	}
	headers_digest(tree, headers);
	strv_addf(argv, "CCACHE_DIR=%s", c->dir);
	strv_addf(argv, "CCACHE_CONFIGPATH=%s/ccache.conf", c->dir);
	strv_addf(argv, "CCACHE_TEMPDIR=%s/tmp", c->dir);
	strv_addf(argv, "CCACHE_MAXSIZE=%" PRIu64 "Mi", c->max_bytes / MIB);
	strv_add(argv, "CCACHE_NOHASHDIR=1");
	/* a header that hundreds of objects read is hashed once: a miss costs 3 %, not 7 */
	strv_add(argv, "CCACHE_INODECACHE=1");
	/* it takes the tree's own place out of the object, so another tree's will do */
	strv_add(argv, "CCACHE_IGNOREOPTIONS=-fmacro-prefix-map=*");
	strv_add(argv, *headers ? "CCACHE_DEPEND=1" : "CCACHE_NODIRECT=1");
	if (version) {
		compiler_text(cc, version, &check);
		strv_addf(argv, "CCACHE_COMPILERCHECK=string:%s %s", check.data, headers);
	} else {
		strv_add(argv, "CCACHE_COMPILERCHECK=content");
	}
}
