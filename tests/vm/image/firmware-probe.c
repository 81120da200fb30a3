// SPDX-License-Identifier: GPL-2.0-or-later
/* A probe for the tests: is a file of firmware where this kernel was told to look? */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *f = fopen("/sys/module/firmware_class/parameters/path", "re");
	char at[256] = "", path[512];

	if (argc != 2 || !f || !fgets(at, sizeof(at), f))
		return 2;
	fclose(f);
	at[strcspn(at, "\n")] = '\0';
	snprintf(path, sizeof(path), "%s/%s", at, argv[1]);
	fprintf(stderr, "%s\n", path);
	return access(path, R_OK) == 0 ? 0 : 3;
}
