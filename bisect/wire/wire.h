/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire: JSON lines between controller and agent, and the structs they stand for. Both programs
 * use this file, so they cannot disagree. docs/protocol.md describes the lines.
 *
 * The guest is not trusted: a line is bounded, parsed strictly, and every number is range-checked.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WIRE_VERSION	  2
#define WIRE_LINE_MAX	  8192		   /* [bytes], newline included; longer is a protocol error */
#define WIRE_FILE_MAX	  (INT64_C(256) << 20) /* one streamed file [bytes] */
#define WIRE_EXTENTS_MAX  1024		   /* extents of one copy: 2 GiB; [bits] of the presence map */
#define WIRE_SAMPLES_MAX  4096		   /* samples of one probe run */
#define WIRE_PROCESSES_MAX 256		   /* processes of a probe that copy at once */
#define WIRE_NAME_MAX	  64		   /* names of files and modules, NUL included */
#define WIRE_TEXT_MAX	  1024		   /* free text, NUL included */
#define WIRE_PORT_NAME	  "org.amdgpu_bisect.agent.0" /* virtio-serial port */

enum wire_type {
	WIRE_HELLO,	/* both ways: version, nonce; the agent adds kernel and its own version */
	WIRE_PUT,	/* to agent: name, bytes; exactly that many raw bytes follow the newline */
	WIRE_LOAD,	/* to agent: insert the module that was put as name, or a packed one by name */
	WIRE_PROBE,	/* to agent: run a probe; answered by samples, then WIRE_PROBE_END */
	WIRE_EXEC,	/* to agent: run a program of the user's; answered by WIRE_OUTPUT, WIRE_PROBE_END */
	WIRE_POWEROFF,	/* to agent: end the guest */
	WIRE_DONE,	/* from agent: the last request of that kind succeeded (put, load) */
	WIRE_LOADED,	/* from agent: module is in; srcversion and build id as the kernel shows them */
	WIRE_SAMPLE,	/* from agent: one copy */
	WIRE_OUTPUT,	/* from agent: the last line that the user's program printed */
	WIRE_PROBE_END, /* from agent: the probe ended: how */
	WIRE_NOTE,	/* from agent: text for people (probe's stderr, what it is doing) */
	WIRE_FAIL,	/* from agent: the request failed: why */
	WIRE_TYPES
};

/* The three regimes, and anonymous memory as a further control (later probes). */
enum wire_regime {
	REGIME_R_RESIDENT,	/* r--p, resident */
	REGIME_RW_ABSENT,	/* rw-p, not resident */
	REGIME_RW_RESIDENT,	/* rw-p, resident: the case that quantises */
	REGIME_COUNT
};

/** regime_name() - "r--p resident", "rw-p not resident", "rw-p resident"; never NULL */
const char *regime_name(enum wire_regime r);
bool regime_parse(const char *name, enum wire_regime *ret);

enum wire_source {
	SOURCE_FILE,	  /* a private mapping of a file */
	SOURCE_ANONYMOUS, /* anonymous memory: a further control, measured and not judged */
	SOURCES
};

/* Which way a runtime took to the bytes; its log tells (docs/window-law.md). */
enum wire_path {
	PATH_UNKNOWN,
	PATH_PINNED, /* the pages themselves: goes through HMM */
	PATH_STAGED, /* through a buffer of the runtime's own: does not */
	PATHS
};

/* Why the time of a copy means nothing. */
enum wire_doubt {
	DOUBT_NONE,
	DOUBT_CLOCKS,	 /* the raw clock and the boot clock disagree */
	DOUBT_SUSPENDED, /* the machine slept meanwhile */
	DOUBT_STOLEN,	 /* the hypervisor took a good part of it away */
	DOUBTS
};

/* One copy, measured. */
struct wire_sample {
	enum wire_regime regime;
	bool warmup;		/* discarded by measure/, kept as evidence */
	uint32_t repeat;	/* 0-based within regime and size */
	uint64_t bytes;		/* copied [bytes] */
	uint64_t offset;	/* start of the mapping past a 2 MiB boundary [bytes] */
	int64_t elapsed_ns;	/* start to synchronised end [ns] */
	uint32_t extents;	/* 2 MiB-aligned extents the range touches, 1..WIRE_EXTENTS_MAX */
	uint32_t resident;	/* of them with at least one page present before the copy */
	/* presence per extent before the copy, from /proc/self/pagemap; bit i of word i/64 is extent i */
	uint64_t present[WIRE_EXTENTS_MAX / 64];
	uint64_t pages_present;	/* pages present before the copy */
	uint32_t restarts;	/* the mirror's count; 0 where the runtime has none */
	uint32_t calls;		/* likewise */
	int32_t result;		/* 0 or -errno of the copy */
	bool read_permission;	/* permission=read instead of vma (mirror only) */

	/* From here on optional: what is 0, false or empty is not sent, and older agents sent none. */
	bool evidence;	     /* a pass of its own with the kernel's probes on; its time is not judged */
	enum wire_doubt doubt;
	enum wire_path path;
	enum wire_source source;
	uint32_t device;     /* 0-based, of the runtime's */
	uint32_t process;    /* 0-based, of those that copied at once */
	bool kept_mapping;   /* the mapping of the copy before, not a fresh one */
	bool fresh_buffer;   /* a device buffer of its own, not the one of the copy before */
	int64_t boot_ns;     /* the same copy on CLOCK_BOOTTIME [ns] */
	int64_t steal_ns;    /* taken by the hypervisor meanwhile, of all CPUs [ns] */
	bool after;	     /* the three below were looked at */
	uint32_t resident_after;
	uint64_t present_after[WIRE_EXTENTS_MAX / 64];
	uint64_t pages_after;
	/* of the pages present, private copies: what copy-on-write broke */
	uint64_t copied_before, copied_after;
	uint64_t anon_before, anon_after; /* RssAnon [bytes]: what copy-on-write made private */
	uint64_t file_before, file_after; /* RssFile [bytes] */
	uint64_t minor_faults, major_faults; /* during the copy */
	uint64_t file_offset; /* of the mapping's first byte in the source [bytes] */
	uint32_t page_bytes;
	char thp[16];	      /* "always", "madvise" or "never" */
	char file_system[16]; /* "ext4", "tmpfs", or the magic in hex */
	char mapping[160];    /* the mapping's line of /proc/self/maps */
	/* Evidence only; hmm_range_fault(), then the driver's amdgpu_hmm_range_get_pages(). */
	uint64_t hmm_calls, hmm_busy; /* calls; of them returned -EBUSY */
	uint64_t driver_calls;
	int64_t driver_ns;	      /* inside, of elapsed_ns */
	uint32_t profile_samples, profile_inside; /* of the sampled stacks, with either on them */
};

enum wire_probe_how {
	PROBE_EXITED,	/* code is its exit code */
	PROBE_SIGNALED, /* code is the signal */
	PROBE_HUNG,	/* the limit was over; it does not die (D state) or had to be killed */
	PROBE_HOWS
};

struct wire_msg {
	enum wire_type type;
	union {
		struct {
			uint32_t version;
			char nonce[33];			/* 32 hex digits from the controller, echoed */
			char agent[32];			/* agent's version; empty from the controller */
			char kernel[WIRE_NAME_MAX + 1];	/* uname -r; empty from the controller */
		} hello;
		struct {
			char name[WIRE_NAME_MAX];	/* [a-z0-9A-Z._-]+, no leading dot */
			uint64_t bytes;
		} put;
		struct {
			char name[WIRE_NAME_MAX];	/* as put, or a packed module's name without .ko */
			char params[256];
			uint32_t limit_ms;
		} load;
		struct {
			char probe[WIRE_NAME_MAX];	/* program, e.g. "copy-regimes" */
			char args[512];			/* blank-separated options, no quoting */
			uint32_t limit_ms;		/* the agent kills the child after this */
		} probe;
		struct {
			char program[256];		/* beside the probes, or an absolute path */
			char args[512];			/* blank-separated words, no quoting */
			uint32_t limit_ms;		/* the agent kills the child after this */
		} exec;
		struct {
			char text[WIRE_TEXT_MAX];
		} output;
		struct {
			enum wire_type of;		/* WIRE_PUT or WIRE_LOAD */
			char name[WIRE_NAME_MAX];
		} done;
		struct {
			char name[WIRE_NAME_MAX];	/* module name, without .ko */
			char srcversion[64];		/* /sys/module/NAME/srcversion, or empty */
			char build_id[65];		/* hex of .note.gnu.build-id, or empty */
		} loaded;
		struct wire_sample sample;
		struct {
			enum wire_probe_how how;
			int32_t code;
		} probe_end;
		struct {
			char text[WIRE_TEXT_MAX];
		} note;
		struct {
			enum wire_type of;
			char text[WIRE_TEXT_MAX];
		} fail;
	};
};

/** wire_type_name() - "hello", "put", ...; never NULL */
const char *wire_type_name(enum wire_type t);

/**
 * wire_encode() - one message as one line
 * @msg: to encode
 * @ret: line with its newline, NUL-terminated [WIRE_LINE_MAX]
 * Return: length [bytes], or -1 with ERR_USAGE if a field is out of its bounds.
 */
int wire_encode(const struct wire_msg *msg, char ret[WIRE_LINE_MAX], struct err *err);

/**
 * wire_decode() - one line as a message
 * @line: without its newline, @len bytes, need not be NUL-terminated
 * @ret:  written on success only
 * Return: 0, or -1 with ERR_PROTOCOL saying what is wrong: not JSON, unknown type, a missing or
 * extra-large field, a number that is not whole or out of range, an inner contradiction (more
 * resident than extents, presence bits beyond extents or not adding up to resident).
 */
int wire_decode(const char *line, size_t len, struct wire_msg *ret, struct err *err);

/** wire_name_ok() - true if @name may name a streamed file */
bool wire_name_ok(const char *name);

/* Splits a byte stream into lines of at most WIRE_LINE_MAX. Zero-initialised it is empty. */
struct wire_lines {
	char data[WIRE_LINE_MAX];
	size_t len;
	uint64_t total;	/* bytes fed so far; the caller bounds it */
};

/**
 * wire_lines_feed() - take bytes, give at most one line
 * @in, @len: bytes not yet taken; *@used says how many were
 * @line:     on 1: the line without its newline, valid until the next call; *@line_len its length
 * Return: 1 a line, 0 more bytes needed, -1 ERR_PROTOCOL (line too long).
 */
int wire_lines_feed(struct wire_lines *l, const char *in, size_t len, size_t *used,
		    const char **line, size_t *line_len, struct err *err);

#endif
