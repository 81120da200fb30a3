/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trial's talk with the agent; inside the guest room only. */
#ifndef GUEST_SESSION_H
#define GUEST_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/progress.h"
#include "guest/virt/channel.h"
#include "guest/talk/console.h"
#include "guest/guest.h"
#include "guest/remote/tap.h"
#include "guest/virt/wake.h"
#include "wire/wire.h"

#define SESSION_BYTES_MAX (UINT64_C(8) << 20) /* from one agent; 4096 samples take 3 MiB */
#define SESSION_NOTES_MAX 1000
#define SESSION_ENDED	  1 /* the trial is over: its end and reason are set */

struct session {
	struct trial *trial; /* what is found out goes here */
	struct channel *channel;
	struct console console;
	struct wake *wake;
	struct virt *virt;
	struct tap *tap;	   /* writes the console, where QEMU cannot; or NULL */
	struct progress *progress; /* or NULL */
	FILE *raw;		   /* lines as received */
	char in[16384];		   /* received, not yet split */
	size_t in_len, in_at;
	struct wire_lines lines;
	unsigned int notes, late;
	char note[256]; /* the last note, for people */
	char card[64];	/* the last that names a card of the guest: "card ADDRESS VENDOR:DEVICE" */
	const char *wants; /* "VENDOR:DEVICE" of the card that it must have, or NULL */
	bool closed;	   /* the channel is */
	enum trial_stage stage;
	int64_t begun_ns;    /* of the stage */
	int64_t deadline_ns; /* of the stage */
	int64_t silence_ns;  /* the kernel must have begun by then; 0: it is not known to tell */
	int64_t kernel_ns;   /* when it did, from the stage's begin; 0: not yet */
	int64_t heard_ns;    /* when the last bytes came */
	int64_t bad_ns; /* end of the grace after a panic, an oops or a closed channel; 0: none */
};

/*
 * Each of these returns 0: go on; SESSION_ENDED: the trial is over; -1 with ERR_HOST or
 * ERR_STOPPED.
 */

/** session_next() - the next message but notes, which are kept; or the end of the trial */
int session_next(struct session *s, struct wire_msg *msg, struct err *err);

/** session_send() - a message, then @len raw bytes from @fd if that is not -1 */
int session_send(struct session *s, const struct wire_msg *msg, int fd, uint64_t len,
		 struct err *err);

/** session_end() - the trial is over; returns SESSION_ENDED */
__attribute__((format(printf, 3, 4))) int session_end(struct session *s, enum trial_end end,
						      const char *fmt, ...);

/** session_stage() - a stage begins; @limit_ms from now */
void session_stage(struct session *s, enum trial_stage stage, int64_t limit_ms);

/** session_settle() - listen to the console a moment longer, for an oops that is being printed */
void session_settle(struct session *s, int64_t ms);

#endif
