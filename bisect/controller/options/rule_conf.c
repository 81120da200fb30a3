// SPDX-License-Identifier: GPL-2.0-or-later
/* [rule "NAME"] becomes a --rule: see rule_conf.h. */
#include "controller/options/rule_conf.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "wire/wire.h"

/* git keeps a subsection's name as it is and lowers the key. */
int rule_conf(const char *key, const char *value, char **ret, struct err *err)
{
	const char *name = key + strlen("rule.");
	const char *kind = strrchr(name, '.');
	_cleanup_free_ char *who = kind ? xstrndup(name, (size_t)(kind - name)) : NULL;

	if (!who || !wire_name_ok(who) || strlen(who) > 31)
		return err_set(err, ERR_USAGE,
			       "%s: want a section [rule \"NAME\"], NAME of at most 31 letters, "
			       "digits, '.', "
			       "'_' and '-'",
			       key);
	kind++;
	if (strcmp(kind, "exit") == 0) {
		bool no = strcasecmp(value, "false") == 0 || strcasecmp(value, "no") == 0 ||
			  strcasecmp(value, "off") == 0 || strcmp(value, "0") == 0;

		*ret = no ? NULL : str_printf("%s: exit", who);
		return 0;
	}
	if (strcmp(kind, "metric") != 0 && strcmp(kind, "console") != 0)
		return err_set(err, ERR_USAGE, "%s: a rule has one of exit, metric and console",
			       key);
	*ret = str_printf("%s: %s %s", who, kind, value);
	return 0;
}
