// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as a config fragment, as a list of options and as Kconfig. */
#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "build/kernel/compiler.h"
#include "build/kernel/fragment.h"
#include "build/kernel/kconfig.h"
#include "fuzz.h"

static void fragment(const char *text)
{
	_cleanup_buf_ struct buf once = { 0 };
	_cleanup_buf_ struct buf twice = { 0 };
	_cleanup_(settings_deinit) struct settings s = { 0 };
	_cleanup_(settings_deinit) struct settings again = { 0 };
	struct err err = { 0 };
	size_t at = 0;

	if (settings_add(&s, text, "fragment", &err) < 0)
		return;
	settings_print(&s, &once);
	assert(once.len && settings_add(&again, once.data, "again", &err) == 0);
	settings_print(&again, &twice);
	assert(strcmp(once.data, twice.data) == 0);
	/* what it prints has all that it sets */
	assert(!settings_lost(&s, once.data, &at));
}

static void list(const char *text)
{
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_buf_ struct buf picked = { 0 };
	struct err err = { 0 };

	if (keep_parse(text, "list", &names, &err) == 0)
		keep_pick(&names, "CONFIG_HZ_250=y\n# CONFIG_KSM is not set\n", &picked);
	kconfig_files(text, &files);
	for (size_t i = 0; i < files.n; i++)
		assert(*files.items[i] && !strpbrk(files.items[i], " \t\n"));
	kconfig_defines(text, "CONFIG_DRM_AMDGPU");
}

static void compiler(const char *text)
{
	_cleanup_(compiler_rules_deinit) struct compiler_rules r = { 0 };
	const struct kversion v = { .version = 5, .patchlevel = 10 };
	struct err err = { 0 };
	const char *cc;

	if (compiler_rules_parse(&text, 1, &r, &err) < 0)
		return;
	cc = compiler_for(&r, &v);
	assert(!cc || *cc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);

	fragment(text);
	list(text);
	compiler(text);
	free(text);
	return 0;
}
