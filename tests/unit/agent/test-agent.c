// SPDX-License-Identifier: GPL-2.0-or-later
/* The real agent: hello, put, load, and what is no request. Probes: test-agent-probe.c. */
#include "unit/agent/agent-rig.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "guest-agent/agent/session.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "unit/agent/test-agent-exec.h"
#include "unit/agent/test-agent-probe.h"

static void hello_names_the_kernel_and_the_agent(void **state)
{
	struct wire_msg m = { .type = WIRE_HELLO,
			      .hello = { .version = WIRE_VERSION, .nonce = NONCE } };
	struct utsname kernel;

	rig_send(*state, &m);
	m = rig_hear(*state);
	uname(&kernel);
	assert_string_equal(m.hello.kernel, kernel.release);
	assert_string_equal(m.hello.agent, AMDGPU_BISECT_VERSION);
}

static void another_version_is_told_ours_and_served_nothing(void **state)
{
	static const uint32_t others[] = { 1, WIRE_VERSION + 1 };
	const struct wire_msg off = { .type = WIRE_POWEROFF };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct wire_msg m = { .type = WIRE_HELLO,
				      .hello = { .version = others[i], .nonce = NONCE } };

		rig_send(*state, &m);
		m = rig_hear(*state);
		assert_int_equal(m.type, WIRE_HELLO);
		assert_int_equal(m.hello.version, WIRE_VERSION);
		rig_send(*state, &off);
		rig_fails(*state, WIRE_POWEROFF, "before the hello");
	}
}

static void a_request_before_the_hello_fails(void **state)
{
	const struct wire_msg m = { .type = WIRE_LOAD, .load = { .name = "x", .limit_ms = 1 } };

	rig_send(*state, &m);
	rig_fails(*state, WIRE_LOAD, "before the hello");
	rig_alive(*state);
}

static void lines_that_are_no_messages_are_told_once_in_a_row(void **state)
{
	static const char nonsense[] = "GET / HTTP/1.0\n\n{\"type\":\"put\"}\n{}\n\377\376\n";

	rig_say(*state, nonsense, sizeof(nonsense) - 1);
	rig_fails(*state, WIRE_HELLO, "");
	rig_alive(*state);
	rig_say(*state, nonsense, sizeof(nonsense) - 1);
	rig_fails(*state, WIRE_HELLO, "");
	rig_alive(*state);
}

static void a_line_without_an_end_does_not_hide_the_next(void **state)
{
	char *line = xmalloc(1 << 20);

	memset(line, 'a', 1 << 20);
	line[(1 << 20) - 1] = '\n';
	rig_say(*state, line, 1 << 20);
	free(line);
	rig_fails(*state, WIRE_HELLO, "longer than allowed");
	rig_alive(*state);
}

static void an_answer_is_no_request(void **state)
{
	const struct wire_msg m = { .type = WIRE_NOTE, .note.text = "hello there" };

	rig_send(*state, &m);
	rig_fails(*state, WIRE_HELLO, "not for the agent");
	rig_alive(*state);
}

static void a_service_does_not_power_its_guest_off(void **state)
{
	const struct wire_msg m = { .type = WIRE_POWEROFF };

	rig_send(*state, &m);
	rig_fails(*state, WIRE_POWEROFF, "service");
	rig_alive(*state);
}

static void put_file(struct rig *r, const char *name, const void *data, size_t len)
{
	struct wire_msg m = { .type = WIRE_PUT, .put.bytes = len };

	str_copy(m.put.name, sizeof(m.put.name), name);
	rig_send(r, &m);
	rig_say(r, data, len);
}

static void assert_put(struct rig *r, const char *name)
{
	struct wire_msg m = rig_hear(r);

	assert_int_equal(m.type, WIRE_DONE);
	assert_int_equal(m.done.of, WIRE_PUT);
	assert_string_equal(m.done.name, name);
}

static void assert_file(struct rig *r, const char *name, const void *data, size_t len)
{
	_cleanup_free_ char *path = str_printf("%s/put/%s", r->dir, name);
	_cleanup_free_ char *have = NULL;
	struct err err;
	size_t n;

	assert_int_equal(fs_read(path, 64 << 20, &have, &n, &err), 0);
	assert_int_equal(n, len);
	assert_memory_equal(have, data, len);
}

static void a_file_arrives_whole_whatever_its_bytes(void **state)
{
	size_t len = (3 << 20) + 17;
	char *data = xmalloc(len);

	for (size_t i = 0; i < len; i++)
		data[i] = i % 7 ? (char)(i * 31) : '\n';
	put_file(*state, "mirror.ko", data, len);
	assert_put(*state, "mirror.ko");
	assert_file(*state, "mirror.ko", data, len);
	free(data);
	put_file(*state, "mirror.ko", "", 0);
	assert_put(*state, "mirror.ko");
	assert_file(*state, "mirror.ko", "", 0);
	rig_alive(*state);
}

static void files_over_the_bound_are_refused_and_swallowed(void **state)
{
	struct rig *r = *state;
	_cleanup_free_ char *path = str_printf("%s/put/large.ko", r->dir);

	put_file(r, "large.ko", "x", 1);
	assert_put(r, "large.ko");
	assert_int_equal(truncate(path, WIRE_FILE_MAX - 4), 0);
	put_file(r, "small.ko", "12345\n", 6);
	rig_fails(r, WIRE_PUT, "bytes together");
	rig_alive(r);
	put_file(r, "small.ko", "123\n", 4);
	assert_put(r, "small.ko");
	put_file(r, "large.ko", "12345\n", 6);
	assert_put(r, "large.ko");
}

static void a_directory_that_takes_no_file_fails_the_put_only(void **state)
{
	struct rig *r = *state;
	_cleanup_free_ char *path = str_printf("%s/put", r->dir);

	assert_int_equal(rmdir(path), 0);
	put_file(r, "a.ko", "{\"type\":\"poweroff\"}\n", 20);
	rig_fails(r, WIRE_PUT, "put");
	rig_alive(r);
}

static void load_name(struct rig *r, const char *name, uint32_t limit_ms)
{
	struct wire_msg m = { .type = WIRE_LOAD, .load.limit_ms = limit_ms };

	str_copy(m.load.name, sizeof(m.load.name), name);
	rig_send(r, &m);
}

static void a_file_that_is_no_module_is_refused_by_the_kernel(void **state)
{
	put_file(*state, "nonsense.ko", "no module", 9);
	assert_put(*state, "nonsense.ko");
	load_name(*state, "nonsense.ko", 10000);
	rig_fails(*state, WIRE_LOAD, "the kernel refuses");
	load_name(*state, "nonsense", 10000);
	rig_fails(*state, WIRE_LOAD, "the kernel refuses");
	rig_alive(*state);
}

static void a_module_that_is_nowhere_is_said_to_be(void **state)
{
	load_name(*state, "agent_test_nowhere", 10000);
	rig_fails(*state, WIRE_LOAD, "neither put nor packed");
	rig_alive(*state);
}

/* A FIFO that nobody writes to hangs the loading as a module's init may. */
static void a_load_that_hangs_is_reported_and_not_waited_for(void **state)
{
	struct rig *r = *state;
	_cleanup_free_ char *fifo = str_printf("%s/slow.ko", r->dir);
	_cleanup_free_ char *list = str_printf("agent_test_slow %s -\n", fifo);

	assert_int_equal(mkfifo(fifo, 0600), 0);
	rig_file(r, "config/modules", list);
	load_name(r, "agent_test_slow", 200);
	rig_fails(r, WIRE_LOAD, "hung");
	rig_alive(r);
}

static pid_t start_on(const char *path)
{
	pid_t pid = fork();

	if (!pid) {
		execl(rig_program(), rig_program(), "--port", path, "--put-dir", "/tmp/agent-pty",
		      NULL);
		_exit(127);
	}
	return pid;
}

static void a_character_device_serves_as_a_port(void **state)
{
	struct rig r = { .fd = -1 };
	struct termios raw = { 0 };
	char name[128];
	int slave;

	(void)state;
	cfmakeraw(&raw);
	assert_int_equal(openpty(&r.fd, &slave, name, &raw, NULL), 0);
	r.agent = start_on(name);
	rig_hello(&r);
	put_file(&r, "a", "\n\n", 2);
	assert_put(&r, "a");
	rig_hello(&r);
	kill(r.agent, SIGKILL);
	waitpid(r.agent, NULL, 0);
	close(slave);
	close(r.fd);
}

#define ON(test)	cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)
#define ON_SILENT(test) cmocka_unit_test_setup_teardown(test, rig_setup_silent, rig_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_SILENT(hello_names_the_kernel_and_the_agent),
		ON_SILENT(another_version_is_told_ours_and_served_nothing),
		ON_SILENT(a_request_before_the_hello_fails),
		ON_SILENT(lines_that_are_no_messages_are_told_once_in_a_row),
		ON(a_line_without_an_end_does_not_hide_the_next),
		ON(an_answer_is_no_request),
		ON(a_service_does_not_power_its_guest_off),
		ON(a_file_arrives_whole_whatever_its_bytes),
		ON(files_over_the_bound_are_refused_and_swallowed),
		ON(a_directory_that_takes_no_file_fails_the_put_only),
		ON(a_file_that_is_no_module_is_refused_by_the_kernel),
		ON(a_module_that_is_nowhere_is_said_to_be),
		ON(a_load_that_hangs_is_reported_and_not_waited_for),
		cmocka_unit_test(a_character_device_serves_as_a_port),
		ON(samples_and_text_of_a_probe_come_through),
		ON(options_of_a_probe_are_its_words),
		ON(a_sample_that_contradicts_itself_is_a_note),
		ON(a_probe_that_hangs_is_killed_and_reported),
		ON(a_probe_s_children_go_with_it),
		ON(a_child_that_keeps_the_pipe_does_not_keep_the_agent),
		ON(a_flood_is_bounded_and_ends_at_the_limit),
		ON(a_flood_of_samples_is_bounded),
		ON(half_a_line_at_the_end_is_said_to_be),
		ON(a_line_that_is_too_long_is_cut),
		ON(a_probe_killed_by_a_signal_says_which),
		ON(a_probe_that_is_not_there_fails),
		ON(the_last_line_of_a_program_is_its_result),
		ON(a_result_needs_no_line_break),
		ON(a_program_that_prints_nothing_has_an_empty_result),
		ON(a_result_comes_from_stdout_alone),
		ON(a_line_too_long_for_a_result_is_none),
		ON(what_a_program_finds_beside_it_comes_first),
		ON(a_program_of_the_guest_is_run_by_its_path),
		ON(a_flood_of_a_program_is_bounded_and_keeps_its_result),
		ON(a_program_that_hangs_gives_what_it_had),
		ON(a_missing_interpreter_is_named),
		ON(a_missing_library_is_named),
		ON(what_is_no_program_is_said_to_be_none),
		ON(a_program_that_is_not_there_fails),
		ON(memory_is_taken_from_the_program_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
