// SPDX-License-Identifier: GPL-2.0-or-later
/* See key.h. */
#include "build/key.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/mirror.h"
#include "build/steps.h"

/* Raised when the same input would be built otherwise than before. */
#define ARTIFACT_FORMAT 2

int key_base_init(struct key_base *k, const struct build_spec *spec, struct err *err)
{
	_cleanup_buf_ struct buf text = { 0 };

	for (size_t i = 0; i < spec->n_fragments; i++) {
		char digest[65];

		if (fs_is_dir(spec->fragments[i]) || fs_is_special(spec->fragments[i]))
			return err_set(err, ERR_USAGE,
				       "%s is no file; name a config fragment with --fragment",
				       spec->fragments[i]);
		if (fs_sha256_file(spec->fragments[i], digest, err) < 0) {
			err->kind = ERR_USAGE;
			return -1;
		}
		buf_printf(&text, "%s\n", digest);
	}
	fs_sha256_text(text.data, text.len, k->fragments);
	if (mirror_hash(spec->mirror, k->mirror, err) < 0)
		return -1;
	return maker_cc_version("ld", &k->binutils, err);
}

void key_base_deinit(struct key_base *k)
{
	free(k->binutils);
	*k = (struct key_base){ 0 };
}

int key_of(const struct key_base *k, const struct build_spec *spec, const struct pool_tree *tree,
	   const struct patches *patches, const char *id, char ret[65], struct err *err)
{
	static const char *const everything[] = { "" };
	const char *const *paths = spec->whole ? everything : spec->paths;
	size_t n_paths = spec->whole ? 1 : spec->n_paths;
	_cleanup_free_ char *text = NULL;
	char content[65];

	if (patches_content_key(spec->repo, patches, id, paths, n_paths, content, err) < 0)
		return -1;
	text = str_printf("artifact %d\ncontent %s\n%s\ntree %s\nrelease %s\nfragments %s\ncc %s\n"
			  "binutils %s\nscope %s\npart %s\ndriver %s\nmirror %s\n",
			  ARTIFACT_FORMAT, content, spec->whole ? "whole" : "overlay",
			  tree->tree.key, spec->kernel->release, k->fragments, tree->cc_version,
			  k->binutils, build_scope_name(spec->scope),
			  steps_links_unit(spec) ? "unit" : "module", spec->driver, k->mirror);
	fs_sha256_text(text, strlen(text), ret);
	return 0;
}
