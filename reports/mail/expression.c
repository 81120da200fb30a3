// SPDX-License-Identifier: GPL-2.0-or-later
/* Expressions of MAINTAINERS: see expression.h. */
#include "reports/mail/expression.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* A line of a patch and an expression of the kernel's take some hundred steps. */
#define STEPS_MAX    20000
#define HEAP_MAX_KIB 1024

struct expression {
	pcre2_code *code;
	pcre2_match_data *found;
	pcre2_match_context *limits;
	bool is_off;
};

void expression_destroy(struct expression *e)
{
	if (!e)
		return;
	pcre2_code_free(e->code);
	pcre2_match_data_free(e->found);
	pcre2_match_context_free(e->limits);
	free(e);
}

struct expression *expression_create(const char *text, size_t len)
{
	struct expression *e;
	PCRE2_SIZE at;
	int why;

	if (!len || len > EXPRESSION_MAX_BYTES)
		return NULL;
	e = xcalloc(1, sizeof(*e));
	/* no \C: it is of no use here, and a lookbehind with it is not safe */
	e->code = pcre2_compile((PCRE2_SPTR)text, len, PCRE2_EXTENDED | PCRE2_NEVER_BACKSLASH_C,
				&why, &at, NULL);
	e->found = e->code ? pcre2_match_data_create(1, NULL) : NULL;
	e->limits = pcre2_match_context_create(NULL);
	if (!e->found || !e->limits) {
		expression_destroy(e);
		return NULL;
	}
	pcre2_set_match_limit(e->limits, STEPS_MAX);
	pcre2_set_depth_limit(e->limits, STEPS_MAX);
	pcre2_set_heap_limit(e->limits, HEAP_MAX_KIB);
	return e;
}

bool expression_matches(struct expression *e, const char *line, size_t len)
{
	int rc;

	if (e->is_off)
		return false;
	rc = pcre2_match(e->code, (PCRE2_SPTR)line, len, 0, 0, e->found, e->limits);
	e->is_off = rc < 0 && rc != PCRE2_ERROR_NOMATCH;
	return rc >= 0;
}

bool expression_matches_any(struct expression *e, const char *text)
{
	while (*text && !e->is_off) {
		size_t len = strcspn(text, "\n");

		if (expression_matches(e, text, len))
			return true;
		text += len + (text[len] == '\n');
	}
	return false;
}
