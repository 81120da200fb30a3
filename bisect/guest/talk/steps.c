// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is said, in order: hello; for each module put and load; the probe, its samples, its end.
 * Each answer is checked against what was asked: the agent is part of the guest, so it may lie.
 */
#include "guest/talk/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "guest/image/modules.h"

#define SETTLE_MS      1000 /* an oops takes this long to be printed on a serial port */
#define CLOCK_SLACK_NS (2 * NS_PER_S)
#define SAMPLES_FIRST  64

static int make_nonce(char ret[33], struct err *err)
{
	unsigned char raw[16];

	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return err_errno(err, ERR_HOST, "cannot draw random numbers");
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(ret + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

int step_unexpected(struct session *s, const struct wire_msg *msg, const char *wanted)
{
	/* Nobody asked for a hello: this is an agent that was started again. */
	if (msg->type == WIRE_FAIL && msg->fail.of == WIRE_HELLO)
		return session_end(s, TRIAL_AGENT, "in the %s stage: %s",
				   trial_stage_name(s->stage), msg->fail.text);
	return session_end(s, TRIAL_PROTOCOL, "the agent sent \"%s\" where \"%s\" was due",
			   wire_type_name(msg->type), wanted);
}

int step_hello(struct session *s, struct err *err)
{
	struct wire_msg msg = { .type = WIRE_HELLO };
	char nonce[33];
	int r;

	if (make_nonce(nonce, err) < 0)
		return -1;
	msg.hello.version = WIRE_VERSION;
	str_copy(msg.hello.nonce, sizeof(msg.hello.nonce), nonce);
	r = session_send(s, &msg, -1, 0, err);
	if (r == 0)
		r = session_next(s, &msg, err);
	if (r != 0)
		return r;
	if (msg.type == WIRE_FAIL)
		return session_end(s, TRIAL_PROTOCOL, "the agent refused the hello: %s",
				   msg.fail.text);
	if (msg.type != WIRE_HELLO)
		return step_unexpected(s, &msg, "hello");
	if (strcmp(msg.hello.nonce, nonce) != 0)
		return session_end(s, TRIAL_PROTOCOL, "the agent answered with a wrong nonce");
	if (msg.hello.version != WIRE_VERSION)
		return session_end(s, TRIAL_PROTOCOL,
				   "the agent speaks version %" PRIu32 ", not %d; "
				   "install controller and agent of one version",
				   msg.hello.version, WIRE_VERSION);
	str_copy(s->trial->kernel, sizeof(s->trial->kernel), msg.hello.kernel);
	console_clean(s->trial->kernel);
	if (s->wants && !str_ends(s->card, s->wants))
		return err_set(
			err, ERR_HOST,
			"the guest is without the card %s that it was given; `dmesg | tail` may "
			"say why",
			s->wants);
	return 0;
}

/* What the agent gets to do it and still say so: four fifths of what is left of the stage [ms]. */
static uint32_t agents_limit(const struct session *s)
{
	int64_t left = (s->deadline_ns - clock_now_ns()) / NS_PER_MS;

	return left > 10 ? (uint32_t)(left * 4 / 5) : 1;
}

static int put(struct session *s, const char *name, const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct wire_msg msg = { .type = WIRE_PUT };
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_HOST, "cannot read the module %s", path);
	str_copy(msg.put.name, sizeof(msg.put.name), name);
	msg.put.bytes = (uint64_t)st.st_size;
	r = session_send(s, &msg, fd, msg.put.bytes, err);
	if (r < 0)
		return err_prefix(err, "%s", path);
	if (r == 0)
		r = session_next(s, &msg, err);
	if (r != 0)
		return r;
	if (msg.type == WIRE_FAIL && msg.fail.of == WIRE_PUT)
		return session_end(s, TRIAL_LOAD_FAILED, "%s", msg.fail.text);
	if (msg.type != WIRE_DONE || msg.done.of != WIRE_PUT || strcmp(msg.done.name, name) != 0)
		return step_unexpected(s, &msg, "done");
	return 0;
}

static int load_failed(struct session *s, const struct wire_msg *msg, const char *name,
		       int64_t begun_ns, uint32_t limit_ms)
{
	char oops[2 * CONSOLE_LINE + 8];

	session_settle(s, *s->console.oops ? SETTLE_MS : 0);
	if (*s->console.oops) {
		console_oops_text(&s->console, oops, sizeof(oops));
		return session_end(s, TRIAL_OOPS, "loading %s oopsed: %s", name, oops);
	}
	return session_end(s,
			   clock_now_ns() - begun_ns >= limit_ms * NS_PER_MS ? TRIAL_LOAD_HUNG
									     : TRIAL_LOAD_FAILED,
			   "%s", msg->fail.text);
}

/* @want is NULL for a packed module: it is the kernel's own. */
static int check_loaded(struct session *s, const struct wire_msg *msg,
			const struct trial_module *want)
{
	const char *name = want->name;

	if (strcmp(msg->loaded.name, name) != 0)
		return session_end(s, TRIAL_LOAD_MISMATCH, "asked for module %s, %s was loaded",
				   name, msg->loaded.name);
	if (want->srcversion && *want->srcversion &&
	    strcmp(msg->loaded.srcversion, want->srcversion) != 0)
		return session_end(s, TRIAL_LOAD_MISMATCH,
				   "module %s has srcversion %s in the guest, "
				   "the artifact has %s",
				   name, *msg->loaded.srcversion ? msg->loaded.srcversion : "none",
				   want->srcversion);
	if (want->build_id && *want->build_id && strcmp(msg->loaded.build_id, want->build_id) != 0)
		return session_end(s, TRIAL_LOAD_MISMATCH,
				   "module %s has build id %s in the guest, "
				   "the artifact has %s",
				   name, *msg->loaded.build_id ? msg->loaded.build_id : "none",
				   want->build_id);
	return 0;
}

static int load(struct session *s, const char *file, const struct trial_module *want,
		struct err *err)
{
	struct wire_msg msg = { .type = WIRE_LOAD };
	int64_t begun = clock_now_ns();
	uint32_t limit_ms = agents_limit(s);
	int r;

	str_copy(msg.load.name, sizeof(msg.load.name), file);
	str_copy(msg.load.params, sizeof(msg.load.params), want->params ? want->params : "");
	msg.load.limit_ms = limit_ms;
	r = session_send(s, &msg, -1, 0, err);
	if (r == 0)
		r = session_next(s, &msg, err);
	if (r != 0)
		return r;
	if (msg.type == WIRE_FAIL && msg.fail.of == WIRE_LOAD)
		return load_failed(s, &msg, want->name, begun, limit_ms);
	if (msg.type != WIRE_LOADED)
		return step_unexpected(s, &msg, "loaded");
	return check_loaded(s, &msg, want);
}

int step_load_all(struct session *s, const struct trial_spec *spec, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < spec->n_packed; i++) {
		char name[WIRE_NAME_MAX];
		struct trial_module packed = { .name = name };

		modules_name(spec->packed[i], name, sizeof(name));
		r = load(s, name, &packed, err);
	}
	if (spec->exec)
		console_listen(&s->console);
	for (size_t i = 0; r == 0 && i < spec->n_modules; i++) {
		const struct trial_module *m = &spec->modules[i];
		_cleanup_free_ char *file = str_printf("%s.ko", m->name);
		char name[WIRE_NAME_MAX];
		struct trial_module want = *m;

		modules_name(m->name, name, sizeof(name));
		want.name = name;
		r = put(s, file, m->path, err);
		if (r == 0)
			r = load(s, file, &want, err);
	}
	return r;
}

/* Keeps a sample; the guest's clock may not run ahead of ours, in none of the probe's processes. */
static int take_sample(struct session *s, const struct trial_spec *spec,
		       const struct wire_sample *sample, int64_t begun_ns,
		       int64_t totals_ns[WIRE_PROCESSES_MAX])
{
	int64_t *total_ns = &totals_ns[sample->process];
	struct trial *t = s->trial;
	int64_t passed = clock_now_ns() - begun_ns;

	if (t->n_samples >= WIRE_SAMPLES_MAX)
		return session_end(s, TRIAL_PROTOCOL,
				   "the agent flooded its channel: more than %d "
				   "samples",
				   WIRE_SAMPLES_MAX);
	if (__builtin_add_overflow(*total_ns, sample->elapsed_ns, total_ns) ||
	    *total_ns / 2 > passed + CLOCK_SLACK_NS)
		return session_end(s, TRIAL_PROTOCOL,
				   "the agent measured %.1f s in copies, but only "
				   "%.1f s passed",
				   (double)*total_ns / NS_PER_S, (double)passed / NS_PER_S);
	if (t->n_samples % SAMPLES_FIRST == 0)
		t->samples =
			xrealloc(t->samples, t->n_samples + SAMPLES_FIRST, sizeof(*t->samples));
	t->samples[t->n_samples++] = *sample;
	if (spec->on_sample)
		spec->on_sample(sample, spec->arg);
	return 0;
}

int step_ended(struct session *s, const struct wire_msg *msg, bool own)
{
	struct trial *t = s->trial;
	char oops[2 * CONSOLE_LINE + 8], words[2 * CONSOLE_LINE];
	bool bad = msg->probe_end.how != PROBE_EXITED || (!own && msg->probe_end.code != 0);

	session_settle(s, bad ? SETTLE_MS / 2 : 0);
	if (*s->console.panic)
		return session_end(s, TRIAL_PANIC, "%s", s->console.panic);
	if (*s->console.oops) {
		session_settle(s, SETTLE_MS);
		console_oops_text(&s->console, oops, sizeof(oops));
		return session_end(s, TRIAL_OOPS, "the probe made the kernel oops: %s", oops);
	}
	switch (msg->probe_end.how) {
	case PROBE_HUNG:
		console_last_words(&s->console, words, sizeof(words));
		return session_end(s, TRIAL_PROBE_HUNG,
				   "the probe did not end in time%s%s; last "
				   "words: %s",
				   *s->note ? ": " : "", s->note, words);
	case PROBE_SIGNALED:
		if (msg->probe_end.code == SIGKILL && *s->console.oom)
			return session_end(s, TRIAL_OOM,
					   "the guest ran out of memory: %s; give it more with "
					   "--memory",
					   s->console.oom);
		return session_end(s, TRIAL_PROBE_FAILED, "signal %" PRId32 " ended the probe%s%s",
				   msg->probe_end.code, *s->note ? ": " : "", s->note);
	default:
		t->exit_code = msg->probe_end.code;
		if (own)
			return 0;
		if (t->exit_code)
			return session_end(s, TRIAL_PROBE_FAILED, "the probe ended with %d%s%s",
					   t->exit_code, *s->note ? ": " : "", s->note);
		return session_end(s, TRIAL_DONE, "%zu samples", t->n_samples);
	}
}

int step_probe(struct session *s, const struct trial_spec *spec, int64_t limit_ms, struct err *err)
{
	struct wire_msg msg = { .type = WIRE_PROBE };
	int64_t begun = clock_now_ns(), totals[WIRE_PROCESSES_MAX] = { 0 };
	int r;

	str_copy(msg.probe.probe, sizeof(msg.probe.probe), spec->probe);
	str_copy(msg.probe.args, sizeof(msg.probe.args), spec->args ? spec->args : "");
	msg.probe.limit_ms = (uint32_t)limit_ms;
	r = session_send(s, &msg, -1, 0, err);
	while (r == 0) {
		r = session_next(s, &msg, err);
		if (r != 0)
			break;
		if (msg.type == WIRE_PROBE_END)
			return step_ended(s, &msg, false);
		if (msg.type == WIRE_FAIL && msg.fail.of == WIRE_PROBE)
			return session_end(s, TRIAL_PROBE_FAILED, "%s", msg.fail.text);
		if (msg.type != WIRE_SAMPLE)
			return step_unexpected(s, &msg, "sample");
		r = take_sample(s, spec, &msg.sample, begun, totals);
	}
	return r;
}
