// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An agent that misbehaves as the kernel's command line says, and is the real one otherwise:
 *
 *	amdgpu_bisect.fault=FAULT[@LABEL][,FAULT[@LABEL]...]
 *
 * A fault with a label is for the candidate of that label only (amdgpu_bisect.candidate=), given
 * short or long. It is built from the real agent's sources: what a fault leaves alone is real.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/init.h"
#include "agent/load.h"
#include "agent/port.h"
#include "agent/put.h"
#include "base/clock.h"
#include "base/str.h"

#define CONFIG	"/etc/amdgpu-bisect"
#define PUT_DIR "/run/amdgpu-bisect"

int agent_main(int argc, char **argv); /* main() of the real one */

enum fault {
	FAULT_NONE, /* answers, and measures something plausible */
	FAULT_NO_HELLO,
	FAULT_PANIC_EARLY, /* PID 1 ends: the kernel panics */
	FAULT_PANIC_IN_PROBE,
	FAULT_WRONG_NONCE,
	FAULT_WRONG_VERSION,
	FAULT_FLOOD, /* notes without end */
	FAULT_FLOOD_CONSOLE,
	FAULT_HALF_LINE,
	FAULT_HUGE_LINE,
	FAULT_BAD_JSON,
	FAULT_LIE,	 /* more resident extents than extents */
	FAULT_LIE_CLOCK, /* a copy of an hour */
	FAULT_EXIT_AFTER_HELLO,
	FAULT_EXIT_IN_PROBE,
	FAULT_HANG_IN_LOAD,
	FAULT_HANG_IN_PROBE,
	FAULT_CLOSE_IN_LOAD, /* its port, and lives on */
	FAULT_DEAF, /* does not read what is put */
	FAULT_MISMATCH,
	FAULT_SAMPLES_WITHOUT_END,
	FAULTS
};

static const char *const names[] = {
	[FAULT_NONE] = "none",
	[FAULT_NO_HELLO] = "no-hello",
	[FAULT_PANIC_EARLY] = "panic-early",
	[FAULT_PANIC_IN_PROBE] = "panic-in-probe",
	[FAULT_WRONG_NONCE] = "wrong-nonce",
	[FAULT_WRONG_VERSION] = "wrong-version",
	[FAULT_FLOOD] = "flood",
	[FAULT_FLOOD_CONSOLE] = "flood-console",
	[FAULT_HALF_LINE] = "half-line",
	[FAULT_HUGE_LINE] = "huge-line",
	[FAULT_BAD_JSON] = "bad-json",
	[FAULT_LIE] = "lie",
	[FAULT_LIE_CLOCK] = "lie-clock",
	[FAULT_EXIT_AFTER_HELLO] = "exit-after-hello",
	[FAULT_EXIT_IN_PROBE] = "exit-in-probe",
	[FAULT_HANG_IN_LOAD] = "hang-in-load",
	[FAULT_HANG_IN_PROBE] = "hang-in-probe",
	[FAULT_CLOSE_IN_LOAD] = "close-in-load",
	[FAULT_DEAF] = "deaf",
	[FAULT_MISMATCH] = "mismatch",
	[FAULT_SAMPLES_WITHOUT_END] = "samples-without-end",
};
static_assert(ARRAY_SIZE(names) == FAULTS, "a fault has no name");

/* A value of the kernel's command line, empty if it is not there. */
static void argument(const char *key, char *ret, size_t size)
{
	char line[4096] = "";
	char *word, *rest = line;
	int fd;
	ssize_t n;

	mkdir("/proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	line[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	*ret = '\0';
	while ((word = strsep(&rest, " \n")) != NULL)
		if (str_starts(word, key) && word[strlen(key)] == '=')
			str_copy(ret, size, word + strlen(key) + 1);
}

/* One label twice; a commit id may be given short or long. */
static bool same_label(const char *a, const char *b)
{
	size_t n = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

	if (n >= 7 && strspn(a, "0123456789abcdef") >= n && strspn(b, "0123456789abcdef") >= n)
		return strncmp(a, b, n) == 0;
	return strcmp(a, b) == 0;
}

/* The fault this candidate is to show, or FAULTS. */
static enum fault chosen(void)
{
	char list[2048], label[64];
	char *item, *rest = list;

	argument("amdgpu_bisect.fault", list, sizeof(list));
	argument("amdgpu_bisect.candidate", label, sizeof(label));
	while ((item = strsep(&rest, ",")) != NULL) {
		const char *name = strsep(&item, "@");

		if (item && !same_label(item, label))
			continue;
		for (unsigned int i = 0; i < FAULTS; i++)
			if (strcmp(name, names[i]) == 0)
				return i;
	}
	return FAULTS;
}

static _Noreturn void hang(void)
{
	for (;;)
		pause();
}

static void raw(struct port *p, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(p->fd, data, len);

		if (n > 0) {
			data += n;
			len -= (size_t)n;
		} else {
			clock_sleep_ms(1);
		}
	}
}

static _Noreturn void power_off(void)
{
	reboot(RB_POWER_OFF);
	hang();
}

static _Noreturn void panic_now(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	ssize_t n = write(fd, "c", 1);

	(void)n;
	hang();
}

static _Noreturn void flood(struct port *p)
{
	for (;;)
		port_note(p, "water", 5);
}

static _Noreturn void flood_console(void)
{
	char line[1024];
	int fd = open("/dev/console", O_WRONLY | O_CLOEXEC);

	memset(line, 'x', sizeof(line));
	for (;;) {
		ssize_t n = write(fd, line, sizeof(line));

		(void)n;
	}
}

static void on_hello(struct port *p, enum fault fault, const struct wire_msg *m)
{
	struct wire_msg answer = { .type = WIRE_HELLO, .hello.version = WIRE_VERSION };
	char huge[3 * WIRE_LINE_MAX];

	str_copy(answer.hello.nonce, sizeof(answer.hello.nonce), m->hello.nonce);
	str_copy(answer.hello.agent, sizeof(answer.hello.agent), "hostile");
	str_copy(answer.hello.kernel, sizeof(answer.hello.kernel), "hostile");
	switch (fault) {
	case FAULT_NO_HELLO:
		hang();
	case FAULT_FLOOD:
		flood(p);
	case FAULT_FLOOD_CONSOLE:
		flood_console();
	case FAULT_HALF_LINE:
		raw(p, "{\"type\":\"hello\",\"ver", 20);
		hang();
	case FAULT_HUGE_LINE:
		memset(huge, '{', sizeof(huge));
		raw(p, huge, sizeof(huge));
		hang();
	case FAULT_WRONG_NONCE:
		answer.hello.nonce[0] = answer.hello.nonce[0] == '0' ? '1' : '0';
		break;
	case FAULT_WRONG_VERSION:
		answer.hello.version++;
		break;
	default:
		break;
	}
	port_send(p, &answer);
	if (fault == FAULT_EXIT_AFTER_HELLO)
		power_off();
}

static void on_put(struct port *p, enum fault fault, const struct wire_msg *m)
{
	struct wire_msg answer = { .type = WIRE_DONE, .done.of = WIRE_PUT };
	struct err err;

	if (fault == FAULT_DEAF)
		hang();
	str_copy(answer.done.name, sizeof(answer.done.name), m->put.name);
	if (put_receive(p, PUT_DIR, m->put.name, m->put.bytes, &err) < 0)
		port_fail(p, WIRE_PUT, err.msg);
	else
		port_send(p, &answer);
}

static void on_load(struct port *p, enum fault fault, const struct wire_msg *m)
{
	struct wire_msg answer;
	struct err err;

	if (fault == FAULT_CLOSE_IN_LOAD)
		close(p->fd);
	if (fault == FAULT_HANG_IN_LOAD || fault == FAULT_CLOSE_IN_LOAD)
		hang();
	if (load_module(PUT_DIR, CONFIG "/modules", m->load.name, m->load.params, m->load.limit_ms,
			&answer, &err) < 0) {
		port_fail(p, WIRE_LOAD, err.msg);
		return;
	}
	if (fault == FAULT_MISMATCH) {
		str_copy(answer.loaded.srcversion, sizeof(answer.loaded.srcversion), "0BADC0DE");
		str_copy(answer.loaded.build_id, sizeof(answer.loaded.build_id), "0badc0de");
	}
	port_send(p, &answer);
}

/* One copy of 4 MiB, two extents, all of them resident where the regime says so. */
static struct wire_msg plausible(enum wire_regime regime)
{
	struct wire_msg m = { .type = WIRE_SAMPLE };
	bool resident = regime != REGIME_RW_ABSENT;

	m.sample.regime = regime;
	m.sample.bytes = 4 << 20;
	m.sample.elapsed_ns = 3 * NS_PER_MS;
	m.sample.extents = 2;
	m.sample.resident = resident ? 2 : 0;
	m.sample.present[0] = resident ? 3 : 0;
	m.sample.pages_present = resident ? 1024 : 0;
	m.sample.calls = 1;
	return m;
}

static _Noreturn void samples_without_end(struct port *p)
{
	for (;;)
		for (unsigned int r = 0; r < REGIME_COUNT; r++) {
			struct wire_msg m = plausible(r);

			m.sample.elapsed_ns = 0;
			port_send(p, &m);
		}
}

static void on_probe(struct port *p, enum fault fault)
{
	static const char lie[] =
		"{\"type\":\"sample\",\"regime\":\"rw-p resident\",\"warmup\":false,\"repeat\":0,"
		"\"bytes\":4194304,\"offset\":0,\"elapsed_ns\":3000000,\"extents\":2,\"resident\":"
		"9,"
		"\"present\":\"00000000000001ff\",\"pages_present\":1024,\"restarts\":0,\"calls\":"
		"1,"
		"\"result\":0,\"read_permission\":false}\n";
	struct wire_msg end = { .type = WIRE_PROBE_END, .probe_end.how = PROBE_EXITED };

	for (unsigned int r = 0; r < REGIME_COUNT; r++) {
		struct wire_msg m = plausible(r);

		if (fault == FAULT_LIE_CLOCK)
			m.sample.elapsed_ns = 3600 * NS_PER_S;
		port_send(p, &m);
	}
	switch (fault) {
	case FAULT_LIE:
		raw(p, lie, sizeof(lie) - 1);
		break;
	case FAULT_BAD_JSON:
		raw(p, "{\"type\":\"sample\",,}\n", 20);
		break;
	case FAULT_EXIT_IN_PROBE:
		power_off();
	case FAULT_PANIC_IN_PROBE:
		panic_now();
	case FAULT_HANG_IN_PROBE:
		hang();
	case FAULT_SAMPLES_WITHOUT_END:
		samples_without_end(p);
	default:
		break;
	}
	port_send(p, &end);
}

static void open_port(struct port *p)
{
	char path[256];
	struct err err;
	int fd;

	while (!port_find(path, sizeof(path)))
		clock_sleep_ms(5);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || port_init(p, fd, false, &err) < 0)
		hang();
}

static void serve(void *arg, bool again)
{
	enum fault fault = *(enum fault *)arg;
	static struct port port;
	const char *line;
	size_t len;

	(void)again;
	init_boot_modules(CONFIG "/modules", CONFIG "/boot");
	mkdir(PUT_DIR, 0700);
	open_port(&port);
	for (;;) {
		struct wire_msg m;
		struct err err;

		if (port_line(&port, &line, &len) != PORT_LINE ||
		    wire_decode(line, len, &m, &err) < 0)
			continue;
		if (m.type == WIRE_HELLO)
			on_hello(&port, fault, &m);
		else if (m.type == WIRE_PUT)
			on_put(&port, fault, &m);
		else if (m.type == WIRE_LOAD)
			on_load(&port, fault, &m);
		else if (m.type == WIRE_PROBE)
			on_probe(&port, fault);
	}
}

int main(int argc, char **argv)
{
	enum fault fault = chosen();

	if (fault == FAULTS)
		return agent_main(argc, argv);
	if (fault == FAULT_PANIC_EARLY)
		return 1;
	init_run(serve, &fault);
}
