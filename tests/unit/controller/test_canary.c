// SPDX-License-Identifier: GPL-2.0-or-later
/* The ladder with a card whose every answer is planted: what is asked, in which order, and what comes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "controller/canary/canary.h"

/* A card that fails until a rung is taken. */
struct planted {
	bool wedged;
	int heals;	      /* rung, or -1: none */
	unsigned int missing; /* rungs it has not, as bits */
	unsigned int failing; /* rungs that the kernel refuses, as bits */
	int others;	      /* further cards */
	int host_fails_at;    /* the n-th pass is a failure of the host; 0: none is */
	int passes;
	struct buf log;
};

static int pass(void *arg, bool *ret, char *why, size_t size, struct err *err)
{
	struct planted *p = arg;

	buf_puts(&p->log, "pass ");
	if (++p->passes == p->host_fails_at)
		return err_set(err, ERR_HOST, "no memory");
	*ret = !p->wedged;
	if (p->wedged)
		snprintf(why, size, "load-failed");
	return 0;
}

static int reset(void *arg, enum card_rung rung, struct err *err)
{
	struct planted *p = arg;

	buf_printf(&p->log, "%d ", (int)rung);
	if (p->failing & 1U << rung)
		return err_set(err, ERR_HOST, "refused");
	if (p->missing & 1U << rung)
		return 0;
	if (p->heals == (int)rung)
		p->wedged = false;
	return 1;
}

static int give_up(void *arg, const char *why, struct err *err)
{
	struct planted *p = arg;

	(void)err;
	assert_non_null(strstr(why, "load-failed"));
	buf_puts(&p->log, "up ");
	return p->others-- > 0;
}

static void say(void *arg, const char *line)
{
	(void)arg;
	assert_null(strchr(line, '\n'));
	assert_true(*line);
}

static const struct canary_ops ops = { pass, reset, give_up, say };

static void expect(struct planted p, bool suspend, enum canary want, const char *log,
		   const char *words)
{
	enum canary got;
	char why[512];
	struct err err;

	assert_int_equal(canary_walk(&ops, &p, suspend, &got, why, sizeof(why), &err), 0);
	assert_int_equal(got, want);
	assert_string_equal(p.log.data, log);
	assert_non_null(strstr(why, words));
	buf_deinit(&p.log);
}

static void a_sound_card_is_asked_once(void **state)
{
	(void)state;
	expect((struct planted){ .heals = -1 }, true, CANARY_SOUND, "pass ", "");
}

static void the_mildest_reset_that_helps_is_the_last(void **state)
{
	(void)state;
	expect((struct planted){ .wedged = true, .heals = CARD_RUNG_FLR }, true, CANARY_MENDED,
	       "pass 0 pass ", "tried: function level reset");
	expect((struct planted){ .wedged = true, .heals = CARD_RUNG_BUS }, false, CANARY_MENDED,
	       "pass 0 pass 1 pass 2 pass ", "bus reset");
	expect((struct planted){ .wedged = true, .heals = CARD_RUNG_SUSPEND }, true, CANARY_MENDED,
	       "pass 0 pass 1 pass 2 pass 3 pass 4 pass 5 pass ", "suspend");
}

static void what_is_missing_or_fails_is_passed_over(void **state)
{
	(void)state;
	expect(
		(struct planted){
			.wedged = true, .heals = CARD_RUNG_RESCAN, .missing = 5, .failing = 2 },
		false, CANARY_MENDED, "pass 0 1 2 3 pass 4 pass ",
		"tried: device-specific reset, removal");
}

static void the_machine_sleeps_only_where_it_may(void **state)
{
	(void)state;
	expect((struct planted){ .wedged = true, .heals = CARD_RUNG_SUSPEND, .missing = 15 }, false,
	       CANARY_LOST, "pass 0 1 2 3 4 pass up ", "load-failed");
}

static void a_card_that_nothing_mends_is_given_up(void **state)
{
	(void)state;
	expect((struct planted){ .wedged = true, .heals = -1, .missing = 63 }, true, CANARY_LOST,
	       "pass 0 1 2 3 4 5 up ", "it knows no reset");
	expect((struct planted){ .wedged = true, .heals = -1, .missing = 63, .others = 1 }, true,
	       CANARY_OTHER, "pass 0 1 2 3 4 5 up ", "it knows no reset");
}

/* The rig's own trouble is no answer about the card: nothing is given up for it. */
static void a_failure_of_the_host_ends_the_walk(void **state)
{
	(void)state;
	for (int at = 1; at <= 3; at++) {
		struct planted p = { .wedged = true, .heals = -1, .host_fails_at = at };
		enum canary got;
		char why[512];
		struct err err;

		assert_int_equal(canary_walk(&ops, &p, false, &got, why, sizeof(why), &err), -1);
		assert_int_equal(err.kind, ERR_HOST);
		assert_null(strstr(p.log.data, "up"));
		assert_int_equal(p.passes, at);
		buf_deinit(&p.log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_card_is_asked_once),
		cmocka_unit_test(the_mildest_reset_that_helps_is_the_last),
		cmocka_unit_test(what_is_missing_or_fails_is_passed_over),
		cmocka_unit_test(the_machine_sleeps_only_where_it_may),
		cmocka_unit_test(a_card_that_nothing_mends_is_given_up),
		cmocka_unit_test(a_failure_of_the_host_ends_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
