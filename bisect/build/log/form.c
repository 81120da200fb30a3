// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Forms of error lines: see form.h.
 *
 * Source: gcc's and clang's diagnostics ("path:line:column: severity: text"); scripts/mod/modpost.c;
 * tools/objtool/include/objtool/warn.h; scripts/kconfig/{lexer.l,parser.y}; ld/ldmain.c of binutils.
 */
#include "build/log/form.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "build/log/text.h"

/* What a positional "fatal error" ends with when only the disk or the memory is to blame. */
static const char *const host_ends[] = {
	": No space left on device", ": Disk quota exceeded",	 ": Read-only file system",
	": Input/output error",	     ": Cannot allocate memory", ": Permission denied",
	": File too large",	     ": Too many open files",	 ": Stale file handle",
};

static bool ends_in_host_word(const char *msg)
{
	for (size_t i = 0; i < ARRAY_SIZE(host_ends); i++)
		if (str_ends(msg, host_ends[i]))
			return true;
	return false;
}

static const char *after(const char *s, const char *prefix)
{
	return str_starts(s, prefix) ? s + strlen(prefix) : NULL;
}

static void set_file(struct buildlog_form *f, const char *path, size_t len)
{
	f->file = buildtext_base(path, len);
	f->file_len = len - (size_t)(f->file - path);
}

/* "undefined reference to `g'" of the linker, with or without a place in front. */
static const char *link_msg(const char *line)
{
	const char *p = strstr(line, "undefined reference to ");

	return p ? p : strstr(line, "multiple definition of ");
}

static enum buildlog_is link_error(const char *line, const char *msg, struct buildlog_form *f)
{
	const char *end = strstr(line, ":(");
	const char *from = line;

	/* "ld: a.o:(.data+0x8): ...", "a.c:(.text+0x5): ...", "/x/a.c:12: ..." */
	if (!end || end > msg)
		end = strchr(line, ':');
	if (!end || end > msg)
		end = line;
	for (const char *p = line; p < end; p++)
		if (p[0] == ':' && p[1] == ' ')
			from = p + 2;
	*f = (struct buildlog_form){
		.rank = BUILDLOG_LINK, .msg = msg, .in_function = true, .once = true
	};
	if (from < end)
		set_file(f, from, (size_t)(end - from));
	else
		set_file(f, "link", 4);
	return BUILDLOG_IS_ERROR;
}

/* The assembler reads what the compiler wrote, under a name of chance; a kernel's own end in ".S". */
static bool is_temporary(const char *file, size_t len)
{
	static const char input[] = "{standard input}";

	return (len == sizeof(input) - 1 && memcmp(file, input, len) == 0) ||
	       (len > 2 && memcmp(file + len - 2, ".s", 2) == 0);
}

static enum buildlog_is kconfig(const char *rest, const char *file, size_t len,
				struct buildlog_form *f)
{
	static const char error[] = "error:";

	if (str_starts(rest, "warning:") || isspace((unsigned char)*rest) ||
	    str_starts(rest, "symbol ") || !*rest)
		return BUILDLOG_IS_TALK;
	*f = (struct buildlog_form){
		.rank = BUILDLOG_SOURCE, .file = file, .file_len = len, .once = true
	};
	f->msg = str_starts(rest, error) ? rest + strlen(error) : rest;
	f->msg += strspn(f->msg, " ");
	return BUILDLOG_IS_ERROR;
}

/* A diagnostic with a place in a source file. */
enum buildlog_is buildlog_form_place(const char *line, const char *object, struct buildlog_form *f)
{
	static const char *const severities[] = { "error: ", "sorry, unimplemented: ", "Error: ",
						  "*** " };
	size_t len;
	bool column = false;
	const char *rest = buildtext_position(line, &len, &column);
	const char *msg = rest ? after(rest, "fatal error: ") : NULL;

	if (!rest)
		return BUILDLOG_IS_NONE;
	*f = (struct buildlog_form){ .rank = BUILDLOG_SOURCE, .in_function = true, .once = true };
	f->quotes = column;
	set_file(f, line, len);
	if (msg && ends_in_host_word(msg))
		return BUILDLOG_IS_NONE;
	for (size_t i = 0; !msg && i < ARRAY_SIZE(severities); i++)
		msg = after(rest, severities[i]);
	if (!msg && link_msg(rest))
		return link_error(line, link_msg(line), f);
	if (!msg && str_starts(f->file, "Kconfig"))
		return kconfig(rest, f->file, f->file_len, f);
	if (!msg) {
		if (!str_starts(rest, "internal compiler error: "))
			return BUILDLOG_IS_TALK;
		/* what ended it may be the rig's */
		if (strstr(rest, "Killed") || strstr(rest, "memory") || strstr(rest, "Bus error"))
			return BUILDLOG_IS_NONE;
		f->rank = BUILDLOG_CRASH;
		msg = rest;
	}
	if (is_temporary(f->file, f->file_len)) {
		if (strstr(msg, "No space left on device") || strstr(msg, "can't write"))
			return BUILDLOG_IS_NONE;
		set_file(f, *object ? object : "assembler", *object ? strlen(object) : 9);
	}
	f->msg = msg;
	return BUILDLOG_IS_ERROR;
}

/* "WARNING: modpost: a.o: section mismatch in reference: f (section: .text) -> ...": a.o, f. */
static enum buildlog_is mismatch(const char *msg, struct buildlog_form *f)
{
	const char *colon = strstr(msg, ": ");
	const char *in = strstr(msg, "reference: ");

	if (!colon || !in)
		return BUILDLOG_IS_TALK;
	*f = (struct buildlog_form){ .rank = BUILDLOG_TOOL, .msg = colon + 2, .later = true };
	set_file(f, msg, (size_t)(colon - msg));
	f->symbol = in + strlen("reference: ");
	f->symbol_len = strcspn(f->symbol, " +");
	return BUILDLOG_IS_ERROR;
}

/* "\"name\" [dir/x.ko] undefined!" */
static void undefined(const char *msg, struct buildlog_form *f)
{
	static const char says[] = "undefined (modpost)";
	size_t name = *msg == '"' ? strcspn(msg + 1, "\"") : 0;
	const char *module = name ? after(msg + 1 + name, "\" [") : NULL;
	size_t len = module ? strcspn(module, "]") : 0;

	if (!len || !str_starts(module + len, "] undefined"))
		return;
	set_file(f, module, len);
	f->symbol = msg + 1;
	f->symbol_len = name;
	f->msg = says;
}

static enum buildlog_is modpost(const char *line, struct buildlog_form *f)
{
	const char *warning = after(line, "WARNING: modpost: ");
	const char *msg = after(line, "ERROR: modpost: ");

	if (warning)
		return strstr(warning, "ection mismatch") ? mismatch(warning, f) : BUILDLOG_IS_TALK;
	if (!msg)
		msg = after(line, "ERROR: "); /* before 5.9 */
	if (!msg)
		return BUILDLOG_IS_NONE;
	if (str_starts(msg, "Section mismatches detected"))
		return BUILDLOG_IS_MISMATCH_END;
	*f = (struct buildlog_form){ .rank = BUILDLOG_TOOL, .msg = msg };
	set_file(f, "modpost", 7);
	undefined(msg, f);
	return BUILDLOG_IS_ERROR;
}

/* "dir/x.o: error: objtool: f()+0x1b: unreachable instruction" */
static enum buildlog_is objtool(const char *line, struct buildlog_form *f)
{
	static const char mark[] = ": error: objtool: ";
	const char *p = strstr(line, mark);
	const char *msg, *colon;

	if (!p)
		return strstr(line, ": warning: objtool: ") ? BUILDLOG_IS_TALK : BUILDLOG_IS_NONE;
	msg = p + strlen(mark);
	*f = (struct buildlog_form){ .rank = BUILDLOG_TOOL, .msg = msg, .once = true };
	set_file(f, line, (size_t)(p - line));
	colon = strstr(msg, ": ");
	if (colon && !memchr(msg, ' ', (size_t)(colon - msg))) {
		f->symbol = msg;
		f->symbol_len = strcspn(msg, "+:");
		f->msg = colon + 2;
	}
	return BUILDLOG_IS_ERROR;
}

/* Errors without a place: the linker, make, and what refuses by "tool: error: text". */
static enum buildlog_is placeless(const char *line, struct buildlog_form *f)
{
	static const char error[] = ": error: ";
	const char *p = link_msg(line);

	if (p)
		return link_error(line, p, f);
	*f = (struct buildlog_form){ .rank = BUILDLOG_LINK, .once = true };
	if (str_starts(line, "make") && (p = strstr(line, "*** No rule to make target"))) {
		set_file(f, "make", 4);
		f->msg = p + strlen("*** ");
		return BUILDLOG_IS_ERROR;
	}
	p = strstr(line, error);
	if (!p || str_starts(line, "ccache: "))
		return BUILDLOG_IS_NONE;
	set_file(f, line, strcspn(line, ":"));
	f->msg = p + strlen(error);
	return BUILDLOG_IS_ERROR;
}

enum buildlog_is buildlog_form_tool(const char *line, struct buildlog_form *ret)
{
	enum buildlog_is is = modpost(line, ret);

	if (is == BUILDLOG_IS_NONE)
		is = objtool(line, ret);
	return is == BUILDLOG_IS_NONE ? placeless(line, ret) : is;
}
