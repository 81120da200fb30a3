// SPDX-License-Identifier: GPL-2.0-or-later
/* Every message comes back as it was sent, and none is sent that the other side would refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "wire/wire.h"

#define MIB (UINT64_C(1) << 20)

static struct err err;

static struct wire_msg sample(void)
{
	return (struct wire_msg){
		.type = WIRE_SAMPLE,
		.sample = { .regime = REGIME_RW_RESIDENT,
			    .repeat = 2,
			    .bytes = 8 * MIB,
			    .offset = 4096,
			    .elapsed_ns = 5019900123,
			    .extents = 5,
			    .resident = 5,
			    .present = { 0x1f },
			    .pages_present = 2048,
			    .restarts = 5,
			    .calls = 6 },
	};
}

static const struct wire_msg messages[] = {
	{ .type = WIRE_HELLO,
	  .hello = { .version = WIRE_VERSION, .nonce = "0123456789abcdef0123456789abcdef" } },
	{ .type = WIRE_HELLO,
	  .hello = { .version = UINT32_MAX,
		     .nonce = "ffffffffffffffffffffffffffffffff",
		     .agent = "0.1.0",
		     .kernel = "6.1.0-57-amd64" } },
	{ .type = WIRE_PUT, .put = { .name = "mirror.ko", .bytes = WIRE_FILE_MAX } },
	{ .type = WIRE_LOAD,
	  .load = { .name = "mirror.ko", .params = "permission=read", .limit_ms = 60000 } },
	{ .type = WIRE_PROBE,
	  .probe = { .probe = "copy-regimes", .args = "--repeats 3", .limit_ms = 1 } },
	{ .type = WIRE_EXEC,
	  .exec = { .program = "copy-time", .args = "--size 8", .limit_ms = 60000 } },
	{ .type = WIRE_EXEC, .exec = { .program = "/usr/bin/true", .limit_ms = 1 } },
	{ .type = WIRE_OUTPUT, .output = { .text = "{\"metrics\":{\"copy_ms\":12.5}}" } },
	{ .type = WIRE_OUTPUT },
	{ .type = WIRE_POWEROFF },
	{ .type = WIRE_DONE, .done = { .of = WIRE_PUT, .name = "mirror.ko" } },
	{ .type = WIRE_DONE, .done = { .of = WIRE_LOAD, .name = "drm" } },
	{ .type = WIRE_LOADED,
	  .loaded = { .name = "amdgpu",
		      .srcversion = "533BB7E5866E52F63B9ACCB",
		      .build_id = "8c51d4d5a5b1f0c8a90fd0f4b5c6a7e8f9012345" } },
	{ .type = WIRE_LOADED, .loaded = { .name = "drm" } },
	{ .type = WIRE_PROBE_END, .probe_end = { .how = PROBE_EXITED, .code = 3 } },
	{ .type = WIRE_PROBE_END, .probe_end = { .how = PROBE_SIGNALED, .code = 11 } },
	{ .type = WIRE_PROBE_END, .probe_end = { .how = PROBE_HUNG } },
	{ .type = WIRE_NOTE, .note = { .text = "it said \"no\" \\ caf\xc3\xa9" } },
	{ .type = WIRE_FAIL, .fail = { .of = WIRE_LOAD, .text = "Exec format error" } },
};

static void round_trip(const struct wire_msg *sent)
{
	struct wire_msg got;
	char line[WIRE_LINE_MAX];
	int len = wire_encode(sent, line, &err);

	if (len < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(strlen(line), len);
	assert_ptr_equal(strchr(line, '\n'), line + len - 1);
	if (wire_decode(line, (size_t)len - 1, &got, &err) < 0)
		fail_msg("%s: %s", line, err.msg);
	assert_memory_equal(sent, &got, sizeof(got));
}

static void every_message_comes_back_as_it_was(void **state)
{
	bool seen[WIRE_TYPES] = { [WIRE_SAMPLE] = true };
	struct wire_msg copy = sample();

	(void)state;
	round_trip(&copy);
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		copy = messages[i];
		round_trip(&copy);
		seen[copy.type] = true;
	}
	for (size_t i = 0; i < WIRE_TYPES; i++)
		assert_true(seen[i]);
}

static void what_a_copy_did_comes_back(void **state)
{
	struct wire_msg m = sample();

	(void)state;
	m.sample.doubt = DOUBT_STOLEN;
	m.sample.path = PATH_STAGED;
	m.sample.source = SOURCE_ANONYMOUS;
	m.sample.device = 63;
	m.sample.process = 255;
	m.sample.kept_mapping = m.sample.fresh_buffer = m.sample.evidence = m.sample.after = true;
	m.sample.boot_ns = 5019900124;
	m.sample.resident_after = 2;
	m.sample.present_after[0] = 0x11;
	m.sample.pages_after = 1024;
	m.sample.copied_after = 1024;
	m.sample.anon_after = 2048 * 4096;
	m.sample.minor_faults = 2048;
	m.sample.page_bytes = 4096;
	strcpy(m.sample.thp, "madvise");
	strcpy(m.sample.file_system, "ext4");
	strcpy(m.sample.mapping, "7f00-7f01 rw-p 00000000 08:01 77 /tmp/x (deleted)");
	m.sample.hmm_calls = 100;
	m.sample.hmm_busy = 95;
	m.sample.driver_ns = 4954641421;
	m.sample.profile_samples = m.sample.profile_inside = 1000;
	round_trip(&m);
}

static void what_is_not_known_is_not_sent(void **state)
{
	struct wire_msg m = sample();
	char line[WIRE_LINE_MAX];

	(void)state;
	assert_true(wire_encode(&m, line, &err) > 0);
	assert_non_null(strstr(line, "\"read_permission\":false}\n"));
}

static void samples_of_every_size_come_back(void **state)
{
	(void)state;
	for (uint32_t extents = 1; extents <= WIRE_EXTENTS_MAX; extents++) {
		struct wire_msg m = sample();

		m.sample.regime = extents % REGIME_COUNT;
		m.sample.warmup = extents & 1;
		m.sample.read_permission = extents & 2;
		m.sample.offset = 0;
		m.sample.bytes = extents * 2 * MIB;
		m.sample.extents = extents;
		memset(m.sample.present, 0, sizeof(m.sample.present));
		m.sample.resident = 0;
		for (uint32_t i = 0; i < extents; i += 3) {
			m.sample.present[i / 64] |= UINT64_C(1) << i % 64;
			m.sample.resident++;
		}
		m.sample.pages_present = m.sample.resident * UINT64_C(512);
		m.sample.elapsed_ns = (INT64_C(1) << 53) - extents;
		m.sample.restarts = m.sample.calls = UINT32_MAX;
		m.sample.result = -14;
		round_trip(&m);
	}
}

static void names_come_back(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < REGIME_COUNT; i++) {
		enum wire_regime r = REGIME_COUNT;

		assert_true(regime_parse(regime_name(i), &r));
		assert_int_equal(r, i);
	}
	assert_false(regime_parse("rwxp", &(enum wire_regime){ 0 }));
	assert_string_equal(regime_name(REGIME_COUNT), "unknown");
	assert_string_equal(wire_type_name(WIRE_PROBE_END), "probe-end");
	assert_string_equal(wire_type_name(WIRE_TYPES), "unknown");
}

static void names_of_files_stay_in_their_directory(void **state)
{
	static const char *const good[] = { "a", "mirror.ko", "A-b_c.9", "-x" };
	static const char *const bad[] = { "",	 ".",	"..",	".x",	   "a/b",
					   "/a", "a b", "a\nb", "\xc3\xa9" };
	char name[WIRE_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(wire_name_ok(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(wire_name_ok(bad[i]));
	memset(name, 'a', sizeof(name));
	name[WIRE_NAME_MAX] = '\0';
	assert_false(wire_name_ok(name));
	name[WIRE_NAME_MAX - 1] = '\0';
	assert_true(wire_name_ok(name));
}

static void refused(struct wire_msg m, const char *field)
{
	char line[WIRE_LINE_MAX] = "untouched";

	assert_int_equal(wire_encode(&m, line, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(line, "untouched");
	if (!strstr(err.msg, field))
		fail_msg("\"%s\" does not name %s", err.msg, field);
}

static void what_is_out_of_bounds_is_not_sent(void **state)
{
	struct wire_msg m;

	(void)state;
	refused((struct wire_msg){ .type = WIRE_TYPES }, "type");
	refused((struct wire_msg){ .type = WIRE_HELLO }, "nonce");
	refused((struct wire_msg){ .type = WIRE_PUT, .put = { .name = "../etc/passwd" } }, "name");
	refused((struct wire_msg){ .type = WIRE_PUT,
				   .put = { .name = "a", .bytes = WIRE_FILE_MAX + 1 } },
		"bytes");
	refused((struct wire_msg){ .type = WIRE_PUT, .put = { .name = "a", .bytes = UINT64_MAX } },
		"bytes");
	refused((struct wire_msg){ .type = WIRE_LOAD, .load = { .name = "a" } }, "limit_ms");
	refused((struct wire_msg){ .type = WIRE_PROBE,
				   .probe = { .probe = "a", .args = "x\n", .limit_ms = 1 } },
		"args");
	refused((struct wire_msg){ .type = WIRE_DONE, .done = { .of = WIRE_NOTE, .name = "a" } },
		"of");
	m = (struct wire_msg){ .type = WIRE_NOTE };
	memset(m.note.text, 'x', sizeof(m.note.text));
	refused(m, "text");
	m = sample();
	m.sample.regime = REGIME_COUNT;
	refused(m, "regime");
	m = sample();
	m.sample.extents = 0;
	refused(m, "extents");
	m = sample();
	m.sample.present[15] = 1;
	refused(m, "presence bits beyond");
	m = sample();
	m.sample.result = 1;
	refused(m, "result");
}

static void text_is_sent_in_one_line_and_without_controls(void **state)
{
	struct wire_msg m = { .type = WIRE_NOTE, .note = { .text = "a\nb\x1b[31m\xff\xc2\x9b." } };
	struct wire_msg got;
	char line[WIRE_LINE_MAX];
	int len = wire_encode(&m, line, &err);

	(void)state;
	assert_true(len > 0);
	assert_int_equal(wire_decode(line, (size_t)len - 1, &got, &err), 0);
	assert_string_equal(got.note.text, "a b?[31m??.");
}

static void the_longest_text_fits_a_line(void **state)
{
	struct wire_msg m = { .type = WIRE_FAIL, .fail = { .of = WIRE_PROBE } };

	(void)state;
	memset(m.fail.text, '"', sizeof(m.fail.text) - 1);
	round_trip(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_comes_back_as_it_was),
		cmocka_unit_test(samples_of_every_size_come_back),
		cmocka_unit_test(what_a_copy_did_comes_back),
		cmocka_unit_test(what_is_not_known_is_not_sent),
		cmocka_unit_test(names_come_back),
		cmocka_unit_test(names_of_files_stay_in_their_directory),
		cmocka_unit_test(what_is_out_of_bounds_is_not_sent),
		cmocka_unit_test(text_is_sent_in_one_line_and_without_controls),
		cmocka_unit_test(the_longest_text_fits_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
