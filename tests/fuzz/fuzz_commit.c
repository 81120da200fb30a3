// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of a commit; the same bytes as a grafts file, which may name anything, itself too. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "range/objects/overlay.h"

static void as_commit(const uint8_t *data, size_t size)
{
	struct ids parents = { 0 };
	struct commit_text c;
	const char *why = NULL;

	if (commit_parse(data, size, &c, &parents, &why) == 0) {
		if (size < 46 + 48 * parents.n || c.date_s < 0)
			abort();
	} else if (!why) {
		abort();
	}
	ids_deinit(&parents);
}

/* Replaces what has a first parent by it: loops and long chains come easily. */
static void as_grafts(const uint8_t *data, size_t size)
{
	struct overlay o = { 0 };
	size_t n;

	keymap_init(&o.replaced, GIT_ID_LEN);
	keymap_init(&o.grafts, GIT_ID_LEN);
	overlay_add_grafts(&o, (const char *)data, size);
	for (size_t i = 0; i < o.grafts.n; i++) {
		const git_oid *parents;
		git_oid id;

		memcpy(id.id, o.grafts.keys + i * GIT_ID_LEN, GIT_ID_LEN);
		if (!overlay_graft(&o, &id, &parents, &n) || n > size / 41)
			abort();
		if (!n)
			continue;
		keymap_put(&o.replaced, id.id, (uint32_t)o.replacements.n);
		*ids_add(&o.replacements) = parents[0];
	}
	for (size_t i = 0; i < o.replaced.n; i++) {
		git_oid id;
		git_oid end;

		memcpy(id.id, o.replaced.keys + i * GIT_ID_LEN, GIT_ID_LEN);
		overlay_replaced(&o, &id, &end);
	}
	overlay_deinit(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_commit(data, size);
	as_grafts(data, size);
	return 0;
}
