// SPDX-License-Identifier: GPL-2.0-or-later
/* A commit-graph file. Where it asks for files below it, it gets itself, which fits no less than any other. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "range/objects/graph.h"

#define COMMITS_MAX 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graph_layer layers[2] = { { .file = { .data = data, .len = size } } };
	struct graph g = { .layers = layers, .n = 1 };
	struct ids parents = { 0 };

	if (!graph_layer_setup(&layers[0]))
		return 0;
	if (layers[0].n_bases) {
		layers[1] = layers[0];
		layers[1].first = layers[0].fan.n;
		g.n = 2;
	}
	for (uint32_t i = 0; i < layers[0].fan.n && i < COMMITS_MAX; i++) {
		struct graph_commit c;
		git_oid id;

		memcpy(id.id, layers[0].fan.ids + (size_t)i * GIT_ID_LEN, GIT_ID_LEN);
		if (graph_find(&g, &id, &c, &parents) && (c.date_s < 0 || parents.n > 1 + size / 4))
			abort();
	}
	ids_deinit(&parents);
	return 0;
}
