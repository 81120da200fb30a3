// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An evidence folder from anyone, its files one after the other with form feeds between: rules, trials, the samples
 * of trial 1 and, if it is there, the manifest; else one that fits. It is refused in words, or every trial counts once.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "controller/evidence/evidence.h"
#include "fuzz.h"

#define MANIFEST "MANIFEST.sha256"

static const char *const names[] = { "rules.json", "trials.jsonl", "samples/1.jsonl", MANIFEST };

static char place[32]; /* one for all inputs */

static void remove_place(void)
{
	struct err ignored;

	fs_remove_tree(place, &ignored);
}

static void make_place(void)
{
	_cleanup_free_ char *samples = NULL;
	struct err err;

	strcpy(place, access("/dev/shm", W_OK) ? "/tmp/fuzz-XXXXXX" : "/dev/shm/fuzz-XXXXXX");
	if (!mkdtemp(place))
		abort();
	atexit(remove_place);
	samples = str_printf("%s/samples", place);
	assert(fs_mkdirs(samples, &err) == 0);
}

static void put(const char *name, const void *data, size_t len)
{
	_cleanup_free_ char *path = str_printf("%s/%s", place, name);
	_cleanup_fclose_ FILE *f = fopen(path, "w");

	assert(f && fwrite(data, 1, len, f) == len);
}

/* Return: how many files there are. */
static size_t split(const uint8_t *data, size_t size)
{
	size_t n = 0;

	for (; n < ARRAY_SIZE(names); n++) {
		const uint8_t *end = size ? memchr(data, '\f', size) : NULL;
		size_t len = end ? (size_t)(end - data) : size;

		put(names[n], data, len);
		if (!end)
			return n + 1;
		data += len + 1;
		size -= len + 1;
	}
	return n;
}

static void list(size_t n)
{
	_cleanup_buf_ struct buf text = { 0 };
	struct err err;

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", place, names[i]);
		char digest[65];

		assert(fs_sha256_file(path, digest, &err) == 0);
		buf_printf(&text, "%s  %s\n", digest, names[i]);
	}
	put(MANIFEST, text.data, text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(evidence_deinit) struct evidence e = { 0 };
	_cleanup_buf_ struct buf differences = { 0 };
	struct evidence_replay r;
	struct err err = { 0 };
	size_t n;

	if (!*place)
		make_place();
	n = split(data, size);
	if (n < ARRAY_SIZE(names))
		list(n);
	if (evidence_open(place, &e, &err) < 0 || evidence_judge(&e, &r, &differences, &err) < 0) {
		assert(err.kind == ERR_HOST && strstr(err.msg, place));
		return 0;
	}
	assert(r.n_judged + r.n_same + r.n_recorded <= e.n);
	assert(r.n_judged + r.n_same + r.n_recorded + r.n_differ >= e.n);
	assert(!r.n_differ == !differences.len);
	return 0;
}
