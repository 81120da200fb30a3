// SPDX-License-Identifier: GPL-2.0-or-later
/* One running guest, from its XML to its end: see domain.h. */
#include "guest/virt/domain.h"

#include "base/str.h"

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
	if (event == VIR_DOMAIN_EVENT_CRASHED)
		atomic_store(&wake->panicked, true);
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

int domain_create(struct virt *v, const char *xml, struct wake *wake, struct domain **ret,
		  struct err *err)
{
	_cleanup_(domain_destroy_p) struct domain *d = xcalloc(1, sizeof(*d));
	unsigned int flags = VIR_DOMAIN_START_PAUSED;

	if (virt_autodestroy(v))
		flags |= VIR_DOMAIN_START_AUTODESTROY;
	d->virt = v;
	d->callback = -1;
	d->dom = virDomainCreateXML(virt_conn(v), xml, flags);
	if (!d->dom)
		return virt_error(err, "cannot start the guest");
	d->callback = virConnectDomainEventRegisterAny(
		virt_conn(v), d->dom, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
		VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle), wake_ref(wake), let_go);
	if (d->callback < 0) {
		wake_unref(wake);
		return virt_error(err, "cannot watch the guest");
	}
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
