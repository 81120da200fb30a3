// SPDX-License-Identifier: GPL-2.0-or-later
/* A terminal to test with: see screen.h. */
#include "unit/base/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void resize(struct screen *s, unsigned short columns)
{
	struct winsize w = { .ws_row = ROWS, .ws_col = columns };

	s->columns = columns;
	assert_int_equal(ioctl(s->master, TIOCSWINSZ, &w), 0);
}

void open_screen(struct screen *s, unsigned short columns)
{
	int slave;

	memset(s, 0, sizeof(*s));
	assert_int_equal(openpty(&s->master, &slave, NULL, NULL, NULL), 0);
	fcntl(s->master, F_SETFL, O_NONBLOCK);
	s->slave = fdopen(slave, "w");
	assert_non_null(s->slave);
	resize(s, columns);
}

void close_screen(struct screen *s)
{
	fclose(s->slave);
	close(s->master);
}

static void put(struct screen *s, char c)
{
	/* UTF-8: the first byte stands for the character. */
	if (((unsigned char)c & 0xc0) == 0x80)
		return;
	assert_true(s->row < ROWS && s->col < COLS);
	s->text[s->row][s->col++] = c;
	if (s->col > s->widest)
		s->widest = s->col;
}

static const char *escape(struct screen *s, const char *p)
{
	char *end;
	unsigned long n;

	assert_int_equal(*p, '[');
	n = strtoul(p + 1, &end, 10);
	while (*end == ';')
		strtoul(end + 1, &end, 10);
	if (*end == 'K')
		memset(s->text[s->row] + s->col, 0, COLS - s->col);
	else if (*end == 'J')
		memset(s->text[s->row] + s->col, 0, sizeof(s->text) - s->row * COLS - s->col);
	else if (*end == 'A')
		s->row -= (unsigned int)n;
	else if (*end == 'm')
		s->colours++;
	else
		fail_msg("unknown escape %s", p);
	return end + 1;
}

void look(struct screen *s)
{
	char data[8192];
	ssize_t n;

	while ((n = read(s->master, data, sizeof(data) - 1)) > 0) {
		data[n] = '\0';
		s->bytes += (size_t)n;
		for (const char *p = data; *p;) {
			char c = *p++;

			if (c == '\033') {
				p = escape(s, p);
			} else if (c == '\r') {
				s->col = 0;
			} else if (c == '\n') {
				s->row++;
			} else {
				put(s, c);
			}
		}
	}
}
