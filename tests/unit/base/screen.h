/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal small enough to test with: a real pty, and what a person would see on it. */
#ifndef UNIT_BASE_SCREEN_H
#define UNIT_BASE_SCREEN_H

#include <stddef.h>
#include <stdio.h>

#define ROWS 64
#define COLS 256

/* What the terminal shows. Only what progress sends is known; anything else fails the test. */
struct screen {
	int master;
	FILE *slave;
	unsigned int columns, row, col;
	char text[ROWS][COLS];
	unsigned int widest; /* columns of the widest row so far */
	size_t bytes, colours;
};

/** open_screen() - a terminal @columns wide, its other end in s->slave */
void open_screen(struct screen *s, unsigned short columns);
void close_screen(struct screen *s);

/** resize() - without drawing what is there anew, as some terminals do */
void resize(struct screen *s, unsigned short columns);

/** look() - take in what was written since */
void look(struct screen *s);

#endif
