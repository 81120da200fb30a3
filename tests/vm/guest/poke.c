// SPDX-License-Identifier: GPL-2.0-or-later
/* A probe: writes a word to a file, `poke FILE WORD`. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_WRONLY) : -1;

	if (fd < 0)
		return 2;
	return write(fd, argv[2], strlen(argv[2])) < 0;
}
