// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * amdgpu-bisect-agent: the guest's side of the channel. PID 1 of a small guest; a service of a large
 * one, where it mounts nothing and powers nothing off.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest-agent/agent/disk.h"
#include "guest-agent/agent/init.h"
#include "guest-agent/agent/session.h"
#include "guest-agent/agent/text.h"
#include "guest-agent/agent/watchdog.h"
#include "base/clock.h"
#include "base/str.h"

/* The console hears this often of a port that does not come; it is looked for far more often. */
#define PORT_LOOK_MS	 5
#define PORT_COMPLAIN_MS 10000

struct options {
	const char *port; /* path; NULL: found by its name */
	int fd;		  /* open port; -1: none */
	const char *probes;
	const char *put_dir;
	const char *config; /* directory with the lists `modules` and `boot` */
	bool init;
};

static const char help[] =
	"usage: amdgpu-bisect-agent [options]\n"
	"Answers the controller of amdgpu-bisect over a virtio-serial port.\n"
	"\n"
	"  --port PATH     character device; default: the port named " WIRE_PORT_NAME "\n"
	"  --fd N          an open socket instead; its end is the agent's\n"
	"  --probes DIR    default /usr/libexec/amdgpu-bisect\n"
	"  --put-dir DIR   streamed files, best on tmpfs; default /run/amdgpu-bisect\n"
	"  --config DIR    lists of packed modules; default /etc/amdgpu-bisect\n"
	"  --version\n"
	"  --help\n";

static int open_port(const struct options *o, struct port *p, struct err *err)
{
	char path[PATH_MAX];
	int fd;

	if (o->fd >= 0)
		return port_init(p, o->fd, true, err);
	for (int64_t waited = 0;; waited += PORT_LOOK_MS) {
		const char *use = o->port ? o->port : path;

		if (o->port || port_find(path, sizeof(path))) {
			fd = open(use, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
			if (fd >= 0)
				return port_init(p, fd, false, err);
			if (waited % PORT_COMPLAIN_MS == 0 && waited)
				text_log("cannot open %s: %s", use, strerror(errno));
		} else if (waited % PORT_COMPLAIN_MS == 0 && waited) {
			text_log("no virtio-serial port is called " WIRE_PORT_NAME);
		}
		clock_sleep_ms(PORT_LOOK_MS);
	}
}

static void serve(void *arg, bool again)
{
	const struct options *o = arg;
	char modules[PATH_MAX], boot[PATH_MAX];
	/* Static: a session's buffers are larger than a kernel's idea of a polite stack frame. */
	static struct port port;
	struct session s = { .port = &port,
			     .probes = o->probes,
			     .put_dir = o->put_dir,
			     .modules = modules,
			     .owns_guest = o->init };
	struct err err;

	snprintf(modules, sizeof(modules), "%s/modules", o->config);
	snprintf(boot, sizeof(boot), "%s/boot", o->config);
	if (o->init) {
		/* A boot that goes no further has come so far: bisect/guest/console.c. */
		text_log(AMDGPU_BISECT_VERSION " begins");
		init_boot_modules(modules, boot);
		disk_mount_runtime();
		watchdog_start();
	}
	if (mkdir(o->put_dir, 0700) < 0 && errno != EEXIST)
		text_log("cannot make %s: %s", o->put_dir, strerror(errno));
	if (open_port(o, &port, &err) < 0) {
		text_log("%s", err.msg);
		return;
	}
	/* Whoever waits for an answer waits in vain. */
	if (again)
		port_fail(&port, WIRE_HELLO, "the agent crashed and was started again");
	session_serve(&s);
}

static void parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "fd", required_argument, NULL, 'f' },
		{ "probes", required_argument, NULL, 'r' },
		{ "put-dir", required_argument, NULL, 'd' },
		{ "config", required_argument, NULL, 'c' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t number;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (option) {
		case 'p':
			o->port = optarg;
			break;
		case 'f':
			if (!str_to_u64(optarg, INT_MAX, &number)) {
				text_log("--fd takes the number of an open descriptor");
				exit(2);
			}
			o->fd = (int)number;
			break;
		case 'r':
			o->probes = optarg;
			break;
		case 'd':
			o->put_dir = optarg;
			break;
		case 'c':
			o->config = optarg;
			break;
		case 'v':
			puts("amdgpu-bisect-agent " AMDGPU_BISECT_VERSION);
			exit(0);
		case 'h':
			fputs(help, stdout);
			exit(0);
		default:
			exit(2);
		}
	}
	if (optind < argc) {
		text_log("'%s' is no option; see --help", argv[optind]);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct options o = {
		.fd = -1,
		.probes = "/usr/libexec/amdgpu-bisect",
		.put_dir = "/run/amdgpu-bisect",
		.config = INIT_CONFIG,
		.init = getpid() == 1,
	};

	/* The kernel hands PID 1 whatever it did not know of its own command line. */
	if (o.init)
		init_run(serve, &o);
	parse_options(argc, argv, &o);
	signal(SIGPIPE, SIG_IGN);
	serve(&o, false);
	return 0;
}
