// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * After a trial: a thread of the rig ends its domain, so that the next candidate need not wait.
 *
 * Guests restored from one save have one name and one UUID, and libvirt runs one domain of a UUID at a
 * time; it lets neither be changed on the way (virDomainRestoreFlags() compares both). So the next of
 * them starts when the last has ended, and that has to be quick: nothing in a guest is worth QEMU's
 * orderly end. A QEMU that is killed, and whose end is noted (child.h), is gone in some 10 ms and its domain
 * in 25 to 230 ms, most of which pass while the next candidate is got ready; virDomainDestroy() alone took
 * 1.2 to 2.1 s. Two saves by turns would cost twice the disk and twice the boot to be spared that.
 */
#include "guest/virt/reaper.h"

#include <libvirt/virterror.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "guest/virt/slot.h"

#define WAITING_MAX 2
#define TRIES	    3 /* libvirt gives up on a QEMU that does not die in time; it dies later */

struct reaper {
	const char *root;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	virDomainPtr waiting[WAITING_MAX];
	int n;
	bool busy, closing;
};

/* By its number, which no other domain gets: its UUID may be another's by now. */
static bool is_there(virDomainPtr dom)
{
	virDomainPtr same = virDomainLookupByID(virDomainGetConnect(dom), virDomainGetID(dom));

	if (same)
		virDomainFree(same);
	return same;
}

/* Of a QEMU that ended by itself it may tell why; of others it only fills the memory that /run is. */
static void forget_log(const char *root, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/log/qemu/%s.log", root, name);

	unlink(path);
}

static void end_domain(const struct reaper *r, virDomainPtr dom)
{
	pid_t qemu = r->root && is_there(dom) ? slot_pid(r->root, virDomainGetName(dom)) : 0;

	if (qemu > 0)
		kill(qemu, SIGKILL);
	for (int i = 0; i < TRIES; i++) {
		int code;

		if (!is_there(dom) || virDomainDestroy(dom) == 0)
			break;
		code = virGetLastErrorCode();
		if (code == VIR_ERR_OPERATION_INVALID || code == VIR_ERR_NO_DOMAIN)
			break; /* it ended by itself */
		clock_sleep_ms(500);
	}
	if (qemu > 0)
		forget_log(r->root, virDomainGetName(dom));
	virDomainFree(dom);
}

static void *reaper_run(void *arg)
{
	struct reaper *r = arg;

	pthread_mutex_lock(&r->lock);
	while (r->n || !r->closing) {
		virDomainPtr dom;

		if (!r->n) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		dom = r->waiting[--r->n];
		r->busy = true;
		pthread_mutex_unlock(&r->lock);
		end_domain(r, dom);
		pthread_mutex_lock(&r->lock);
		r->busy = false;
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int reaper_create(const char *root, struct reaper **ret, struct err *err)
{
	struct reaper *r = xcalloc(1, sizeof(*r));

	r->root = root;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	if (pthread_create(&r->thread, NULL, reaper_run, r) != 0) {
		pthread_cond_destroy(&r->changed);
		pthread_mutex_destroy(&r->lock);
		free(r);
		return err_set(err, ERR_HOST, "cannot start a thread");
	}
	*ret = r;
	return 0;
}

void reaper_destroy(struct reaper *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->closing = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void reaper_add(struct reaper *r, virDomainPtr dom)
{
	pthread_mutex_lock(&r->lock);
	while (r->n + r->busy >= WAITING_MAX)
		pthread_cond_wait(&r->changed, &r->lock);
	r->waiting[r->n++] = dom;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void reaper_settle(struct reaper *r)
{
	pthread_mutex_lock(&r->lock);
	while (r->n || r->busy)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
}
