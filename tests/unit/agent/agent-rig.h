/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real agent as a service: a socket for its port, directories of its own, scripts for probes. */
#ifndef TESTS_AGENT_RIG_H
#define TESTS_AGENT_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/types.h>

#include "wire/wire.h"

struct rig {
	char dir[64]; /* holds probes/, put/ and config/ */
	pid_t agent;
	int fd; /* the controller's end */
	struct wire_lines lines;
	char in[65536];
	size_t in_len, in_at;
};

#define NONCE "0123456789abcdef0123456789abcdef"

/* For cmocka: *state is a struct rig; the first has greeted the agent, the second has not. */
int rig_setup(void **state);
int rig_setup_silent(void **state);
int rig_teardown(void **state);

/** rig_program() - path of the agent under test: $AGENT, or the one that is shipped */
const char *rig_program(void);

/** rig_file() - a file below the rig's directory; executable */
void rig_file(struct rig *r, const char *name, const char *text);

/** rig_say() - bytes as they are; rig_send() - a message */
void rig_say(struct rig *r, const void *data, size_t len);
void rig_send(struct rig *r, const struct wire_msg *msg);

/** rig_hear() - the agent's next message; fails the test after @limit_ms */
struct wire_msg rig_hear_within(struct rig *r, int limit_ms);
struct wire_msg rig_hear(struct rig *r);

/** rig_hello() - greet and check the answer */
void rig_hello(struct rig *r);

/** rig_alive() - the agent still answers a hello, and nothing else came before the answer */
void rig_alive(struct rig *r);

/** rig_fails() - the next message is a failure of @of that mentions @words */
void rig_fails(struct rig *r, enum wire_type of, const char *words);

#endif
