/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel configuration, read as text. */
#ifndef BUILD_CONFIG_H
#define BUILD_CONFIG_H

#include <stdbool.h>

#include "base/str.h"

/** config_value() - value of an option ("y", "m", "12", text without quotes), or NULL; to be freed */
char *config_value(const char *text, const char *option);

/** config_is() - true if an option has that value */
bool config_is(const char *text, const char *option, const char *value);

/**
 * config_arch() - what a configuration is for, as uname -m says it: "x86_64", "i686", "arm64"
 * Return: owned by the caller; "x86_64" if the text does not say.
 */
char *config_arch(const char *text);

/**
 * config_lost() - options that are set in one configuration and not, or otherwise, in the next
 *
 * Those that only describe the tools (CONFIG_CC_VERSION_TEXT, CONFIG_AS_HAS_...) or name keys are
 * left out.
 *
 * @ret: names, in the order of @before
 */
void config_lost(const char *before, const char *after, struct strv *ret);

#endif
