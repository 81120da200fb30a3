/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors: what went wrong, in one line, and what the loop should do about it.
 *
 * A fallible function returns 0 or -1 and takes a struct err as its last parameter: untouched on
 * success, filled once on failure. It owns no memory, so there is nothing to free.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_kind {
	ERR_NONE,	/* nothing went wrong */
	ERR_USAGE,	/* the user must change something: stop, exit 129 */
	ERR_HOST,	/* this rig failed (disk, libvirt, tools): retry, then stop, exit 128 */
	ERR_BUILD,	/* the candidate does not build: skip it */
	ERR_BOOT,	/* the guest did not come up with this candidate: skip it */
	ERR_PROTOCOL,	/* the guest said something it must not: keep the evidence, skip */
	ERR_STOPPED,	/* the user asked to stop: exit 130, resumable */
	ERR_KINDS
};

struct err {
	enum err_kind kind;
	char msg[1024];	/* one line, no newline at its end */
};

/**
 * err_set() - fill an error
 * @err:  filled; never NULL
 * @kind: what the caller should do about it
 * @fmt:  one line: the commit, domain or path, what went wrong and what mends it
 *
 * Line breaks in the text become blanks, so that an error stays one line.
 *
 * Return: always -1, so that a failing function can end with `return err_set(...)`.
 */
__attribute__((format(printf, 3, 4)))
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...);

/**
 * err_errno() - fill an error from errno
 * @err:  filled
 * @kind: ERR_HOST for most; ENOSPC adds what to do
 * @fmt:  what was tried, with the path
 *
 * Return: always -1; errno is kept.
 */
__attribute__((format(printf, 3, 4)))
int err_errno(struct err *err, enum err_kind kind, const char *fmt, ...);

/**
 * err_prefix() - put words in front of an error that is already filled
 * @err: filled before; its kind is kept
 * @fmt: the words, without the colon
 *
 * Return: always -1.
 */
__attribute__((format(printf, 2, 3)))
int err_prefix(struct err *err, const char *fmt, ...);

/** err_kind_name() - the short name of a kind ("usage", "host", ...); never NULL */
const char *err_kind_name(enum err_kind kind);

#endif
