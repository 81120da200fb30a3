// SPDX-License-Identifier: GPL-2.0-or-later
/* Other programs, the controller's side: see spawn.h; spawn/keeper.h says what runs between. */
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
#include "base/spawn/keeper.h"
#include "base/spawn/output.h"
#include "base/stop.h"

#define GIVE_UP_MS (KEEPER_GRACE_MS + 8000) /* a program in D state is left, not waited for */

struct run {
	const struct spawn *spec;
	int status; /* read end of the keeper's status pipe */
	struct spawn_output output;
	pid_t keeper;
	int64_t started_ns;
	int64_t ask_end_ns; /* the keeper was told to end the program, or 0 */
	bool timed_out;
	bool cancelled;
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
	close_p(&r->status);
	spawn_output_deinit(&r->output);
	if (r->keeper > 0) {
		kill(r->keeper, SIGKILL);
		while (waitpid(r->keeper, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

/* A pipe on which the keeper reports; read without waiting. */
static int open_status(struct run *r, int *write_end, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_errno(err, ERR_HOST, "cannot make a pipe");
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	r->status = fds[0];
	*write_end = fds[1];
	return 0;
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
	k.apart = r->spec->apart;
	k.hold = r->spec->hold_fd;
	rc = spawn_output_open(&r->output, k.fds, err);
	if (rc == 0)
		rc = open_status(r, &k.fds[3], err);
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

/* Output that cannot be kept (disk full) ends the program; err says why. */
static void fail(struct run *r)
{
	r->failed = true;
	spawn_output_close(&r->output);
	ask_end(r);
}

static int cancel_fd(const struct run *r)
{
	return r->spec->cancel_fd > 0 ? r->spec->cancel_fd : -1;
}

static int wait_for_end(struct run *r, struct err *err)
{
	while (!r->ended) {
		struct pollfd p[] = {
			{ .fd = r->status, .events = POLLIN },
			{ .fd = r->ask_end_ns ? -1 : stop_fd(), .events = POLLIN },
			{ .fd = r->output.streams[0].fd, .events = POLLIN },
			{ .fd = r->output.streams[1].fd, .events = POLLIN },
			{ .fd = r->ask_end_ns ? -1 : cancel_fd(r), .events = POLLIN },
		};

		if (poll(p, ARRAY_SIZE(p), time_left_ms(r)) < 0) {
			if (errno != EINTR)
				return err_errno(err, ERR_HOST, "cannot wait for %s",
						 r->spec->argv[0]);
			continue;
		}
		if (stop_requested())
			ask_end(r);
		if (p[4].revents && !r->ask_end_ns) {
			r->cancelled = true;
			ask_end(r);
		}
		look_at_limit(r);
		for (size_t i = 0; i < ARRAY_SIZE(r->output.streams); i++)
			if (p[2 + i].revents && spawn_output_take(&r->output, i, err) < 0)
				fail(r);
		if (p[0].revents && take_report(r, err) < 0)
			return -1;
	}
	if (spawn_output_rest(&r->output, err) < 0)
		r->failed = true;
	return r->failed ? -1 : 0;
}

int spawn_run(const struct spawn *spawn, struct spawn_result *ret, struct err *err)
{
	_cleanup_(run_deinit) struct run r = {
		.spec = spawn,
		.status = -1,
		.output = SPAWN_OUTPUT_INIT(spawn),
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
		.cancelled = r.cancelled,
		.elapsed_ns = clock_now_ns() - r.started_ns,
		.max_rss_kib = r.report.max_rss_kib,
	};
	return 0;
}
