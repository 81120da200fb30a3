// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo fills the shape: harmless edits for most commits, and the text of a file at a commit. */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "demo/text/draw.h"
#include "demo/prng.h"

/* Of the harmless commits, in percent: those that edit the unit's file, and another one besides. */
#define UNIT_SHARE 35
#define BOTH_SHARE 10
/* Of the edits, in percent: those that change an earlier one. */
#define CHANGE_SHARE 25
#define CHANGE_TRIES 8
#define UNIT_FILE    0

static char *file_stem(const char *path)
{
	const char *name = strrchr(path, '/');
	const char *from = name ? name + 1 : path;
	const char *dot = strchr(from, '.');
	char *stem = xstrndup(from, dot ? (size_t)(dot - from) : strlen(from));

	for (char *ch = stem; *ch; ch++) {
		if (!isalnum((unsigned char)*ch))
			*ch = '_';
	}
	return stem;
}

int edits_add_file(struct edits *e, const char *path, char *text, size_t len, struct err *err)
{
	struct edit_file file = { .path = xstrdup(path), .stem = file_stem(path), .text = text };
	bool is_unit = e->n_files == UNIT_FILE;

	file.len = len;
	ctext_scan(text, len, &file.scan);
	e->files = xrealloc(e->files, e->n_files + 1, sizeof(*e->files));
	e->files[e->n_files++] = file;
	if (is_unit && unit_init(path, text, len, &e->unit, err))
		return -1;
	if (file.scan.n_slots)
		return 1;
	if (is_unit)
		return err_set(err, ERR_USAGE, "%s: looked for functions set off by blank lines",
			       path);
	e->n_files--;
	free(file.path);
	free(file.stem);
	free(file.text);
	ctext_deinit(&file.scan);
	return 0;
}

int edits_add_core(struct edits *e, const char *path, char *text, size_t len, struct err *err)
{
	int r = edits_add_file(e, path, text, len, err);

	e->n_core += r > 0;
	return r;
}

void edits_deinit(struct edits *e)
{
	for (size_t i = 0; i < e->n_files; i++) {
		free(e->files[i].path);
		free(e->files[i].stem);
		free(e->files[i].text);
		ctext_deinit(&e->files[i].scan);
	}
	unit_deinit(&e->unit);
	free(e->files);
	free(e->items);
	*e = (struct edits){ 0 };
}

struct edit *draw_new(struct edits *e, uint32_t commit, uint32_t file)
{
	if (e->n == e->cap) {
		e->cap = e->cap ? 2 * e->cap : 256;
		e->items = xrealloc(e->items, e->cap, sizeof(*e->items));
	}
	e->items[e->n] = (struct edit){
		.commit = commit,
		.file = file,
		.changes = (uint32_t)e->n,
		.latest = (uint32_t)e->n,
	};
	return &e->items[e->n++];
}

/*
 * An addition to the file that this commit may change: it and all that changed it come before the
 * commit. So no two sides of a merge ever change one thing, and no merge hides what a side did.
 */
static uint32_t find_addition(const struct edits *e, const struct plan *plan, struct prng *rnd,
			      uint32_t commit, uint32_t file)
{
	for (int i = 0; i < CHANGE_TRIES && e->n; i++) {
		uint32_t at = prng_below(rnd, (uint32_t)e->n);
		const struct edit *it = &e->items[e->items[at].changes];

		if (it->file == file && it->commit != commit && e->items[it->latest].number &&
		    e->items[it->latest].commit != commit &&
		    plan_has(plan, commit, e->items[it->latest].commit))
			return e->items[at].changes;
	}
	return UINT32_MAX;
}

/* Grows by more than the chance adds, so that no number comes twice. */
uint32_t draw_number(const struct edits *e, struct prng *rnd)
{
	return (uint32_t)e->n * 16 + prng_below(rnd, 16);
}

uint32_t draw_slot(const struct edits *e, struct prng *rnd, uint32_t file)
{
	const struct ctext *scan = &e->files[file].scan;

	return scan->slots[prng_below(rnd, (uint32_t)scan->n_slots)];
}

void draw_edit(struct edits *e, const struct plan *plan, struct prng *rnd, uint32_t commit,
	       uint32_t file)
{
	bool change = prng_below(rnd, 100) < CHANGE_SHARE;
	uint32_t addition = change ? find_addition(e, plan, rnd, commit, file) : UINT32_MAX;
	struct edit *it = draw_new(e, commit, file);

	it->number = draw_number(e, rnd);
	if (addition != UINT32_MAX) {
		it->changes = addition;
		e->items[addition].latest = (uint32_t)e->n - 1;
		return;
	}
	it->kind = (enum edit_kind)prng_below(rnd, EDIT_KINDS);
	it->slot = draw_slot(e, rnd, file);
}

static uint32_t draw_other(const struct edits *e, struct prng *rnd)
{
	uint32_t n = (uint32_t)(e->n_files - e->n_core);

	return n > 1 ? prng_range(rnd, 1, n - 1) : UNIT_FILE;
}

void edits_draw(struct edits *e, const struct plan *plan, uint64_t seed)
{
	struct prng rnd = { .state = seed ^ UINT64_C(0x65646974732e2e2e) };
	struct core core;

	core_begin(&core, e, plan, seed);
	for (uint32_t i = 0; i < plan->n; i++) {
		const struct plan_commit *c = &plan->commits[i];
		bool prelude = c->kind == PLAN_PRELUDE && e->unit.has_loop;
		uint32_t share;

		if (core_draw(&core, e, plan, i))
			continue;
		share = prng_below(&rnd, 100);

		if (prelude || (c->kind == PLAN_EDIT && share < UNIT_SHARE + BOTH_SHARE))
			draw_edit(e, plan, &rnd, i, UNIT_FILE);
		if (c->kind == PLAN_EDIT && share >= UNIT_SHARE)
			draw_edit(e, plan, &rnd, i, draw_other(e, &rnd));
	}
}

static bool edits_unit(const struct edits *e, const struct plan_commit *c)
{
	return (c->kind == PLAN_PRELUDE && !e->unit.has_loop) || c->kind == PLAN_FAULT ||
	       c->kind == PLAN_MEND || c->kind == PLAN_CULPRIT;
}

void edits_changed(const struct edits *e, const struct plan *plan, uint32_t commit,
		   unsigned char *changed)
{
	const struct plan_commit *c = &plan->commits[commit];

	memset(changed, 0, e->n_files);
	if (c->kind != PLAN_MERGE) {
		changed[UNIT_FILE] = edits_unit(e, c);
		for (size_t i = e->n; i > 0 && e->items[i - 1].commit >= commit; i--) {
			if (e->items[i - 1].commit == commit)
				changed[e->items[i - 1].file] = 1;
		}
		return;
	}
	for (size_t i = 0; i < e->n; i++) {
		if (plan_has(plan, commit, e->items[i].commit) &&
		    !plan_has(plan, c->parents[0], e->items[i].commit))
			changed[e->items[i].file] = 1;
	}
	for (uint32_t i = 0; i < commit; i++) {
		if (edits_unit(e, &plan->commits[i]) && plan_has(plan, commit, i) &&
		    !plan_has(plan, c->parents[0], i))
			changed[UNIT_FILE] = 1;
	}
}

static char *macro_text(const char *name, uint32_t number)
{
	_cleanup_free_ char *upper = xstrdup(name);

	for (char *ch = upper; *ch; ch++)
		*ch = (char)toupper((unsigned char)*ch);
	return str_printf("\n#define %s %u\n", upper, number);
}

static char *edit_text(const struct edits *e, uint32_t addition, uint32_t number)
{
	static const char *const words[] = { "limit",  "depth", "weight", "quota",
					     "stride", "burst", "slack",  "grain" };
	const struct edit *it = &e->items[addition];
	const char *stem = e->files[it->file].stem;
	const char *word = words[addition % ARRAY_SIZE(words)];
	_cleanup_free_ char *name = str_printf("%s_%s_%u", stem, word, addition);

	switch (it->kind) {
	case EDIT_COMMENT:
		return str_printf("\n/* The %s of %s was tuned for %u entries. */\n", word, stem,
				  number);
	case EDIT_CONSTANT:
		return str_printf("\nstatic const unsigned int __maybe_unused %s = %u;\n", name,
				  number);
	case EDIT_KEPT:
		return str_printf("\nstatic const unsigned int __used %s = %u;\n", name, number);
	case EDIT_FUNCTION:
		return str_printf("\nstatic inline unsigned int __maybe_unused %s(unsigned int n)\n"
				  "{\n\treturn n + %u;\n}\n",
				  name, number);
	case EDIT_ENUM:
		return str_printf("\nenum { %s = %u };\n", name, number);
	case EDIT_MACRO:
		return macro_text(name, number);
	}
	return xstrdup("");
}

/* numbers[i]: what addition @i writes at the commit; 0 if it is not there. */
static uint32_t *numbers_at(const struct edits *e, const struct plan *plan, uint32_t file,
			    uint32_t commit)
{
	uint32_t *numbers = xcalloc(e->n + 1, sizeof(*numbers));

	for (size_t i = 0; i < e->n && e->items[i].commit <= commit; i++) {
		const struct edit *it = &e->items[i];

		if (it->file == file && plan_has(plan, commit, it->commit))
			numbers[it->changes] = it->number;
	}
	return numbers;
}

static enum unit_stage stage_at(const struct plan *plan, uint32_t commit)
{
	if (plan_has(plan, commit, plan->culprit))
		return UNIT_CULPRIT;
	return plan->commits[commit].kind == PLAN_ROOT ? UNIT_UNTOUCHED : UNIT_LOOP;
}

char *edits_text(const struct edits *e, const struct plan *plan, uint32_t file, uint32_t commit,
		 size_t *ret_len)
{
	_cleanup_free_ uint32_t *numbers = numbers_at(e, plan, file, commit);
	_cleanup_splices_ struct splices s = { 0 };
	const struct edit_file *f = &e->files[file];

	if (file == UNIT_FILE)
		unit_splice(&e->unit, stage_at(plan, commit), plan_fault_at(plan, commit), &s);
	for (uint32_t i = 0; i < e->n && e->items[i].commit <= commit; i++) {
		if (numbers[i])
			splices_add(&s, e->items[i].slot, 0, edit_text(e, i, numbers[i]));
	}
	return splices_apply(&s, f->text, f->len, ret_len);
}
