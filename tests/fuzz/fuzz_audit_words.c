// SPDX-License-Identifier: GPL-2.0-or-later
/* Any message speaks of no commit, or of ids that stand in it. */
#include <assert.h>
#include <string.h>
#include <strings.h>

#include "fuzz.h"
#include "range/audit/words.h"

static bool holds(const uint8_t *data, size_t size, const char *id)
{
	size_t len = strlen(id);

	for (size_t i = 0; i + len <= size; i++)
		if (strncasecmp((const char *)data + i, id, len) == 0)
			return true;
	return false;
}

static void check_id(const uint8_t *data, size_t size, const char *id)
{
	assert(strlen(id) >= 7 && strlen(id) < COMMIT_ID_SIZE);
	assert(strspn(id, "0123456789abcdef") == strlen(id));
	assert(holds(data, size, id));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct audit_words w = { 0 };

	words_parse((const char *)data, size, &w);
	assert(w.n_mentions <= 64 && w.n_origins <= 8);
	for (size_t i = 0; i < w.n_mentions; i++) {
		const struct audit_mention *m = &w.mentions[i];

		assert(m->word < AUDIT_WORDS && (*m->id || m->subject));
		if (*m->id)
			check_id(data, size, m->id);
		assert(!m->subject || *m->subject);
	}
	for (size_t i = 0; i < w.n_origins; i++)
		check_id(data, size, w.origins[i]);
	words_deinit(&w);
	return 0;
}
