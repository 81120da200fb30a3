// SPDX-License-Identifier: GPL-2.0-or-later
/* C as tokens: a function's bounds are found through whatever stands around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "demo/text/ctext.h"

/* The text of the function `f`, from its first token to its last brace; or NULL. Static buffer. */
static const char *find_f(const char *text)
{
	static char found[512];
	struct cfunction f;
	struct ctext c;
	bool ok;

	ctext_scan(text, strlen(text), &c);
	ok = ctext_function(&c, "f", &f);
	if (ok) {
		size_t from = c.tokens[f.first].at;

		memcpy(found, text + from, c.tokens[f.close].at + 1 - from);
		found[c.tokens[f.close].at + 1 - from] = '\0';
	}
	ctext_deinit(&c);
	return ok ? found : NULL;
}

static void a_function_is_found_between_others(void **state)
{
	(void)state;
	assert_string_equal(find_f("int g(void)\n{\n}\n\nint *f(int a)\n{\n\tg();\n}\nint h;\n"),
			    "int *f(int a)\n{\n\tg();\n}");
}

static void braces_in_comments_and_strings_do_not_count(void **state)
{
	(void)state;
	assert_string_equal(find_f("int f(void) { /* } */ g(\"}\\\"}\"); // }\n\tc = '}'; }\n}"),
			    "int f(void) { /* } */ g(\"}\\\"}\"); // }\n\tc = '}'; }");
}

static void branches_of_a_conditional_count_once(void **state)
{
	const char *text = "int f(void)\n{\n#if A\n\tif (a) {\n#elif B\n\tif (b) {\n#else\n\tif "
			   "(c) {\n#endif\n\t}\n}";

	(void)state;
	assert_string_equal(find_f(text), text);
}

static void macros_are_not_looked_into(void **state)
{
	(void)state;
	assert_string_equal(find_f("#define f(x) \\\n\t{ {\n#error don't\nint f(void) { }\n"),
			    "int f(void) { }");
}

static void calls_and_prototypes_are_no_definitions(void **state)
{
	(void)state;
	assert_null(find_f("int f(void);\nint g(void)\n{\n\tif (f()) {\n\t}\n}\n"));
	assert_null(find_f("/* int f(void) { } */"));
	assert_null(find_f("int f(void) {"));
	assert_null(find_f("int f("));
	assert_null(find_f(""));
}

static void two_definitions_are_not_chosen_from(void **state)
{
	(void)state;
	assert_null(find_f("#if A\nint f(void) { }\n#else\nint f(void) { }\n#endif\n"));
}

static void slots_are_blank_lines_after_functions_only(void **state)
{
	static const char text[] = "int a;\n\nint f(void)\n{\n\tx();\n\n}\n\n"
				   "#if A\nint g(void)\n{\n}\n\n#endif\n"
				   "int h(void)\n{\n}\nEXPORT(h);\n\n"
				   "struct s {\n};\n\n/*\n}\n\n*/\n";
	struct ctext c;

	(void)state;
	ctext_scan(text, sizeof(text) - 1, &c);
	assert_int_equal(c.n_slots, 2);
	assert_memory_equal(text + c.slots[0] - 2, "}\n\n#if", 6);
	assert_memory_equal(text + c.slots[1] - 3, "};\n\n/*", 6);
	ctext_deinit(&c);
}

static void a_headers_guard_is_no_condition(void **state)
{
	static const char text[] = "/* x */\n#ifndef A_H\n#define A_H\n\nenum a {\n};\n\n"
				   "#ifdef B\nstruct b {\n};\n\n#endif\nstruct c {\n};\n\n"
				   "#endif\n";
	struct ctext c;

	(void)state;
	ctext_scan(text, sizeof(text) - 1, &c);
	assert_int_equal(c.n_slots, 2);
	assert_memory_equal(text + c.slots[0] - 3, "};\n\n#ifdef", 10);
	assert_memory_equal(text + c.slots[1] - 3, "};\n\n#endif", 10);
	ctext_deinit(&c);
}

static void every_cut_of_a_text_is_survived(void **state)
{
	static const char text[] = "#define A \\\n\t/* x */ 1\nint f(void)\n{\n\tif (a->b == 'c')\n"
				   "\t\tg(\"\\\"\"); /* y */ // z\n}\n\n";

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		/* On the heap and without an end, so that a byte too far is caught. */
		char *cut = xmalloc(n ? n : 1);
		struct cfunction f;
		struct ctext c;

		memcpy(cut, text, n);
		ctext_scan(cut, n, &c);
		ctext_function(&c, "f", &f);
		ctext_deinit(&c);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_between_others),
		cmocka_unit_test(braces_in_comments_and_strings_do_not_count),
		cmocka_unit_test(branches_of_a_conditional_count_once),
		cmocka_unit_test(macros_are_not_looked_into),
		cmocka_unit_test(calls_and_prototypes_are_no_definitions),
		cmocka_unit_test(two_definitions_are_not_chosen_from),
		cmocka_unit_test(slots_are_blank_lines_after_functions_only),
		cmocka_unit_test(a_headers_guard_is_no_condition),
		cmocka_unit_test(every_cut_of_a_text_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
