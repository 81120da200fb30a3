// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Beside the agent the kernel itself speaks, on the serial console: a panic or an oops is known
 * here and nowhere else. All of it is the guest's, so it may be any bytes, and may lie.
 *
 * Source of the phrases: kernel/panic.c, arch/x86/kernel/dumpstack.c, arch/x86/mm/fault.c,
 * kernel/hung_task.c, kernel/watchdog.c, kernel/rcu/tree_stall.h.
 */
#include "guest/talk/console.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define POLL_BYTES (UINT64_C(1) << 20) /* at most this at one poll, so that no flood keeps us */

/* How a boot gets on; the agent's is in guest-agent/agent/main.c. */
static const char kernel_phrase[] = "Linux version ";
static const char agent_phrase[] = "amdgpu-bisect-agent: ";

static const char panic_phrase[] = "Kernel panic - not syncing";

/* First lines of an oops; the line with " [#1]" follows some of them and opens the others. */
static const char *const oops_phrases[] = {
	"BUG: kernel NULL pointer dereference",
	"BUG: unable to handle",
	"kernel BUG at ",
	"general protection fault",
	"traps: PANIC: double fault",
	"Oops: ",
	"Oops - ",
	"invalid opcode: ",
	"divide error: ",
	"stack guard page was hit",
	"invalid op: ",
};

static const char *const stuck_phrases[] = {
	"blocked for more than", "soft lockup",		"hard LOCKUP",
	"detected stall",	 "self-detected stall", "workqueue lockup",
};

/* mm/oom_kill.c; a cgroup's limit is said otherwise, and is no matter of the guest's memory. */
static const char oom_phrase[] = "Out of memory: Killed process";

/* Told by a boot that goes no further. */
static const char *const boot_phrases[] = {
	"Failed to execute",	      "No working init found", "Unable to mount root",
	"Initramfs unpacking failed", "amdgpu-bisect-agent: ",
};

void console_init(struct console *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	c->fd = -1;
	c->path = path;
}

void console_deinit(struct console *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	buf_deinit(&c->heard);
}

void console_clean(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = *s == '\t' ? ' ' : '?';
}

static bool has_any(const char *line, const char *const *phrases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(line, phrases[i]))
			return true;
	return false;
}

/* Skips "[   12.345678] " and "[   12.345678][    T1] ". */
static const char *after_stamp(const char *s)
{
	while (*s == '[') {
		const char *end = strchr(s, ']');

		if (!end || !(isdigit((unsigned char)end[-1])))
			break;
		s = end + 1;
		s += *s == ' ';
	}
	return s;
}

static void judge_line(struct console *c, const char *line)
{
	c->kernel_began |= str_starts(line, kernel_phrase);
	c->agent_began |= str_starts(line, agent_phrase);
	if (!*c->panic && strstr(line, panic_phrase))
		str_copy(c->panic, sizeof(c->panic), line);
	if (!*c->oops &&
	    (has_any(line, oops_phrases, ARRAY_SIZE(oops_phrases)) || strstr(line, " [#1]")))
		str_copy(c->oops, sizeof(c->oops), line);
	else if (*c->oops && !*c->rip && strstr(line, "RIP: "))
		str_copy(c->rip, sizeof(c->rip), strstr(line, "RIP: ") + 5);
	if (has_any(line, stuck_phrases, ARRAY_SIZE(stuck_phrases)))
		str_copy(c->stuck, sizeof(c->stuck), line);
	if (strstr(line, oom_phrase))
		str_copy(c->oom, sizeof(c->oom), line);
}

static void hear(struct console *c, const char *line)
{
	size_t len = strlen(line);

	if (c->heard.len + len + 1 > CONSOLE_HEARD) {
		c->listens = false; /* a later line that fits would stand in a wrong place */
		return;
	}
	buf_add(&c->heard, line, len);
	buf_puts(&c->heard, "\n");
}

static void end_line(struct console *c)
{
	const char *line;

	c->line[c->len] = '\0';
	console_clean(c->line);
	line = after_stamp(c->line);
	c->len = 0;
	if (line[strspn(line, " ?")] == '\0')
		return;
	if (c->listens)
		hear(c, line);
	judge_line(c, line);
	if (str_starts(line, agent_phrase) && str_ends(line, " begins"))
		return; /* tells nothing more */
	str_copy(c->last[c->n_last++ % CONSOLE_LAST], CONSOLE_LINE, line);
}

void console_feed(struct console *c, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n')
			end_line(c);
		else if (data[i] != '\r' && c->len < sizeof(c->line) - 1)
			c->line[c->len++] = data[i] ? data[i] : '?';
	}
}

bool console_poll(struct console *c)
{
	uint64_t end = c->bytes + POLL_BYTES;
	char chunk[16384];
	ssize_t n;

	if (c->fd < 0)
		c->fd = open(c->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	while (c->fd >= 0 && c->bytes < end && (n = read(c->fd, chunk, sizeof(chunk))) > 0) {
		c->bytes += (uint64_t)n;
		console_feed(c, chunk, (size_t)n);
	}
	return c->bytes <= CONSOLE_BYTES;
}

void console_forget(struct console *c)
{
	c->oops[0] = c->rip[0] = c->stuck[0] = c->oom[0] = '\0';
	c->n_last = 0;
}

void console_listen(struct console *c)
{
	c->listens = true;
}

char *console_heard(struct console *c)
{
	if (c->listens && c->len) {
		c->line[c->len] = '\0';
		console_clean(c->line);
		hear(c, after_stamp(c->line));
	}
	c->listens = false;
	return buf_take(&c->heard);
}

void console_oops_text(const struct console *c, char *ret, size_t size)
{
	const char *rip = c->rip;

	if (str_starts(rip, "0010:"))
		rip += 5;
	snprintf(ret, size, "%s%s%s", c->oops, *rip ? " in " : "", rip);
}

/* The newest of the last lines that tells why a boot went no further, or NULL. */
static const char *telling_line(const struct console *c)
{
	size_t n = c->n_last < CONSOLE_LAST ? c->n_last : CONSOLE_LAST;

	for (size_t i = 0; i < n; i++) {
		const char *line = c->last[(c->n_last - 1 - i) % CONSOLE_LAST];

		if (has_any(line, boot_phrases, ARRAY_SIZE(boot_phrases)))
			return line;
	}
	return NULL;
}

void console_last_words(const struct console *c, char *ret, size_t size)
{
	const char *line = telling_line(c);

	if (*c->panic)
		str_copy(ret, size, c->panic);
	else if (*c->stuck)
		str_copy(ret, size, c->stuck);
	else if (*c->oom)
		str_copy(ret, size, c->oom);
	else if (*c->oops)
		console_oops_text(c, ret, size);
	else if (line)
		str_copy(ret, size, line);
	else if (c->len) /* it did not even end its line */
		snprintf(ret, size, "%.*s", (int)c->len, c->line);
	else if (c->n_last)
		str_copy(ret, size, c->last[(c->n_last - 1) % CONSOLE_LAST]);
	else
		str_copy(ret, size, "nothing on its console");
	console_clean(ret);
}
