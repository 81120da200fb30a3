/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules as sections of bisect.conf; inside the options only. */
#ifndef OPTIONS_RULE_CONF_H
#define OPTIONS_RULE_CONF_H

#include "base/err.h"

/**
 * rule_conf() - an entry of a [rule "NAME"] section as a value of --rule
 * @key:  "rule.NAME.KIND", KIND one of exit, metric, console
 * @ret:  owned by the caller, NULL if the entry takes a rule back ("exit = false")
 * @err:  ERR_USAGE: another key
 */
int rule_conf(const char *key, const char *value, char **ret, struct err *err);

#endif
