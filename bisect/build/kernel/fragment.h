/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Config fragments: what is laid over a distribution's config, or over nothing at all where the config is
 * trimmed. What a fragment sets must be so in the end: `make` itself drops silently what it cannot keep.
 *
 * A fragment is what scripts/kconfig/merge_config.sh takes: "CONFIG_NAME=value", "# CONFIG_NAME is not
 * set", comments. In ours, a paragraph that begins with "# optional" holds options that some kernels do
 * not have.
 */
#ifndef BUILD_FRAGMENT_H
#define BUILD_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* One option as a fragment sets it. */
struct setting {
	char *name;  /* "CONFIG_HZ_250" */
	char *value; /* as in a config: "y", "250", "\"text\""; "n" for one that is not set */
	const char *origin; /* whose it is, for people; outlives it */
	unsigned int line;
	bool optional;	 /* a kernel need not know it */
	bool overridden; /* a later one sets the same option */
};

/* Zero-initialised it sets nothing. */
struct settings {
	struct setting *items; /* in order: of a choice the last one counts */
	size_t n, cap;
};

/**
 * settings_add() - all of a fragment, after what is there
 * @origin: its name for messages; must outlive @s
 * @err:    ERR_USAGE naming the line if @text is no fragment
 */
int settings_add(struct settings *s, const char *text, const char *origin, struct err *err);
void settings_deinit(struct settings *s);

/** settings_print() - as lines of a config, without those that are overridden */
void settings_print(const struct settings *s, struct buf *ret);

/**
 * settings_lost() - the first option from *at on that a config does not have as it was set
 * @config: the text as make completed it
 * @at:     where to begin; where to go on after it
 * Return:  owned by @s, or NULL: all are as they were set.
 */
const struct setting *settings_lost(const struct settings *s, const char *config, size_t *at);

/**
 * keep_parse() - names of options whose value is the distribution's
 * @text: one a line, "*" stands for any characters: "CONFIG_HZ_*"; comments
 * @ret:  names are added; owned by the caller
 * @err:  ERR_USAGE naming @origin and the line
 */
int keep_parse(const char *text, const char *origin, struct strv *ret, struct err *err);

/** keep_pick() - the lines of a config that are for one of the names, set or not, as they are */
void keep_pick(const struct strv *names, const char *config, struct buf *ret);

#endif
