// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a fuzz target without libFuzzer: over each file of a directory, whole and cut anywhere. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "fuzz.h"

#define INPUT_MAX_BYTES (1 << 20)

static int run_file(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	_cleanup_free_ uint8_t *data = xmalloc(INPUT_MAX_BYTES);
	size_t len;

	if (!f)
		return -1;
	len = fread(data, 1, INPUT_MAX_BYTES, f);
	for (size_t n = 0; n <= len; n++) {
		/* Of exactly that length, so that ASan sees a byte read too many. */
		_cleanup_free_ uint8_t *exact = xmalloc(n);

		memcpy(exact, data, n);
		LLVMFuzzerTestOneInput(exact, n);
	}
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_closedir_ DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *e;
	unsigned int files = 0;

	if (!d) {
		fprintf(stderr, "usage: %s CORPUS_DIRECTORY\n", argv[0]);
		return 2;
	}
	while ((e = readdir(d))) {
		_cleanup_free_ char *path = str_printf("%s/%s", argv[1], e->d_name);

		if (e->d_name[0] == '.')
			continue;
		if (run_file(path) < 0) {
			perror(path);
			return 1;
		}
		files++;
	}
	printf("%u files\n", files);
	return files ? 0 : 1;
}
