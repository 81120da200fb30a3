// SPDX-License-Identifier: GPL-2.0-or-later
/* A guest may send anything: each line is a message or an error that says why, never more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "wire/wire.h"

static struct err err;

/* From a buffer of exactly its length, so that ASan sees a byte read too many. */
static int decode(const char *line, size_t len, struct wire_msg *ret)
{
	_cleanup_free_ char *exact = malloc(len ? len : 1);

	memcpy(exact, line, len);
	return wire_decode(exact, len, ret, &err);
}

static void expect_refused(const char *line, size_t len, const char *why)
{
	struct wire_msg msg, before;

	memset(&msg, 0xa5, sizeof(msg));
	before = msg;
	if (decode(line, len, &msg) == 0)
		fail_msg("taken: %.*s", (int)len, line);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_memory_equal(&msg, &before, sizeof(msg));
	if (!strstr(err.msg, why))
		fail_msg("%.*s: \"%s\" does not say \"%s\"", (int)len, line, err.msg, why);
	for (const char *c = err.msg; *c; c++)
		assert_true(*c >= ' ' && *c <= '~');
}

static const struct {
	const char *line;
	const char *why;
} lines[] = {
	/* No plain object. */
	{ "", "not a JSON object" },
	{ "{", "not a JSON object" },
	{ "null", "not a JSON object" },
	{ "[]", "not a JSON object" },
	{ "\"x\"", "not a JSON object" },
	{ " {\"type\":\"poweroff\"}", "not a JSON object" },
	{ "{\"type\":\"poweroff\"} ", "not a JSON object" },
	{ "{\"type\":\"poweroff\"}x", "not a JSON object" },
	{ "\xef\xbb\xbf{\"type\":\"poweroff\"}", "not a JSON object" },
	{ "{\"type\":\"poweroff\"}{}", "not JSON" },
	{ "{\"type\":\"poweroff\"}}", "not JSON" },
	{ "{\"type\":\"poweroff\",}", "not JSON" },
	{ "{\"type\":\"poweroff\"", "not a JSON object" },
	{ "{type:\"poweroff\"}", "not JSON" },
	{ "{'type':'poweroff'}", "not JSON" },
	{ "{\"type\":\"poweroff\"\x01}", "control characters" },
	{ "{\"type\":\"power\noff\"}", "control characters" },
	{ "{\"type\":\"poweroff\\u0000x\"}", "escaped NUL" },
	{ "{\"type\":\"poweroff\\ud800\"}", "not JSON" },
	{ "{\"type\":\"poweroff\\x\"}", "not JSON" },
	{ "{\"type\":\"poweroff\xc3\xa9\":\xc3\xa9}", "not JSON" },
	{ "{\"type\":{}}", "nested" },
	{ "{\"type\":[]}", "nested" },
	{ "{}", "type is missing" },
	/* The type. */
	{ "{\"Type\":\"poweroff\"}", "type is missing" },
	{ "{\"type\":1}", "type is not text" },
	{ "{\"type\":null}", "type is not text" },
	{ "{\"type\":\"powerof\"}", "unknown type \"powerof\"" },
	{ "{\"type\":\"a\\u001b[2J\"}", "unknown type \"?\"" },
	{ "{\"type\":\"poweroff\",\"type\":\"poweroff\"}", "type is there twice" },
	{ "{\"type\":\"poweroff\",\"type\":\"note\"}", "type is there twice" },
	/* Fields: missing, twice, too many, of another kind. */
	{ "{\"type\":\"poweroff\",\"x\":1}", "unknown field" },
	{ "{\"type\":\"note\"}", "text is missing" },
	{ "{\"type\":\"note\",\"Text\":\"x\"}", "text is missing" },
	{ "{\"type\":\"note\",\"text\":\"a\",\"text\":\"b\"}", "text is there twice" },
	{ "{\"type\":\"note\",\"text\":5}", "text is not text" },
	{ "{\"type\":\"note\",\"text\":null}", "text is not text" },
	{ "{\"type\":\"note\",\"text\":true}", "text is not text" },
	{ "{\"type\":\"done\",\"of\":\"probe\",\"name\":\"x\"}", "of is not one of" },
	{ "{\"type\":\"done\",\"of\":\"note\",\"name\":\"x\"}", "of is not one of" },
	{ "{\"type\":\"done\",\"of\":2,\"name\":\"x\"}", "of is not text" },
	{ "{\"type\":\"done\",\"of\":\"put\",\"name\":\"../x\"}", "name has characters" },
	{ "{\"type\":\"done\",\"of\":\"put\",\"name\":\"\"}", "name has characters" },
	{ "{\"type\":\"fail\",\"of\":\"sample\",\"text\":\"x\"}", "of is not one of" },
	{ "{\"type\":\"loaded\",\"name\":\"x\",\"srcversion\":\"a b\",\"build_id\":\"\"}",
	  "srcversion has characters" },
	{ "{\"type\":\"hello\",\"version\":1,\"nonce\":\"00\",\"agent\":\"\",\"kernel\":\"\"}",
	  "nonce has characters" },
	{ "{\"type\":\"hello\",\"version\":1,\"nonce\":\"0123456789ABCDEF0123456789ABCDEF\","
	  "\"agent\":\"\",\"kernel\":\"\"}",
	  "nonce has characters" },
	{ "{\"type\":\"load\",\"name\":\"x\",\"params\":\"a\xc3\xa9\",\"limit_ms\":1}",
	  "params has characters" },
	/* Numbers. */
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":\"1\"}", "bytes is not a whole" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":true}", "bytes is not a whole" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":-1}", "bytes is not a whole" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":0.5}", "bytes is not a whole" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":1e999}", "bytes is not a whole" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":-1e999}", "bytes is not a whole" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":NaN}", "not JSON" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":0x10}", "not JSON" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":-}", "not JSON" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":268435457}", "bytes is not a whole" },
	{ "{\"type\":\"put\",\"name\":\"x\",\"bytes\":18446744073709551616}",
	  "bytes is not a whole" },
	{ "{\"type\":\"hello\",\"version\":4294967296,\"nonce\":"
	  "\"0123456789abcdef0123456789abcdef\",\"agent\":\"\",\"kernel\":\"\"}",
	  "version is not a whole" },
	{ "{\"type\":\"probe-end\",\"how\":\"exited\",\"code\":256}", "code is not a whole" },
	{ "{\"type\":\"probe-end\",\"how\":\"signaled\",\"code\":0}", "no signal" },
	{ "{\"type\":\"probe-end\",\"how\":\"signaled\",\"code\":65}", "no signal" },
	{ "{\"type\":\"probe-end\",\"how\":\"vanished\",\"code\":0}", "how is not one of" },
};

static void a_hostile_line_is_an_error_that_says_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		expect_refused(lines[i].line, strlen(lines[i].line), lines[i].why);
}

#define SAMPLE_HEAD \
	"{\"type\":\"sample\",\"regime\":\"rw-p resident\",\"warmup\":false,\"repeat\":0,"
#define SAMPLE_TAIL  ",\"restarts\":2,\"calls\":3,\"result\":0,\"read_permission\":false}"
#define SAMPLE(rest) SAMPLE_HEAD rest SAMPLE_TAIL
#define TWO_EXTENTS  "\"bytes\":4194304,\"offset\":0,\"elapsed_ns\":2000000000,\"extents\":2,"

static const struct {
	const char *line;
	const char *why;
} samples[] = {
	{ SAMPLE(TWO_EXTENTS "\"resident\":2,\"present\":\"0000000000000003\",\"pages_present\":2"),
	  NULL },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"0000000000000000\",\"pages_present\":0"),
	  NULL },
	{ SAMPLE(TWO_EXTENTS "\"resident\":3,\"present\":\"0000000000000007\",\"pages_present\":3"),
	  "3 resident of 2" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":2,\"present\":\"0000000000000005\",\"pages_present\":2"),
	  "beyond" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":2,\"present\":\"0000000000000001\",\"pages_present\":2"),
	  "1 presence bits" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":1,\"present\":\"0000000000000001\",\"pages_present\":0"),
	  "0 pages present" },
	{ SAMPLE(TWO_EXTENTS
		 "\"resident\":1,\"present\":\"0000000000000001\",\"pages_present\":513"),
	  "513 pages present" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"0000000000000000\",\"pages_present\":1"),
	  "1 pages present" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"0000000000000000 0000000000000000\","
			     "\"pages_present\":0"),
	  "a word per 64 extents" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"\",\"pages_present\":0"),
	  "16 hex digits" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"000000000000000\",\"pages_present\":0"),
	  "16 hex digits" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"000000000000000g\",\"pages_present\":0"),
	  "16 hex digits" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"0000000000000000,0000000000000000\","
			     "\"pages_present\":0"),
	  "16 hex digits" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":2,\"present\":3,\"pages_present\":2"),
	  "present is not text" },
	{ SAMPLE("\"bytes\":4194304,\"offset\":4096,\"elapsed_ns\":1,\"extents\":2,\"resident\":0,"
		 "\"present\":\"0000000000000000\",\"pages_present\":0"),
	  "touch 3" },
	{ SAMPLE("\"bytes\":4194304,\"offset\":2097152,\"elapsed_ns\":1,\"extents\":2,\"resident\":"
		 "0,"
		 "\"present\":\"0000000000000000\",\"pages_present\":0"),
	  "offset is not a whole" },
	{ SAMPLE("\"bytes\":0,\"offset\":0,\"elapsed_ns\":1,\"extents\":1,\"resident\":0,"
		 "\"present\":\"0000000000000000\",\"pages_present\":0"),
	  "bytes is not a whole" },
	{ SAMPLE("\"bytes\":4194304,\"offset\":0,\"elapsed_ns\":-1,\"extents\":2,\"resident\":0,"
		 "\"present\":\"0000000000000000\",\"pages_present\":0"),
	  "elapsed_ns is not a whole" },
	/* 2^53: the first whole number that a double may stand for by rounding. */
	{ SAMPLE("\"bytes\":4194304,\"offset\":0,\"elapsed_ns\":9007199254740992,\"extents\":2,"
		 "\"resident\":0,\"present\":\"0000000000000000\",\"pages_present\":0"),
	  "elapsed_ns is not a whole" },
	{ SAMPLE("\"bytes\":4194304,\"offset\":0,\"elapsed_ns\":1,\"extents\":1025,\"resident\":0,"
		 "\"present\":\"0000000000000000\",\"pages_present\":0"),
	  "extents is not a whole" },
};

#define SEEN                                                                               \
	TWO_EXTENTS "\"resident\":2,\"present\":\"0000000000000003\",\"pages_present\":2," \
		    "\"after\":true,"
#define AFTER(rest) SAMPLE(SEEN rest)

/* What is optional is held to its bounds all the same. */
static const struct {
	const char *line;
	const char *why;
} optional[] = {
	{ AFTER("\"resident_after\":1,\"present_after\":\"0000000000000002\",\"pages_after\":512"),
	  NULL },
	{ AFTER("\"resident_after\":0"), NULL },
	{ AFTER("\"resident_after\":1"), "0 presence bits for 1 resident extents after" },
	{ AFTER("\"resident_after\":1,\"present_after\":\"0000000000000004\",\"pages_after\":1"),
	  "beyond the 2 extents after" },
	{ AFTER("\"present_after\":\"0000000000000000 0000000000000000\""),
	  "a word per 64 extents" },
	{ AFTER("\"present_after\":\"\""), "16 hex digits" },
	{ AFTER("\"doubt\":\"some\""), "doubt is not one of" },
	{ AFTER("\"path\":1"), "path is not text" },
	{ AFTER("\"thp\":\"a b\""), "thp has characters" },
	{ AFTER("\"file_system\":\"12345678901234567\""), "file_system is too long" },
	{ AFTER("\"device\":64"), "device is not a whole" },
	{ AFTER("\"process\":-1"), "process is not a whole" },
	{ AFTER("\"hmm_calls\":5,\"hmm_busy\":6"), "more than its whole" },
	{ AFTER("\"profile_inside\":1"), "more than its whole" },
	{ AFTER("\"copied_after\":1"), "more than its whole" },
	{ AFTER("\"device\":1,\"device\":1"), "device is there twice" },
	{ AFTER("\"later\":1"), "unknown field" },
	{ SAMPLE(TWO_EXTENTS "\"resident\":0,\"present\":\"0000000000000000\",\"pages_present\":0,"
			     "\"pages_after\":1"),
	  "not looked at" },
};

static void what_is_optional_is_checked_where_it_is_sent(void **state)
{
	struct wire_msg msg;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(optional); i++) {
		if (optional[i].why)
			expect_refused(optional[i].line, strlen(optional[i].line), optional[i].why);
		else if (decode(optional[i].line, strlen(optional[i].line), &msg) < 0)
			fail_msg("%s: %s", optional[i].line, err.msg);
	}
}

static void a_sample_that_contradicts_itself_is_refused(void **state)
{
	struct wire_msg msg;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		if (samples[i].why)
			expect_refused(samples[i].line, strlen(samples[i].line), samples[i].why);
		else if (decode(samples[i].line, strlen(samples[i].line), &msg) < 0)
			fail_msg("%s: %s", samples[i].line, err.msg);
	}
}

static void a_nul_inside_ends_nothing(void **state)
{
	static const char line[] = "{\"type\":\"poweroff\"}\0}";
	static const char inside[] = "{\"type\":\"note\",\"text\":\"a\0b\"}";

	(void)state;
	expect_refused(line, sizeof(line) - 1, "control characters");
	expect_refused(inside, sizeof(inside) - 1, "control characters");
}

static void deep_nesting_is_refused_before_it_is_followed(void **state)
{
	char line[WIRE_LINE_MAX - 1];

	(void)state;
	memset(line, '[', sizeof(line));
	memcpy(line, "{\"type\":", 8);
	line[sizeof(line) - 1] = '}';
	expect_refused(line, sizeof(line), "nested");
}

static void text_that_is_too_long_is_refused_not_cut(void **state)
{
	_cleanup_free_ char *long_text = xcalloc(1, WIRE_TEXT_MAX + 1);
	_cleanup_free_ char *line = NULL, *fits = NULL;
	struct wire_msg msg;

	(void)state;
	memset(long_text, 'x', WIRE_TEXT_MAX);
	line = str_printf("{\"type\":\"note\",\"text\":\"%s\"}", long_text);
	fits = str_printf("{\"type\":\"note\",\"text\":\"%s\"}", long_text + 1);
	expect_refused(line, strlen(line), "text is too long");
	assert_int_equal(decode(fits, strlen(fits), &msg), 0);
}

static void a_line_longer_than_the_bound_is_not_looked_at(void **state)
{
	_cleanup_free_ char *line = xmalloc(1 << 20);

	(void)state;
	memset(line, '{', 1 << 20);
	expect_refused(line, 1 << 20, "longer than");
}

static void text_of_the_guest_cannot_drive_a_terminal(void **state)
{
	static const char line[] = "{\"type\":\"note\",\"text\":\"\\u001b[2J\\u009b\xff\xc0\x80|"
				   "\xed\xa0\x80|\\u202e\\ufeff\\n\\t\xf0\x9f\x92\xa9\xf5\x80\"}";
	struct wire_msg msg;

	(void)state;
	assert_int_equal(decode(line, sizeof(line) - 1, &msg), 0);
	assert_string_equal(msg.note.text, "?[2J????|???|??  \xf0\x9f\x92\xa9??");
}

static void escapes_and_order_do_not_matter(void **state)
{
	static const char line[] =
		"{ \"na\\u006de\" : \"a\" , \"bytes\" : 1e3 , \"t\\u0079pe\" : \"put\" }";
	struct wire_msg msg;

	(void)state;
	assert_int_equal(decode(line, sizeof(line) - 1, &msg), 0);
	assert_int_equal(msg.type, WIRE_PUT);
	assert_string_equal(msg.put.name, "a");
	assert_int_equal(msg.put.bytes, 1000);
}

/* A line cut anywhere, or with one byte replaced, is handled; nothing is read past its end. */
static void damaged_lines_are_handled(void **state)
{
	const char *line = samples[0].line;
	size_t len = strlen(line);
	struct wire_msg msg;

	(void)state;
	for (size_t i = 0; i < len; i++) {
		_cleanup_free_ char *copy = xstrdup(line);

		assert_int_equal(decode(line, i, &msg), -1);
		for (int c = 0; c < 256; c += 3) {
			copy[i] = (char)c;
			if (decode(copy, len, &msg) == 0)
				assert_int_equal(msg.type, WIRE_SAMPLE);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hostile_line_is_an_error_that_says_why),
		cmocka_unit_test(a_sample_that_contradicts_itself_is_refused),
		cmocka_unit_test(what_is_optional_is_checked_where_it_is_sent),
		cmocka_unit_test(a_nul_inside_ends_nothing),
		cmocka_unit_test(deep_nesting_is_refused_before_it_is_followed),
		cmocka_unit_test(text_that_is_too_long_is_refused_not_cut),
		cmocka_unit_test(a_line_longer_than_the_bound_is_not_looked_at),
		cmocka_unit_test(text_of_the_guest_cannot_drive_a_terminal),
		cmocka_unit_test(escapes_and_order_do_not_matter),
		cmocka_unit_test(damaged_lines_are_handled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
