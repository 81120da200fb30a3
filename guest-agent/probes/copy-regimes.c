// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy-regimes: measures copies from the three source mappings (regimes) and prints each at once as
 * a line of the wire, so that a probe that is killed has told what it saw.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest-agent/probes/regimes.h"

/* 77: as automake and meson mean it, the test could not be made here. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 77 };

#define REPEATS_MAX 1000

static const char help[] =
	"usage: copy-regimes [options]\n"
	"Copies from private file mappings and prints one JSON line per copy.\n"
	"\n"
	"  --runtime NAME          what copies: mirror (default)\n"
	"  --sizes BYTES[,...]     default 4194304,8388608: two extents, then four\n"
	"  --offset BYTES[,...]    start of the mapping past a 2 MiB boundary; default 0\n"
	"  --repeats N             per size and regime, default 3\n"
	"  --touch all|N[,N...]    extents made resident in the resident regimes; default all\n"
	"  --permission vma|read   access asked for: the mapping's (default), or read\n"
	"  --file PATH             source file, made and unlinked; default in /tmp\n"
	"  --patterns              the rows of the window-law table instead\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 usage, 77 no device.\n";

struct options {
	const struct runtime_ops *runtime;
	const char *file;
	bool patterns;
	struct regimes regimes;
};

static int print_sample(const struct wire_sample *s, void *arg, struct err *err)
{
	const struct wire_msg msg = { .type = WIRE_SAMPLE, .sample = *s };
	char line[WIRE_LINE_MAX];
	int len = wire_encode(&msg, line, err);

	(void)arg;
	if (len < 0)
		return -1;
	if (fwrite(line, 1, (size_t)len, stdout) != (size_t)len || fflush(stdout))
		return err_errno(err, ERR_HOST, "cannot write a sample to stdout");
	return 0;
}

/* On stdout as well, so that it stays in order with the samples. */
static void print_note(const char *text, void *arg)
{
	(void)arg;
	puts(text);
	fflush(stdout);
}

/* "4194304,8388608" as ascending numbers, each whole pages; their count, or -1. */
static int parse_bytes(const char *option, const char *text, uint64_t min, uint64_t max,
		       uint64_t *ret, size_t n_max, struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(text);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *rest = copy;
	size_t n = 0;
	char *word;

	while ((word = strsep(&rest, ","))) {
		uint64_t value;
		size_t i;

		if (n == n_max)
			return err_set(err, ERR_USAGE, "%s takes at most %zu numbers", option,
				       n_max);
		if (!str_to_u64(word, max, &value) || value < min || value % page)
			return err_set(err, ERR_USAGE,
				       "%s: '%s' is not a multiple of %llu between %llu and %llu",
				       option, word, (unsigned long long)page,
				       (unsigned long long)min, (unsigned long long)max);
		for (i = n++; i && ret[i - 1] > value; i--)
			ret[i] = ret[i - 1];
		ret[i] = value;
	}
	return (int)n;
}

static int parse_number_lists(int option, const char *text, struct regimes *r, struct err *err)
{
	/* One extent less than the wire can tell, for a mapping that starts past a boundary. */
	const uint64_t largest = (WIRE_EXTENTS_MAX - 1) * EXTENT_BYTES;
	int n;

	if (option == 's') {
		n = parse_bytes("--sizes", text, 1, largest, r->sizes, REGIMES_SIZES_MAX, err);
		r->n_sizes = n < 0 ? 0 : (size_t)n;
	} else {
		n = parse_bytes("--offset", text, 0, EXTENT_BYTES - 1, r->offsets,
				REGIMES_OFFSETS_MAX, err);
		r->n_offsets = n < 0 ? 0 : (size_t)n;
	}
	return n < 0 ? -1 : 0;
}

static int parse_option(int option, const char *text, struct options *o, struct err *err)
{
	uint64_t number;

	switch (option) {
	case 'r':
		o->runtime = runtime_find(text);
		if (!o->runtime)
			return err_set(err, ERR_USAGE, "no runtime '%s'; there are: %s", text,
				       runtime_names());
		return 0;
	case 's':
	case 'o':
		return parse_number_lists(option, text, &o->regimes, err);
	case 'n':
		if (!str_to_u64(text, REPEATS_MAX, &number) || !number)
			return err_set(err, ERR_USAGE, "--repeats takes 1 to %d", REPEATS_MAX);
		o->regimes.repeats = (uint32_t)number;
		return 0;
	case 't':
		if (!touch_parse(text, &o->regimes.touch))
			return err_set(err, ERR_USAGE, "--touch takes 'all' or extents by number");
		return 0;
	case 'p':
		if (strcmp(text, "vma") != 0 && strcmp(text, "read") != 0)
			return err_set(err, ERR_USAGE, "--permission takes 'vma' or 'read'");
		o->regimes.read_permission = !strcmp(text, "read");
		return 0;
	case 'f':
		o->file = text;
		return 0;
	case 'P':
		o->patterns = true;
		return 0;
	default:
		return err_set(err, ERR_USAGE, "see copy-regimes --help");
	}
}

static int parse_options(int argc, char **argv, struct options *o, struct err *err)
{
	static const struct option options[] = {
		{ "runtime", required_argument, NULL, 'r' },
		{ "sizes", required_argument, NULL, 's' },
		{ "offset", required_argument, NULL, 'o' },
		{ "repeats", required_argument, NULL, 'n' },
		{ "touch", required_argument, NULL, 't' },
		{ "permission", required_argument, NULL, 'p' },
		{ "file", required_argument, NULL, 'f' },
		{ "patterns", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'h') {
			fputs(help, stdout);
			exit(EXIT_DONE);
		}
		if (parse_option(option, optarg, o, err) < 0)
			return -1;
	}
	if (optind < argc)
		return err_set(err, ERR_USAGE, "'%s' is no option; see copy-regimes --help",
			       argv[optind]);
	if (o->regimes.read_permission && !o->runtime->can_read_permission)
		return err_set(err, ERR_USAGE, "--permission read is not for the runtime %s",
			       o->runtime->name);
	return 0;
}

static int measure(struct options *o, struct err *err)
{
	_cleanup_close_ int source = -1;
	uint64_t bytes =
		o->patterns ? PATTERNS_BYTES_MAX : o->regimes.sizes[o->regimes.n_sizes - 1];

	if (source_create(o->file, bytes, &source, err) < 0)
		return -1;
	o->regimes.source = source;
	return o->patterns ? regimes_patterns(&o->regimes, err) : regimes_run(&o->regimes, err);
}

int main(int argc, char **argv)
{
	char file[64], why[256] = "";
	struct runtime runtime = { .fd = -1 };
	struct options o = {
		.runtime = &runtime_mirror,
		.file = file,
		.regimes = { .sizes = { 4 << 20, 8 << 20 },
			     .n_sizes = 2,
			     .n_offsets = 1,
			     .repeats = 3,
			     .touch.all = true,
			     .on_sample = print_sample,
			     .on_note = print_note,
			     .runtime = &runtime },
	};
	enum runtime_found found;
	struct err err = { 0 };
	int ret;

	snprintf(file, sizeof(file), "/tmp/copy-regimes.%d", (int)getpid());
	if (parse_options(argc, argv, &o, &err) < 0) {
		fprintf(stderr, "copy-regimes: %s\n", err.msg);
		return EXIT_USAGE;
	}
	runtime.ops = o.runtime;
	ret = runtime.ops->open(
		&runtime, o.patterns ? PATTERNS_BYTES_MAX : o.regimes.sizes[o.regimes.n_sizes - 1],
		&found, why, sizeof(why), &err);
	if (!ret && found == RUNTIME_NO_DEVICE) {
		fprintf(stderr, "copy-regimes: %s\n", why);
		return EXIT_NO_DEVICE;
	}
	if (!ret)
		ret = measure(&o, &err);
	runtime.ops->close(&runtime);
	if (ret < 0)
		fprintf(stderr, "copy-regimes: %s\n", err.msg);
	return ret < 0 ? EXIT_FAILED : EXIT_DONE;
}
