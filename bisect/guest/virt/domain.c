// SPDX-License-Identifier: GPL-2.0-or-later
/* One running guest, from its XML to its end: see domain.h. */
#include "guest/virt/domain.h"

#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "guest/virt/child.h"

#define OLD_MS	10000
#define LOOK_MS 5

struct domain {
	struct virt *virt;
	virDomainPtr dom;
	int callback; /* libvirt's id of the lifecycle callback, or -1 */
};

static int on_lifecycle(virConnectPtr conn, virDomainPtr dom, int event, int detail, void *opaque)
{
	struct wake *wake = opaque;

	(void)conn;
	(void)dom;
	if (event == VIR_DOMAIN_EVENT_SUSPENDED && detail == VIR_DOMAIN_EVENT_SUSPENDED_WATCHDOG)
		atomic_store(&wake->bitten, true);
	if (event == VIR_DOMAIN_EVENT_STOPPED && !atomic_load(&wake->ended)) {
		atomic_store(&wake->detail, detail);
		atomic_store(&wake->ended, true);
	}
	wake_raise(wake);
	return 0;
}

static void let_go(void *opaque)
{
	wake_unref(opaque);
}

static int watch(struct domain *d, struct wake *wake, struct err *err)
{
	if (virt_root(d->virt))
		child_watch(virt_root(d->virt), virDomainGetName(d->dom));
	d->callback = virConnectDomainEventRegisterAny(
		virt_conn(d->virt), d->dom, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
		VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle), wake_ref(wake), let_go);
	if (d->callback < 0) {
		wake_unref(wake);
		return virt_error(err, "cannot watch the guest");
	}
	return 0;
}

static struct domain *domain_new(struct virt *v)
{
	struct domain *d = xcalloc(1, sizeof(*d));

	d->virt = v;
	d->callback = -1;
	return d;
}

int domain_create(struct virt *v, const char *xml, struct wake *wake, struct domain **ret,
		  struct err *err)
{
	_cleanup_(domain_destroy_p) struct domain *d = domain_new(v);
	unsigned int flags = VIR_DOMAIN_START_PAUSED;

	if (virt_autodestroy(v))
		flags |= VIR_DOMAIN_START_AUTODESTROY;
	child_adopt();
	d->dom = virDomainCreateXML(virt_conn(v), xml, flags);
	child_adopt_end();
	if (!d->dom)
		return virt_error(err, "cannot start the guest");
	if (watch(d, wake, err) < 0)
		return -1;
	*ret = take_ptr(d);
	return 0;
}

int domain_save(struct domain *d, const char *path, struct err *err)
{
	return virDomainSaveFlags(d->dom, path, NULL, 0) < 0
		       ? virt_error(err, "cannot save the guest")
		       : 0;
}

int domain_wait(struct virt *v, const char *uuid, struct err *err)
{
	int64_t end = clock_now_ns() + OLD_MS * NS_PER_MS;

	virt_settle(v);
	for (;;) {
		virDomainPtr old = virDomainLookupByUUIDString(virt_conn(v), uuid);

		if (!old)
			return 0;
		virDomainFree(old);
		if (clock_now_ns() > end)
			return err_set(err, ERR_HOST, "the last guest does not end");
		clock_sleep_ms(LOOK_MS);
	}
}

/* A domain that cannot be found any more may be still on its way out of the driver's lists. */
static int restore(struct virt *v, const char *path, const char *xml)
{
	int64_t end = clock_now_ns() + OLD_MS * NS_PER_MS;

	while (virDomainRestoreFlags(virt_conn(v), path, xml, VIR_DOMAIN_SAVE_PAUSED) < 0) {
		if (!strstr(virGetLastErrorMessage(), "being removed") || clock_now_ns() > end)
			return -1;
		clock_sleep_ms(LOOK_MS);
	}
	return 0;
}

int domain_restore(struct virt *v, const char *path, const char *uuid, const char *xml,
		   struct wake *wake, struct domain **ret, struct err *err)
{
	_cleanup_(domain_destroy_p) struct domain *d = domain_new(v);
	int got;

	if (domain_wait(v, uuid, err) < 0)
		return -1;
	child_adopt();
	got = restore(v, path, xml);
	child_adopt_end();
	if (got < 0)
		return virt_error(err, "cannot restore the guest");
	d->dom = virDomainLookupByUUIDString(virt_conn(v), uuid);
	if (!d->dom)
		return virt_error(err, "the restored guest is not there");
	if (watch(d, wake, err) < 0)
		return -1;
	*ret = take_ptr(d);
	return 0;
}

int domain_resume(struct domain *d, struct err *err)
{
	return virDomainResume(d->dom) < 0 ? virt_error(err, "cannot start the guest") : 0;
}

void domain_destroy(struct domain *d)
{
	if (!d)
		return;
	if (d->callback >= 0)
		virConnectDomainEventDeregisterAny(virt_conn(d->virt), d->callback);
	if (d->dom)
		virt_reap(d->virt, d->dom);
	free(d);
}

virDomainPtr domain_handle(const struct domain *d)
{
	return d->dom;
}

/* With on_reboot=destroy a reset is a shutdown, and a guest that powers itself off is not ours. */
enum trial_end domain_trial_end(int detail)
{
	switch (detail) {
	case VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN:
		return TRIAL_RESET;
	case VIR_DOMAIN_EVENT_STOPPED_FAILED:
		return TRIAL_EMULATOR;
	default:
		return TRIAL_DIED;
	}
}

const char *domain_end_text(int detail)
{
	switch (detail) {
	case VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN:
		return "it shut itself down or reset itself, by a triple fault for one";
	case VIR_DOMAIN_EVENT_STOPPED_CRASHED:
		return "it crashed";
	case VIR_DOMAIN_EVENT_STOPPED_FAILED:
		return "QEMU ended; see its log, or give the guest less memory";
	case VIR_DOMAIN_EVENT_STOPPED_DESTROYED:
		return "somebody ended it";
	default:
		return "it ended";
	}
}
