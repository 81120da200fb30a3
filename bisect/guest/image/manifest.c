// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before an image is made: the digests of all that goes in. The same inputs give the same bytes, so
 * their digest names the image: it is made once, on whatever machine, and again when one changes.
 */
#include "guest/image/manifest.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"

#define DPKG_LIMIT_MS 60000
#define DPKG_MAX      ((size_t)4 << 20)
#define PATHS_A_TIME  200 /* on one command line */

void manifest_deinit(struct manifest *m)
{
	buf_deinit(&m->inputs);
	buf_deinit(&m->about);
	strv_deinit(&m->paths);
}

void manifest_say(struct manifest *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&m->inputs, fmt, ap);
	va_end(ap);
	buf_puts(&m->inputs, "\n");
}

int manifest_file(struct manifest *m, const char *guest, const char *host, struct err *err)
{
	bool hidden = m->hide && str_starts(host, m->hide);
	char sum[65];

	if (fs_sha256_file(host, sum, err) < 0) {
		err->kind = ERR_USAGE;
		return -1;
	}
	manifest_say(m, "file %s %s", guest, sum);
	buf_printf(&m->about, "from %s %s\n", guest, hidden ? host + strlen(m->hide) : host);
	if (!hidden)
		strv_add(&m->paths, host);
	return 0;
}

void manifest_key(const struct manifest *m, char ret[65])
{
	fs_sha256_text(m->inputs.data ? m->inputs.data : "", m->inputs.len, ret);
}

/* What dpkg calls a file: it may know it by /lib or by /usr/lib, whichever its package was built with. */
static void add_names(struct strv *argv, const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	const char *plain = real ? real : path;

	if (str_starts(plain, "/usr/"))
		plain += strlen("/usr");
	strv_add(argv, plain);
	strv_take(argv, str_printf("/usr%s", plain));
}

static bool run_dpkg(struct strv *argv, struct buf *ret)
{
	const char **list = xcalloc(argv->n + 1, sizeof(*list));
	struct spawn spawn = {
		.argv = list, .capture = ret, .capture_max = DPKG_MAX, .limit_ms = DPKG_LIMIT_MS
	};
	struct spawn_result result;
	struct err ignored;
	int r;

	for (size_t i = 0; i < argv->n; i++)
		list[i] = argv->items[i];
	/* it fails if one of the files is nobody's, and names the others even so */
	r = spawn_run(&spawn, &result, &ignored);
	free(list);
	return r == 0 && ret->len;
}

/* "PACKAGE:ARCH, ...: PATH" a line. */
static void take_owners(const char *text, struct strv *ret)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *end = strstr(line, ": ");

		if (!end || str_starts(line, "diversion "))
			continue;
		*end = '\0';
		end = strchr(line, ',');
		if (end)
			*end = '\0';
		strv_add(ret, line);
	}
}

static void find_owners(const struct strv *paths, struct strv *ret)
{
	for (size_t at = 0; at < paths->n; at += PATHS_A_TIME) {
		_cleanup_strv_ struct strv argv = { 0 };
		_cleanup_buf_ struct buf text = { 0 };

		strv_add(&argv, "dpkg-query");
		strv_add(&argv, "-S");
		for (size_t i = at; i < paths->n && i < at + PATHS_A_TIME; i++)
			add_names(&argv, paths->items[i]);
		if (run_dpkg(&argv, &text))
			take_owners(text.data, ret);
	}
	strv_sort_once(ret);
}

static void add_packages(const struct strv *paths, struct buf *ret)
{
	_cleanup_strv_ struct strv argv = { 0 }, owners = { 0 };
	_cleanup_free_ char *dpkg = spawn_find("dpkg-query");

	if (!dpkg)
		return;
	find_owners(paths, &owners);
	if (!owners.n)
		return;
	strv_add(&argv, "dpkg-query");
	strv_add(&argv, "-W");
	strv_add(&argv, "-f=package ${Package} ${Version}\\n");
	for (size_t i = 0; i < owners.n; i++)
		strv_add(&argv, owners.items[i]);
	run_dpkg(&argv, ret);
}

int manifest_write(const struct manifest *m, const char *image, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s" MANIFEST_SUFFIX, image);
	_cleanup_buf_ struct buf text = { 0 };
	struct stat st;
	char sum[65];

	if (fs_sha256_file(image, sum, err) < 0)
		return -1;
	if (stat(image, &st) < 0)
		return err_errno(err, ERR_HOST, "cannot look at %s", image);
	buf_add(&text, m->inputs.data, m->inputs.len);
	buf_printf(&text, MANIFEST_IMAGE "%s %jd bytes\n", sum, (intmax_t)st.st_size);
	buf_add(&text, m->about.data, m->about.len);
	add_packages(&m->paths, &text);
	return fs_write(path, text.data, text.len, err);
}

size_t manifest_inputs_len(const char *text)
{
	static const char *const ends[] = { MANIFEST_IMAGE, "from ", "missing ", "package " };
	const char *at = text;

	while (*at) {
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
			if (str_starts(at, ends[i]))
				return (size_t)(at - text);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return (size_t)(at - text);
}
