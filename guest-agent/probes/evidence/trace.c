// SPDX-License-Identifier: GPL-2.0-or-later
/* Kprobes by tracefs: see trace.h. */
#include "guest-agent/probes/evidence/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define TRACEFS	 "/sys/kernel/tracing"
#define INSTANCE TRACEFS "/instances/amdgpu-bisect"
#define EVENTS	 INSTANCE "/events/amdgpu_bisect"
#define TEXT_MAX (4 << 20) /* a window is one call of the driver's: two lines of 100 bytes */

static bool write_text(const char *path, const char *text, int flags)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC | flags);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool add_probe(const char *text)
{
	return write_text(TRACEFS "/kprobe_events", text, O_APPEND);
}

/* As much of it as there is, ended by NUL; freed by the caller. */
static char *read_text(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = xmalloc(TEXT_MAX + 1);
	size_t len = 0;
	ssize_t n;

	while (fd >= 0 && len < TEXT_MAX && (n = read(fd, text + len, TEXT_MAX - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return text;
}

static bool mount_tracefs(char *why, size_t size)
{
	if (access(TRACEFS "/kprobe_events", W_OK) == 0)
		return true;
	if (mount("tracefs", TRACEFS, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 &&
	    errno != EBUSY) {
		snprintf(why, size, "no tracefs: %m");
		return false;
	}
	if (access(TRACEFS "/kprobe_events", W_OK) == 0)
		return true;
	snprintf(why, size, "no kprobe events: %m");
	return false;
}

/* The filter is part of a histogram's name: the command that clears it must have it too. */
static bool count(const char *command)
{
	_cleanup_free_ char *text =
		str_printf("hist:keys=ret%s if common_pid == %d", command, (int)getpid());

	return write_text(EVENTS "/hmm/trigger", text, 0);
}

/* Ours only: an own instance, and filters on this process. */
static bool enable(struct trace *t)
{
	_cleanup_free_ char *pid = str_printf("%d", (int)getpid());

	if (mkdir(INSTANCE, 0700) < 0 && errno != EEXIST)
		return false;
	if (t->hmm)
		t->hmm = count("");
	if (t->driver)
		t->driver = write_text(INSTANCE "/set_event_pid", pid, 0) &&
			    write_text(EVENTS "/driver_in/enable", "1", 0) &&
			    write_text(EVENTS "/driver_out/enable", "1", 0);
	return t->hmm || t->driver;
}

bool trace_open(struct trace *t, char *why, size_t size)
{
	*t = (struct trace){ 0 };
	if (!mount_tracefs(why, size))
		return false;
	trace_close(t); /* what a killed probe left */
	t->hmm = add_probe("r:amdgpu_bisect/hmm hmm_range_fault ret=$retval:s32\n");
	t->driver = add_probe("p:amdgpu_bisect/driver_in amdgpu_hmm_range_get_pages\n") &&
		    add_probe("r:amdgpu_bisect/driver_out amdgpu_hmm_range_get_pages\n");
	if (!t->hmm || !t->driver)
		snprintf(why, size, "the kernel cannot probe %s%s%s",
			 t->hmm ? "" : "hmm_range_fault", t->hmm || t->driver ? "" : " and ",
			 t->driver ? "" : "amdgpu_hmm_range_get_pages");
	if ((t->hmm || t->driver) && !enable(t)) {
		snprintf(why, size, "the probes cannot be switched on: %m");
		return false;
	}
	return t->hmm || t->driver;
}

void trace_begin(const struct trace *t)
{
	if (t->driver)
		write_text(INSTANCE "/trace", "", O_TRUNC);
	if (t->hmm)
		count(":clear");
}

void trace_end(const struct trace *t, struct wire_sample *s)
{
	_cleanup_free_ char *histogram = NULL, *calls = NULL;

	if (t->hmm) {
		histogram = read_text(EVENTS "/hmm/hist");
		trace_histogram(histogram, &s->hmm_calls, &s->hmm_busy);
	}
	if (t->driver) {
		calls = read_text(INSTANCE "/trace");
		trace_inside(calls, &s->driver_calls, &s->driver_ns);
	}
}

/* The instance first: it holds the events. */
void trace_close(struct trace *t)
{
	*t = (struct trace){ 0 };
	if (rmdir(INSTANCE) < 0 && errno == ENOENT && access(TRACEFS "/kprobe_events", F_OK) < 0)
		return;
	add_probe("-:amdgpu_bisect/hmm\n");
	add_probe("-:amdgpu_bisect/driver_in\n");
	add_probe("-:amdgpu_bisect/driver_out\n");
}
