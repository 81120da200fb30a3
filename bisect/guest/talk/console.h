/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest's kernel says on its serial console; inside the guest room only. */
#ifndef GUEST_CONSOLE_H
#define GUEST_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define CONSOLE_LINE  256
#define CONSOLE_LAST  4
#define CONSOLE_HEARD (64 << 10)	  /* kept of what is said while it is listened to [bytes] */
#define CONSOLE_BYTES (UINT64_C(1) << 20) /* more than this from one guest is a flood [bytes] */

struct console {
	int fd; /* the log, as QEMU writes it; -1 while there is none */
	const char *path;
	uint64_t bytes;		 /* read so far */
	char line[CONSOLE_LINE]; /* the one that is not whole yet */
	size_t len;
	char last[CONSOLE_LAST]
		 [CONSOLE_LINE]; /* the last lines with something in them, as a ring */
	size_t n_last;
	bool kernel_began;	  /* its first line was seen: the firmware is done */
	bool agent_began;	  /* the agent's was */
	char panic[CONSOLE_LINE]; /* the first "Kernel panic" line, or empty */
	char oops[CONSOLE_LINE];  /* the first line of the first oops, or empty */
	char rip[CONSOLE_LINE];	  /* its "RIP:" line, or empty */
	char stuck[CONSOLE_LINE]; /* the last hung task, lockup or RCU stall, or empty */
	char oom[CONSOLE_LINE];	  /* the last process ended for want of memory, or empty */
	bool listens;		  /* since console_listen() */
	struct buf heard;	  /* whole lines since then, the first CONSOLE_HEARD of them */
};

/** console_init() - @path is kept and may not exist yet */
void console_init(struct console *c, const char *path);
void console_deinit(struct console *c);

/** console_poll() - read and judge what is new; false once the guest floods its console */
bool console_poll(struct console *c);

/** console_feed() - judge text that came from elsewhere */
void console_feed(struct console *c, const char *data, size_t len);

/** console_forget() - what was said so far is not about what comes next; a panic stays */
void console_forget(struct console *c);

/** console_listen() - keep all lines from now on, whoever they are about */
void console_listen(struct console *c);

/** console_heard() - those lines, and the one that is not whole yet; owned by the caller, "" if none */
char *console_heard(struct console *c);

/** console_oops_text() - the oops in one line for people, its place included; empty without one */
void console_oops_text(const struct console *c, char *ret, size_t size);

/** console_last_words() - the last telling line, else the last one, else that there is none */
void console_last_words(const struct console *c, char *ret, size_t size);

/** console_clean() - text of a guest made fit for a terminal: printable ASCII only, in place */
void console_clean(char *s);

#endif
