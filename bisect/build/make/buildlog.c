// SPDX-License-Identifier: GPL-2.0-or-later
/* What a build's output says: see buildlog.h; log/form.c knows the tools' forms. */
#include "build/make/buildlog.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "build/log/form.h"
#include "build/log/text.h"

#define LINE_MAX_BYTES 8192

/* The mirror's form.c initialises a pointer to this with a function whose type it does not know. */
#define UNKNOWN_PROTOTYPE "struct a_prototype_the_mirror_knows"

/* In the order of gcc, clang, binutils, Kbuild's tools, make and sh; none is about the source. */
static const char *const host_words[] = {
	"Killed",
	"Terminated",
	"size limit exceeded signal terminated program",
	"Bus error",
	"The bug is not reproducible",
	"virtual memory exhausted",
	"out of memory",
	"Out of memory",
	"emory exhausted",
	"Memory allocation failure",
	"std::bad_alloc",
	"Cannot allocate memory",
	"MemoryError",
	"No space left on device",
	"Disk quota exceeded",
	"File too large",
	"Read-only file system",
	"Input/output error",
	"Stale file handle",
	"Structure needs cleaning",
	"Resource temporarily unavailable",
	"Too many open files",
	"error trying to exec",
	"installation problem",
	"Exec format error",
	"cannot execute",
	"error while loading shared libraries",
	"file not recognized",
	"File truncated",
	"file truncated",
	"malformed archive",
	"fixdep: error",
	"unable to rename temporary",
};

/* make's word for a command that a signal or the shell ended: no compiler says so of its source. */
static const char *const host_codes[] = {
	"] Error 135",
	"] Error 137",
	"] Error 143",
	"] Hangup",
};

/* A tool that fell over, by its own word, the driver's or make's. It may have had a reason. */
static const struct {
	const char *word;
	const char *says; /* instead of all that follows; NULL: the rest of the line */
} crash_words[] = {
	{ "internal compiler error", NULL },
	{ "LLVM ERROR", NULL },
	{ "PLEASE submit a bug report", "internal compiler error" },
	{ "Segmentation fault", "Segmentation fault" },
	{ "] Error 139", "Segmentation fault" },
	{ "Illegal instruction", "Illegal instruction" },
	{ "] Error 132", "Illegal instruction" },
	{ "Aborted", "Aborted" },
	{ "] Error 134", "Aborted" },
};

static bool has_one_of(const char *line, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

/* "…'int (*)(struct x *, bool)'" as the last quoted type in the message. */
static bool unknown_prototype(const char *msg, struct build_error *e)
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
	*e = (struct build_error){ .rank = e->rank };
	snprintf(e->msg, sizeof(e->msg),
		 "amdgpu_hmm_range_get_pages() has a prototype that the mirror does not know: %.*s",
		 (int)(end - from), from);
	return true;
}

static bool is_less(const struct build_error *a, const struct build_error *b)
{
	int rc;

	if (!b->rank || a->rank != b->rank)
		return !b->rank || a->rank < b->rank;
	rc = strcmp(a->file, b->file);
	if (!rc)
		rc = strcmp(a->symbol, b->symbol);
	return (rc ? rc : strcmp(a->msg, b->msg)) < 0;
}

static void take(struct buildlog *l, const struct buildlog_form *f)
{
	struct build_error e = { .rank = f->rank };

	if (f->once && l->told)
		return;
	l->told = l->told || f->once;
	if (!unknown_prototype(f->msg, &e)) {
		snprintf(e.file, sizeof(e.file), "%.*s", (int)f->file_len, f->file);
		snprintf(e.symbol, sizeof(e.symbol), "%.*s", (int)f->symbol_len, f->symbol);
		if (f->in_function && l->function[0])
			snprintf(e.symbol, sizeof(e.symbol), "%.*s()", (int)sizeof(e.symbol) - 3,
				 l->function);
		buildtext_shorten(f->msg, e.msg, sizeof(e.msg));
	}
	if (f->later && is_less(&e, &l->mismatch))
		l->mismatch = e;
	else if (!f->later && is_less(&e, &l->first))
		l->first = e;
}

/* "  CC [M]  drivers/x/y.o": a quiet command begins a new piece of output. */
static void command(struct buildlog *l, const char *line)
{
	static const char *const joins[] = { "  LD ", "  AR ", "  MODPOST ", "  BTF ",
					     "  OBJCOPY " };
	const char *last = strrchr(line, ' ');

	if (!isupper((unsigned char)line[2]))
		return;
	last = buildtext_base(last, strlen(last));
	snprintf(l->object, sizeof(l->object), "%.*s", (int)sizeof(l->object) - 1,
		 last + (*last == ' '));
	l->function[0] = '\0';
	l->told = false;
	l->linking = false;
	for (size_t i = 0; i < ARRAY_SIZE(joins); i++)
		l->linking |= str_starts(line, joins[i]);
	l->objects += str_starts(line, "  CC ") || str_starts(line, "  AS ");
}

/* Who complains of a program that is not there, as make and shells say it. */
static const char *missing_program(const char *line)
{
	static const char *const who[] = {
		"/bin/", "/usr/bin/", "sh: ", "bash: ", "env: ", "make"
	};
	static const char *const ends[] = { ": not found", ": command not found",
					    ": No such file or directory", ": Permission denied" };
	bool theirs = false;

	for (size_t i = 0; i < ARRAY_SIZE(who); i++)
		theirs |= str_starts(line, who[i]);
	for (size_t i = 0; theirs && i < ARRAY_SIZE(ends); i++)
		if (str_ends(line, ends[i])) {
			const char *name = line + strlen(line) - strlen(ends[i]);

			while (name > line && name[-1] != ' ')
				name--;
			return name;
		}
	return NULL;
}

static bool is_host(const char *line)
{
	const char *name = missing_program(line);

	/* one that is named by a path within the tree is the candidate's affair */
	if (name && (*name == '/' || !memchr(name, '/', strcspn(name, ":"))))
		return true;
	return has_one_of(line, host_words, ARRAY_SIZE(host_words)) ||
	       (str_starts(line, "make") && has_one_of(line, host_codes, ARRAY_SIZE(host_codes)));
}

static void crash(struct buildlog *l, const char *line)
{
	struct buildlog_form f = {
		.rank = BUILDLOG_CRASH,
		.file = l->object,
		.file_len = strlen(l->object),
		.in_function = true,
		.once = true,
	};

	for (size_t i = 0; !f.msg && i < ARRAY_SIZE(crash_words); i++) {
		f.msg = strstr(line, crash_words[i].word);
		if (f.msg && crash_words[i].says)
			f.msg = crash_words[i].says;
	}
	if (f.msg)
		take(l, &f);
}

/* What names no place: the rig's own trouble, or a tool that refuses. */
static void unplaced(struct buildlog *l, const char *line)
{
	const char *name = missing_program(line);
	struct buildlog_form f;

	if (str_starts(line, "ccache: error: ")) {
		l->ccache = true;
		return;
	}
	if (is_host(line)) {
		if (!l->host[0])
			buildtext_shorten(line, l->host, sizeof(l->host));
		return;
	}
	if (name) {
		f = (struct buildlog_form){ .rank = BUILDLOG_LINK,
					    .file = "sh",
					    .file_len = 2,
					    .msg = name,
					    .once = true };
		take(l, &f);
		return;
	}
	switch (buildlog_form_tool(line, &f)) {
	case BUILDLOG_IS_ERROR:
		take(l, &f);
		break;
	case BUILDLOG_IS_MISMATCH_END:
		if (l->mismatch.rank && is_less(&l->mismatch, &l->first))
			l->first = l->mismatch;
		break;
	case BUILDLOG_IS_TALK:
		break;
	case BUILDLOG_IS_NONE:
		crash(l, line);
	}
}

/* "tool: text". A line of source that clang quotes begins where it begins in its file. */
static bool is_said(const char *line)
{
	size_t name = strcspn(line, " \t:\"'(;");

	return name && line[name] == ':' && line[name + 1] == ' ';
}

void buildlog_line(struct buildlog *l, const char *raw)
{
	char line[LINE_MAX_BYTES];
	struct buildlog_form f;
	bool quote = l->quote;

	l->quote = false;
	buildtext_plain(raw, line, sizeof(line));
	if (buildtext_function(line, l->function, sizeof(l->function)))
		return;
	if (*line == ' ') { /* a quiet command, or source that a diagnostic quotes */
		if (line[1] == ' ')
			command(l, line);
		return;
	}
	switch (buildlog_form_place(line, l->object, &f)) {
	case BUILDLOG_IS_ERROR:
		take(l, &f);
		l->quote = f.quotes;
		break;
	case BUILDLOG_IS_TALK:
	case BUILDLOG_IS_MISMATCH_END:
		l->quote = f.quotes;
		break;
	case BUILDLOG_IS_NONE:
		if (quote && !is_said(line))
			break;
		unplaced(l, line);
		/* "make[3]: *** [scripts/Makefile.build:250: x.o] Error 1" ends what x.o said */
		if (str_starts(line, "make")) {
			l->function[0] = '\0';
			l->told = false;
		}
	}
}

const char buildlog_untold[] = "make failed without an error line";

int buildlog_err(const struct buildlog *l, struct err *err)
{
	const struct build_error *e = &l->first;

	if (l->host[0])
		return err_set(err, ERR_HOST, "the build was cut short by this machine: %s",
			       l->host);
	if (e->rank)
		return err_set(err, ERR_BUILD, "%s%s%s%s%s", e->file, *e->file ? ": " : "",
			       e->symbol, *e->symbol ? ": " : "", e->msg);
	return err_set(err, ERR_BUILD, "%s; see the build log", buildlog_untold);
}
