// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy-regimes: measures copies from the three source mappings (regimes) and prints each at once as
 * a line of the wire, so that a probe that is killed has told what it saw.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest-agent/probes/evidence/kernel.h"
#include "guest-agent/probes/evidence/path.h"
#include "guest-agent/probes/options.h"
#include "guest-agent/probes/sweep/patterns.h"
#include "guest-agent/probes/sweep/processes.h"

/* 77: as automake and meson mean it, the test could not be made here. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_DEVICE = 77 };

static int print_sample(const struct wire_sample *s, void *arg, struct err *err)
{
	const struct wire_msg msg = { .type = WIRE_SAMPLE, .sample = *s };
	char line[WIRE_LINE_MAX];
	int len = wire_encode(&msg, line, err);

	(void)arg;
	return len < 0 ? -1 : processes_write(line, (size_t)len, err);
}

/* On stdout as well, so that it stays in order with the samples. */
static void print_note(const char *text, void *arg)
{
	_cleanup_free_ char *line = str_printf("%s\n", text);
	struct err err;

	(void)arg;
	processes_write(line, strlen(line), &err);
}

static int complain(const struct err *err, int code)
{
	fprintf(stderr, "copy-regimes: %s\n", err->msg);
	return code;
}

static int sweep(const struct options *o, const struct regimes *r, struct err *err)
{
	if (o->patterns)
		return sweep_patterns(r, err);
	if (o->random)
		return sweep_random(r, o->random, o->seed, o->processes, err);
	return regimes_run(r, err);
}

/* The measured pass, then, apart from it, the one that the kernel's probes slow down. */
static int measure_source(struct options *o, struct err *err)
{
	struct kernel_evidence evidence = { 0 };
	struct regimes r = o->regimes;
	char why[256];
	int failed;

	if (sweep(o, &o->regimes, err) < 0)
		return -1;
	if (!o->evidence)
		return 0;
	if (kernel_evidence_open(&evidence, why, sizeof(why)))
		print_note(why, NULL);
	r.evidence_begin = kernel_evidence_begin;
	r.evidence_end = kernel_evidence_end;
	r.evidence = &evidence;
	r.repeats = 1;
	failed = evidence.any ? sweep(o, &r, err) : 0;
	kernel_evidence_close(&evidence);
	return failed;
}

static int measure_device(struct options *o, uint32_t device, struct err *err)
{
	char file[64];
	const char *name;

	o->regimes.device = device;
	if (o->runtime->select && device != 0 &&
	    o->runtime->select(o->regimes.runtime, device, err) < 0)
		return -1;
	if (o->runtime->select || o->runtime == &runtime_none)
		print_note(o->regimes.runtime->what, NULL);
	snprintf(file, sizeof(file), "/tmp/copy-regimes.%d", (int)getpid());
	for (size_t i = 0; i < (o->n_files ? o->n_files : 1); i++) {
		uint64_t bytes = options_bytes(o) + EXTENT_BYTES + o->regimes.file_offset;
		_cleanup_free_ char *own = NULL;
		_cleanup_close_ int source = -1;

		/* Each process has a source of its own: what others do to one is not asked about. */
		if (o->n_files && o->processes > 1)
			own = str_printf("%s.%" PRIu32, o->files[i], o->regimes.process);
		name = own ? own : o->n_files ? o->files[i] : file;
		if (source_create(name, bytes, &source, err) < 0)
			return -1;
		o->regimes.source = source;
		if (measure_source(o, err) < 0)
			return -1;
	}
	return 0;
}

static int measure(struct options *o, struct err *err)
{
	uint32_t devices = o->regimes.runtime->devices;
	uint32_t n = o->all_devices ? devices : (uint32_t)(o->n_devices ? o->n_devices : 1);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t device = o->all_devices || !o->n_devices ? i : o->devices[i];

		if (device && device >= devices)
			return err_set(err, ERR_USAGE, "no device %" PRIu32 ": there are %" PRIu32,
				       device, devices);
		if (measure_device(o, device, err) < 0)
			return -1;
	}
	return 0;
}

static int prove_path(struct options *o, struct err *err)
{
	static const char *const says[PATHS] = {
		[PATH_PINNED] = "path: the runtime's log shows that copies are pinned",
		[PATH_STAGED] = "path: the runtime's log shows that copies are staged",
	};
	uint64_t bytes = o->regimes.sizes[o->regimes.n_sizes - 1];
	_cleanup_free_ char *file = str_printf("/tmp/copy-regimes-path.%d", (int)getpid());
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int source = -1;
	char why[256] = "";

	bytes -= bytes % (uint64_t)sysconf(_SC_PAGESIZE);
	if (source_create(o->n_files ? o->files[0] : file, bytes, &source, err) < 0 ||
	    path_prove(o->runtime, &o->setup, source, bytes, &o->regimes.path, why, sizeof(why),
		       err) < 0)
		return -1;
	text = *why ? str_printf("path: unknown: %s", why) : xstrdup(says[o->regimes.path]);
	print_note(text, NULL);
	return 0;
}

static int run_process(uint32_t process, void *arg)
{
	struct options *o = arg;
	struct runtime runtime = { .ops = o->runtime, .fd = -1 };
	enum runtime_found found = RUNTIME_READY;
	char why[512] = "";
	struct err err = { 0 };
	int ret;

	o->regimes.process = process;
	o->regimes.runtime = &runtime;
	ret = runtime.ops->open(&runtime, &o->setup, &found, why, sizeof(why), &err);
	if (!ret && found != RUNTIME_READY) {
		fprintf(stderr, "copy-regimes: %s: %s\n", runtime_found_name(found), why);
		runtime.ops->close(&runtime);
		return EXIT_NO_DEVICE;
	}
	if (!ret)
		ret = measure(o, &err);
	runtime.ops->close(&runtime);
	if (ret < 0)
		return complain(&err, err.kind == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	struct options o;
	int code;

	options_defaults(&o);
	o.regimes.on_sample = print_sample;
	o.regimes.on_note = print_note;
	if (options_parse(argc, argv, &o, &err) < 0)
		return complain(&err, EXIT_USAGE);
	if (o.help) {
		fputs(options_help, stdout);
		return EXIT_DONE;
	}
	if (o.path && prove_path(&o, &err) < 0)
		return complain(&err, EXIT_FAILED);
	code = processes_run(o.processes, run_process, &o, &err);
	return code < 0 ? complain(&err, EXIT_FAILED) : code;
}
