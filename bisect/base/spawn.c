// SPDX-License-Identifier: GPL-2.0-or-later
/* Other programs, the controller's side: see spawn.h; spawn_keeper.h says what runs between. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/spawn_keeper.h"
#include "base/stop.h"

#define LINE_MAX_BYTES	    65536 /* of one line given to on_line; the rest of it is dropped */
#define CAPTURE_MAX_DEFAULT (UINT64_C(1) << 20)
#define REST_READS	    64 /* what is left in a pipe at the end: 64 KiB, so this is plenty */
#define GIVE_UP_MS	    (KEEPER_GRACE_MS + 8000) /* a program in D state is left, not waited for */

struct stream {
	int fd; /* read end, or -1 */
	struct buf line;
	bool captured;
};

struct run {
	const struct spawn *spec;
	int file;   /* spec->output, or -1 */
	int status; /* read end of the keeper's status pipe */
	struct stream streams[2];
	pid_t keeper;
	int64_t started_ns;
	int64_t ask_end_ns; /* the keeper was told to end the program, or 0 */
	bool timed_out;
	bool failed; /* err is filled; only the program's end is still waited for */
	bool ended;
	int failed_step_errno;
	enum keeper_step failed_step;
	struct keeper_report report;
};

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *spawn_find(const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/'))
		return is_program(program) ? xstrdup(program) : NULL;
	for (const char *p = path && *path ? path : "/usr/bin:/bin"; p;) {
		size_t len = strcspn(p, ":");
		_cleanup_free_ char *full =
			str_printf("%.*s/%s", len ? (int)len : 1, len ? p : ".", program);

		if (is_program(full))
			return take_ptr(full);
		p = p[len] ? p + len + 1 : NULL;
	}
	return NULL;
}

/* The environment with @add in it; names in @add replace those that are there. */
static void make_env(const char *const *add, struct strv *ret)
{
	for (char **e = environ; e && *e; e++) {
		size_t name = strcspn(*e, "=") + 1;
		bool replaced = false;

		for (size_t i = 0; add && add[i]; i++)
			replaced |= strncmp(*e, add[i], name) == 0;
		if (!replaced)
			strv_add(ret, *e);
	}
	for (size_t i = 0; add && add[i]; i++)
		strv_add(ret, add[i]);
	if (!ret->n)
		ret->items = xcalloc(1, sizeof(*ret->items));
}

static void run_deinit(struct run *r)
{
	close_p(&r->file);
	close_p(&r->status);
	for (size_t i = 0; i < ARRAY_SIZE(r->streams); i++) {
		close_p(&r->streams[i].fd);
		buf_deinit(&r->streams[i].line);
	}
	if (r->keeper > 0) {
		kill(r->keeper, SIGKILL);
		while (waitpid(r->keeper, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

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
static int open_outputs(struct run *r, int fds[4], struct err *err)
{
	const struct spawn *s = r->spec;

	fds[0] = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fds[0] < 0)
		return err_errno(err, ERR_HOST, "cannot open /dev/null");
	if (s->output) {
		r->file = open(s->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (r->file < 0)
			return err_errno(err, ERR_HOST, "cannot write %s", s->output);
	}
	if (s->capture) {
		r->streams[0].captured = true;
		if (make_pipe(&r->streams[0].fd, &fds[1], err) < 0)
			return -1;
	}
	if (s->on_line) {
		if (make_pipe(&r->streams[1].fd, &fds[2], err) < 0)
			return -1;
	} else {
		fds[2] = fcntl(r->file >= 0 ? r->file : fds[0], F_DUPFD_CLOEXEC, 0);
	}
	if (fds[1] < 0)
		fds[1] = fcntl(fds[2], F_DUPFD_CLOEXEC, 0);
	if (fds[1] < 0 || fds[2] < 0)
		return err_errno(err, ERR_HOST, "cannot start %s", s->argv[0]);
	return make_pipe(&r->status, &fds[3], err);
}

static int start(struct run *r, struct err *err)
{
	const char *program = r->spec->argv[0];
	/* A path is taken as the program itself will see it, from its own directory. */
	_cleanup_free_ char *path = strchr(program, '/') ? xstrdup(program) : spawn_find(program);
	_cleanup_strv_ struct strv env = { 0 };
	struct keeper k = { .controller = getpid(), .fds = { -1, -1, -1, -1 } };
	sigset_t all, old;
	int rc;

	if (!path)
		return err_set(err, ERR_HOST, "cannot find the program %s in PATH; install it",
			       program);
	make_env(r->spec->env, &env);
	k.path = path;
	k.argv = (char *const *)r->spec->argv;
	k.envp = env.items;
	k.cwd = r->spec->cwd;
	k.nice = r->spec->nice;
	rc = open_outputs(r, k.fds, err);
	if (rc == 0) {
		/* Our handlers must not run in the child: they would wake the controller. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		r->keeper = _Fork();
		if (r->keeper == 0)
			keeper_main(&k);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		if (r->keeper < 0)
			rc = err_errno(err, ERR_HOST, "cannot start %s", r->spec->argv[0]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(k.fds); i++)
		close_p(&k.fds[i]);
	return rc;
}

static void give_line(struct run *r, struct buf *line)
{
	if (line->len && line->data[line->len - 1] == '\r')
		line->data[--line->len] = '\0';
	r->spec->on_line(line->len ? line->data : "", r->spec->arg);
	line->len = 0;
}

static void give_lines(struct run *r, struct buf *line, const char *data, size_t len)
{
	while (len) {
		const char *nl = memchr(data, '\n', len);
		size_t n = nl ? (size_t)(nl - data) : len;
		size_t fits = LINE_MAX_BYTES - line->len;

		buf_add(line, data, n < fits ? n : fits);
		if (nl)
			give_line(r, line);
		n += !!nl;
		data += n;
		len -= n;
	}
}

static void give_capture(struct run *r, const char *data, size_t len)
{
	size_t max = r->spec->capture_max ? r->spec->capture_max : CAPTURE_MAX_DEFAULT;
	size_t have = r->spec->capture->len;
	size_t fits = have < max ? max - have : 0;

	buf_add(r->spec->capture, data, len < fits ? len : fits);
}

static int append(struct run *r, const char *data, size_t len, struct err *err)
{
	while (len) {
		ssize_t n = write(r->file, data, len);

		if (n < 0 && errno != EINTR)
			return err_errno(err, ERR_HOST, "cannot write %s", r->spec->output);
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* 1: took something; 0: nothing there now, or its end; -1: failed. */
static int take_output(struct run *r, struct stream *s, struct err *err)
{
	char data[16384];
	ssize_t n;

	if (s->fd < 0)
		return 0;
	n = read(s->fd, data, sizeof(data));
	if (n < 0)
		return errno == EINTR;
	if (n == 0) {
		close(take_fd(s->fd));
		return 0;
	}
	if (s->captured)
		give_capture(r, data, (size_t)n);
	else if (r->file >= 0 && append(r, data, (size_t)n, err) < 0)
		return -1;
	if (r->spec->on_line)
		give_lines(r, &s->line, data, (size_t)n);
	return 1;
}

static int take_report(struct run *r, struct err *err)
{
	struct keeper_report report;
	ssize_t n = read(r->status, &report, sizeof(report));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != (ssize_t)sizeof(report))
		return r->failed ? -1
				 : err_set(err, ERR_HOST, "%s was ended from outside",
					   r->spec->argv[0]);
	if (report.step == KEEPER_ENDED) {
		r->report = report;
		r->ended = true;
	} else {
		r->failed_step = report.step;
		r->failed_step_errno = report.error;
		r->ended = report.step == KEEPER_FORK;
	}
	return 0;
}

static void ask_end(struct run *r)
{
	if (r->ask_end_ns)
		return;
	r->ask_end_ns = clock_now_ns();
	kill(r->keeper, SIGTERM);
}

/* Until what happens next [ms], for poll(); -1: no limit. */
static int time_left_ms(struct run *r)
{
	int64_t now = clock_now_ns();
	int64_t at, left;

	if (r->ask_end_ns)
		at = r->ask_end_ns + GIVE_UP_MS * NS_PER_MS;
	else if (r->spec->limit_ms > 0)
		at = r->started_ns + r->spec->limit_ms * NS_PER_MS;
	else
		return -1;
	left = (at - now + NS_PER_MS - 1) / NS_PER_MS;
	return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void look_at_limit(struct run *r)
{
	if (time_left_ms(r) != 0)
		return;
	if (!r->ask_end_ns) {
		r->timed_out = true;
		ask_end(r);
	} else {
		r->report = (struct keeper_report){ .wait_status = SIGKILL };
		r->ended = true;
	}
}

/* Output that cannot be kept (disk full) ends the program; @err says why. */
static void fail(struct run *r)
{
	r->failed = true;
	for (size_t i = 0; i < ARRAY_SIZE(r->streams); i++)
		if (r->streams[i].fd >= 0)
			close(take_fd(r->streams[i].fd));
	ask_end(r);
}

/* What is still in the pipes; not to their end, which an escaped daemon may hold open. */
static void take_rest(struct run *r, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->streams); i++) {
		int got = 1;

		for (unsigned int n = 0; got > 0 && n < REST_READS; n++)
			got = take_output(r, &r->streams[i], err);
		if (got < 0)
			fail(r);
		else if (r->streams[i].line.len)
			give_line(r, &r->streams[i].line);
	}
}

static int wait_for_end(struct run *r, struct err *err)
{
	while (!r->ended) {
		struct pollfd p[] = {
			{ .fd = r->status, .events = POLLIN },
			{ .fd = r->ask_end_ns ? -1 : stop_fd(), .events = POLLIN },
			{ .fd = r->streams[0].fd, .events = POLLIN },
			{ .fd = r->streams[1].fd, .events = POLLIN },
		};

		if (poll(p, ARRAY_SIZE(p), time_left_ms(r)) < 0) {
			if (errno != EINTR)
				return err_errno(err, ERR_HOST, "cannot wait for %s",
						 r->spec->argv[0]);
			continue;
		}
		if (stop_requested())
			ask_end(r);
		look_at_limit(r);
		for (size_t i = 0; i < ARRAY_SIZE(r->streams); i++)
			if (p[2 + i].revents && take_output(r, &r->streams[i], err) < 0)
				fail(r);
		if (p[0].revents && take_report(r, err) < 0)
			return -1;
	}
	take_rest(r, err);
	return r->failed ? -1 : 0;
}

int spawn_run(const struct spawn *spawn, struct spawn_result *ret, struct err *err)
{
	_cleanup_(run_deinit) struct run r = {
		.spec = spawn,
		.file = -1,
		.status = -1,
		.streams = { { .fd = -1 }, { .fd = -1 } },
		.started_ns = clock_now_ns(),
	};
	int status;

	if (stop_check(err) < 0 || start(&r, err) < 0)
		return -1;
	if (wait_for_end(&r, err) < 0)
		return -1;
	errno = r.failed_step_errno;
	if (r.failed_step == KEEPER_CHDIR)
		return err_errno(err, ERR_HOST, "cannot enter %s", spawn->cwd);
	if (r.failed_step)
		return err_errno(err, ERR_HOST, "cannot start %s", spawn->argv[0]);
	if (!r.timed_out && stop_check(err) < 0)
		return -1;
	status = r.report.wait_status;
	*ret = (struct spawn_result){
		.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.timed_out = r.timed_out,
		.elapsed_ns = clock_now_ns() - r.started_ns,
		.max_rss_kib = r.report.max_rss_kib,
	};
	return 0;
}
