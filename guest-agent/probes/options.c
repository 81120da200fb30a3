// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of copy-regimes: see options.h. */
#include "guest-agent/probes/options.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest-agent/probes/sweep/patterns.h"

#define REPEATS_MAX	1000
#define RANDOM_MAX	4000 /* with the warm-ups within WIRE_SAMPLES_MAX */
#define FILE_OFFSET_MAX (UINT64_C(1) << 30)

const char options_help[] =
	"usage: copy-regimes [options]\n"
	"Copies from private file mappings and prints one JSON line per copy.\n"
	"\n"
	"  --runtime NAME          what copies: mirror (default), hip, cuda, none\n"
	"  --sizes BYTES[,...]     default 4194304,8388608: two extents, then four\n"
	"  --offset BYTES[,...]    start of the source past a 2 MiB boundary; default 0\n"
	"  --repeats N             per size and regime, default 3\n"
	"  --touch all|N[,N...]    extents made resident in the resident regimes; default all\n"
	"  --permission vma|read   access asked for: the mapping's (default), or read\n"
	"\n"
	"  --file PATH             source file, made and unlinked; default in /tmp; may be\n"
	"                          given several times, for several file systems\n"
	"  --file-offset BYTES     of the mappings in the file; default 0\n"
	"  --anonymous             anonymous memory as a further control\n"
	"  --mapping fresh|kept    for each copy (default), or the first one's for all repeats\n"
	"  --buffer kept|fresh     on the device: one for all copies (default), or each its own\n"
	"  --devices all|N[,N...]  of the runtime; default 0\n"
	"  --processes N           so many copy at once\n"
	"  --no-svm                HSA_USE_SVM=0 (hip)\n"
	"  --staged                have the runtime stage what it would pin (hip)\n"
	"\n"
	"  --patterns              the rows of the window-law table instead\n"
	"  --random N              N copies with random presence and alignment instead\n"
	"  --seed N                of --random; default 1\n"
	"  --path                  prove first that copies are pinned, by the runtime's log (hip)\n"
	"  --evidence              after the measured pass one with the kernel's probes on\n"
	"  --help\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 usage, 77 no library, no device or a wrong version.\n";

enum {
	RUNTIME = 256,
	SIZES,
	OFFSET,
	REPEATS,
	TOUCH,
	PERMISSION,
	SOURCE,
	FILE_OFFSET,
	ANONYMOUS,
	MAPPING,
	BUFFER,
	DEVICES,
	PROCESSES,
	NO_SVM,
	STAGED,
	PATTERNS,
	RANDOM,
	SEED,
	PATH,
	EVIDENCE,
	HELP,
};

static const struct option table[] = {
	{ "runtime", required_argument, NULL, RUNTIME },
	{ "sizes", required_argument, NULL, SIZES },
	{ "offset", required_argument, NULL, OFFSET },
	{ "repeats", required_argument, NULL, REPEATS },
	{ "touch", required_argument, NULL, TOUCH },
	{ "permission", required_argument, NULL, PERMISSION },
	{ "file", required_argument, NULL, SOURCE },
	{ "file-offset", required_argument, NULL, FILE_OFFSET },
	{ "anonymous", no_argument, NULL, ANONYMOUS },
	{ "mapping", required_argument, NULL, MAPPING },
	{ "buffer", required_argument, NULL, BUFFER },
	{ "devices", required_argument, NULL, DEVICES },
	{ "processes", required_argument, NULL, PROCESSES },
	{ "no-svm", no_argument, NULL, NO_SVM },
	{ "staged", no_argument, NULL, STAGED },
	{ "patterns", no_argument, NULL, PATTERNS },
	{ "random", required_argument, NULL, RANDOM },
	{ "seed", required_argument, NULL, SEED },
	{ "path", no_argument, NULL, PATH },
	{ "evidence", no_argument, NULL, EVIDENCE },
	{ "help", no_argument, NULL, HELP },
	{ 0 },
};

/* "4194304,8388608" as ascending numbers; their count, or -1. */
static int parse_list(const char *option, const char *text, uint64_t min, uint64_t max,
		      uint64_t *ret, size_t n_max, struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy;
	size_t n = 0;
	char *word;

	while ((word = strsep(&rest, ","))) {
		uint64_t value;
		size_t i;

		if (n == n_max)
			return err_set(err, ERR_USAGE, "%s takes at most %zu numbers", option,
				       n_max);
		if (!str_to_u64(word, max, &value) || value < min)
			return err_set(err, ERR_USAGE, "%s: '%s' is not between %llu and %llu",
				       option, word, (unsigned long long)min,
				       (unsigned long long)max);
		for (i = n++; i && ret[i - 1] > value; i--)
			ret[i] = ret[i - 1];
		ret[i] = value;
	}
	return (int)n;
}

static int parse_number(const char *option, const char *text, uint64_t min, uint64_t max,
			uint64_t *ret, struct err *err)
{
	return parse_list(option, text, min, max, ret, 1, err) < 0 ? -1 : 0;
}

/* One of two words; true for the second. */
static int parse_choice(const char *option, const char *text, const char *first, const char *second,
			bool *ret, struct err *err)
{
	if (strcmp(text, first) != 0 && strcmp(text, second) != 0)
		return err_set(err, ERR_USAGE, "%s takes '%s' or '%s'", option, first, second);
	*ret = !strcmp(text, second);
	return 0;
}

static int parse_devices(const char *text, struct options *o, struct err *err)
{
	uint64_t numbers[OPTIONS_DEVICES_MAX] = { 0 };
	int n;

	o->all_devices = !strcmp(text, "all");
	if (o->all_devices)
		return 0;
	n = parse_list("--devices", text, 0, OPTIONS_DEVICES_MAX - 1, numbers, OPTIONS_DEVICES_MAX,
		       err);
	for (int i = 0; i < n; i++)
		o->devices[i] = (uint32_t)numbers[i];
	o->n_devices = n < 0 ? 0 : (size_t)n;
	return n < 0 ? -1 : 0;
}

/* What the source and its mappings are. */
static int parse_source(int option, const char *text, struct options *o, struct err *err)
{
	/* One extent less than the wire can tell, for a mapping that starts past a boundary. */
	const uint64_t largest = (WIRE_EXTENTS_MAX - 1) * EXTENT_BYTES;
	struct regimes *r = &o->regimes;
	int n;

	switch (option) {
	case SIZES:
		n = parse_list("--sizes", text, 1, largest, r->sizes, REGIMES_SIZES_MAX, err);
		r->n_sizes = n < 0 ? 0 : (size_t)n;
		return n < 0 ? -1 : 0;
	case OFFSET:
		n = parse_list("--offset", text, 0, EXTENT_BYTES - 1, r->offsets,
			       REGIMES_OFFSETS_MAX, err);
		r->n_offsets = n < 0 ? 0 : (size_t)n;
		return n < 0 ? -1 : 0;
	case TOUCH:
		if (!touch_parse(text, &r->touch))
			return err_set(err, ERR_USAGE, "--touch takes 'all' or extents by number");
		return 0;
	case SOURCE:
		if (o->n_files == OPTIONS_FILES_MAX)
			return err_set(err, ERR_USAGE, "--file may be given %d times",
				       OPTIONS_FILES_MAX);
		o->files[o->n_files++] = text;
		return 0;
	case FILE_OFFSET:
		return parse_number("--file-offset", text, 0, FILE_OFFSET_MAX, &r->file_offset,
				    err);
	case ANONYMOUS:
		r->anonymous = true;
		return 0;
	default:
		return parse_choice("--mapping", text, "fresh", "kept", &r->kept_mapping, err);
	}
}

/* What copies. */
static int parse_runtime(int option, const char *text, struct options *o, struct err *err)
{
	switch (option) {
	case RUNTIME:
		o->runtime = runtime_find(text);
		if (!o->runtime)
			return err_set(err, ERR_USAGE, "no runtime '%s'; there are: %s", text,
				       runtime_names());
		return 0;
	case PERMISSION:
		return parse_choice("--permission", text, "vma", "read",
				    &o->regimes.read_permission, err);
	case BUFFER:
		return parse_choice("--buffer", text, "kept", "fresh", &o->setup.fresh_buffer, err);
	case DEVICES:
		return parse_devices(text, o, err);
	case NO_SVM:
		o->setup.no_svm = true;
		return 0;
	default:
		o->setup.staged = true;
		return 0;
	}
}

static int parse_option(int option, const char *text, struct options *o, struct err *err)
{
	uint64_t number = 0;

	switch (option) {
	case SIZES:
	case OFFSET:
	case TOUCH:
	case SOURCE:
	case FILE_OFFSET:
	case ANONYMOUS:
	case MAPPING:
		return parse_source(option, text, o, err);
	case RUNTIME:
	case PERMISSION:
	case BUFFER:
	case DEVICES:
	case NO_SVM:
	case STAGED:
		return parse_runtime(option, text, o, err);
	case REPEATS:
		if (parse_number("--repeats", text, 1, REPEATS_MAX, &number, err) < 0)
			return -1;
		o->regimes.repeats = (uint32_t)number;
		return 0;
	case PROCESSES:
		if (parse_number("--processes", text, 1, WIRE_PROCESSES_MAX, &number, err) < 0)
			return -1;
		o->processes = (uint32_t)number;
		return 0;
	case RANDOM:
		if (parse_number("--random", text, 1, RANDOM_MAX, &number, err) < 0)
			return -1;
		o->random = (uint32_t)number;
		return 0;
	case SEED:
		return parse_number("--seed", text, 0, UINT64_MAX, &o->seed, err);
	case PATTERNS:
		o->patterns = true;
		return 0;
	case PATH:
		o->path = true;
		return 0;
	case EVIDENCE:
		o->evidence = true;
		return 0;
	case HELP:
		o->help = true;
		return 0;
	default:
		return err_set(err, ERR_USAGE, "see copy-regimes --help");
	}
}

static bool whole_pages(const uint64_t *numbers, size_t n)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < n; i++)
		if (numbers[i] % page)
			return false;
	return true;
}

/* What does not go together. */
static int check(const struct options *o, struct err *err)
{
	const struct regimes *r = &o->regimes;
	bool hip = o->runtime == &runtime_hip;

	if (r->read_permission && !o->runtime->can_read_permission)
		return err_set(err, ERR_USAGE, "--permission read is not for the runtime %s",
			       o->runtime->name);
	if (!hip && (o->setup.no_svm || o->setup.staged || o->path))
		return err_set(err, ERR_USAGE, "%s is for --runtime hip only",
			       o->path		 ? "--path"
			       : o->setup.staged ? "--staged"
						 : "--no-svm");
	if (!o->runtime->select && (o->all_devices || o->n_devices || o->setup.fresh_buffer))
		return err_set(err, ERR_USAGE, "the runtime %s has no devices and no buffers",
			       o->runtime->name);
	if (!whole_pages(&r->file_offset, 1))
		return err_set(err, ERR_USAGE, "--file-offset takes whole pages");
	if (!o->runtime->any_start &&
	    (!whole_pages(r->sizes, r->n_sizes) || !whole_pages(r->offsets, r->n_offsets)))
		return err_set(err, ERR_USAGE,
			       "--sizes and --offset take whole pages for the runtime %s",
			       o->runtime->name);
	if (o->evidence && o->processes > 1)
		return err_set(err, ERR_USAGE, "--evidence is of one process, not of several");
	if (o->patterns && o->random)
		return err_set(err, ERR_USAGE, "--patterns or --random, not both");
	return 0;
}

void options_defaults(struct options *o)
{
	*o = (struct options){
		.runtime = &runtime_mirror,
		.processes = 1,
		.seed = 1,
		.regimes = { .sizes = { 4 << 20, 8 << 20 },
			     .n_sizes = 2,
			     .n_offsets = 1,
			     .repeats = 3,
			     .touch.all = true },
	};
}

int options_parse(int argc, char **argv, struct options *o, struct err *err)
{
	int option;

	while (!o->help && (option = getopt_long(argc, argv, "", table, NULL)) >= 0)
		if (parse_option(option, optarg, o, err) < 0)
			return -1;
	if (o->help)
		return 0;
	if (optind < argc)
		return err_set(err, ERR_USAGE, "'%s' is no option; see copy-regimes --help",
			       argv[optind]);
	o->regimes.fresh_buffer = o->setup.fresh_buffer;
	o->setup.max_bytes = options_bytes(o);
	return check(o, err);
}

uint64_t options_bytes(const struct options *o)
{
	if (o->patterns || o->random)
		return SWEEP_BYTES_MAX;
	return o->regimes.sizes[o->regimes.n_sizes - 1];
}
