// SPDX-License-Identifier: GPL-2.0-or-later
/* Whatever the history: each commit has one line, and lanes that are drawn lead somewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "controller/graph/graph.h"

#define N_MAX 60

struct history {
	struct range_commit commits[N_MAX];
	uint32_t parents[N_MAX * 6];
	struct search_view views[N_MAX];
	struct range range;
};

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33);
}

/* All of it left, as nothing is known yet. */
static void make_history(struct history *h, size_t n, uint32_t arms, uint64_t *state)
{
	static char subject[] = "a subject";
	uint32_t e = 0;

	memset(h, 0, sizeof(*h));
	for (size_t i = 0; i < n; i++) {
		struct range_commit *c = &h->commits[i];
		uint32_t want = i ? next_random(state) % (arms + 1) : 0;

		snprintf(c->id, sizeof(c->id), "%012zu", i);
		c->subject = subject;
		c->parents = e;
		for (uint32_t p = 0; p < want; p++) {
			uint32_t parent = next_random(state) % (uint32_t)i;
			bool known = false;

			for (uint32_t q = c->parents; q < e; q++)
				known |= h->parents[q] == parent;
			if (!known)
				h->parents[e++] = parent;
		}
		c->n_parents = e - c->parents;
		h->views[i] = (struct search_view){ .left = true, .weight = 1 };
	}
	h->range = (struct range){ .commits = h->commits, .n = n, .parents = h->parents };
}

static struct graph graph_of(const struct history *h, bool utf8, size_t limit)
{
	return (struct graph){
		.range = &h->range,
		.views = h->views,
		.words = { "good", "bad" },
		.new = VERDICT_BAD,
		.utf8 = utf8,
		.limit = limit,
	};
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *s = strstr(text, what); s; s = strstr(s + 1, what))
		n++;
	return n;
}

static void each_commit_has_one_line(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 500; round++) {
		size_t n = 1 + next_random(&seed) % N_MAX;
		struct history h;
		struct graph g;
		_cleanup_free_ char *text = NULL;

		make_history(&h, n, round % 6, &seed);
		g = graph_of(&h, round % 2, 0);
		text = graph_text(&g);
		assert_int_equal(count_of(text, "a subject\n"), n);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(count_of(text, h.commits[i].id), 1);
	}
}

/* In a strand and in a diamond the lanes are known. */
static void lanes_of_a_diamond(void **state)
{
	static char subject[] = "s";
	struct history h = { 0 };
	const uint32_t parents[] = { 0, 0, 1, 2 };
	const uint32_t first[] = { 0, 0, 1, 2, 4 };
	_cleanup_free_ char *text = NULL;
	struct graph g;

	(void)state;
	memcpy(h.parents, parents, sizeof(parents));
	for (size_t i = 0; i < 4; i++) {
		snprintf(h.commits[i].id, sizeof(h.commits[i].id), "%012zu", i);
		h.commits[i].subject = subject;
		h.commits[i].parents = first[i];
		h.commits[i].n_parents = first[i + 1] - first[i];
		h.views[i] = (struct search_view){ .left = true, .weight = (uint32_t)i + 1 };
	}
	h.range = (struct range){ .commits = h.commits, .n = 4, .parents = h.parents };
	g = graph_of(&h, true, 0);
	text = graph_text(&g);
	assert_string_equal(strstr(text, "\n\n") + 2, "*  000000000003  4  s\n"
						      "├─╮\n"
						      "│ *  000000000002  3  s\n"
						      "* │  000000000001  2  s\n"
						      "├─╯\n"
						      "*  000000000000  1  s\n");
}

static void graph_too_wide_is_clipped_and_says_so(void **state)
{
	struct history h;
	struct graph g;
	_cleanup_free_ char *text = NULL;
	uint64_t seed = 1;

	(void)state;
	make_history(&h, N_MAX, 0, &seed);
	for (uint32_t i = 0; i < 40; i++)
		h.parents[i] = i;
	h.commits[N_MAX - 1].n_parents = 40;
	g = graph_of(&h, false, 0);
	text = graph_text(&g);
	assert_int_equal(count_of(text, "a subject\n"), N_MAX);
	assert_true(count_of(text, "~ ") > 0);
}

static void limit_shows_the_newest(void **state)
{
	struct history h;
	struct graph g;
	_cleanup_free_ char *text = NULL;
	uint64_t seed = 7;

	(void)state;
	make_history(&h, N_MAX, 2, &seed);
	g = graph_of(&h, false, 10);
	text = graph_text(&g);
	assert_int_equal(count_of(text, "a subject\n"), 10);
	assert_non_null(strstr(text, h.commits[N_MAX - 10].id));
	assert_null(strstr(text, h.commits[N_MAX - 11].id));
	assert_non_null(strstr(text, "50 older ones are not shown"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_commit_has_one_line),
		cmocka_unit_test(lanes_of_a_diamond),
		cmocka_unit_test(graph_too_wide_is_clipped_and_says_so),
		cmocka_unit_test(limit_shows_the_newest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
