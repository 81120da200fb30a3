/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The session: requests come in, each is answered; a hello starts afresh at any time. */
#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include <stdbool.h>

#include "guest-agent/agent/port.h"

struct session {
	struct port *port;
	const char *probes;  /* directory */
	const char *put_dir; /* directory, exists */
	const char *modules; /* list of the packed modules */
	bool owns_guest;     /* may power it off */

	bool greeted; /* a hello was answered since the channel was last opened */
	bool lost;    /* the last line made no sense; told once, not for each that follows */
};

/** session_serve() - answer requests until the channel is gone for good */
void session_serve(struct session *s);

#endif
