// SPDX-License-Identifier: GPL-2.0-or-later
/* What a tree's config is made from: see inputs.h. */
#include "build/tree/inputs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/config_file.h"
#include "build/kernel/kernel.h"

void config_inputs_deinit(struct config_inputs *in)
{
	free(in->distribution);
	free(in->start);
	settings_deinit(&in->settings);
	strv_deinit(&in->names);
	*in = (struct config_inputs){ 0 };
}

static int read_text(const char *path, char **ret, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (fs_is_dir(path) || fs_is_special(path))
		return err_set(err, ERR_USAGE, "%s is no file; a config fragment is wanted", path);
	if (fs_read(path, CONFIG_MAX_BYTES, &text, &len, err) < 0) {
		err->kind = ERR_USAGE;
		return -1;
	}
	/* what comes behind it would be lost without a word */
	if (strlen(text) != len)
		return err_set(err, ERR_USAGE, "%s is no text: it has a zero byte at %zu", path,
			       strlen(text));
	*ret = take_ptr(text);
	return 0;
}

/* The settings hold the file's name for as long as they live, wherever the list of names moves to. */
static int add_fragment(struct config_inputs *in, const char *path, struct err *err)
{
	_cleanup_free_ char *text = NULL;

	if (read_text(path, &text, err) < 0)
		return -1;
	strv_add(&in->names, path);
	return settings_add(&in->settings, text, in->names.items[in->names.n - 1], err);
}

static int add_ours(struct config_inputs *in, const char *dir, struct buf *start, struct err *err)
{
	_cleanup_free_ char *guest = str_printf("%s/" GUEST_CONFIG, dir);
	_cleanup_free_ char *list = str_printf("%s/" KEEP_LIST, dir);
	_cleanup_strv_ struct strv keep = { 0 };
	_cleanup_free_ char *text = NULL;

	if (read_text(list, &text, err) < 0 || keep_parse(text, list, &keep, err) < 0)
		return -1;
	keep_pick(&keep, in->distribution, start);
	return add_fragment(in, guest, err);
}

/* make says of it only that something else is lost, and that after a minute. */
static int check_modules(const struct config_inputs *in, struct err *err)
{
	for (size_t i = 0; i < in->settings.n; i++) {
		const struct setting *s = &in->settings.items[i];

		if (!s->overridden && strcmp(s->name, "CONFIG_MODULES") == 0 &&
		    strcmp(s->value, "y") != 0)
			return err_set(
				err, ERR_USAGE,
				"%s, line %u, turns CONFIG_MODULES off, and what is tested is "
				"a module; take it out",
				s->origin, s->line);
	}
	return 0;
}

int config_inputs_read(const struct build_spec *spec, struct config_inputs *ret, struct err *err)
{
	_cleanup_(config_inputs_deinit) struct config_inputs in = { 0 };
	_cleanup_buf_ struct buf start = { 0 };

	in.trimmed = spec->scope == BUILD_SCOPE_KERNEL;
	if (config_file_read(spec->kernel->config, &in.distribution, err) < 0)
		return -1;
	if (!in.trimmed) {
		buf_puts(&start, in.distribution);
		if (start.data[start.len - 1] != '\n')
			buf_puts(&start, "\n");
	} else {
		assert(spec->kconfigs);
		if (add_ours(&in, spec->kconfigs, &start, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < spec->n_fragments; i++)
		if (add_fragment(&in, spec->fragments[i], err) < 0)
			return -1;
	if (check_modules(&in, err) < 0)
		return -1;
	settings_print(&in.settings, &start);
	in.start = buf_take(&start);
	fs_sha256_text(in.start, strlen(in.start), in.digest);
	*ret = in;
	in = (struct config_inputs){ 0 };
	return 0;
}
