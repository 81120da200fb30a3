// SPDX-License-Identifier: GPL-2.0-or-later
/* amdgpu-bisect: argv to one command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "cmd.h"
#include "controller/team/worker.h"

static const struct command_def {
	const char *name;
	enum command command;
	int (*run)(struct options *o, struct err *err);
	const char *args; /* what comes besides options */
	const char *help;
} commands[] = {
	{ "plan", CMD_PLAN, cmd_plan, "[GOOD..BAD]",
	  "candidates, expected steps and time; boots nothing" },
	{ "run", CMD_RUN, cmd_run, "[GOOD..BAD]", "find the first bad commit and prove it" },
	{ "resume", CMD_RESUME, cmd_resume, "[RUN]",
	  "go on with a run that was stopped or failed" },
	{ "prove", CMD_PROVE, cmd_prove, "[RUN]",
	  "take the commit that a run named away from the tip, lay it on the old end" },
	{ "validate", CMD_VALIDATE, cmd_validate, "",
	  "what sets of patches do to a base: built, and measured in turns" },
	{ "gate", CMD_GATE, cmd_gate, "",
	  "hold a new kernel against an old one before it is released" },
	{ "status", CMD_STATUS, cmd_status, "[RUN]", "how far a run is; works while it goes on" },
	{ "test", CMD_TEST, cmd_test, "REV", "test one revision; exit code for `git bisect run`" },
	{ "build", CMD_BUILD, cmd_build, "REV...",
	  "build revisions into the cache; boots nothing" },
	{ "image", CMD_IMAGE, cmd_image, "[WHAT [NAME]...]",
	  "what guests boot: list, show, build, check, remove" },
	{ "report", CMD_REPORT, cmd_report, "[RUN]",
	  "a stored run as text, JSON or HTML, for CI, as a mail or evidence" },
	{ "replay", CMD_REPLAY, cmd_replay, "DIR",
	  "judge the raw copies of an evidence folder again" },
	{ "log", CMD_LOG, cmd_log, "[RUN]", "a stored run as a `git bisect log`" },
	{ "visualize", CMD_VISUALIZE, cmd_visualize, "[RUN]",
	  "the graph of what a run has left, as text, JSON or for Graphviz" },
	{ "worker", CMD_RUN, worker_main, "", NULL }, /* a run starts them: not for people */
	{ "audit", CMD_AUDIT, cmd_audit, "",
	  "upstream follow-ups that a tree lacks for changes that it carries" },
	{ "doctor", CMD_DOCTOR, cmd_doctor, "", "what this machine can do, and what mends a lack" },
	{ "demo", CMD_DEMO, cmd_demo, "",
	  "make a history with a known answer from your kernel source, and bisect it" },
};

static void usage(FILE *out)
{
	fputs("usage: amdgpu-bisect COMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "Finds the amdgpu commit after which copies from a resident, writable private file\n"
	      "mapping take whole one-second windows; without a GPU it runs the driver's own "
	      "code.\n\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].help)
			fprintf(out, "  %-9s %-12s %s\n", commands[i].name, commands[i].args,
				commands[i].help);
	fputs("\n`amdgpu-bisect COMMAND --help` lists a command's options; amdgpu-bisect(1) has "
	      "more.\n",
	      out);
}

static int command_help(const struct command_def *c)
{
	printf("usage: amdgpu-bisect %s [OPTION]...%s%s\n%s\n\n", c->name, *c->args ? " " : "",
	       c->args, c->help ? c->help : "only a run starts this");
	options_help(c->command, stdout);
	return 0;
}

static int exit_code(const struct err *err)
{
	switch (err->kind) {
	case ERR_USAGE:
		return EXIT_USAGE;
	case ERR_STOPPED:
		return EXIT_STOPPED;
	case ERR_BUILD:
	case ERR_BOOT:
	case ERR_PROTOCOL:
		return EXIT_SKIP;
	default:
		return EXIT_HOST;
	}
}

/* A full disk behind a redirection must not pass for success, not even with --help. */
static int flushed(int code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	if (stop_requested()) {
		fputs("amdgpu-bisect: stopped before all was written\n", stderr);
		return EXIT_STOPPED;
	}
	perror("amdgpu-bisect: standard output");
	return EXIT_HOST;
}

/* Packs are mapped: if one is cut short meanwhile, or the disk fails, there is nobody to return an error. */
static void on_lost_file(int sig)
{
	static const char words[] =
		"amdgpu-bisect: a file was cut short, or its disk failed, while it was "
		"read; check with dmesg and git fsck, then try again\n";
	ssize_t n = write(2, words, sizeof(words) - 1);

	(void)sig;
	(void)n;
	_exit(EXIT_HOST);
}

/*
 * Whoever started us may have closed one of the three; the next file opened would then take its
 * number, and what is meant for a terminal would end in a log. Held so that writing still fails.
 */
static void hold_standard_files(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int run_command(const struct command_def *c, int argc, char **argv)
{
	_cleanup_(options_deinit) struct options o = { 0 };
	struct err err = { 0 };
	int r;

	r = options_parse(c->command, argc, argv, &o, &err);
	if (!r && options_bool(&o, OPT_HELP))
		return flushed(command_help(c));
	if (!r && options_bool(&o, OPT_SHOW_CONFIG)) {
		options_show(&o, c->command, stdout);
		return flushed(0);
	}
	if (!r)
		r = c->run(&o, &err);
	if (r < 0) {
		fprintf(stderr, "amdgpu-bisect: %s\n", err.msg);
		return exit_code(&err);
	}
	return flushed(r);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	hold_standard_files();
	if (!strcmp(name, "--version") || !strcmp(name, "version")) {
		puts("amdgpu-bisect " AMDGPU_BISECT_VERSION);
		return flushed(0);
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		usage(stdout);
		return flushed(0);
	}
	stop_install();
	signal(SIGBUS, on_lost_file);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(name, commands[i].name) == 0)
			return run_command(&commands[i], argc - 2, argv + 2);
	if (*name) {
		struct err err = { 0 };

		err_set(&err, ERR_USAGE, "'%.40s' is no command; see --help", name);
		fprintf(stderr, "amdgpu-bisect: %s\n", err.msg);
	} else {
		usage(stderr);
	}
	return EXIT_USAGE;
}
