// SPDX-License-Identifier: GPL-2.0-or-later
/* The one function, in each form a kernel gives it: what the demo makes of it, to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "demo/text/unit.h"

#include "unit/demo/toy.h"

#define READ "\ttoy->notifier_seq = mmu_interval_read_begin(toy);\n"

static char *form(const char *function, enum unit_stage stage, enum demo_fault fault)
{
	_cleanup_free_ char *text = str_printf(TOY_HEAD "%s" TOY_TAIL, function);
	struct splices s = { 0 };
	struct unit u;
	struct err err;
	size_t len;
	char *made;

	assert_int_equal(unit_init("toy.c", text, strlen(text), &u, &err), 0);
	unit_splice(&u, stage, fault, &s);
	made = splices_apply(&s, text, strlen(text), &len);
	assert_int_equal(len, strlen(made));
	splices_deinit(&s);
	unit_deinit(&u);
	return made;
}

static void expect(const char *function, enum unit_stage stage, const char *as)
{
	_cleanup_free_ char *made = form(function, stage, DEMO_FAULTS);
	_cleanup_free_ char *whole = str_printf(TOY_HEAD "%s" TOY_TAIL, as);

	assert_string_equal(made, whole);
}

static void an_untouched_file_stays_as_it_is(void **state)
{
	(void)state;
	expect(TOY_LABEL, UNIT_UNTOUCHED, TOY_LABEL);
	expect(TOY_LABEL, UNIT_LOOP, TOY_LABEL);
	expect(TOY_PARTS, UNIT_LOOP, TOY_PARTS);
	expect(TOY_DROPPED, UNIT_UNTOUCHED, TOY_DROPPED);
}

static void the_read_moves_before_a_label(void **state)
{
	(void)state;
	expect(TOY_LABEL, UNIT_CULPRIT,
	       "int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n"
	       "\tunsigned long timeout;\n\tint r = 0;\n\n"
	       "\ttimeout = later(1);\n\n" READ "retry:\n"
	       "\tr = hmm_range_fault(toy);\n"
	       "\tif (r == -EBUSY && !past(timeout))\n\t\tgoto retry;\n\treturn r;\n}\n");
}

static void the_read_moves_before_the_loop_that_a_label_is_in(void **state)
{
	(void)state;
	expect(TOY_PARTS, UNIT_CULPRIT,
	       "int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n"
	       "\tunsigned long timeout;\n\tint r;\n\n\tcount(toy);\n" READ
	       "\tdo {\n\t\ttimeout = later(1);\n\nretry:\n"
	       "\t\tr = hmm_range_fault(toy);\n"
	       "\t\tif (r) {\n\t\t\tif (r == -EBUSY && !past(timeout))\n\t\t\t\tgoto retry;\n"
	       "\t\t\tgoto out;\n\t\t}\n\t} while (more(toy));\nout:\n\treturn r;\n}\n");
}

#define DROPPED_START                                          \
	"int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n" \
	"\tint r;\n\tunsigned long timeout;\n\n\tcount(toy);\n"
#define DROPPED_WAIT \
	"\t\ttimeout = jiffies + msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT);\n\nretry:\n"
#define DROPPED_END                                                                  \
	"\t\tr = hmm_range_fault(toy);\n"                                            \
	"\t\tif (r == -EBUSY && !time_after(jiffies, timeout))\n\t\t\tgoto retry;\n" \
	"\t\tif (r)\n\t\t\tgoto out;\n\t} while (more(toy));\nout:\n\treturn r;\n}\n"

static void a_dropped_loop_is_given_back_and_then_moved_out_of(void **state)
{
	(void)state;
	expect(TOY_DROPPED, UNIT_LOOP,
	       DROPPED_START "\tdo {\n\t\tpart(toy);\n\n" DROPPED_WAIT "\t" READ DROPPED_END);
	expect(TOY_DROPPED, UNIT_CULPRIT,
	       DROPPED_START READ "\tdo {\n\t\tpart(toy);\n\n" DROPPED_WAIT DROPPED_END);
}

static void faults_stand_where_the_declarations_end(void **state)
{
	static const char *const marks[] = {
		[DEMO_FAULT_BUILD] = "toy->notifier_stamp = 0;",
		[DEMO_FAULT_OOPS] = "*last = 0;",
		[DEMO_FAULT_HANG] = "for (;;)\n\t\tmsleep(20);",
		[DEMO_FAULT_SLOW] = "msleep(330);",
	};
	static const char *const forms[] = { TOY_LABEL, TOY_PARTS, TOY_DROPPED };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		for (int f = 0; f < DEMO_FAULTS; f++) {
			_cleanup_free_ char *made = form(forms[i], UNIT_CULPRIT, f);
			char *mark = strstr(made, marks[f]);
			bool sleeps = f == DEMO_FAULT_HANG || f == DEMO_FAULT_SLOW;

			assert_non_null(mark);
			assert_true(mark > strstr(made, "int r"));
			assert_true(mark < strstr(made, i ? "\tcount(toy)" : "\ttimeout = "));
			assert_int_equal(strstr(made, "#include <linux/delay.h>") != NULL, sleeps);
		}
	}
}

static void refuse(const char *function, const char *because)
{
	_cleanup_free_ char *text = str_printf(TOY_HEAD "%s" TOY_TAIL, function);
	struct err err = { 0 };
	struct unit u;

	assert_int_equal(unit_init("some/toy.c", text, strlen(text), &u, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, because) || !strstr(err.msg, "some/toy.c"))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, because);
}

static void a_source_that_has_the_defect_is_refused(void **state)
{
	(void)state;
	refuse(TOY_DEFECT, "c08972f55594");
}

static void unknown_forms_are_refused_with_what_was_looked_for(void **state)
{
	const char *head = "int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n\tint r;\n\n";
	_cleanup_free_ char *no_read = str_printf("%s\tr = hmm_range_fault(toy);\n}\n", head);
	_cleanup_free_ char *no_fault = str_printf("%s" READ "\treturn r;\n}\n", head);
	_cleanup_free_ char *twice =
		str_printf("%s" READ READ "\tr = hmm_range_fault(toy);\n}\n", head);
	_cleanup_free_ char *after = str_printf("%s\tr = hmm_range_fault(toy);\n" READ "}\n", head);
	_cleanup_free_ char *unkept =
		str_printf("%s" READ "\treturn hmm_range_fault(toy);\n}\n", head);
	_cleanup_free_ char *unchecked =
		str_printf("%s" READ "\tr = hmm_range_fault(toy);\n\treturn r;\n}\n", head);
	_cleanup_free_ char *one_line =
		str_printf("%s\tf(); toy->notifier_seq = mmu_interval_read_begin(toy);\n"
			   "\tr = hmm_range_fault(toy);\n\tif (r)\n\t\treturn r;\n}\n",
			   head);

	(void)state;
	refuse("", "amdgpu_hmm_range_get_pages()");
	refuse("int amdgpu_hmm_range_get_pages(struct toy *toy);\n", "definition");
	refuse(no_read, "notifier_seq");
	refuse(twice, "notifier_seq");
	refuse(no_fault, "hmm_range_fault()");
	refuse(after, "before hmm_range_fault()");
	refuse(unkept, "the result of hmm_range_fault()");
	refuse(unchecked, "the result of hmm_range_fault()");
	refuse(one_line, "lines of their own");
}

static void every_cut_of_a_file_is_survived(void **state)
{
	static const char text[] = TOY_HEAD TOY_PARTS TOY_TAIL;

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		_cleanup_free_ char *cut = xstrndup(text, n);
		struct err err;
		struct unit u;

		if (!unit_init("toy.c", cut, n, &u, &err))
			unit_deinit(&u);
	}
}

static void another_culprit_is_the_loop_and_a_statement_more(void **state)
{
	static const struct {
		enum demo_culprit culprit;
		const char *statement, *include;
	} cases[] = {
		{ DEMO_CULPRIT_SLOW, "\tmdelay(60);\n", "#include <linux/delay.h>\n" },
		{ DEMO_CULPRIT_WARN, "\tWARN_ON_ONCE(1);\n", "" },
	};
	_cleanup_free_ char *text = str_printf(TOY_HEAD "%s" TOY_TAIL, TOY_LABEL);
	_cleanup_free_ char *loop = form(TOY_LABEL, UNIT_LOOP, DEMO_FAULTS);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_splices_ struct splices s = { 0 };
		_cleanup_free_ char *made = NULL;
		struct unit u;
		struct err err;
		size_t len;

		assert_int_equal(unit_init("toy.c", text, strlen(text), &u, &err), 0);
		u.culprit = cases[i].culprit;
		unit_splice(&u, UNIT_CULPRIT, DEMO_FAULTS, &s);
		made = splices_apply(&s, text, strlen(text), &len);
		unit_deinit(&u);
		assert_non_null(strstr(made, cases[i].statement));
		assert_non_null(strstr(made, cases[i].include));
		assert_int_equal(len, strlen(loop) + strlen(cases[i].statement) +
					      strlen(cases[i].include));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_untouched_file_stays_as_it_is),
		cmocka_unit_test(the_read_moves_before_a_label),
		cmocka_unit_test(the_read_moves_before_the_loop_that_a_label_is_in),
		cmocka_unit_test(a_dropped_loop_is_given_back_and_then_moved_out_of),
		cmocka_unit_test(faults_stand_where_the_declarations_end),
		cmocka_unit_test(a_source_that_has_the_defect_is_refused),
		cmocka_unit_test(unknown_forms_are_refused_with_what_was_looked_for),
		cmocka_unit_test(every_cut_of_a_file_is_survived),
		cmocka_unit_test(another_culprit_is_the_loop_and_a_statement_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
