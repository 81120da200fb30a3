// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A commit by what messages call it: see names.h.
 *
 * Three sorted lists. A subject counts however it is wrapped; where several commits have it, the last one
 * before whoever speaks of it is meant.
 */
#include "controller/audit/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct id_name {
	const char *id;
	uint32_t at;
};

struct subject_name {
	uint64_t hash;
	uint32_t at;
};

struct names {
	const struct audit_list *list;
	struct id_name *ids; /* own ids, and those of the same change elsewhere */
	size_t n_ids;
	struct subject_name *subjects; /* [list->n] */
};

static uint64_t subject_hash(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		if (!isspace((unsigned char)*s))
			h = (h ^ (unsigned char)tolower((unsigned char)*s)) *
			    UINT64_C(0x100000001b3);
	return h;
}

static int by_id(const void *a, const void *b)
{
	const struct id_name *x = a, *y = b;
	int rc = strcmp(x->id, y->id);

	return rc ? rc : (x->at > y->at) - (x->at < y->at);
}

static int by_subject(const void *a, const void *b)
{
	const struct subject_name *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

struct names *names_create(const struct audit_list *list)
{
	struct names *n = xcalloc(1, sizeof(*n));
	size_t total = list->n, k = 0;

	for (size_t i = 0; i < list->n; i++)
		total += list->commits[i]->words.n_origins;
	n->list = list;
	n->ids = xcalloc(total, sizeof(*n->ids));
	n->subjects = xcalloc(list->n, sizeof(*n->subjects));
	for (uint32_t i = 0; i < list->n; i++) {
		const struct audit_commit *c = list->commits[i];

		n->subjects[i] = (struct subject_name){ subject_hash(c->subject), i };
		n->ids[k++] = (struct id_name){ c->id, i };
		for (size_t o = 0; o < c->words.n_origins; o++)
			n->ids[k++] = (struct id_name){ c->words.origins[o], i };
	}
	n->n_ids = k;
	qsort(n->ids, n->n_ids, sizeof(*n->ids), by_id);
	qsort(n->subjects, list->n, sizeof(*n->subjects), by_subject);
	return n;
}

void names_destroy(struct names *n)
{
	if (!n)
		return;
	free(n->ids);
	free(n->subjects);
	free(n);
}

uint32_t names_by_id(const struct names *n, const char *id)
{
	size_t low = 0, high = n->n_ids;
	uint32_t found = PAIR_NONE;

	if (!*id)
		return PAIR_NONE;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (strcmp(n->ids[mid].id, id) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	/* One change may be there twice, picked from one branch of upstream to another: the first is meant. */
	for (size_t i = low; i < n->n_ids && str_starts(n->ids[i].id, id); i++) {
		if (i > low && strcmp(n->ids[i].id, n->ids[low].id) != 0)
			return PAIR_NONE;
		if (n->ids[i].at < found)
			found = n->ids[i].at;
	}
	return found;
}

static size_t subject_from(const struct names *n, uint64_t hash)
{
	size_t low = 0, high = n->list->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (n->subjects[mid].hash < hash)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t names_by_subject(const struct names *n, const char *subject, uint32_t before)
{
	uint64_t hash = subject_hash(subject);
	uint32_t found = PAIR_NONE;

	for (size_t i = subject_from(n, hash); i < n->list->n && n->subjects[i].hash == hash; i++)
		if (n->subjects[i].at < before)
			found = n->subjects[i].at;
	return found;
}

uint32_t names_authored(const struct names *n, const struct audit_commit *c)
{
	uint64_t hash = subject_hash(c->subject);

	for (size_t i = subject_from(n, hash); i < n->list->n && n->subjects[i].hash == hash; i++)
		if (n->list->commits[n->subjects[i].at]->authored_s == c->authored_s)
			return n->subjects[i].at;
	return PAIR_NONE;
}

uint32_t names_mentioned(const struct names *n, const struct audit_mention *m, uint32_t before)
{
	uint32_t at = names_by_id(n, m->id);

	if (at != PAIR_NONE && at < before)
		return at;
	return m->subject ? names_by_subject(n, m->subject, before) : PAIR_NONE;
}
