// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo finds its way about one function, by tokens. */
#include <string.h>

#include "base/str.h"
#include "demo/text/function.h"
#include "demo/text/splice.h"

#define LABEL	"retry"
#define TIMEOUT "timeout"

#define WORDS(...) \
	(const char *const[]){ __VA_ARGS__ }, ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ }))

static int unknown(const char *path, struct err *err, const char *what)
{
	return err_set(err, ERR_USAGE,
		       "%s: " FUNCTION_NAME "() has a form that is not known: looked for %s; "
		       "choose another kernel source",
		       path, what);
}

/* The one place where the words stand in the body; FUNCTION_NONE if there is none or are several. */
static size_t find_once(const struct function *f, const char *const *words, size_t n)
{
	size_t at = ctext_find(&f->scan, f->body.open, f->body.close, words, n);

	if (at == f->body.close ||
	    ctext_find(&f->scan, at + 1, f->body.close, words, n) != f->body.close)
		return FUNCTION_NONE;
	return at;
}

static size_t next_semicolon(const struct function *f, size_t i)
{
	while (i < f->body.close && !ctext_is(&f->scan, i, ";"))
		i++;
	return i;
}

static bool is_declaration(const struct ctext *c, size_t i)
{
	static const char *const never[] = { "return", "goto", "else", "case", "sizeof" };

	for (size_t k = 0; k < ARRAY_SIZE(never); k++) {
		if (ctext_is(c, i, never[k]))
			return false;
	}
	return i + 1 < c->n && c->tokens[i].kind == CTOKEN_WORD &&
	       (c->tokens[i + 1].kind == CTOKEN_WORD || ctext_is(c, i + 1, "*"));
}

static size_t find_start(const struct function *f)
{
	size_t i = f->body.open + 1;

	while (i < f->body.close && is_declaration(&f->scan, i))
		i = next_semicolon(f, i) + 1;
	return i;
}

/* `name:` that opens a statement, before token @before. */
static size_t find_label(const struct function *f, size_t goto_at, size_t before)
{
	const struct ctext *c = &f->scan;
	const struct ctoken *name = &c->tokens[goto_at + 1];

	for (size_t i = f->body.open + 1; i + 1 < before; i++) {
		if (c->tokens[i].len == name->len &&
		    !memcmp(c->text + c->tokens[i].at, c->text + name->at, name->len) &&
		    ctext_is(c, i + 1, ":") && ctext_statement(c, i, f->body.open) == i)
			return i;
	}
	return FUNCTION_NONE;
}

static size_t find_retry(const struct function *f)
{
	size_t i = f->fault;

	while ((i = ctext_find(&f->scan, i + 1, f->body.close, WORDS("goto"))) < f->body.close) {
		size_t label = find_label(f, i, f->fault);

		if (label != FUNCTION_NONE)
			return label;
	}
	return FUNCTION_NONE;
}

static int find_parts(const char *path, struct function *f, struct err *err)
{
	const struct ctext *c = &f->scan;

	if (!ctext_function(c, FUNCTION_NAME, &f->body))
		return unknown(path, err, "its body in braces");
	f->seq = find_once(f, WORDS("notifier_seq", "=", "mmu_interval_read_begin", "("));
	if (f->seq == FUNCTION_NONE)
		return unknown(
			path, err,
			"one statement that assigns mmu_interval_read_begin() to notifier_seq");
	f->fault = find_once(f, WORDS("hmm_range_fault", "("));
	if (f->fault == FUNCTION_NONE)
		return unknown(path, err, "one call of hmm_range_fault()");
	f->read = ctext_statement(c, f->seq, f->body.open);
	f->read_end = next_semicolon(f, f->seq);
	f->fault_end = next_semicolon(f, f->fault);
	if (f->read_end >= f->fault)
		return unknown(path, err, "mmu_interval_read_begin() before hmm_range_fault()");
	f->start = find_start(f);
	f->label = find_retry(f);
	return 0;
}

int function_init(const char *path, const char *text, size_t len, struct function *ret,
		  struct err *err)
{
	struct function f = { 0 };

	ctext_scan(text, len, &f.scan);
	if (find_parts(path, &f, err)) {
		function_deinit(&f);
		return -1;
	}
	*ret = f;
	return 0;
}

void function_deinit(struct function *f)
{
	ctext_deinit(&f->scan);
}

/* The statement that reads the sequence, as whole lines indented for @depth. */
static char *read_lines(const struct function *f, unsigned int depth)
{
	const struct ctext *c = &f->scan;
	size_t from = c->tokens[f->read].at;
	size_t to = ctext_line_end(c, c->tokens[f->read_end].at);
	struct buf b = { 0 };

	while (depth--)
		buf_puts(&b, "\t");
	buf_add(&b, c->text + from, to - from);
	return buf_take(&b);
}

static bool has_own_lines(const struct function *f, size_t first, size_t last)
{
	const struct ctext *c = &f->scan;
	size_t line = ctext_line(c, c->tokens[first].at);
	size_t end = ctext_line_end(c, c->tokens[last].at);

	return c->tokens[first - 1].at < line && c->tokens[last + 1].at >= end;
}

/* Cuts the statement that reads the sequence, and a blank line that it would leave after a label. */
static void cut_read(const struct function *f, struct splices *s)
{
	const struct ctext *c = &f->scan;
	size_t from = ctext_line(c, c->tokens[f->read].at);
	size_t to = ctext_line_end(c, c->tokens[f->read_end].at);

	if (ctext_is(c, f->read - 1, ":") && to < c->len && c->text[to] == '\n')
		to++;
	splices_add(s, from, to - from, xstrdup(""));
}

int function_add_loop(const char *path, const struct function *f, char **ret, struct err *err)
{
	const struct ctext *c = &f->scan;
	unsigned int depth = c->tokens[f->fault].depth;
	_cleanup_splices_ struct splices s = { 0 };
	_cleanup_free_ char *read = read_lines(f, depth);
	const struct ctoken *result = &c->tokens[f->fault - 2];
	const char *tabs = "\t\t\t\t\t\t\t\t";
	size_t len;

	if (!ctext_is(c, f->fault - 1, "=") || result->kind != CTOKEN_WORD ||
	    !ctext_is(c, f->fault_end + 1, "if") || depth > 7)
		return unknown(path, err, "the result of hmm_range_fault() kept and then checked");
	if (find_once(f, WORDS(TIMEOUT)) != FUNCTION_NONE ||
	    find_once(f, WORDS(LABEL)) != FUNCTION_NONE)
		return unknown(path, err, "a goto that calls hmm_range_fault() again");
	if (!has_own_lines(f, f->read, f->read_end) ||
	    !has_own_lines(f, f->fault - 2, f->fault_end) || f->start == f->body.open + 1)
		return unknown(path, err, "declarations, and statements on lines of their own");
	splices_add(&s, ctext_line_end(c, c->tokens[f->start - 1].at), 0,
		    xstrdup("\tunsigned long " TIMEOUT ";\n"));
	cut_read(f, &s);
	splices_add(&s, ctext_line(c, result->at), 0,
		    str_printf("%.*s" TIMEOUT " = jiffies + "
			       "msecs_to_jiffies(HMM_RANGE_DEFAULT_TIMEOUT);\n\n" LABEL ":\n%s",
			       (int)depth, tabs, read));
	splices_add(&s, ctext_line_end(c, c->tokens[f->fault_end].at), 0,
		    str_printf("%.*sif (%.*s == -EBUSY && !time_after(jiffies, " TIMEOUT "))\n"
			       "%.*sgoto " LABEL ";\n",
			       (int)depth, tabs, (int)result->len, c->text + result->at,
			       (int)depth + 1, tabs));
	*ret = splices_apply(&s, c->text, c->len, &len);
	return 0;
}

/* Where the loop begins: the label, or the `do` of the block that the label stands in. */
static size_t loop_begin(const struct function *f)
{
	const struct ctext *c = &f->scan;
	unsigned int depth = c->tokens[f->label].depth;
	size_t i = f->label;

	if (depth == 1)
		return f->label;
	while (!ctext_is(c, i, "{") || c->tokens[i].depth != depth - 1)
		i--;
	return ctext_is(c, i - 1, "do") ? i - 1 : f->label;
}

int function_move_read(const char *path, const struct function *f, char **ret, struct err *err)
{
	const struct ctext *c = &f->scan;
	_cleanup_splices_ struct splices s = { 0 };
	size_t begin, len;

	if (f->label == FUNCTION_NONE)
		return unknown(path, err, "a goto that calls hmm_range_fault() again");
	if (f->read < f->label)
		return err_set(err, ERR_USAGE,
			       "%s: " FUNCTION_NAME "() reads the notifier sequence before its "
			       "retry loop already, so no history can be made that is good at "
			       "first; choose a kernel source without c08972f55594",
			       path);
	if (!has_own_lines(f, f->read, f->read_end))
		return unknown(path, err, "mmu_interval_read_begin() on lines of its own");
	begin = loop_begin(f);
	splices_add(&s, ctext_line(c, c->tokens[begin].at), 0,
		    read_lines(f, c->tokens[begin].depth));
	cut_read(f, &s);
	*ret = splices_apply(&s, c->text, c->len, &len);
	return 0;
}
