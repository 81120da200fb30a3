// SPDX-License-Identifier: GPL-2.0-or-later
/* What a build's output says: see buildlog.h. */
#include "build/make/buildlog.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* The mirror's form.c initialises a pointer to this with a function whose type it does not know. */
#define UNKNOWN_PROTOTYPE "struct a_prototype_the_mirror_knows"

/* In the order of gcc, clang, binutils, make and sh; none of them is about the source. */
static const char *const host_words[] = {
	"internal compiler error",
	"Killed",
	"terminated program",
	"virtual memory exhausted",
	"out of memory",
	"LLVM ERROR",
	"PLEASE submit a bug report",
	"No space left on device",
	"Disk quota exceeded",
	"Read-only file system",
	"Input/output error",
	"Cannot allocate memory",
	"Resource temporarily unavailable",
	"Too many open files",
	": not found",
	"command not found",
	"error trying to exec",
	"Segmentation fault",
	"Bus error",
	"final link failed: File truncated",
};

/* What a positional "fatal error" ends with when only the disk or the memory is to blame. */
static const char *const host_ends[] = {
	": No space left on device", ": Disk quota exceeded",	 ": Read-only file system",
	": Input/output error",	     ": Cannot allocate memory", ": Permission denied",
};

static const char *base_name(const char *path, size_t len)
{
	const char *p = path + len;

	while (p > path && p[-1] != '/')
		p--;
	return p;
}

/*
 * Copies a message: a path becomes its last part, wherever it stands; "(first use in this function)"
 * goes, since that depends on what else is wrong.
 */
static void shorten(const char *msg, char *ret, size_t size)
{
	static const char first_use[] = " (first use in this function)";
	size_t n = 0;

	while (*msg && n + 1 < size) {
		size_t word = strcspn(msg, " \t'\"`()[]");

		if (str_starts(msg, first_use)) {
			msg += sizeof(first_use) - 1;
			continue;
		}
		if (word > 1 && memchr(msg, '/', word) && msg[word - 1] != '/') {
			const char *base = base_name(msg, word);

			word -= (size_t)(base - msg);
			msg = base;
		}
		if (!word)
			word = 1;
		for (; word && n + 1 < size; word--)
			ret[n++] = *msg++;
	}
	while (n && isspace((unsigned char)ret[n - 1]))
		n--;
	ret[n] = '\0';
}

/* "…'int (*)(struct x *, bool)'" as the last quoted type in the message. */
static bool unknown_prototype(const char *msg, char *ret, size_t size)
{
	const char *from = strstr(msg, " type '");
	const char *end;

	if (!strstr(msg, UNKNOWN_PROTOTYPE))
		return false;
	if (from)
		from += strlen(" type '");
	else if ((from = strstr(msg, "with an expression of type '"))) /* clang */
		from += strlen("with an expression of type '");
	end = from ? strchr(from, '\'') : NULL;
	if (!end)
		return false;
	snprintf(ret, size,
		 "amdgpu_hmm_range_get_pages() has a prototype that the mirror does not know: %.*s",
		 (int)(end - from), from);
	return true;
}

/* Parses "path:12[:34]: " and gives where the rest begins, or NULL. */
static const char *position(const char *line, size_t *path_len)
{
	const char *colon = strchr(line, ':');
	const char *p;

	if (!colon || colon == line || isspace((unsigned char)*line))
		return NULL;
	*path_len = (size_t)(colon - line);
	p = colon;
	for (unsigned int i = 0; i < 2 && *p == ':' && isdigit((unsigned char)p[1]); i++)
		p += 1 + strspn(p + 1, "0123456789");
	if (p == colon || *p != ':')
		return NULL;
	return p[1] == ' ' ? p + 2 : p + 1;
}

static bool ends_in_host_word(const char *msg)
{
	for (size_t i = 0; i < ARRAY_SIZE(host_ends); i++)
		if (str_ends(msg, host_ends[i]))
			return true;
	return false;
}

static void set_candidate(struct buildlog *l, bool weak, const char *file, size_t file_len,
			  const char *msg)
{
	char text[BUILDLOG_TEXT_MAX / 2];

	if (l->candidate[0] && (weak || !l->weak))
		return;
	l->weak = weak;
	if (unknown_prototype(msg, l->candidate, sizeof(l->candidate)))
		return;
	shorten(msg, text, sizeof(text));
	snprintf(l->candidate, sizeof(l->candidate), "%.*s: %s", (int)file_len, file, text);
}

/* A diagnostic with a place in a source file. True if the line was one, whatever its severity. */
static bool positional(struct buildlog *l, const char *line)
{
	size_t len;
	const char *rest = position(line, &len);
	const char *file = base_name(line, rest ? len : 0);
	const char *msg = NULL;

	if (!rest)
		return false;
	len -= (size_t)(file - line);
	if (str_starts(rest, "fatal error: ")) {
		msg = rest + strlen("fatal error: ");
		if (ends_in_host_word(msg))
			return false;
	} else if (str_starts(rest, "error: ")) {
		msg = rest + strlen("error: ");
	} else if (str_starts(rest, "Error: ")) { /* the assembler's */
		msg = rest + strlen("Error: ");
		if (strstr(msg, "No space left on device"))
			return false;
	} else if (str_starts(rest, "*** ")) { /* make's, of a Makefile */
		msg = rest + strlen("*** ");
	} else if (strstr(rest, "undefined reference to") ||
		   strstr(rest, "multiple definition of")) {
		set_candidate(l, true, "link", 4, rest);
		return true;
	} else {
		return !str_starts(rest, "internal compiler error");
	}
	set_candidate(l, false, file, len, msg);
	return true;
}

/* Errors without a place: modpost, linker, objtool, make. */
static bool placeless(struct buildlog *l, const char *line)
{
	const char *p;

	if (str_starts(line, "ERROR: modpost: ")) {
		set_candidate(l, false, "modpost", 7, line + strlen("ERROR: modpost: "));
		return true;
	}
	if ((p = strstr(line, "multiple definition of")) ||
	    (p = strstr(line, "undefined reference to"))) {
		set_candidate(l, true, "link", 4, p);
		return true;
	}
	if ((p = strstr(line, "error: objtool: "))) {
		set_candidate(l, false, "objtool", 7, p + strlen("error: objtool: "));
		return true;
	}
	if (str_starts(line, "make") && (p = strstr(line, "*** No rule to make target"))) {
		set_candidate(l, true, "make", 4, p + strlen("*** "));
		return true;
	}
	return false;
}

/* What is left: the rig's own trouble, or a tool that refuses without naming a place. */
static void look_for_host(struct buildlog *l, const char *line)
{
	const char *p = strstr(line, ": error: ");

	for (size_t i = 0; i < ARRAY_SIZE(host_words); i++)
		if (strstr(line, host_words[i])) {
			if (!l->host[0])
				shorten(line, l->host, sizeof(l->host));
			return;
		}
	if (p) {
		const char *tool = base_name(line, (size_t)(p - line));

		set_candidate(l, true, tool, (size_t)(p - tool), p + strlen(": error: "));
	}
}

void buildlog_line(struct buildlog *l, const char *line)
{
	if (*line == ' ') { /* a quiet command, or source that a diagnostic quotes */
		l->objects += str_starts(line, "  CC ") || str_starts(line, "  AS ");
		return;
	}
	if (!positional(l, line) && !placeless(l, line))
		look_for_host(l, line);
}

const char buildlog_untold[] = "make failed without an error line";

int buildlog_err(const struct buildlog *l, struct err *err)
{
	if (l->host[0])
		return err_set(err, ERR_HOST, "the build was cut short by this machine: %s",
			       l->host);
	if (l->candidate[0])
		return err_set(err, ERR_BUILD, "%s", l->candidate);
	return err_set(err, ERR_BUILD, "%s; see the build log", buildlog_untold);
}
