/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of options: one row each; see options.h. Included by options*.c only. */
#ifndef OPTIONS_TABLE_H
#define OPTIONS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

enum option_kind { KIND_TEXT, KIND_LIST, KIND_BOOL, KIND_NUM, KIND_AUTO, KIND_REAL, KIND_CHOICE };

struct option_def {
	const char *key;  /* in bisect.conf; NULL: flag only */
	const char *flag; /* without the dashes */
	char letter;	  /* short flag, or 0 */
	enum option_kind kind;
	const char *arg; /* what --help calls its value; for KIND_CHOICE the choices, "a|b" */
	const char *def; /* default value, or NULL */
	uint64_t min,
		max; /* KIND_NUM and KIND_AUTO, which is "auto" as well; KIND_REAL: in ten-thousandths */
	unsigned int commands; /* bits of enum command */
	const char *help;
};

extern const struct option_def option_table[OPTIONS];

/** option_choices() - the choices that a command has; for options of other kinds what help calls them */
const char *option_choices(enum option id, enum command command);

#endif
