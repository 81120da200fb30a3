// SPDX-License-Identifier: GPL-2.0-or-later
/* WIRE_PROBE: see probe.h. */
#include "guest-agent/agent/probe.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest-agent/agent/child.h"
#include "guest-agent/agent/disk.h"
#include "guest-agent/agent/exec.h"
#include "guest-agent/agent/text.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

/* Blanks in the 512 bytes of a WIRE_PROBE's args make fewer words than this. */
#define ARGS_MAX 260

/* What a probe that ended left in its pipes is read for this long: a grandchild may hold them. */
#define DRAIN_MS 500

/* One of the probe's two outputs. */
struct output {
	int *fd;
	bool skipping; /* in a line that was too long */
	bool samples;  /* lines of the wire are samples; else all is text */
	struct wire_lines lines;
};

struct run {
	struct port *port;
	bool own; /* the user's: all that it prints is text, and its last line the result */
	char last[WIRE_TEXT_MAX]; /* of its stdout so far, with something in it */
	uint32_t notes_max;
	struct child child;
	struct output outputs[2];
	uint32_t samples; /* passed on */
	uint32_t notes;	  /* passed on */
	uint64_t dropped; /* lines over the bounds */
};

/* What is run: what it finds beside it comes first on its path. */
struct program {
	const char *dir;
	char *argv[ARGS_MAX];
};

static int exec_probe(void *arg)
{
	static char libraries[] = "LD_LIBRARY_PATH=" DISK_RUNTIME_LIBS;
	const struct program *p = arg;
	_cleanup_free_ char *path = str_printf("PATH=%s:/usr/sbin:/usr/bin:/sbin:/bin", p->dir);
	char *env[] = { path, access(DISK_RUNTIME_LIBS, F_OK) ? NULL : libraries, NULL };
	char why[256];
	int error;

	if (chdir("/tmp") < 0 && chdir("/") < 0)
		return 127;
	execve(p->argv[0], p->argv, env);
	error = errno;
	exec_refused(p->argv[0], error, why, sizeof(why));
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", p->argv[0], why);
	return error == EACCES || error == ENOEXEC ? 126 : 127; /* as a shell says it */
}

static void note(struct run *r, const char *text, size_t len)
{
	if (r->notes < r->notes_max) {
		r->notes++;
		port_note(r->port, text, len);
	} else {
		r->dropped++;
	}
}

/* A line is told as a note once another one follows: the last is the result. */
static void take_own(struct run *r, const char *line, size_t len)
{
	if (r->last[0])
		note(r, r->last, strlen(r->last));
	if (len < sizeof(r->last)) {
		text_printable(r->last, sizeof(r->last), line, len);
		return;
	}
	r->last[0] = '\0';
	note(r, line, len);
}

static void take_line(struct run *r, const struct output *o, const char *line, size_t len)
{
	struct wire_msg msg;
	struct err err;
	char text[1280];
	int n;

	if (!len)
		return;
	if (r->own && o->samples) {
		take_own(r, line, len);
		return;
	}
	if (!o->samples || line[0] != '{') {
		note(r, line, len);
		return;
	}
	if (wire_decode(line, len, &msg, &err) < 0 || msg.type != WIRE_SAMPLE) {
		n = snprintf(text, sizeof(text), "the probe printed a line that is no sample: %.*s",
			     (int)(len < 512 ? len : 512), line);
		note(r, text, (size_t)n);
	} else if (r->samples == WIRE_SAMPLES_MAX) {
		r->dropped++;
	} else {
		r->samples++;
		port_send(r->port, &msg);
	}
}

/* Its beginning, wherever that is by now. */
static void note_too_long(struct run *r, const struct output *o, const char *data, size_t len)
{
	char text[640];
	int n = snprintf(text, sizeof(text), "the probe printed a line that is too long: %.*s",
			 (int)(o->lines.len < 256 ? o->lines.len : 256), o->lines.data);

	n += snprintf(text + n, sizeof(text) - (size_t)n, "%.*s", (int)(len < 256 ? len : 256),
		      data);
	note(r, text, (size_t)n);
}

static void take_bytes(struct run *r, struct output *o, const char *data, size_t len)
{
	const char *line, *end;
	size_t used, line_len;
	struct err err;
	int ret;

	while (len) {
		used = 0;
		if (o->skipping) {
			end = memchr(data, '\n', len);
			used = end ? (size_t)(end - data) + 1 : len;
			o->skipping = !end;
		} else {
			ret = wire_lines_feed(&o->lines, data, len, &used, &line, &line_len, &err);
			if (ret > 0)
				take_line(r, o, line, line_len);
			if (ret < 0) {
				note_too_long(r, o, data, len);
				memset(&o->lines, 0, sizeof(o->lines));
				o->skipping = true;
			}
		}
		data += used;
		len -= used;
	}
}

/* What can be read now, one buffer of it; closes the output at its end. */
static bool pump(struct run *r, struct output *o)
{
	static const char half[] = "the probe ended in the middle of a line: ";
	char data[16384], text[sizeof(half) + 512];
	ssize_t n = *o->fd < 0 ? -1 : read(*o->fd, data, sizeof(data));

	if (n > 0)
		take_bytes(r, o, data, (size_t)n);
	if (n != 0)
		return n > 0;
	close(*o->fd);
	*o->fd = -1;
	if (o->lines.len && r->own && o->samples) {
		/* Many programs do not end their last line. */
		take_own(r, o->lines.data, o->lines.len);
	} else if (o->lines.len) {
		n = snprintf(text, sizeof(text), "%s%.*s", half,
			     (int)(o->lines.len < 512 ? o->lines.len : 512), o->lines.data);
		note(r, text, (size_t)n);
	}
	return false;
}

/* Passes output on until the probe ended, or the limit was over (false). */
static bool follow(struct run *r, int64_t deadline)
{
	while (!child_ended(&r->child, 0)) {
		struct pollfd wait[3] = { { .fd = r->child.pidfd, .events = POLLIN },
					  { .fd = r->child.out, .events = POLLIN },
					  { .fd = r->child.errors, .events = POLLIN } };
		int64_t left = deadline - clock_now_ns();

		if (left <= 0)
			return false;
		poll(wait, 3, (int)(left / NS_PER_MS) + 1);
		for (size_t i = 0; i < ARRAY_SIZE(r->outputs); i++)
			if (wait[i + 1].revents)
				pump(r, &r->outputs[i]);
	}
	return true;
}

static void drain(struct run *r)
{
	int64_t deadline = clock_now_ns() + DRAIN_MS * NS_PER_MS;
	bool more = true;

	while (more && clock_now_ns() < deadline) {
		more = false;
		for (size_t i = 0; i < ARRAY_SIZE(r->outputs); i++)
			more |= pump(r, &r->outputs[i]);
	}
	/* A grandchild that still holds a pipe would hide a half line: make its end known. */
	for (size_t i = 0; i < ARRAY_SIZE(r->outputs); i++)
		if (*r->outputs[i].fd >= 0 && r->outputs[i].lines.len)
			note(r, r->outputs[i].lines.data, r->outputs[i].lines.len);
}

static void send_output(const struct run *r)
{
	struct wire_msg msg = { .type = WIRE_OUTPUT };

	str_copy(msg.output.text, sizeof(msg.output.text), r->last);
	port_send(r->port, &msg);
}

static void end(struct run *r, bool in_time, uint32_t limit_ms)
{
	struct wire_msg msg = { .type = WIRE_PROBE_END };
	char text[512], where[256] = "";
	int n;

	if (!in_time)
		child_where(&r->child, where, sizeof(where));
	child_kill(&r->child);
	if (!in_time) {
		bool died = child_ended(&r->child, CHILD_DIES_MS);

		msg.probe_end.how = PROBE_HUNG;
		msg.probe_end.code = SIGKILL;
		n = snprintf(text, sizeof(text), "the probe was not done after %u ms (%s); %s",
			     limit_ms, where, died ? "killed" : "it cannot be killed");
		port_note(r->port, text, (size_t)n);
	}
	drain(r);
	if (r->dropped) {
		n = snprintf(text, sizeof(text), "%llu lines of the probe were left out",
			     (unsigned long long)r->dropped);
		port_note(r->port, text, (size_t)n);
	}
	if (r->own)
		send_output(r);
	if (in_time && WIFSIGNALED(r->child.status)) {
		msg.probe_end.how = PROBE_SIGNALED;
		msg.probe_end.code = WTERMSIG(r->child.status);
	} else if (in_time) {
		msg.probe_end.how = PROBE_EXITED;
		msg.probe_end.code = WEXITSTATUS(r->child.status);
	}
	port_send(r->port, &msg);
}

static int run(struct run *r, struct program *program, const char *args, uint32_t limit_ms,
	       struct err *err)
{
	int64_t deadline = clock_now_ns() + (int64_t)limit_ms * NS_PER_MS;
	_cleanup_free_ char *copy = xstrdup(args);
	char *rest = copy;
	size_t n = 1;

	if (access(program->argv[0], X_OK) < 0)
		return err_errno(err, ERR_USAGE, "no probe %s", program->argv[0]);
	while (n < ARGS_MAX - 1 && (program->argv[n] = strsep(&rest, " ")))
		n += *program->argv[n] != '\0';
	program->argv[n] = NULL;
	if (child_start(exec_probe, program, &r->child, err) < 0)
		return -1;
	r->outputs[0] = (struct output){ .fd = &r->child.out, .samples = true };
	r->outputs[1] = (struct output){ .fd = &r->child.errors };
	end(r, follow(r, deadline), limit_ms);
	child_deinit(&r->child);
	return 0;
}

int probe_run(struct port *p, const char *dir, const char *name, const char *args,
	      uint32_t limit_ms, struct err *err)
{
	struct run r = { .port = p, .notes_max = PROBE_NOTES_MAX };
	char path[PATH_MAX];
	struct program program = { .dir = dir, .argv = { path } };

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return run(&r, &program, args, limit_ms, err);
}

int probe_exec(struct port *p, const char *dir, const char *name, const char *args,
	       uint32_t limit_ms, struct err *err)
{
	struct run r = { .port = p, .own = true, .notes_max = PROBE_EXEC_NOTES_MAX };
	char path[PATH_MAX];
	struct program program = { .dir = dir, .argv = { path } };

	if (*name == '/')
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s", dir, name);
	return run(&r, &program, args, limit_ms, err);
}
