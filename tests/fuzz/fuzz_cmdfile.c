// SPDX-License-Identifier: GPL-2.0-or-later
/* Any .cmd file names nothing, or names that stand in it, each of one line and without blanks at its start. */
#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "build/reads/cmdfile.h"
#include "fuzz.h"

struct seen {
	const char *from, *to;
	struct nameset set;
	size_t n;
};

static bool see(const char *name, size_t len, void *arg)
{
	struct seen *s = arg;

	assert(len > 0 && name >= s->from && name + len <= s->to);
	assert(!memchr(name, '\n', len));
	nameset_add(&s->set, name, len);
	s->n++;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf text = { 0 };
	struct seen s = { 0 };

	buf_add(&text, data, size);
	if (!text.data)
		return 0;
	s.from = text.data;
	s.to = text.data + strlen(text.data);
	cmdfile_each(text.data, see, &s);
	assert(s.set.names.n <= s.n && (s.n == 0) == (s.set.names.n == 0));
	for (size_t i = 1; i < s.set.names.n; i++)
		assert(strcmp(s.set.names.items[i], s.set.names.items[i - 1]) != 0);
	nameset_deinit(&s.set);
	return 0;
}
