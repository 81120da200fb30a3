// SPDX-License-Identifier: GPL-2.0-or-later
/* The hello, with planted answers in the place of a guest's: which agents are talked to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "guest/talk/steps.h"

static struct wire_msg sent;
static const char *planted; /* the agent's line, with room for the nonce */
static struct err err;

int __wrap_session_send(struct session *s, const struct wire_msg *msg, int fd, uint64_t len,
			struct err *e);
int __wrap_session_next(struct session *s, struct wire_msg *msg, struct err *e);

int __wrap_session_send(struct session *s, const struct wire_msg *msg, int fd, uint64_t len,
			struct err *e)
{
	(void)s;
	(void)fd;
	(void)len;
	(void)e;
	sent = *msg;
	return 0;
}

int __wrap_session_next(struct session *s, struct wire_msg *msg, struct err *e)
{
	char line[WIRE_LINE_MAX];

	(void)s;
	snprintf(line, sizeof(line), planted, sent.hello.nonce);
	if (wire_decode(line, strlen(line), msg, e) < 0)
		fail_msg("%s", e->msg);
	return 0;
}

static int greet(const char *line, struct trial *t)
{
	struct session s = { .trial = t };

	*t = (struct trial){ 0 };
	planted = line;
	return step_hello(&s, &err);
}

#define AGENT(version)                                                                      \
	"{\"type\":\"hello\",\"version\":" version ",\"nonce\":\"%s\",\"agent\":\"0.1.0\"," \
	"\"kernel\":\"6.1.0-57-amd64\"}"

static void an_agent_of_our_version_is_talked_to(void **state)
{
	_cleanup_free_ char *line = str_printf(AGENT("%d"), WIRE_VERSION, "%s");
	struct trial t;

	(void)state;
	assert_int_equal(greet(line, &t), 0);
	assert_int_equal(sent.hello.version, WIRE_VERSION);
	assert_string_equal(t.kernel, "6.1.0-57-amd64");
}

/* One that does not know `exec` would answer it as if it had been started again. */
static void an_older_agent_is_refused_in_one_line_that_names_both_versions(void **state)
{
	struct trial t;

	(void)state;
	assert_int_equal(greet(AGENT("1"), &t), SESSION_ENDED);
	assert_int_equal(t.end, TRIAL_PROTOCOL);
	assert_string_equal(t.reason, "the agent speaks version 1, not 2; install controller and "
				      "agent of one version");
}

static void a_newer_agent_is_refused_likewise(void **state)
{
	struct trial t;

	(void)state;
	assert_int_equal(greet(AGENT("3"), &t), SESSION_ENDED);
	assert_int_equal(t.end, TRIAL_PROTOCOL);
	assert_string_equal(t.reason, "the agent speaks version 3, not 2; install controller and "
				      "agent of one version");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_of_our_version_is_talked_to),
		cmocka_unit_test(an_older_agent_is_refused_in_one_line_that_names_both_versions),
		cmocka_unit_test(a_newer_agent_is_refused_likewise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
