// SPDX-License-Identifier: GPL-2.0-or-later
/* The session: see session.h. */
#include "guest-agent/agent/session.h"

#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest-agent/agent/cards.h"
#include "guest-agent/agent/load.h"
#include "guest-agent/agent/probe.h"
#include "guest-agent/agent/put.h"
#include "base/str.h"

static void hello(struct session *s, const struct wire_msg *m)
{
	struct wire_msg answer = { .type = WIRE_HELLO, .hello.version = WIRE_VERSION };
	struct utsname kernel;

	uname(&kernel);
	memcpy(answer.hello.nonce, m->hello.nonce, sizeof(answer.hello.nonce));
	str_copy(answer.hello.agent, sizeof(answer.hello.agent), AMDGPU_BISECT_VERSION);
	str_copy(answer.hello.kernel, sizeof(answer.hello.kernel), kernel.release);
	/* Another version is answered too: the controller reads ours there and says what to do. */
	s->greeted = m->hello.version == WIRE_VERSION;
	cards_tell(s->port);
	port_send(s->port, &answer);
}

static void put(struct session *s, const struct wire_msg *m)
{
	struct wire_msg answer = { .type = WIRE_DONE, .done.of = WIRE_PUT };
	struct err err;

	str_copy(answer.done.name, sizeof(answer.done.name), m->put.name);
	if (put_receive(s->port, s->put_dir, m->put.name, m->put.bytes, &err) < 0)
		port_fail(s->port, WIRE_PUT, err.msg);
	else
		port_send(s->port, &answer);
}

static void load(struct session *s, const struct wire_msg *m)
{
	struct wire_msg answer;
	struct err err;

	if (load_module(s->put_dir, s->modules, m->load.name, m->load.params, m->load.limit_ms,
			&answer, &err) < 0)
		port_fail(s->port, WIRE_LOAD, err.msg);
	else
		port_send(s->port, &answer);
}

static void probe(struct session *s, const struct wire_msg *m)
{
	struct err err;

	if (probe_run(s->port, s->probes, m->probe.probe, m->probe.args, m->probe.limit_ms, &err) <
	    0)
		port_fail(s->port, WIRE_PROBE, err.msg);
}

static void exec(struct session *s, const struct wire_msg *m)
{
	struct err err;

	if (probe_exec(s->port, s->probes, m->exec.program, m->exec.args, m->exec.limit_ms, &err) <
	    0)
		port_fail(s->port, WIRE_EXEC, err.msg);
}

static void power_off(struct session *s)
{
	struct err err;

	if (!s->owns_guest) {
		port_fail(s->port, WIRE_POWEROFF,
			  "the agent is a service here and does not power the guest off");
		return;
	}
	sync();
	reboot(RB_POWER_OFF);
	err_errno(&err, ERR_HOST, "cannot power off");
	port_fail(s->port, WIRE_POWEROFF, err.msg);
}

/* What is no request counts against the hello: the other end is not who it should be. */
static enum wire_type request_or_hello(enum wire_type type)
{
	return type <= WIRE_POWEROFF ? type : WIRE_HELLO;
}

static void dispatch(struct session *s, const struct wire_msg *m)
{
	char text[128];

	if (!s->greeted && m->type != WIRE_HELLO) {
		snprintf(text, sizeof(text), "a %s before the hello", wire_type_name(m->type));
		port_fail(s->port, request_or_hello(m->type), text);
		s->lost = true;
		return;
	}
	switch (m->type) {
	case WIRE_HELLO:
		hello(s, m);
		break;
	case WIRE_PUT:
		put(s, m);
		break;
	case WIRE_LOAD:
		load(s, m);
		break;
	case WIRE_PROBE:
		probe(s, m);
		break;
	case WIRE_EXEC:
		exec(s, m);
		break;
	case WIRE_POWEROFF:
		power_off(s);
		break;
	default:
		snprintf(text, sizeof(text), "a %s is not for the agent", wire_type_name(m->type));
		port_fail(s->port, request_or_hello(m->type), text);
	}
}

/* Raw bytes that follow a refused put look like lines: the first is told, the others are not. */
static void take_line(struct session *s, const char *line, size_t len)
{
	struct wire_msg m;
	struct err err;

	if (wire_decode(line, len, &m, &err) == 0) {
		s->lost = false;
		dispatch(s, &m);
	} else if (!s->lost) {
		s->lost = true;
		port_fail(s->port, WIRE_HELLO, err.msg);
	}
}

void session_serve(struct session *s)
{
	const char *line;
	size_t len;

	for (;;) {
		/* Children that could not be killed when they should have been. */
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		switch (port_line(s->port, &line, &len)) {
		case PORT_LINE:
			take_line(s, line, len);
			break;
		case PORT_AGAIN:
			s->greeted = false;
			s->lost = false;
			break;
		case PORT_TOO_LONG:
			if (!s->lost)
				port_fail(s->port, WIRE_HELLO, "a line is longer than allowed");
			s->lost = true;
			break;
		case PORT_END:
			return;
		}
	}
}
