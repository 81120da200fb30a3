// SPDX-License-Identifier: GPL-2.0-or-later
/* Made into two libraries, of which one needs the other. */
int lost(void);

int lost(void)
{
	return 0;
}
