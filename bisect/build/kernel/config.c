// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel configuration: see config.h. */
#include "build/kernel/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static const char *const tool_options[] = {
	"CONFIG_CC_",
	"CONFIG_GCC_",
	"CONFIG_CLANG_",
	"CONFIG_AS_",
	"CONFIG_LD_",
	"CONFIG_LLD_",
	"CONFIG_PAHOLE_",
	"CONFIG_RUSTC_",
	"CONFIG_RUST_",
	"CONFIG_HAVE_RUST",
	"CONFIG_BINDGEN_",
	"CONFIG_TOOLCHAIN_",
	"CONFIG_TOOLS_",
	"CONFIG_MODULE_SIG_KEY",
	"CONFIG_SYSTEM_TRUSTED_KEYS",
	"CONFIG_SYSTEM_REVOCATION_KEYS",
	"CONFIG_BUILD_SALT",
};

/* The line "OPTION=..." of a text, or NULL. */
static const char *find_line(const char *text, const char *option, size_t len)
{
	for (const char *p = text; (p = strstr(p, option)); p += len)
		if ((p == text || p[-1] == '\n') && p[len] == '=')
			return p;
	return NULL;
}

char *config_value(const char *text, const char *option)
{
	size_t len = strlen(option);
	const char *p = find_line(text, option, len);
	size_t n;

	if (!p)
		return NULL;
	p += len + 1;
	n = strcspn(p, "\n");
	if (n >= 2 && p[0] == '"' && p[n - 1] == '"') {
		p++;
		n -= 2;
	}
	return xstrndup(p, n);
}

bool config_is(const char *text, const char *option, const char *value)
{
	_cleanup_free_ char *is = config_value(text, option);

	return is && strcmp(is, value) == 0;
}

/* "# Linux/x86 6.1.192 Kernel Configuration"; x86 is both, and CONFIG_X86_32 tells. */
char *config_arch(const char *text)
{
	const char *head = strstr(text, "# Linux/");
	const char *arch = head ? head + strlen("# Linux/") : "";
	size_t len = strcspn(arch, " \n");

	if (config_is(text, "CONFIG_X86_32", "y"))
		return xstrdup("i686");
	if (!len || (len == 3 && memcmp(arch, "x86", 3) == 0))
		return xstrdup("x86_64");
	return xstrndup(arch, len);
}

static bool is_tool_option(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(tool_options); i++)
		if (str_starts(line, tool_options[i]))
			return true;
	return false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void split_settings(const char *text, struct strv *ret)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (str_starts(text, "CONFIG_") && memchr(text, '=', len))
			strv_take(ret, xstrndup(text, len));
		text += len + (text[len] == '\n');
	}
}

void config_lost(const char *before, const char *after, struct strv *ret)
{
	_cleanup_strv_ struct strv old = { 0 };
	_cleanup_strv_ struct strv now = { 0 };

	split_settings(before, &old);
	split_settings(after, &now);
	if (now.n)
		qsort(now.items, now.n, sizeof(*now.items), by_text);
	for (size_t i = 0; i < old.n; i++) {
		const char *line = old.items[i];

		if (is_tool_option(line) ||
		    (now.n && bsearch(&line, now.items, now.n, sizeof(*now.items), by_text)))
			continue;
		strv_take(ret, xstrndup(line, strcspn(line, "=")));
	}
}
