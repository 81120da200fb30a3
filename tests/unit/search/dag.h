/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histories for the search, generated, and the slow truth about them. */
#ifndef TESTS_SEARCH_DAG_H
#define TESTS_SEARCH_DAG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "search/left.h"
#include "search/search.h"

struct dag {
	size_t n;
	uint32_t *first;
	uint32_t *parents;
	uint32_t bad;
	size_t room; /* of first and of parents, for dag_add() */
	size_t room_edges;
};

void dag_deinit(struct dag *d);
#define _cleanup_dag_ __attribute__((cleanup(dag_deinit)))

/** dag_linear() - a strand of @n */
void dag_linear(struct dag *d, size_t n);

/** dag_random() - merges, octopus merges, criss-cross and several roots; some nodes out of bad's reach */
void dag_random(struct dag *d, uint64_t seed, size_t n);

/** dag_comb() - a mainline that merges side branches of @arm commits, like a kernel subsystem */
void dag_comb(struct dag *d, size_t arms, size_t arm);

/** dag_octopus() - one merge of @arms branches of one commit each over one root */
void dag_octopus(struct dag *d, size_t arms);

/** dag_add() - a node with parents; its number */
uint32_t dag_add(struct dag *d, const uint32_t *parents, size_t n);

/** dag_search() - a search over it */
struct search *dag_search(const struct dag *d);

/** dag_foresee() - the nodes that would be tried after @node, good or bad; UINT32_MAX: none */
void dag_foresee(const struct search *s, uint32_t node, uint32_t *if_good, uint32_t *if_bad);

/** dag_reaches() - whether @anc is @node or an ancestor of it, by walking */
bool dag_reaches(const struct dag *d, uint32_t node, uint32_t anc);

/** dag_left() - what is left of it, with weights; @told: [n], or NULL for nothing */
void dag_left(const struct dag *d, const struct told *told, struct left *ret);
#define _cleanup_left_ __attribute__((cleanup(left_deinit)))

/** dag_below() - [i * n + j]: whether left node j is i or an ancestor of it; owned by the caller */
bool *dag_below(const struct left *l);

/** dice() - a number below @n */
uint32_t dice(uint64_t *state, uint32_t n);

#endif
