// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent under test: see agent-rig.h. */
#include "unit/agent/agent-rig.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"

const char *rig_program(void)
{
	const char *other = getenv("AGENT");

	return other ? other : AGENT;
}

static void start(struct rig *r)
{
	char probes[96], put[96], config[96], fd[16];
	int ends[2];

	snprintf(probes, sizeof(probes), "%s/probes", r->dir);
	snprintf(put, sizeof(put), "%s/put", r->dir);
	snprintf(config, sizeof(config), "%s/config", r->dir);
	assert_int_equal(mkdir(probes, 0700), 0);
	assert_int_equal(mkdir(config, 0700), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	r->agent = fork();
	if (!r->agent) {
		close(ends[0]);
		snprintf(fd, sizeof(fd), "%d", ends[1]);
		execl(rig_program(), rig_program(), "--fd", fd, "--probes", probes, "--put-dir",
		      put, "--config", config, NULL);
		_exit(127);
	}
	close(ends[1]);
	r->fd = ends[0];
}

int rig_setup_silent(void **state)
{
	struct rig *r = xcalloc(1, sizeof(*r));

	signal(SIGPIPE, SIG_IGN);
	strcpy(r->dir, "/tmp/agent-test.XXXXXX");
	if (!mkdtemp(r->dir))
		return -1;
	start(r);
	*state = r;
	return 0;
}

int rig_setup(void **state)
{
	rig_setup_silent(state);
	rig_hello(*state);
	return 0;
}

/* The end of its socket is the agent's end, and a clean one. */
int rig_teardown(void **state)
{
	struct rig *r = *state;
	int status = 0, wait_ms = 10000;
	struct err err;

	close(r->fd);
	while (waitpid(r->agent, &status, WNOHANG) == 0 && wait_ms) {
		clock_sleep_ms(10);
		wait_ms -= 10;
	}
	if (!wait_ms)
		kill(r->agent, SIGKILL);
	fs_remove_tree(r->dir, &err);
	free(r);
	return !wait_ms || !WIFEXITED(status) || WEXITSTATUS(status);
}

void rig_file(struct rig *r, const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", r->dir, name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

void rig_say(struct rig *r, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = write(r->fd, at, len);

		assert_true(n > 0);
		at += n;
		len -= (size_t)n;
	}
}

void rig_send(struct rig *r, const struct wire_msg *msg)
{
	char line[WIRE_LINE_MAX];
	struct err err;
	int len = wire_encode(msg, line, &err);

	if (len < 0)
		fail_msg("%s", err.msg);
	rig_say(r, line, (size_t)len);
}

struct wire_msg rig_hear_within(struct rig *r, int limit_ms)
{
	struct pollfd wait = { .fd = r->fd, .events = POLLIN };
	struct wire_msg msg = { 0 };
	const char *line;
	size_t len, used;
	struct err err;

	for (;;) {
		if (r->in_at == r->in_len) {
			ssize_t n = poll(&wait, 1, limit_ms) == 1
					    ? read(r->fd, r->in, sizeof(r->in))
					    : -1;

			if (n <= 0)
				fail_msg("the agent says nothing");
			r->in_len = (size_t)n;
			r->in_at = 0;
		}
		used = 0;
		if (wire_lines_feed(&r->lines, r->in + r->in_at, r->in_len - r->in_at, &used, &line,
				    &len, &err) > 0) {
			r->in_at += used;
			break;
		}
		r->in_at += used;
	}
	if (wire_decode(line, len, &msg, &err) < 0)
		fail_msg("the agent says %.*s: %s", (int)len, line, err.msg);
	return msg;
}

struct wire_msg rig_hear(struct rig *r)
{
	return rig_hear_within(r, 10000);
}

void rig_hello(struct rig *r)
{
	const struct wire_msg hello = { .type = WIRE_HELLO,
					.hello = { .version = WIRE_VERSION, .nonce = NONCE } };
	struct wire_msg m;

	rig_send(r, &hello);
	m = rig_hear(r);
	assert_int_equal(m.type, WIRE_HELLO);
	assert_int_equal(m.hello.version, WIRE_VERSION);
	assert_string_equal(m.hello.nonce, NONCE);
}

void rig_alive(struct rig *r)
{
	rig_hello(r);
}

void rig_fails(struct rig *r, enum wire_type of, const char *words)
{
	struct wire_msg m = rig_hear(r);

	assert_int_equal(m.type, WIRE_FAIL);
	assert_int_equal(m.fail.of, of);
	if (!strstr(m.fail.text, words))
		fail_msg("'%s' does not say '%s'", m.fail.text, words);
}
