// SPDX-License-Identifier: GPL-2.0-or-later
/* Names on the wire, and which of them may name a file: see wire.h. */
#include "wire/wire.h"

#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "wire/fields.h"

static const char *const regime_names[] = {
	[REGIME_R_RESIDENT] = "r--p resident",
	[REGIME_RW_ABSENT] = "rw-p not resident",
	[REGIME_RW_RESIDENT] = "rw-p resident",
};
static_assert(ARRAY_SIZE(regime_names) == REGIME_COUNT, "a regime has no name");

static const char *const type_names[] = {
	[WIRE_HELLO] = "hello",	  [WIRE_PUT] = "put",		[WIRE_LOAD] = "load",
	[WIRE_PROBE] = "probe",	  [WIRE_POWEROFF] = "poweroff", [WIRE_DONE] = "done",
	[WIRE_LOADED] = "loaded", [WIRE_SAMPLE] = "sample",	[WIRE_PROBE_END] = "probe-end",
	[WIRE_NOTE] = "note",	  [WIRE_FAIL] = "fail",		[WIRE_EXEC] = "exec",
	[WIRE_OUTPUT] = "output",
};
static_assert(ARRAY_SIZE(type_names) == WIRE_TYPES, "a message has no name");

static const char *const how_names[] = {
	[PROBE_EXITED] = "exited",
	[PROBE_SIGNALED] = "signaled",
	[PROBE_HUNG] = "hung",
};
static_assert(ARRAY_SIZE(how_names) == PROBE_HOWS, "an end of a probe has no name");

static const char *const source_names[] = {
	[SOURCE_FILE] = "file",
	[SOURCE_ANONYMOUS] = "anonymous",
};
static_assert(ARRAY_SIZE(source_names) == SOURCES, "a source has no name");

static const char *const path_names[] = {
	[PATH_UNKNOWN] = "unknown",
	[PATH_PINNED] = "pinned",
	[PATH_STAGED] = "staged",
};
static_assert(ARRAY_SIZE(path_names) == PATHS, "a path has no name");

static const char *const doubt_names[] = {
	[DOUBT_NONE] = "none",
	[DOUBT_CLOCKS] = "clocks",
	[DOUBT_SUSPENDED] = "suspended",
	[DOUBT_STOLEN] = "stolen",
};
static_assert(ARRAY_SIZE(doubt_names) == DOUBTS, "a doubt has no name");

const struct wire_names wire_source_names = { source_names, SOURCES };
const struct wire_names wire_path_names = { path_names, PATHS };
const struct wire_names wire_doubt_names = { doubt_names, DOUBTS };

static bool find(const char *const *names, size_t n, const char *name, unsigned int *ret)
{
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

bool wire_names_parse(const struct wire_names *names, const char *name, unsigned int *ret)
{
	return find(names->name, names->n, name, ret);
}

const char *regime_name(enum wire_regime r)
{
	return (unsigned int)r < REGIME_COUNT ? regime_names[r] : "unknown";
}

bool regime_parse(const char *name, enum wire_regime *ret)
{
	unsigned int i;

	if (!find(regime_names, REGIME_COUNT, name, &i))
		return false;
	*ret = i;
	return true;
}

const char *wire_type_name(enum wire_type t)
{
	return (unsigned int)t < WIRE_TYPES ? type_names[t] : "unknown";
}

bool wire_type_parse(const char *name, enum wire_type *ret)
{
	unsigned int i;

	if (!find(type_names, WIRE_TYPES, name, &i))
		return false;
	*ret = i;
	return true;
}

const char *wire_how_name(enum wire_probe_how how)
{
	return (unsigned int)how < PROBE_HOWS ? how_names[how] : "unknown";
}

bool wire_how_parse(const char *name, enum wire_probe_how *ret)
{
	unsigned int i;

	if (!find(how_names, PROBE_HOWS, name, &i))
		return false;
	*ret = i;
	return true;
}

bool wire_name_ok(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t len = strnlen(name, WIRE_NAME_MAX);

	return len > 0 && len < WIRE_NAME_MAX && name[0] != '.' && strspn(name, allowed) == len;
}
