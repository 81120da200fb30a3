// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured rates: see rates.h. One small file per scope and stage, rewritten whole. */
#include "controller/rates.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "paths.h"

/* Before anything was measured: two cores, no KVM, Debian 12, kernel 6.1. */
static const struct {
	const char *scope, *stage;
	int64_t ns;
} guesses[] = {
	{ "unit", "build", 5 * NS_PER_S },    { "module", "build", 20 * NS_PER_S },
	{ "kernel", "build", 90 * NS_PER_S }, { "unit", "guest", 10 * NS_PER_S },
	{ "module", "guest", 15 * NS_PER_S }, { "kernel", "guest", 10 * NS_PER_S },
};

static char *rate_path(const char *scope, const char *stage)
{
	_cleanup_free_ char *cache = path_cache();

	return str_printf("%s/rates/%s.%s", cache, scope, stage);
}

static int64_t measured(const char *scope, const char *stage)
{
	_cleanup_free_ char *path = rate_path(scope, stage);
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	uint64_t ns;

	if (fs_read(path, 64, &text, NULL, &ignored) < 0)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	return str_to_u64(text, INT64_MAX / 1024, &ns) && ns ? (int64_t)ns : -1;
}

int64_t rates_get(const char *scope, const char *stage)
{
	int64_t ns = measured(scope, stage);

	for (size_t i = 0; ns < 0 && i < ARRAY_SIZE(guesses); i++)
		if (strcmp(scope, guesses[i].scope) == 0 && strcmp(stage, guesses[i].stage) == 0)
			ns = guesses[i].ns;
	return ns;
}

void rates_add(const char *scope, const char *stage, int64_t elapsed_ns)
{
	_cleanup_free_ char *cache = path_cache();
	_cleanup_free_ char *dir = str_printf("%s/rates", cache);
	_cleanup_free_ char *path = rate_path(scope, stage);
	_cleanup_free_ char *text = NULL;
	int64_t before = measured(scope, stage);
	struct err ignored;

	if (before > 0)
		elapsed_ns = before / 4 * 3 + elapsed_ns / 4;
	text = str_printf("%lld\n", (long long)elapsed_ns);
	if (fs_mkdirs(dir, &ignored) == 0)
		fs_write(path, text, strlen(text), &ignored);
}
