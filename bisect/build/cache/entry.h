/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One entry of the cache: a directory with a list of what it is and of the digests of all its files. The
 * list ends with its own digest, so that a flipped byte anywhere is noticed. Inner to cache.c.
 */
#ifndef BUILD_ENTRY_H
#define BUILD_ENTRY_H

#include "base/cap/cap.h"
#include "base/err.h"
#include "base/str.h"

/** entry_seal() - write the list
 * @dir:   a draft with all its files, and nothing but files
 * @about: lines that say what it is, each a word, a blank and a value; no word is "file" or "sum"
 */
int entry_seal(const char *dir, const struct buf *about, struct err *err);

enum entry_state { ENTRY_NONE, ENTRY_WHOLE, ENTRY_DAMAGED };

/**
 * entry_open() - hold an entry and compare all of it with its list
 * @hold:  written if it is there, damaged or not; cap_release()
 * @about: the lines given to entry_seal(), written if it is whole; owned by the caller
 * @err:   ERR_HOST: it cannot be told, since this process or the rig is short of something
 * Return: 0, or -1 with @err filled.
 */
int entry_open(const char *dir, enum entry_state *ret, struct cap_hold **hold, char **about,
	       struct err *err);

/**
 * entry_place() - give a sealed draft its name
 * @dir: the name; a damaged entry there is replaced, though another process may hold it
 * Return: 1 done, 0 there is a whole entry with that name: the draft is left, -1 with @err filled.
 */
int entry_place(const char *draft, const char *dir, struct err *err);

/** entry_line() - add a line to @about; line breaks in @value become "%0A" */
void entry_line(struct buf *about, const char *word, const char *value);

/**
 * entry_next() - the next line of @about, which is taken apart
 * @value: as it was given to entry_line()
 * Return: false at the end, or if a line is wrong (then *at is not at the end).
 */
bool entry_next(char **at, const char **word, char **value);

#endif
