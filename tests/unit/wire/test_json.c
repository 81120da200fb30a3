// SPDX-License-Identifier: GPL-2.0-or-later
/* What reports write is valid JSON whatever the text in it, and reads back as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "wire/json.h"
#include "wire/json_out.h"

DEFINE_CLEANUP(struct json *, json_destroy)

static void a_tree_reads_back_as_it_was_written(void **state)
{
	_cleanup_(json_destroy_p) struct json *root = json_object(), *again = NULL;
	_cleanup_free_ char *text = NULL, *pretty = NULL;
	struct json *arr, *child;
	int64_t v;

	(void)state;
	json_set_str(root, "s", "a \"b\"\n");
	json_set_int(root, "i", -5);
	json_set_num(root, "n", 1.5);
	json_set_bool(root, "b", true);
	json_set_null(root, "z");
	json_set_str(root, "none", NULL);
	arr = json_set_array(root, "list");
	json_push_str(arr, "x");
	json_push_int(arr, 7);
	child = json_push_object(arr);
	json_set_int(child, "deep", 9);
	json_set_object(root, "empty");
	text = json_text(root, false);
	assert_string_equal(text,
			    "{\"s\":\"a \\\"b\\\"\\n\",\"i\":-5,\"n\":1.5,\"b\":true,\"z\":null,"
			    "\"none\":null,\"list\":[\"x\",7,{\"deep\":9}],\"empty\":{}}");
	pretty = json_text(root, true);
	again = json_parse(pretty, strlen(pretty));
	assert_non_null(again);
	assert_string_equal(json_get_str(again, "s"), "a \"b\"\n");
	assert_true(json_get_int(again, "i", &v) && v == -5);
	assert_false(json_get_int(again, "n", &v));
	assert_false(json_get_int(again, "s", &v));
	assert_null(json_get_str(again, "i"));
	assert_null(json_get(again, "S"));
	assert_int_equal(json_len(json_get(again, "list")), 3);
	assert_true(json_get_int(json_at(json_get(again, "list"), 2), "deep", &v) && v == 9);
	assert_null(json_at(json_get(again, "list"), 3));
	assert_int_equal(json_len(NULL), 0);
	assert_null(json_get(NULL, "x"));
}

static void a_key_set_again_has_the_last_value(void **state)
{
	_cleanup_(json_destroy_p) struct json *root = json_object();
	_cleanup_free_ char *text = NULL;

	(void)state;
	json_set_int(root, "a", 1);
	json_set_str(root, "a", "two");
	text = json_text(root, false);
	assert_string_equal(text, "{\"a\":\"two\"}");
}

static void whole_numbers_keep_all_their_digits(void **state)
{
	_cleanup_(json_destroy_p) struct json *root = json_object();
	_cleanup_free_ char *text = NULL;

	(void)state;
	json_set_int(root, "max", INT64_MAX);
	json_set_int(root, "min", INT64_MIN);
	json_set_int(root, "ns", 16019000001);
	json_set_int(root, "odd", (INT64_C(1) << 53) - 2);
	json_set_num(root, "nan", NAN);
	text = json_text(root, false);
	assert_string_equal(text, "{\"max\":9223372036854775807,\"min\":-9223372036854775808,"
				  "\"ns\":16019000001,\"odd\":9007199254740990,\"nan\":null}");
}

static void text_that_is_no_utf8_is_made_valid(void **state)
{
	_cleanup_(json_destroy_p) struct json *root = json_object();
	_cleanup_free_ char *text = NULL;

	(void)state;
	json_set_str(root, "latin1", "caf\xe9");
	json_set_str(root, "utf8", "caf\xc3\xa9");
	text = json_text(root, false);
	assert_string_equal(text, "{\"latin1\":\"caf\xef\xbf\xbd\",\"utf8\":\"caf\xc3\xa9\"}");
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"",    "{",   "{}x",	     "{} {}",	 "[1,]",
		"nul", "\"a", "\"\\u0000\"", "\"a\nb\"", "\xef\xbb\xbf{}"
	};
	char deep[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_null(json_parse(bad[i], strlen(bad[i])));
	memset(deep, '[', 2048);
	memset(deep + 2048, ']', 2048);
	assert_null(json_parse(deep, sizeof(deep)));
	assert_null(json_parse("{}\0", 3));
}

static void surrounding_blanks_and_missing_nul_are_fine(void **state)
{
	static const char text[] = { ' ', '[', '1', ']', '\n' };
	_cleanup_free_ char *exact = xmalloc(sizeof(text));
	_cleanup_(json_destroy_p) struct json *j = NULL;

	(void)state;
	memcpy(exact, text, sizeof(text));
	j = json_parse(exact, sizeof(text));
	assert_int_equal(json_len(j), 1);
}

static void text_as_it_comes_reads_back_as_a_tree(void **state)
{
	_cleanup_(json_out_deinit) struct json_out out = { 0 };
	_cleanup_(json_destroy_p) struct json *again = NULL;
	int64_t v;

	(void)state;
	json_out_object(&out, NULL);
	json_out_list(&out, "empty");
	json_out_end(&out);
	json_out_list(&out, "rows");
	for (int i = 0; i < 2; i++) {
		json_out_object(&out, NULL);
		json_out_int(&out, "i", i ? INT64_MIN : 7);
		json_out_str(&out, "s", i ? NULL : "a \"\\\n\x7f caf\xc3\xa9 \xe9");
		json_out_list(&out, "list");
		json_out_num(&out, NULL, 0.5);
		json_out_num(&out, NULL, NAN);
		json_out_bool(&out, NULL, true);
		json_out_end(&out);
		json_out_end(&out);
	}
	json_out_end(&out);
	json_out_end(&out);
	assert_string_equal(
		out.text.data,
		"{\n\t\"empty\": [],\n\t\"rows\": [\n\t\t{\"i\": 7, \"s\": \"a "
		"\\\"\\\\\\u000a\\u007f caf\xc3\xa9 \xef\xbf\xbd\", "
		"\"list\": [0.5, null, true]},\n\t\t{\"i\": -9223372036854775808, \"s\": "
		"null, \"list\": [0.5, null, true]}\n\t]\n}\n");
	again = json_parse(out.text.data, out.text.len);
	assert_non_null(again);
	assert_string_equal(json_get_str(json_at(json_get(again, "rows"), 0), "s"),
			    "a \"\\\n\x7f caf\xc3\xa9 \xef\xbf\xbd");
	assert_true(json_get_int(json_at(json_get(again, "rows"), 0), "i", &v) && v == 7);
}

static void long_text_goes_out_as_it_comes(void **state)
{
	_cleanup_(json_out_deinit) struct json_out out = { 0 };
	size_t most = 0, size = 0;
	char *text = NULL;
	struct json *again;

	(void)state;
	out.to = open_memstream(&text, &size);
	assert_non_null(out.to);
	json_out_list(&out, NULL);
	for (int i = 0; i < 100000; i++) {
		json_out_int(&out, NULL, i);
		if (out.text.len > most)
			most = out.text.len;
	}
	json_out_end(&out);
	fclose(out.to);
	assert_in_range(most, 1, 1 << 17);
	assert_int_equal(out.text.len, 0);
	again = json_parse(text, size);
	assert_int_equal(json_len(again), 100000);
	json_destroy(again);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_reads_back_as_it_was_written),
		cmocka_unit_test(a_key_set_again_has_the_last_value),
		cmocka_unit_test(whole_numbers_keep_all_their_digits),
		cmocka_unit_test(text_that_is_no_utf8_is_made_valid),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(surrounding_blanks_and_missing_nul_are_fine),
		cmocka_unit_test(text_as_it_comes_reads_back_as_a_tree),
		cmocka_unit_test(long_text_goes_out_as_it_comes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
