// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The commit-graph repeats what the commits say. Whatever is odd about it is passed over in silence,
 * file by file and commit by commit: the objects are the truth, and are there as well.
 *
 * Source: gitformat-commit-graph(5).
 */
#include "range/objects/graph.h"

#include <stdlib.h>

#include "base/fs.h"

#define HEAD_LEN	8  /* "CGPH", version, hash version, chunks, files below */
#define CHUNK_LEN	12 /* name, offset */
#define TRAILER_LEN	20
#define CHAIN_MAX	64 /* files; git merges them long before */
#define CHAIN_MAX_BYTES (41 * CHAIN_MAX)
#define PARENT_NONE	0x70000000u
#define PARENT_EDGES	0x80000000u /* the rest is where in the edges the others begin */
#define EDGE_LAST	0x80000000u
#define GENERATION_MAX	0x3fffffffu /* this or more */

struct chunk {
	uint32_t name;
	const unsigned char *data;
	uint64_t len;
};

#define NAME(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

static void take_chunk(struct graph_layer *l, const struct chunk *c, uint64_t *len_of)
{
	switch (c->name) {
	case NAME('O', 'I', 'D', 'F'):
		l->fan.counts = c->data;
		len_of[0] = c->len;
		break;
	case NAME('O', 'I', 'D', 'L'):
		l->fan.ids = c->data;
		len_of[1] = c->len;
		break;
	case NAME('C', 'D', 'A', 'T'):
		l->commits = c->data;
		len_of[2] = c->len;
		break;
	case NAME('E', 'D', 'G', 'E'):
		l->edges = c->data;
		l->n_edges = c->len / 4;
		break;
	case NAME('B', 'A', 'S', 'E'):
		l->bases = c->data;
		len_of[3] = c->len;
		break;
	default: /* Bloom filters and the like */
		break;
	}
}

bool graph_layer_setup(struct graph_layer *l)
{
	const unsigned char *d = l->file.data;
	size_t len = l->file.len;
	uint64_t len_of[4] = { 0 };
	size_t n_chunks;

	if (len < HEAD_LEN + TRAILER_LEN || memcmp(d, "CGPH\1\1", 6) != 0)
		return false;
	n_chunks = d[6];
	l->n_bases = d[7];
	if (len < HEAD_LEN + (n_chunks + 1) * CHUNK_LEN + TRAILER_LEN)
		return false;
	for (size_t i = 0; i < n_chunks; i++) {
		const unsigned char *entry = d + HEAD_LEN + i * CHUNK_LEN;
		uint64_t from = read_be64(entry + 4);
		uint64_t to = read_be64(entry + CHUNK_LEN + 4);

		if (from < HEAD_LEN + (n_chunks + 1) * CHUNK_LEN || from > to ||
		    to > len - TRAILER_LEN)
			return false;
		take_chunk(l, &(struct chunk){ read_be32(entry), d + from, to - from }, len_of);
	}
	return len_of[0] == FAN_BYTES && fan_count(l->fan.counts, &l->fan.n) &&
	       len_of[1] == (uint64_t)l->fan.n * GIT_ID_LEN &&
	       len_of[2] == (uint64_t)l->fan.n * GRAPH_COMMIT_LEN && l->fan.n < PARENT_NONE &&
	       len_of[3] == (uint64_t)l->n_bases * GIT_ID_LEN;
}

/* Adds a file on top; its name in the chain must be what it and the files above call it. */
static bool add_layer(struct graph *g, const char *path)
{
	struct graph_layer l = { 0 };
	uint64_t first = 0;

	if (g->n)
		first = (uint64_t)g->layers[g->n - 1].first + g->layers[g->n - 1].fan.n;
	if (mapped_open(path, &l.file) < 0)
		return false;
	if (!graph_layer_setup(&l) || l.n_bases != g->n || first + l.fan.n >= PARENT_NONE) {
		mapped_close(&l.file);
		return false;
	}
	l.first = (uint32_t)first;
	g->layers = xrealloc(g->layers, g->n + 1, sizeof(*g->layers));
	g->layers[g->n++] = l;
	return true;
}

/* info/commit-graphs/commit-graph-chain: a hash a line, the oldest first. */
static bool open_chain(struct graph *g, const char *dir, const char *chain, size_t len)
{
	if (len % 41 || len > CHAIN_MAX_BYTES)
		return false;
	for (size_t i = 0; i < len; i += 41) {
		const unsigned char *hex = (const unsigned char *)chain + i;
		_cleanup_free_ char *path =
			str_printf("%s/info/commit-graphs/graph-%.40s.graph", dir, chain + i);
		const struct graph_layer *top;
		git_oid named;

		if (!commit_hex(hex, &named) || hex[40] != '\n' || !add_layer(g, path))
			return false;
		top = &g->layers[g->n - 1];
		if (memcmp(top->file.data + top->file.len - TRAILER_LEN, named.id, GIT_ID_LEN) != 0)
			return false;
		for (unsigned int b = 0; b < top->n_bases; b++) {
			const struct mapped *below = &g->layers[b].file;

			if (memcmp(below->data + below->len - TRAILER_LEN,
				   top->bases + (size_t)b * GIT_ID_LEN, GIT_ID_LEN) != 0)
				return false;
		}
	}
	return true;
}

void graph_open(const char *dir, struct graph *ret)
{
	_cleanup_free_ char *single = str_printf("%s/info/commit-graph", dir);
	_cleanup_free_ char *chain = str_printf("%s/info/commit-graphs/commit-graph-chain", dir);
	_cleanup_free_ char *text = NULL;
	struct graph g = { 0 };
	struct err unread;
	size_t len;

	if (!add_layer(&g, single) && fs_exists(chain) && !fs_is_special(chain) &&
	    fs_read(chain, CHAIN_MAX_BYTES, &text, &len, &unread) == 0 &&
	    !open_chain(&g, dir, text, len))
		graph_close(&g);
	*ret = g;
}

void graph_close(struct graph *g)
{
	for (unsigned int i = 0; i < g->n; i++)
		mapped_close(&g->layers[i].file);
	free(g->layers);
	*g = (struct graph){ 0 };
}

/* The id at a position; it is in this file or in one below. */
static bool add_parent(const struct graph_layer *l, uint32_t at, struct ids *parents)
{
	while (at < l->first)
		l--;
	if (at - l->first >= l->fan.n)
		return false;
	memcpy(ids_add(parents)->id, l->fan.ids + (size_t)(at - l->first) * GIT_ID_LEN, GIT_ID_LEN);
	return true;
}

static bool add_edges(const struct graph_layer *l, uint32_t edge, struct ids *parents)
{
	uint32_t at;

	do {
		if (edge >= l->n_edges)
			return false;
		at = read_be32(l->edges + (size_t)edge++ * 4);
		if (!add_parent(l, at & ~EDGE_LAST, parents))
			return false;
	} while (!(at & EDGE_LAST));
	return true;
}

static bool read_commit(const struct graph_layer *l, uint32_t at, struct graph_commit *ret,
			struct ids *parents)
{
	const unsigned char *c = l->commits + (size_t)at * GRAPH_COMMIT_LEN;
	uint32_t first = read_be32(c + 20);
	uint32_t second = read_be32(c + 24);
	uint32_t level = read_be32(c + 28) >> 2;

	parents->n = 0;
	if (first == PARENT_NONE ? second != PARENT_NONE : !add_parent(l, first, parents))
		return false;
	if (second & PARENT_EDGES) {
		if (!add_edges(l, second & ~PARENT_EDGES, parents))
			return false;
	} else if (second != PARENT_NONE && !add_parent(l, second, parents)) {
		return false;
	}
	memcpy(ret->tree.id, c, GIT_ID_LEN);
	ret->date_s = (int64_t)(read_be64(c + 28) & UINT64_C(0x3ffffffff));
	ret->generation = level < GENERATION_MAX ? level : 0;
	return true;
}

bool graph_find(const struct graph *g, const git_oid *id, struct graph_commit *ret,
		struct ids *parents)
{
	uint32_t at;

	for (unsigned int i = g->n; i-- > 0;) {
		const struct graph_layer *l = &g->layers[i];

		if (fan_find(&l->fan, id->id, &at))
			return read_commit(l, at, ret, parents);
	}
	return false;
}
