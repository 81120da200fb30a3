// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing a `git bisect log`: see bisect_log.h. */
#include "controller/log/bisect_log.h"

#include <string.h>

static void put_quoted(struct buf *b, const char *word)
{
	buf_puts(b, " '");
	for (; *word; word++)
		if (*word == '\'')
			buf_puts(b, "'\\''");
		else
			buf_add(b, word, 1);
	buf_puts(b, "'");
}

static const char *word_of(const struct log_session *s, enum log_state state)
{
	return state == LOG_OLD ? s->old : state == LOG_NEW ? s->new : "skip";
}

static void put_remark(struct buf *b, const struct log_session *s, const struct log_entry *e)
{
	buf_printf(b, "# %s: [%s] %s\n", word_of(s, e->state), e->id, e->subject);
}

static void put_start(struct buf *b, const struct log_session *s)
{
	put_remark(b, s, &s->new_end);
	for (size_t i = 0; i < s->n_old_ends; i++)
		put_remark(b, s, &s->old_ends[i]);
	buf_puts(b, "git bisect start");
	if (strcmp(s->old, "good") != 0 || strcmp(s->new, "bad") != 0)
		buf_printf(b, " '--term-new=%s' '--term-old=%s'", s->new, s->old);
	if (s->first_parent)
		buf_puts(b, " '--first-parent'");
	put_quoted(b, s->new_end.id);
	for (size_t i = 0; i < s->n_old_ends; i++)
		put_quoted(b, s->old_ends[i].id);
	if (s->paths && s->paths->n)
		buf_puts(b, " '--'");
	for (size_t i = 0; s->paths && i < s->paths->n; i++)
		put_quoted(b, s->paths->items[i]);
	buf_puts(b, "\n");
}

char *bisect_log_write(const struct log_session *s)
{
	struct buf b = { 0 };

	put_start(&b, s);
	for (size_t i = 0; i < s->n_entries; i++) {
		const struct log_entry *e = &s->entries[i];

		put_remark(&b, s, e);
		if (!e->remark)
			buf_printf(&b, "git bisect %s %s\n", word_of(s, e->state), e->id);
	}
	if (s->first_new)
		buf_printf(&b, "# first %s commit: [%s] %s\n", s->new, s->first_new->id,
			   s->first_new->subject);
	if (s->n_possible)
		buf_puts(&b, "# only skipped commits left to test\n");
	for (size_t i = 0; i < s->n_possible; i++)
		buf_printf(&b, "# possible first %s commit: [%s] %s\n", s->new, s->possible[i].id,
			   s->possible[i].subject);
	return buf_take(&b);
}
