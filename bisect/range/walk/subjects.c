// SPDX-License-Identifier: GPL-2.0-or-later
/* Subjects one behind the other in chunks, each after its length. */
#include "range/walk/subjects.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "range/gitlib.h"

#define CHUNK_BYTES (1 << 18)
#define UNIT_BYTES  4 /* names count these: 16 GiB of subjects, more than there are commits for */
#define LONGEST	    4096

void subjects_deinit(struct subjects *s)
{
	for (size_t i = 0; i < s->n_chunks; i++)
		free(s->chunks[i]);
	free(s->chunks);
	*s = (struct subjects){ 0 };
}

uint32_t subjects_keep(struct subjects *s, const unsigned char *text, size_t len)
{
	size_t n;
	const unsigned char *line = subject_find(text, len, &n);
	size_t bytes = (sizeof(uint16_t) + n + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
	uint16_t stored = (uint16_t)n;
	unsigned char *at;
	uint32_t name;

	if (n > LONGEST)
		return SUBJECT_NONE;
	if (!s->n_chunks || CHUNK_BYTES - s->used < bytes) {
		s->chunks = xrealloc(s->chunks, s->n_chunks + 1, sizeof(*s->chunks));
		s->chunks[s->n_chunks++] = xmalloc(CHUNK_BYTES);
		s->used = 0;
	}
	name = (uint32_t)(((s->n_chunks - 1) * CHUNK_BYTES + s->used) / UNIT_BYTES);
	at = s->chunks[s->n_chunks - 1] + s->used;
	memcpy(at, &stored, sizeof(stored));
	memcpy(at + sizeof(stored), line, n);
	s->used += bytes;
	return name;
}

const unsigned char *subjects_get(const struct subjects *s, uint32_t name, size_t *len)
{
	size_t at = (size_t)name * UNIT_BYTES;
	const unsigned char *p = s->chunks[at / CHUNK_BYTES] + at % CHUNK_BYTES;
	uint16_t stored;

	memcpy(&stored, p, sizeof(stored));
	*len = stored;
	return p + sizeof(stored);
}
