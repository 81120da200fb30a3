// SPDX-License-Identifier: GPL-2.0-or-later
/* A stream is the same lines however it is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "wire/wire.h"

static struct err err;

/* Feeds @in in pieces of @piece bytes; gives the lines, each with a '|' after it. */
static int feed(struct wire_lines *l, const char *in, size_t len, size_t piece, struct buf *ret)
{
	while (len) {
		size_t n = piece < len ? piece : len;

		while (n) {
			const char *line;
			size_t used = 0, line_len;
			int rc = wire_lines_feed(l, in, n, &used, &line, &line_len, &err);

			if (rc < 0)
				return -1;
			if (rc == 1) {
				buf_add(ret, line, line_len);
				buf_puts(ret, "|");
			}
			assert_true(used > 0 && used <= n);
			in += used;
			len -= used;
			n -= used;
		}
	}
	return 0;
}

static void lines_do_not_depend_on_how_the_stream_is_cut(void **state)
{
	static const char in[] = "one\n\nthree\0x\n\nlast\nrest";

	(void)state;
	for (size_t piece = 1; piece <= sizeof(in); piece++) {
		_cleanup_buf_ struct buf got = { 0 };
		struct wire_lines l = { 0 };

		assert_int_equal(feed(&l, in, sizeof(in) - 1, piece, &got), 0);
		assert_int_equal(got.len, 19);
		assert_memory_equal(got.data, "one||three\0x||last|", 19);
		assert_int_equal(l.len, 4);
		assert_int_equal(l.total, sizeof(in) - 1);
	}
}

static void a_line_of_the_whole_bound_passes_and_one_more_byte_does_not(void **state)
{
	char in[WIRE_LINE_MAX + 1];

	(void)state;
	for (size_t piece = 1; piece < sizeof(in); piece += 1021) {
		_cleanup_buf_ struct buf got = { 0 };
		struct wire_lines l = { 0 };

		memset(in, 'x', sizeof(in));
		in[WIRE_LINE_MAX - 1] = '\n';
		assert_int_equal(feed(&l, in, WIRE_LINE_MAX, piece, &got), 0);
		assert_int_equal(got.len, WIRE_LINE_MAX);
		in[WIRE_LINE_MAX - 1] = 'x';
		in[WIRE_LINE_MAX] = '\n';
		assert_int_equal(feed(&l, in, WIRE_LINE_MAX + 1, piece, &got), -1);
		assert_int_equal(err.kind, ERR_PROTOCOL);
	}
}

static void a_flood_without_a_line_break_is_an_error(void **state)
{
	_cleanup_free_ char *in = xmalloc(1 << 20);
	_cleanup_buf_ struct buf got = { 0 };
	struct wire_lines l = { 0 };

	(void)state;
	memset(in, 'x', 1 << 20);
	assert_int_equal(feed(&l, in, 1 << 20, 1 << 20, &got), -1);
	assert_true(l.len < WIRE_LINE_MAX);
}

/* A file follows a put line: what is after the newline is not taken. */
static void bytes_after_a_line_stay_with_the_caller(void **state)
{
	struct wire_lines l = { 0 };
	const char *line;
	size_t used, len;

	(void)state;
	assert_int_equal(wire_lines_feed(&l,
					 "{}\n\x7f"
					 "ELF\n",
					 8, &used, &line, &len, &err),
			 1);
	assert_int_equal(used, 3);
	assert_int_equal(len, 2);
	assert_int_equal(wire_lines_feed(&l, NULL, 0, &used, &line, &len, &err), 0);
	assert_int_equal(used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_do_not_depend_on_how_the_stream_is_cut),
		cmocka_unit_test(a_line_of_the_whole_bound_passes_and_one_more_byte_does_not),
		cmocka_unit_test(a_flood_without_a_line_break_is_an_error),
		cmocka_unit_test(bytes_after_a_line_stay_with_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
