/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside objects/ only: commit-graph files, alone or in a chain, which spare inflating commits. */
#ifndef RANGE_OBJECTS_GRAPH_H
#define RANGE_OBJECTS_GRAPH_H

#include "range/objects/commit.h"
#include "range/objects/mapped.h"

/* One file. Positions count through the files of a chain, the oldest first. */
struct graph_layer {
	struct mapped file;
	struct fan fan;
	const unsigned char *commits; /* [fan.n * GRAPH_COMMIT_LEN] */
	const unsigned char *edges;   /* [n_edges * 4]: the parents after the first of an octopus */
	uint64_t n_edges;
	const unsigned char *bases; /* [n_bases * GIT_ID_LEN]: the files below */
	unsigned int n_bases;
	uint32_t first; /* position of its first commit */
};

#define GRAPH_COMMIT_LEN 36

/* Never written to once it is read. Zero-initialised it is empty. */
struct graph {
	struct graph_layer *layers; /* [n], the oldest first */
	unsigned int n;
};

struct graph_commit {
	git_oid tree;
	int64_t date_s;
	uint32_t generation; /* topological level; 0: not known */
};

/** graph_layer_setup() - take a file apart; file is set; false if it is damaged or of another version */
bool graph_layer_setup(struct graph_layer *l);

/** graph_open() - the commit-graph under an object directory; none, or a damaged one, is empty */
void graph_open(const char *dir, struct graph *ret);
void graph_close(struct graph *g);

/** graph_find() - false if @id is not there or what is said about it makes no sense */
bool graph_find(const struct graph *g, const git_oid *id, struct graph_commit *ret,
		struct ids *parents);

#endif
