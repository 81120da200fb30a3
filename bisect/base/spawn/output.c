// SPDX-License-Identifier: GPL-2.0-or-later
/* What a running program writes: see spawn/output.h. */
#include "base/spawn/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"

#define LINE_MAX_BYTES	    65536 /* of one line given to on_line; the rest of it is dropped */
#define CAPTURE_MAX_DEFAULT (UINT64_C(1) << 20)
#define REST_READS	    64 /* of 16 KiB; a pipe holds 64 KiB */

static int make_pipe(int *read_end, int *write_end, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_errno(err, ERR_HOST, "cannot make a pipe");
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*read_end = fds[0];
	*write_end = fds[1];
	return 0;
}

/*
 * Where the program's stdout and stderr go. A plain file is given to the program itself; a pipe is
 * read here when someone wants to see lines or the output.
 */
int spawn_output_open(struct spawn_output *o, int fds[3], struct err *err)
{
	const struct spawn *s = o->spec;

	fds[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fds[0] < 0)
		return err_errno(err, ERR_HOST, "cannot open /dev/null");
	if (s->output) {
		o->file = open(s->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (o->file < 0)
			return err_errno(err, ERR_HOST, "cannot write %s", s->output);
	}
	if (s->capture) {
		o->streams[0].captured = true;
		if (make_pipe(&o->streams[0].fd, &fds[1], err) < 0)
			return -1;
	}
	if (s->on_line) {
		if (make_pipe(&o->streams[1].fd, &fds[2], err) < 0)
			return -1;
	} else {
		fds[2] = fcntl(o->file >= 0 ? o->file : fds[0], F_DUPFD_CLOEXEC, 0);
	}
	if (fds[1] < 0)
		fds[1] = fcntl(fds[2], F_DUPFD_CLOEXEC, 0);
	if (fds[1] < 0 || fds[2] < 0)
		return err_errno(err, ERR_HOST, "cannot start %s", s->argv[0]);
	return 0;
}

static void give_line(struct spawn_output *o, struct buf *line)
{
	if (line->len && line->data[line->len - 1] == '\r')
		line->data[--line->len] = '\0';
	o->spec->on_line(line->len ? line->data : "", o->spec->arg);
	line->len = 0;
}

static void give_lines(struct spawn_output *o, struct buf *line, const char *data, size_t len)
{
	while (len) {
		const char *nl = memchr(data, '\n', len);
		size_t n = nl ? (size_t)(nl - data) : len;
		size_t fits = LINE_MAX_BYTES - line->len;

		buf_add(line, data, n < fits ? n : fits);
		if (nl)
			give_line(o, line);
		n += !!nl;
		data += n;
		len -= n;
	}
}

static void give_capture(struct spawn_output *o, const char *data, size_t len)
{
	size_t max = o->spec->capture_max ? o->spec->capture_max : CAPTURE_MAX_DEFAULT;
	size_t have = o->spec->capture->len;
	size_t fits = have < max ? max - have : 0;

	buf_add(o->spec->capture, data, len < fits ? len : fits);
}

static int append(struct spawn_output *o, const char *data, size_t len, struct err *err)
{
	while (len) {
		ssize_t n = write(o->file, data, len);

		if (n < 0 && errno != EINTR)
			return err_errno(err, ERR_HOST, "cannot write %s", o->spec->output);
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int spawn_output_take(struct spawn_output *o, size_t i, struct err *err)
{
	char data[16384];
	ssize_t n;

	if (o->streams[i].fd < 0)
		return 0;
	n = read(o->streams[i].fd, data, sizeof(data));
	if (n < 0)
		return errno == EINTR;
	if (n == 0) {
		close(take_fd(o->streams[i].fd));
		return 0;
	}
	if (o->streams[i].captured)
		give_capture(o, data, (size_t)n);
	else if (o->file >= 0 && append(o, data, (size_t)n, err) < 0)
		return -1;
	if (o->spec->on_line)
		give_lines(o, &o->streams[i].line, data, (size_t)n);
	return 1;
}

int spawn_output_rest(struct spawn_output *o, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(o->streams); i++) {
		int got = 1;

		for (unsigned int n = 0; got > 0 && n < REST_READS; n++)
			got = spawn_output_take(o, i, err);
		if (got < 0)
			return -1;
		if (o->streams[i].line.len)
			give_line(o, &o->streams[i].line);
	}
	return 0;
}

void spawn_output_close(struct spawn_output *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(o->streams); i++) {
		if (o->streams[i].fd >= 0)
			close(take_fd(o->streams[i].fd));
		o->streams[i].line.len = 0;
	}
}

void spawn_output_deinit(struct spawn_output *o)
{
	spawn_output_close(o);
	close_p(&o->file);
	for (size_t i = 0; i < ARRAY_SIZE(o->streams); i++)
		buf_deinit(&o->streams[i].line);
}
