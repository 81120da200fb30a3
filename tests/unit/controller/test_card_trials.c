// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trials on a card that may hang: the real trial, ladder and store; planted are the artifact, what its guest
 * measured, and the card, which no machine at hand can be made to lose. Once it hangs every guest's probe fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "lab.h"

#define CARD  "0000:03:00.0"
#define OTHER "0000:04:00.0"
#define GOOD  "1111111111111111111111111111111111111111"
#define BAD   "2222222222222222222222222222222222222222"
#define HANGS "3333333333333333333333333333333333333333"

static char work[] = "/tmp/amdgpu-bisect-card-trials.XXXXXX";
static unsigned int n_runs;

/* The card, and what was done to it. */
static struct {
	const char *address; /* NULL: none is passed */
	bool hangs;
	const char *hanger; /* a guest of this commit makes it hang */
	unsigned int times; /* so often at most */
	bool probed;	    /* a pass under the kernel's probes follows the copies */
	unsigned int moves; /* so many next guests measure a control that has moved */
	unsigned int voids; /* so many next guests are disturbed by a busy host */
	unsigned int fails; /* in so many next guests each copy ends with an error */
	int mends;	    /* rung, or -1: none */
	bool missing[CARD_RUNGS];
	bool has_other;
	unsigned int guests, given_up;
	struct buf rungs;
} card;

/* What stands in for the rig and the builder; the linker puts these in their place. */

const char *__wrap_rig_card(const struct rig *r);
int __wrap_rig_card_reset(struct rig *r, enum card_rung rung, struct err *err);
int __wrap_rig_card_give_up(struct rig *r, const char *why, struct err *err);
int __wrap_builder_make(struct builder *b, const char *id, const char *log, struct artifact *ret,
			struct err *err);
int __wrap_config_keep(struct store *store, const char *run, const char *config, char ret[13],
		       struct err *err);
int __wrap_builder_depends(const struct builder *b, const char *key, struct strv *ret,
			   struct err *err);
int __wrap_guest_try(struct rig *r, const struct trial_spec *spec, struct trial *ret,
		     struct err *err);

const char *lab_accel(const struct lab *lab, const char **why)
{
	(void)lab;
	if (why)
		*why = "";
	return "kvm";
}

const char *__wrap_rig_card(const struct rig *r)
{
	(void)r;
	return card.address;
}

int __wrap_rig_card_reset(struct rig *r, enum card_rung rung, struct err *err)
{
	(void)r;
	(void)err;
	if (card.missing[rung])
		return 0;
	buf_printf(&card.rungs, "%s;", card_rung_name(rung));
	if ((int)rung == card.mends)
		card.hangs = false;
	return 1;
}

int __wrap_rig_card_give_up(struct rig *r, const char *why, struct err *err)
{
	(void)r;
	(void)err;
	assert_non_null(strstr(why, "the card does not answer"));
	card.given_up++;
	if (!card.has_other)
		return 0;
	card.address = OTHER;
	card.hangs = card.has_other = false;
	return 1;
}

int __wrap_builder_make(struct builder *b, const char *id, const char *log, struct artifact *ret,
			struct err *err)
{
	(void)b;
	(void)log;
	(void)err;
	*ret = (struct artifact){ .cached = true, .config = xstrdup("") };
	snprintf(ret->key, sizeof(ret->key), "%.40s", id);
	snprintf(ret->signature, sizeof(ret->signature), "%.40s", id);
	return 0;
}

int __wrap_config_keep(struct store *store, const char *run, const char *config, char ret[13],
		       struct err *err)
{
	(void)store;
	(void)run;
	(void)config;
	(void)err;
	*ret = '\0';
	return 0;
}

int __wrap_builder_depends(const struct builder *b, const char *key, struct strv *ret,
			   struct err *err)
{
	(void)b;
	(void)key;
	(void)ret;
	return err_set(err, ERR_HOST, "not known");
}

/* Windows, or none, as the law has it: one for each extent of the private mapping that is resident. */
static void measure(bool bad, struct trial *t)
{
	static const uint64_t mib[] = { 4, 8 };

	t->samples = xcalloc(2 * ARRAY_SIZE(mib) * REGIME_COUNT, sizeof(*t->samples));
	for (size_t i = 0; i < ARRAY_SIZE(mib); i++)
		for (int regime = 0; regime < REGIME_COUNT; regime++) {
			struct wire_sample *s = &t->samples[t->n_samples++];
			bool resident = regime != REGIME_RW_ABSENT;

			s->regime = (enum wire_regime)regime;
			s->bytes = mib[i] << 20;
			s->extents = (uint32_t)(mib[i] / 2);
			s->resident = resident ? s->extents : 0;
			s->present[0] = resident ? (UINT64_C(1) << s->extents) - 1 : 0;
			s->pages_present = resident ? s->bytes / 4096 : 0;
			s->elapsed_ns = 3 * NS_PER_MS;
			if ((bad && regime == REGIME_RW_RESIDENT) ||
			    (card.moves && regime == REGIME_R_RESIDENT))
				s->elapsed_ns += s->extents * NS_PER_S;
			s->calls = 1;
		}
	/* Windows in the controls: as measurements these would be weak. */
	for (size_t i = 0, n = t->n_samples; card.probed && i < n; i++) {
		struct wire_sample *s = &t->samples[t->n_samples++];

		*s = t->samples[i];
		s->evidence = true;
		s->elapsed_ns += 2 * NS_PER_S;
		s->hmm_calls = 9;
	}
	card.moves -= card.moves > 0;
	for (size_t i = 0; card.voids && i < t->n_samples; i++)
		t->samples[i].doubt = DOUBT_STOLEN;
	for (size_t i = 0; card.fails && i < t->n_samples; i++)
		t->samples[i].result = -5;
	card.voids -= card.voids > 0;
	card.fails -= card.fails > 0;
	t->end = TRIAL_DONE;
}

int __wrap_guest_try(struct rig *r, const struct trial_spec *spec, struct trial *ret,
		     struct err *err)
{
	(void)r;
	(void)err;
	*ret = (struct trial){ .end = TRIAL_PROBE_FAILED, .exit_code = 1 };
	ret->stage_ns[STAGE_LOAD] = 1;
	card.guests++;
	if (card.hanger && card.times && strncmp(spec->label, card.hanger, 12) == 0) {
		card.times--;
		card.hangs = true;
	}
	if (card.hangs)
		str_copy(ret->reason, sizeof(ret->reason), "the card does not answer");
	else
		measure(strncmp(spec->label, BAD, 12) == 0, ret);
	return 0;
}

/* A run of trials */

struct bench {
	struct options o;
	struct lab lab;
	struct store *store;
	char *dir;
};

static void bench_make(struct bench *b, bool suspend)
{
	static char nothing[] = ""; /* what is asked of a candidate outlives this call */
	const char *argv[] = { "--good", GOOD, "--bad", BAD,
			       suspend ? "--gpu-suspend" : "--quiet" };
	struct err err;

	*b = (struct bench){ .dir = str_printf("%s/run-%u", work, n_runs++) };
	if (options_parse(CMD_RUN, ARRAY_SIZE(argv), (char **)argv, &b->o, &err) < 0 ||
	    fs_mkdirs(b->dir, &err) < 0 || store_create(b->dir, &b->store, &err) < 0)
		fail_msg("%s", err.msg);
	b->lab = (struct lab){ .o = &b->o,
			       .progress = progress_create(fopen("/dev/null", "we"), true),
			       .probe_args = nothing,
			       .agent = nothing,
			       .kernel.image = nothing,
			       .repo = b->dir };
	buf_deinit(&card.rungs);
	memset(&card, 0, sizeof(card));
	card.address = CARD;
	card.mends = -1;
}

static void bench_end(struct bench *b)
{
	progress_destroy(b->lab.progress);
	store_close(b->store);
	options_deinit(&b->o);
	free(b->dir);
}

static int try(struct bench *b, const char *id, struct attempt *ret, struct err *err)
{
	return lab_try_hard(&b->lab, b->store, b->dir, id, ROLE_SEARCH, NULL, ret, err);
}

static void expect(struct bench *b, const char *id, enum verdict verdict, const char *rule)
{
	struct attempt a;
	struct err err;

	if (try(b, id, &a, &err) < 0)
		fail_msg("%s", err.msg);
	if (a.v.verdict != verdict || (rule && strcmp(a.v.rule, rule) != 0))
		fail_msg("%s by %s (%s), want %s", verdict_name(a.v.verdict), a.v.rule, a.v.reason,
			 verdict_name(verdict));
}

static int add_event(int64_t date_s, const char *kind, const char *text, void *arg)
{
	(void)date_s;
	if (strcmp(kind, "card") == 0)
		buf_printf(arg, "%s\n", text);
	return 0;
}

/* These words are kept, in this order. */
static void assert_kept(const struct bench *b, const char *const *words)
{
	_cleanup_buf_ struct buf all = { 0 };
	const char *at;
	struct err err;

	assert_int_equal(store_each_event(b->store, add_event, &all, &err), 0);
	for (at = all.data; *words; words++) {
		at = at ? strstr(at, *words) : NULL;
		if (!at)
			fail_msg("'%s' is not kept there: %s", *words, all.data ? all.data : "");
	}
}

#define KEPT(b, ...) assert_kept(b, (const char *const[]){ __VA_ARGS__, NULL })

/* How many trials of @id ended with @verdict. */
static size_t stored(const struct bench *b, const char *id, enum verdict verdict)
{
	_cleanup_free_ struct store_trial *trials = NULL;
	size_t n, ret = 0;
	struct err err;

	assert_int_equal(store_trials(b->store, &trials, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		ret += trials[i].ended && strcmp(trials[i].commit, id) == 0 &&
		       trials[i].v.verdict == verdict;
	return ret;
}

static void a_sound_card_lets_the_verdict_stand(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	assert_int_equal(card.guests, 1); /* nothing to ask about */
	expect(&b, BAD, VERDICT_BAD, NULL);
	assert_int_equal(card.guests, 3); /* the known good once more */
	assert_string_equal(card.rungs.data ? card.rungs.data : "", "");
	bench_end(&b);
}

static void a_disturbed_answer_of_the_known_good_is_asked_for_again(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	card.moves = 3;			       /* the trial itself, and twice the known good */
	expect(&b, HANGS, VERDICT_GOOD, NULL); /* what was weak is tried again */
	assert_int_equal(card.guests, 6);
	assert_string_equal(card.rungs.data ? card.rungs.data : "", "");
	card.moves = 4; /* and for ever: then the card is no longer trusted */
	card.mends = CARD_RUNG_FLR;
	expect(&b, BAD, VERDICT_BAD, NULL);
	assert_string_equal(card.rungs.data, "function level reset;");
	bench_end(&b);
}

static void copies_that_the_host_disturbed_show_that_the_card_works(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	card.voids = 9;
	card.mends = CARD_RUNG_FLR;
	expect(&b, HANGS, VERDICT_SKIP, NULL);
	assert_string_equal(card.rungs.data ? card.rungs.data : "", "");
	card.voids = 0;
	card.fails = 4; /* the trial, and three times the known good */
	expect(&b, BAD, VERDICT_BAD, NULL);
	assert_string_equal(card.rungs.data, "function level reset;");
	bench_end(&b);
}

static void what_hung_the_card_is_tried_again_once_a_reset_mended_it(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	card.hanger = HANGS;
	card.times = 1;
	card.mends = CARD_RUNG_BUS;
	card.missing[CARD_RUNG_PM] = true;
	expect(&b, HANGS, VERDICT_GOOD, NULL);
	assert_string_equal(card.rungs.data, "function level reset;bus reset;");
	KEPT(&b, "the card fails the module known good as well",
	     "after a function level reset the card still fails",
	     "after a bus reset the card works again");
	assert_int_equal(stored(&b, HANGS, VERDICT_SKIP), 0);
	assert_int_equal(stored(&b, HANGS, VERDICT_HOST), 1);
	assert_int_equal(card.given_up, 0);
	bench_end(&b);
}

static void what_hangs_it_twice_is_a_skip_that_says_so(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	card.hanger = HANGS;
	card.times = 2;
	card.mends = CARD_RUNG_RESCAN;
	expect(&b, HANGS, VERDICT_SKIP, "card");
	assert_int_equal(card.times, 0);
	expect(&b, GOOD, VERDICT_GOOD, NULL); /* the card is there again */
	bench_end(&b);
}

static void windows_that_were_measured_stand(void **state)
{
	struct bench b;
	struct attempt a;
	struct err err;

	(void)state;
	bench_make(&b, false);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	/* it hangs as soon as the bad one has been measured: in the canary's guest */
	card.hanger = GOOD;
	card.times = 1;
	card.mends = CARD_RUNG_FLR;
	assert_int_equal(try(&b, BAD, &a, &err), 0);
	assert_int_equal(a.v.verdict, VERDICT_BAD);
	assert_string_equal(card.rungs.data, "function level reset;");
	bench_end(&b);
}

static void a_card_that_nothing_mends_ends_the_run_and_is_tried_no_more(void **state)
{
	unsigned int guests;
	struct attempt a;
	struct bench b;
	struct err err;

	(void)state;
	bench_make(&b, true);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	card.hanger = HANGS;
	card.times = 1;
	assert_int_equal(try(&b, HANGS, &a, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "card " CARD " is in quarantine"));
	assert_non_null(strstr(err.msg, "doctor --release-card " CARD));
	assert_string_equal(card.rungs.data,
			    "function level reset;power state reset;bus reset;device-specific "
			    "reset;removal and rescan;suspend with a wake-up by the clock;");
	assert_int_equal(card.given_up, 1);
	guests = 1 + 1 + 1 + CARD_RUNGS;
	assert_int_equal(card.guests, guests);
	assert_int_equal(stored(&b, HANGS, VERDICT_HOST), 1);
	assert_int_equal(stored(&b, HANGS, VERDICT_SKIP), 0);
	bench_end(&b);
}

static void another_card_goes_on_with_what_the_first_one_failed(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	card.hanger = HANGS;
	card.times = 1;
	card.has_other = true;
	expect(&b, HANGS, VERDICT_GOOD, NULL);
	assert_int_equal(card.given_up, 1);
	assert_string_equal(card.address, OTHER);
	bench_end(&b);
}

static void without_a_card_or_a_good_one_nothing_is_asked(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	expect(&b, BAD, VERDICT_BAD, NULL); /* the first of all */
	assert_int_equal(card.guests, 1);
	bench_end(&b);
	bench_make(&b, false);
	card.address = NULL;
	expect(&b, GOOD, VERDICT_GOOD, NULL);
	expect(&b, BAD, VERDICT_BAD, NULL);
	assert_int_equal(card.guests, 2);
	bench_end(&b);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(work))
		return -1;
	return setenv("XDG_CACHE_HOME", work, 1);
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	buf_deinit(&card.rungs);
	return fs_remove_tree(work, &err);
}

static void what_the_kernels_probes_saw_is_kept_and_not_judged(void **state)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	_cleanup_free_ struct wire_sample *kernel = NULL;
	struct attempt a;
	struct bench b;
	struct err err;
	size_t n = 0, n_kernel = 0;

	(void)state;
	bench_make(&b, false);
	card.probed = true;
	expect(&b, GOOD, VERDICT_GOOD, "no-windows");
	if (try(&b, BAD, &a, &err) < 0 ||
	    store_trial_samples(b.store, a.trial, &samples, &n, &err) < 0 ||
	    store_trial_kernel(b.store, a.trial, &kernel, &n_kernel, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(a.v.verdict, VERDICT_BAD);
	assert_int_equal(n, 6);
	assert_int_equal(n_kernel, 6);
	for (size_t i = 0; i < n; i++) {
		assert_false(samples[i].evidence);
		assert_true(kernel[i].evidence);
		assert_int_equal(kernel[i].hmm_calls, 9);
	}
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernels_probes_saw_is_kept_and_not_judged),
		cmocka_unit_test(a_sound_card_lets_the_verdict_stand),
		cmocka_unit_test(a_disturbed_answer_of_the_known_good_is_asked_for_again),
		cmocka_unit_test(copies_that_the_host_disturbed_show_that_the_card_works),
		cmocka_unit_test(what_hung_the_card_is_tried_again_once_a_reset_mended_it),
		cmocka_unit_test(what_hangs_it_twice_is_a_skip_that_says_so),
		cmocka_unit_test(windows_that_were_measured_stand),
		cmocka_unit_test(a_card_that_nothing_mends_ends_the_run_and_is_tried_no_more),
		cmocka_unit_test(another_card_goes_on_with_what_the_first_one_failed),
		cmocka_unit_test(without_a_card_or_a_good_one_nothing_is_asked),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
