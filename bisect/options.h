/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options: each has a key in bisect.conf and a flag; a flag wins over the file, the file over the
 * default. One table holds them all, so help, --show-config and completion cannot drift apart.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

enum option {
	OPT_REPO,
	OPT_GOOD,
	OPT_BAD,
	OPT_PATH,
	OPT_EVERY_COMMIT,
	OPT_FIRST_PARENT,
	OPT_FIND,
	OPT_TERM_OLD,
	OPT_TERM_NEW,
	OPT_FOLLOW,
	OPT_SUSPECT,
	OPT_SUSPECT_FILE,
	OPT_SUSPECT_FUNCTION,
	OPT_TRUST_DEPS,
	OPT_UPSTREAM,
	OPT_WALK_CACHE,
	OPT_NO_PROVE,
	OPT_TIP,
	OPT_FOLLOW_UP,
	OPT_BASE,
	OPT_SETS,
	OPT_EACH,
	OPT_ROUNDS,
	OPT_FLAKY,
	OPT_CONFIDENCE,
	OPT_WORKERS,
	OPT_REPLAY,
	OPT_SCOPE,
	OPT_TREE,
	OPT_DRIVER,
	OPT_APPLY,
	OPT_RELEASE,
	OPT_SOURCE,
	OPT_KCONFIG,
	OPT_FRAGMENT,
	OPT_SYMVERS,
	OPT_CC,
	OPT_COMPILER,
	OPT_CCACHE,
	OPT_JOBS,
	OPT_AHEAD,
	OPT_IDLE,
	OPT_CACHE_SIZE,
	OPT_IMAGE,
	OPT_MODULES,
	OPT_CONNECT,
	OPT_POOL,
	OPT_ACCEL,
	OPT_START,
	OPT_MEMORY,
	OPT_VCPUS,
	OPT_APPEND,
	OPT_GPU,
	OPT_GPU_ROM,
	OPT_GPU_WINDOW,
	OPT_GIVE_SCREEN,
	OPT_GPU_SUSPEND,
	OPT_RELEASE_CARD,
	OPT_HUGEPAGES,
	OPT_CPUS,
	OPT_CORE,
	OPT_AGENT,
	OPT_GUEST,
	OPT_DISK,
	OPT_MAKE_DISK,
	OPT_NO_HIP,
	OPT_INCLUDE,
	OPT_SOURCES,
	OPT_REFRESH,
	OPT_RUNTIME_DIR,
	OPT_RUNTIME_DEB,
	OPT_FIRMWARE,
	OPT_BOOT_LIMIT,
	OPT_LOAD_LIMIT,
	OPT_PROBE_LIMIT,
	OPT_SIZES,
	OPT_OFFSETS,
	OPT_REPEATS,
	OPT_PERMISSION,
	OPT_KERNEL_EVIDENCE,
	OPT_EXEC,
	OPT_EXEC_ARGS,
	OPT_PACK,
	OPT_RULE,
	OPT_RETRIES,
	OPT_WINDOW_TABLE,
	OPT_AUDIT_UPSTREAM,
	OPT_AUDIT_TREE,
	OPT_SINCE,
	OPT_DISTANCE,
	OPT_MIN_RANK,
	OPT_AUDIT_TEST,
	OPT_DIR,
	OPT_COMMITS,
	OPT_SEED,
	OPT_PROBE_ARGS,
	OPT_TOUCH_CORE,
	OPT_FAULT,
	OPT_FORMAT,
	OPT_MAIL,
	OPT_LIMIT,
	OPT_OUTPUT,
	OPT_EVIDENCE,
	OPT_OLD,
	OPT_NEW,
	OPT_OUT,
	OPT_BUDGET,
	OPT_QUIET,
	OPT_CONFIG,
	OPT_SHOW_CONFIG,
	OPT_HELP,
	OPTIONS
};

/* The commands; a bit each, so that an option can say where it belongs. */
enum command {
	CMD_PLAN = 1 << 0,
	CMD_RUN = 1 << 1,
	CMD_RESUME = 1 << 2,
	CMD_STATUS = 1 << 3,
	CMD_TEST = 1 << 4,
	CMD_REPORT = 1 << 5,
	CMD_DOCTOR = 1 << 6,
	CMD_DEMO = 1 << 7,
	CMD_LOG = 1 << 8,
	CMD_VISUALIZE = 1 << 9,
	CMD_BUILD = 1 << 10,
	CMD_IMAGE = 1 << 11,
	CMD_PROVE = 1 << 12,
	CMD_VALIDATE = 1 << 13,
	CMD_AUDIT = 1 << 14,
	CMD_REPLAY = 1 << 15,
	CMD_GATE = 1 << 16,
};

enum option_origin { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_FLAG, ORIGIN_RUN, ORIGINS };

struct options {
	struct {
		struct strv values; /* one, or several for a list; empty: not set */
		enum option_origin origin;
		bool said; /* by a flag, of this call or of the one that began the run */
	} o[OPTIONS];
	enum command command; /* that they are for */
	char *file;	      /* bisect.conf that was read, or NULL */
	struct strv args;     /* what is not an option: a revision, a range, a run */
};

void options_deinit(struct options *o);

/** options_default() - nothing but the defaults; owned by the caller */
void options_default(enum command command, struct options *ret);

/**
 * options_parse() - defaults, then the file, then the flags
 * @command: which command's options are allowed
 * @argv:    [argc], after the command's name
 * @ret:     owned by the caller
 * @err:     ERR_USAGE naming the flag or "file: key", what is wrong with it and what is meant
 */
int options_parse(enum command command, int argc, char **argv, struct options *ret,
		  struct err *err);

/** options_set() - set one by its key ("build.scope"), checked; for a run's stored options */
int options_set(struct options *o, const char *key, const char *value, enum option_origin origin,
		struct err *err);

/** options_key() - "build.scope"; NULL for those that are flags only */
const char *options_key(enum option id);

/** options_str() - the value, or NULL if it is not set; owned by @o */
const char *options_str(const struct options *o, enum option id);
/** options_list() - all values of a list option */
const struct strv *options_list(const struct options *o, enum option id);
/** options_num() - a number option's value; checked when it was set; 0: "auto", or not set */
uint64_t options_num(const struct options *o, enum option id);
/** options_real() - a fraction option's value; checked when it was set */
double options_real(const struct options *o, enum option id);
bool options_bool(const struct options *o, enum option id);
/** options_given() - true if a flag or the file set it */
bool options_given(const struct options *o, enum option id);

/**
 * options_fit() - that no option was given which another one makes mean nothing
 * @err: ERR_USAGE: which two, and why
 */
int options_fit(const struct options *o, struct err *err);

/** options_gave_way() - what a file says and counts for nothing beside another option; after options_fit() */
bool options_gave_way(const struct options *o, enum option id);

/**
 * options_command() - the command line that asks the same
 * @command: whose options count; those of them that a flag or the file set are given
 * @name:    of the command
 *
 * Return: words as a shell takes them, without where the result is kept; owned by the caller.
 */
char *options_command(const struct options *o, enum command command, const char *name);

/** options_is_default() - not set, or to what it is without being set */
bool options_is_default(const struct options *o, enum option id);

/**
 * options_asked() - the options with which @command tries a commit as @o does
 * Those that differ from their default, and what a flag said, since it may stand over a file's word. Without
 * the repository, the ends and what else belongs to a range or its proof, and where the result is kept.
 *
 * Return: each with a blank before it, as a shell takes them; owned by the caller.
 */
char *options_asked(const struct options *o, enum command command);

/**
 * options_conf() - all values of a command as a file for its --config, defaults among them
 * Without where the repository lies and where the result is kept.
 * @ret: appended to
 */
void options_conf(const struct options *o, enum command command, struct buf *ret);
/** options_conf_value() - one more line; a later one counts, but for lists; @value: NULL adds none */
void options_conf_value(enum option id, const char *value, struct buf *ret);

/** options_show() - each value of the command with its origin (--show-config) */
void options_show(const struct options *o, enum command command, FILE *out);

/** options_help() - the options of a command, as --help prints them */
void options_help(enum command command, FILE *out);

#endif
