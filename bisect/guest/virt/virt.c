// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One connection a rig. The embedded driver needs no daemon, but somebody must run libvirt's event
 * loop and end its domains: one thread of the process does the first, one of each rig the second,
 * since ending takes more than a second that the next candidate need not wait for.
 */
#include "guest/virt/virt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "base/spawn.h"
#include "base/stop.h"
#include "base/str.h"
#include "guest/remote/owner.h"
#include "guest/virt/reaper.h"
#include "guest/virt/slot.h"

#define REVIVE_TRIES 4
#define REVIVE_MS    1000 /* before the first, twice that before the next */
#define KEEPALIVE_S  5	  /* a daemon that does not answer for four times that is lost */

struct virt {
	virConnectPtr conn;
	char *uri; /* of a daemon, or NULL */
	struct owner self;
	char *owner;	  /* as text; NULL: no daemon */
	const char *root; /* of the embedded driver, or NULL */
	struct reaper *reaper;
};

/* The process's event loop; libvirt knows only one, and it cannot be ended for good. */
static struct {
	pthread_once_t once;
	pthread_t thread;
	bool running;
} loop = { .once = PTHREAD_ONCE_INIT };

static void *loop_run(void *arg)
{
	(void)arg;
	for (;;)
		if (virEventRunDefaultImpl() < 0)
			clock_sleep_ms(10);
	return NULL;
}

/* Rooms do not print, and nor does libvirt for us. */
static void keep_quiet(void *data, virErrorPtr error)
{
	(void)data;
	(void)error;
}

static void loop_start(void)
{
	virSetErrorFunc(NULL, keep_quiet);
	if (virEventRegisterDefaultImpl() < 0)
		return;
	loop.running = pthread_create(&loop.thread, NULL, loop_run, NULL) == 0;
}

int virt_error(struct err *err, const char *fmt, ...)
{
	const char *words = virGetLastErrorMessage();
	_cleanup_buf_ struct buf text = { 0 };
	bool full = strstr(words, "No space left") != NULL;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	return err_set(err, ERR_HOST, "%s: %s%s", text.data, words,
		       full ? "; free some space there, then try again" : "");
}

/* The first word in quotes of libvirt's message, for what is to be done about it. */
static void quoted(const char *words, char *ret, size_t size)
{
	const char *from = strchr(words, '\'');
	const char *to = from ? strchr(from + 1, '\'') : NULL;

	*ret = '\0';
	if (to && (size_t)(to - from) <= size)
		str_copy(ret, (size_t)(to - from), from + 1);
}

static int explain_open(const char *uri, struct err *err)
{
	const char *words = virGetLastErrorMessage();
	int code = virGetLastErrorCode();
	char name[64];

	quoted(words, name, sizeof(name));
	if (code == VIR_ERR_NO_CONNECT || strstr(words, "no connection driver") ||
	    strstr(words, "driver is not active") || strstr(words, "Failed to load module"))
		return err_set(err, ERR_USAGE,
			       "libvirt has no QEMU driver here (%s); `sudo apt "
			       "install libvirt-daemon-driver-qemu qemu-system-x86`",
			       words);
	if (strstr(words, "Failed to parse user") || strstr(words, "Failed to parse group"))
		return err_set(err, ERR_USAGE,
			       "libvirt wants the system user %s; `sudo adduser "
			       "--system --group --no-create-home %s`",
			       name, name);
	if (strstr(uri, "+ssh") && strstr(words, "reading data"))
		return err_set(
			err, ERR_USAGE,
			"no libvirt by way of ssh at %s (%s); see that ssh comes there without a "
			"question, and that libvirt's daemon runs",
			uri, words);
	if (code == VIR_ERR_AUTH_FAILED || code == VIR_ERR_ACCESS_DENIED ||
	    strstr(words, "ermission denied"))
		return err_set(err, ERR_USAGE,
			       "no right to open %s (%s); `sudo usermod -aG libvirt "
			       "$USER` and log in again, or leave --connect out",
			       uri, words);
	if (strstr(words, "Failed to connect socket"))
		return err_set(err, ERR_USAGE,
			       "no libvirt daemon answers at %s (%s); start it, or "
			       "leave --connect out",
			       uri, words);
	return virt_error(err, "cannot open libvirt at %s", uri);
}

static int check_uri(const char *uri, struct err *err)
{
	if (str_starts(uri, "qemu") && strstr(uri, "://"))
		return 0;
	return err_set(err, ERR_USAGE,
		       "%s is no URI of libvirt's QEMU driver; take qemu:///system, "
		       "qemu:///session, qemu+ssh://HOST/system, or leave --connect out",
		       uri);
}

bool virt_elsewhere(const struct virt *v)
{
	const char *slashes = v->uri ? strstr(v->uri, "://") : NULL;

	return slashes && slashes[3] != '/';
}

/* Asks for what the guest needs: this also fills libvirt's cache, 4 s the first time. */
static int check_emulator(const struct virt *v, struct err *err)
{
	_cleanup_free_ char *caps =
		virConnectGetDomainCapabilities(v->conn, NULL, "x86_64", "pc", "qemu", 0);
	_cleanup_free_ char *qemu = spawn_find("qemu-system-x86_64");

	if (caps)
		return 0;
	if (virt_elsewhere(v))
		return virt_error(err, "%s runs no x86-64 guest; is QEMU installed there?", v->uri);
	if (!qemu)
		return err_set(err, ERR_USAGE,
			       "no qemu-system-x86_64 here; `sudo apt install "
			       "qemu-system-x86`");
	return virt_error(err, "libvirt cannot use %s", qemu);
}

/* A daemon's guests outlive us: ours are marked, and those that nobody attends any more are ended. */
static void attend(struct virt *v)
{
	static atomic_uint rigs;

	if (!v->owner) {
		owner_self(atomic_fetch_add(&rigs, 1), &v->self);
		v->owner = owner_format(&v->self);
	}
	virConnectSetKeepAlive(v->conn, KEEPALIVE_S, 4);
	owner_clean(v->conn, &v->self);
}

void virt_tidy(const struct virt *v)
{
	if (v->root)
		slot_sweep();
	else
		owner_clean(v->conn, &v->self);
}

bool virt_offers_kvm(const struct virt *v, char *why, size_t size)
{
	_cleanup_free_ char *caps =
		virConnectGetDomainCapabilities(v->conn, NULL, "x86_64", "pc", "kvm", 0);

	snprintf(why, size, caps ? "is offered by libvirt there" : "not offered by libvirt there");
	return caps;
}

const char *virt_owner(const struct virt *v)
{
	return v->owner;
}

bool virt_lost(const struct virt *v)
{
	return v->uri && virConnectIsAlive(v->conn) != 1;
}

int virt_revive(struct virt *v, struct err *err)
{
	int64_t pause_ms = REVIVE_MS;
	virConnectPtr conn = NULL;

	if (!virt_lost(v))
		return 0;
	for (int i = 0; i < REVIVE_TRIES && !conn; i++, pause_ms *= 2) {
		clock_sleep_ms(pause_ms);
		if (stop_check(err) < 0)
			return -1;
		conn = virConnectOpen(v->uri);
	}
	if (!conn)
		return virt_error(
			err,
			"the connection to libvirt at %s was lost and does not come back; "
			"see to its daemon and the way there, then try again",
			v->uri);
	virConnectClose(v->conn);
	v->conn = conn;
	attend(v);
	return 0;
}

static int connect_to(struct virt *v, const char *uri, const char *cache_dir, struct err *err)
{
	_cleanup_free_ char *embed = NULL, *log = NULL;

	if (!uri) {
		if (slot_take(cache_dir, &v->root, err) < 0)
			return -1;
		embed = str_printf("qemu:///embed?root=%s", v->root);
		/* errors alone: it warns of each guest's rights */
		log = str_printf("4:file:%s/log/libvirt.log", v->root);
		setenv("LIBVIRT_LOG_OUTPUTS", log, 0); /* else it writes over the display */
		uri = embed;
	}
	if (check_uri(uri, err) < 0)
		return -1;
	pthread_once(&loop.once, loop_start);
	if (!loop.running)
		return err_set(err, ERR_HOST, "cannot start libvirt's event loop");
	v->conn = virConnectOpen(uri);
	if (!v->conn)
		return explain_open(uri, err);
	if (v->uri)
		attend(v);
	return check_emulator(v, err);
}

int virt_open(const char *uri, const char *cache_dir, struct virt **ret, struct err *err)
{
	_cleanup_(virt_close_p) struct virt *v = xcalloc(1, sizeof(*v));

	v->uri = xstrdup(uri);
	if (connect_to(v, uri, cache_dir, err) < 0 || reaper_create(v->root, &v->reaper, err) < 0)
		return -1;
	*ret = take_ptr(v);
	return 0;
}

void virt_close(struct virt *v)
{
	if (!v)
		return;
	reaper_destroy(v->reaper);
	if (v->conn)
		virConnectClose(v->conn);
	free(v->uri);
	free(v->owner);
	free(v);
}

virConnectPtr virt_conn(const struct virt *v)
{
	return v->conn;
}

const char *virt_root(const struct virt *v)
{
	return v->root;
}

bool virt_autodestroy(const struct virt *v)
{
	return !v->root;
}

void virt_reap(struct virt *v, virDomainPtr dom)
{
	reaper_add(v->reaper, dom);
}

void virt_settle(struct virt *v)
{
	reaper_settle(v->reaper);
}
