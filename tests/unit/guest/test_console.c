// SPDX-License-Identifier: GPL-2.0-or-later
/* The console: what a kernel says of its own end is recognised, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest/talk/console.h"

static struct console feed(const char *text)
{
	struct console c;

	console_init(&c, "/nowhere");
	console_feed(&c, text, strlen(text));
	return c;
}

/* As 6.1 prints a null dereference in a module, shortened. */
static const char oops[] =
	"[    3.196345] BUG: kernel NULL pointer dereference, address: 0000000000000008\r\n"
	"[    3.196901] #PF: supervisor write access in kernel mode\r\n"
	"[    3.197412] Oops: 0002 [#1] PREEMPT SMP PTI\r\n"
	"[    3.199032] RIP: 0010:faulty_oops+0x5/0x20 [faulty]\r\n"
	"[    3.202222] RIP: 0033:0x7f2d7dc0d5c9\r\n"
	"[    3.203333] ---[ end trace 0000000000000000 ]---\r\n";

static void an_oops_is_told_with_its_place(void **state)
{
	struct console c = feed(oops);
	char text[512];

	(void)state;
	console_oops_text(&c, text, sizeof(text));
	assert_string_equal(text, "BUG: kernel NULL pointer dereference, address: 0000000000000008 "
				  "in faulty_oops+0x5/0x20 [faulty]");
	assert_string_equal(c.panic, "");
}

static void a_panic_is_told_by_its_line(void **state)
{
	struct console c = feed("[    2.1][    T1] Kernel panic - not syncing: Attempted to kill "
				"init! exitcode=0x00000100\n---[ end ]---\n");

	(void)state;
	assert_string_equal(c.panic, "Kernel panic - not syncing: Attempted to kill init! "
				     "exitcode=0x00000100");
}

static void a_warning_is_no_oops(void **state)
{
	struct console c = feed("------------[ cut here ]------------\n"
				"WARNING: CPU: 0 PID: 1 at mm/hmm.c:1 hmm_range_fault+0x1/0x2\n"
				"RIP: 0010:hmm_range_fault+0x1/0x2\n"
				"BUG: sleeping function called from invalid context\n");

	(void)state;
	assert_string_equal(c.oops, "");
	assert_string_equal(c.rip, "");
}

static void other_ways_to_oops_are_known(void **state)
{
	static const char *const lines[] = {
		"kernel BUG at drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:123!",
		"BUG: unable to handle page fault for address: ffffffffc0000000",
		"general protection fault, probably for non-canonical address 0xdead: 0000 [#1]",
		"invalid opcode: 0000 [#1] PREEMPT SMP PTI",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_free_ char *line = str_printf("[ 1.000000] %s\n", lines[i]);
		struct console c = feed(line);

		assert_string_equal(c.oops, lines[i]);
	}
}

static void a_line_may_come_in_pieces(void **state)
{
	struct console c;

	(void)state;
	console_init(&c, "/nowhere");
	for (size_t i = 0; i < sizeof(oops) - 1; i++)
		console_feed(&c, oops + i, 1);
	assert_string_equal(c.rip, "0010:faulty_oops+0x5/0x20 [faulty]");
}

static void any_bytes_are_borne_and_cleaned(void **state)
{
	char bytes[4096], words[512];
	struct console c;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 37);
	console_init(&c, "/nowhere");
	for (int i = 0; i < 100; i++)
		console_feed(&c, bytes, sizeof(bytes));
	console_feed(&c, "[\n[]\n]\n[1\n[ 1.0] \n", 18);
	console_last_words(&c, words, sizeof(words));
	for (const char *p = words; *p; p++)
		assert_true(*p >= ' ' && *p <= '~');
}

static void last_words_tell_first_what_explains_most(void **state)
{
	char words[512];
	struct console c = feed("amdgpu-bisect-agent: no virtio-serial port is called x\nlater\n");

	(void)state;
	console_last_words(&c, words, sizeof(words));
	assert_string_equal(words, "amdgpu-bisect-agent: no virtio-serial port is called x");
	console_feed(&c, "INFO: task insmod:77 blocked for more than 20 seconds.\nnext\n", 60);
	console_last_words(&c, words, sizeof(words));
	assert_string_equal(words, "INFO: task insmod:77 blocked for more than 20 seconds.");
	c = feed("");
	console_last_words(&c, words, sizeof(words));
	assert_string_equal(words, "nothing on its console");
	c = feed("Booting the ker");
	console_last_words(&c, words, sizeof(words));
	assert_string_equal(words, "Booting the ker");
}

static void memory_that_ran_out_is_told_by_who_was_ended_for_it(void **state)
{
	struct console c =
		feed("[ 9.1] Out of memory: Killed process 77 (copy-regimes) total-vm:9kB\n"
		     "[ 9.2] oom_reaper: reaped process 77 (copy-regimes)\n");
	char words[512];

	(void)state;
	console_last_words(&c, words, sizeof(words));
	assert_string_equal(words, "Out of memory: Killed process 77 (copy-regimes) total-vm:9kB");
	assert_string_equal(c.stuck, "");
	console_forget(&c);
	assert_string_equal(c.oom, "");
}

static void how_far_a_boot_came_is_known(void **state)
{
	struct console c = feed("SeaBIOS\r\nBooting from ROM..\r\n");
	char words[512];

	(void)state;
	assert_false(c.kernel_began);
	console_feed(&c, "[    0.000000] Linux version 6.1.0-57-amd64 (x@y)\n", 50);
	assert_true(c.kernel_began);
	assert_false(c.agent_began);
	console_feed(&c, "amdgpu-bisect-agent: 0.1.0 begins\n", 34);
	assert_true(c.agent_began);
	console_last_words(&c, words, sizeof(words));
	assert_string_equal(words, "Linux version 6.1.0-57-amd64 (x@y)");
}

static void what_came_before_a_stage_is_forgotten_but_a_panic(void **state)
{
	struct console c = feed(oops);

	(void)state;
	console_feed(&c, "Kernel panic - not syncing: x\n", 30);
	console_forget(&c);
	assert_string_equal(c.oops, "");
	assert_string_equal(c.panic, "Kernel panic - not syncing: x");
}

static void a_flooded_log_is_noticed(void **state)
{
	char path[] = "/tmp/test-console.XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct console c;
	bool well = true;

	(void)state;
	console_init(&c, path);
	assert_true(console_poll(&c));
	assert_return_code(ftruncate(fd, CONSOLE_BYTES), 0);
	for (int i = 0; i < 8; i++)
		well = well && console_poll(&c);
	assert_true(well);
	assert_return_code(ftruncate(fd, CONSOLE_BYTES + 1), 0);
	for (int i = 0; i < 8; i++)
		well = well && console_poll(&c);
	assert_false(well);
	console_deinit(&c);
	unlink(path);
}

static void what_is_said_while_it_is_listened_to_is_kept(void **state)
{
	struct console c = feed("[    1.0] before\r\n[    1.1] half ");
	_cleanup_free_ char *heard = NULL;

	(void)state;
	console_listen(&c);
	{
		static const char said[] = "a line\n\n[    1.2] one\ttwo\x1b[0m\n[    1.3] not who";

		console_feed(&c, said, strlen(said));
	}
	heard = console_heard(&c);
	assert_string_equal(heard, "half a line\none two?[0m\nnot who\n");
	free(heard);
	console_feed(&c, "after\n", 6);
	heard = console_heard(&c);
	assert_string_equal(heard, "");
	console_deinit(&c);
}

static void of_a_long_console_the_first_part_is_kept(void **state)
{
	struct console c = feed("");
	_cleanup_free_ char *heard = NULL;
	size_t len;

	(void)state;
	console_listen(&c);
	for (int i = 0; i < 10000; i++)
		console_feed(&c, "0123456789\n", 11);
	heard = console_heard(&c);
	len = strlen(heard);
	assert_true(len <= CONSOLE_HEARD && len > CONSOLE_HEARD - 11);
	assert_int_equal(len % 11, 0);
	console_deinit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_oops_is_told_with_its_place),
		cmocka_unit_test(a_panic_is_told_by_its_line),
		cmocka_unit_test(a_warning_is_no_oops),
		cmocka_unit_test(other_ways_to_oops_are_known),
		cmocka_unit_test(a_line_may_come_in_pieces),
		cmocka_unit_test(any_bytes_are_borne_and_cleaned),
		cmocka_unit_test(last_words_tell_first_what_explains_most),
		cmocka_unit_test(memory_that_ran_out_is_told_by_who_was_ended_for_it),
		cmocka_unit_test(how_far_a_boot_came_is_known),
		cmocka_unit_test(what_came_before_a_stage_is_forgotten_but_a_panic),
		cmocka_unit_test(a_flooded_log_is_noticed),
		cmocka_unit_test(what_is_said_while_it_is_listened_to_is_kept),
		cmocka_unit_test(of_a_long_console_the_first_part_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
