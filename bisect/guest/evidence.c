// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trial has gone wrong and its guest is still there: its registers cost nothing, its memory is
 * written when asked for. QEMU's monitor is asked from a thread of its own: if QEMU hangs, so does
 * libvirt's call, until the domain is destroyed. Nobody waits for it that long.
 */
#include "guest/evidence.h"

#include <ctype.h>
#include <libvirt/libvirt-qemu.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define REGISTERS_MS 5000
#define CORE_MS	     120000
#define ALL_CPUS     "info registers -a"

/* Shared by the one who asks and the thread that is asked; the last to leave frees it. */
struct question {
	atomic_int refs;
	virDomainPtr dom;
	char *registers; /* path */
	char *core;	 /* path, or NULL */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool done;
	char rip[32];
	bool have_core;
};

static void let_go(struct question *q)
{
	if (atomic_fetch_sub(&q->refs, 1) > 1)
		return;
	virDomainFree(q->dom);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->changed);
	free(q->registers);
	free(q->core);
	free(q);
}

/* "RIP=ffffffff81a1b2c3 RFL=00000246 [--- ZFP-]", after "CPU#0" and the general ones. */
bool evidence_rip(const char *registers, char *ret, size_t size)
{
	const char *at = strstr(registers, "RIP=");
	size_t n = 0;

	while (at && isxdigit((unsigned char)at[4 + n]))
		n++;
	if (n == 0 || n >= size)
		return false;
	str_copy(ret, n + 1, at + 4);
	return true;
}

static void ask_registers(struct question *q, char rip[32])
{
	struct err ignored;
	char *text = NULL;

	if (virDomainQemuMonitorCommand(q->dom, ALL_CPUS, &text,
					VIR_DOMAIN_QEMU_MONITOR_COMMAND_HMP) < 0)
		return;
	if (fs_write(q->registers, text, strlen(text), &ignored) == 0)
		evidence_rip(text, rip, 32);
	free(text);
}

static bool ask_core(struct question *q)
{
	return virDomainCoreDumpWithFormat(q->dom, q->core, VIR_DOMAIN_CORE_DUMP_FORMAT_KDUMP_ZLIB,
					   VIR_DUMP_MEMORY_ONLY) == 0;
}

static void *ask(void *arg)
{
	struct question *q = arg;
	char rip[32] = "";
	bool have_core;

	ask_registers(q, rip);
	have_core = q->core && ask_core(q);
	pthread_mutex_lock(&q->lock);
	str_copy(q->rip, sizeof(q->rip), rip);
	q->have_core = have_core;
	q->done = true;
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
	let_go(q);
	return NULL;
}

static void wait_for(struct question *q, int64_t limit_ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += limit_ms / 1000;
	pthread_mutex_lock(&q->lock);
	while (!q->done && pthread_cond_timedwait(&q->changed, &q->lock, &end) == 0)
		;
	pthread_mutex_unlock(&q->lock);
}

static bool say(struct question *q, char *text, size_t size)
{
	bool ret;

	pthread_mutex_lock(&q->lock);
	ret = q->have_core;
	if (*q->rip)
		snprintf(text, size, "RIP %s, see " EVIDENCE_REGISTERS "%s", q->rip,
			 q->have_core ? " and " EVIDENCE_CORE : "");
	else if (q->have_core)
		snprintf(text, size, "see " EVIDENCE_CORE);
	pthread_mutex_unlock(&q->lock);
	return ret;
}

bool evidence_take(const struct domain *d, const char *dir, const char *core, char *text,
		   size_t size)
{
	struct question *q = xcalloc(1, sizeof(*q));
	pthread_condattr_t steady;
	pthread_t thread;
	bool ret;

	*text = '\0';
	q->refs = 2;
	q->dom = domain_handle(d);
	virDomainRef(q->dom);
	q->registers = str_printf("%s/" EVIDENCE_REGISTERS, dir);
	q->core = xstrdup(core);
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&q->changed, &steady);
	pthread_condattr_destroy(&steady);
	if (pthread_create(&thread, NULL, ask, q) != 0) {
		let_go(q);
		let_go(q);
		return false;
	}
	pthread_detach(thread);
	wait_for(q, core ? CORE_MS : REGISTERS_MS);
	ret = say(q, text, size);
	let_go(q);
	return ret;
}
