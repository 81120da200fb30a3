// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Around all guests of a run with a card: the journal is on the disk before the first driver is touched
 * and goes only once all are back, so that whoever comes next can finish what a killed run began.
 *
 *	BASE/cards/0000:03:00.0		journal
 *	BASE/cards/0000:03:00.0.lock	held by the living
 *
 * BASE is where libvirt's slots are (virt/slot.h), gone after a reboot like the bindings themselves.
 */
#include "guest/gpu/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <string.h>
#include <sys/file.h>

#include "base/clock.h"
#include "base/fs.h"
#include "guest/gpu/journal.h"
#include "guest/gpu/sysfs.h"
#include "guest/gpu/users.h"
#include "guest/virt/slot.h"

#define VFIO	     "vfio-pci"
#define LET_GO_MS    5000 /* QEMU that is being killed closes the group */
#define BOUND_MS     2000 /* a driver that is probed apart from its caller */
#define OVERRIDE_OFF "\n" /* Documentation/ABI/testing/sysfs-bus-pci, driver_override */

DEFINE_CLEANUP(struct kmod_ctx *, kmod_unref)

struct hold {
	struct card_roots roots;
	struct journal journal;
	char *path; /* of the journal; NULL: nothing is bound */
	int lock;
};

static char *cards_dir(struct err *err)
{
	_cleanup_free_ char *base = slot_base(err);

	return base ? str_printf("%s/cards", base) : NULL;
}

static bool put_device(const struct card_roots *r, const char *address, const char *file,
		       const char *text)
{
	_cleanup_free_ char *dir = str_printf("%s/bus/pci/devices/%s", r->sys, address);

	return sysfs_put(dir, file, text);
}

static void driver_of(const struct card_roots *r, const char *address, char *ret, size_t size)
{
	_cleanup_free_ char *dir = str_printf("%s/bus/pci/devices/%s", r->sys, address);
	_cleanup_free_ char *driver = sysfs_link(dir, "driver");

	str_copy(ret, size, driver ? driver : "");
}

static bool wait_bound(const struct card_roots *r, const char *address, const char *driver)
{
	int64_t end = clock_now_ns() + BOUND_MS * NS_PER_MS;
	char now[32];

	for (;;) {
		driver_of(r, address, now, sizeof(now));
		if (strcmp(now, driver) == 0)
			return true;
		if (clock_now_ns() >= end)
			return false;
		clock_sleep_ms(20);
	}
}

/* From whatever has it to @driver ("": none); @override stays in driver_override. */
static bool bind(const struct card_roots *r, const char *address, const char *driver,
		 const char *override)
{
	_cleanup_free_ char *bus = str_printf("%s/bus/pci", r->sys);
	_cleanup_free_ char *direct = str_printf("%s/drivers/%s", bus, driver);
	char now[32];

	put_device(r, address, "driver_override", *override ? override : OVERRIDE_OFF);
	driver_of(r, address, now, sizeof(now));
	if (strcmp(now, driver) == 0)
		return true;
	if (now[0])
		put_device(r, address, "driver/unbind", address);
	if (!*driver)
		return wait_bound(r, address, "");
	sysfs_put(bus, "drivers_probe", address);
	driver_of(r, address, now, sizeof(now));
	/* Where another driver would be probed first, the one that had it is named. */
	if (!now[0])
		sysfs_put(direct, "bind", address);
	return wait_bound(r, address, driver);
}

/*
 * True once all are back. What is bound to a third driver was taken by somebody else since; what its own never
 * let go of still has our driver_override, by which vfio-pci would get it the next time.
 */
static bool give_back(const struct card_roots *r, const struct journal *j)
{
	bool all = true;

	for (size_t i = 0; i < j->n; i++) {
		const struct binding *b = &j->items[i];
		char now[32];

		driver_of(r, b->address, now, sizeof(now));
		if (now[0] && strcmp(now, VFIO) != 0 && strcmp(now, b->driver) != 0)
			continue;
		all = bind(r, b->address, b->driver, b->override) && all;
	}
	return all;
}

static void note_binding(const struct card_roots *r, const struct card_function *f,
			 struct journal *j)
{
	_cleanup_free_ char *dir = str_printf("%s/bus/pci/devices/%s", r->sys, f->address);
	_cleanup_free_ char *override = sysfs_text(dir, "driver_override");
	struct binding *b = &j->items[j->n++];

	str_copy(b->address, sizeof(b->address), f->address);
	str_copy(b->driver, sizeof(b->driver), f->driver);
	if (override && strcmp(override, "(null)") != 0)
		str_copy(b->override, sizeof(b->override), override);
}

static void read_boot(const struct card_roots *r, char *ret, size_t size)
{
	_cleanup_free_ char *id = sysfs_text(r->proc, "sys/kernel/random/boot_id");

	str_copy(ret, size, id && *id ? id : "unknown");
}

static int write_journal(struct hold *h, const struct card *card, const char *path, struct err *err)
{
	_cleanup_buf_ struct buf text = { 0 };

	read_boot(&h->roots, h->journal.boot, sizeof(h->journal.boot));
	for (size_t i = 0; i < card->n_members && h->journal.n < JOURNAL_FUNCTIONS_MAX; i++)
		if (card->members[i].along)
			note_binding(&h->roots, &card->members[i], &h->journal);
	journal_write(&h->journal, &text);
	return fs_write(path, text.data, text.len, err);
}

static void load_vfio(const struct card_roots *r)
{
	_cleanup_(kmod_unref_p) struct kmod_ctx *ctx = NULL;
	_cleanup_free_ char *there = str_printf("%s/bus/pci/drivers/%s", r->sys, VFIO);
	struct kmod_list *list = NULL, *l;

	if (fs_exists(there))
		return;
	ctx = kmod_new(NULL, NULL);
	if (!ctx || kmod_module_new_from_lookup(ctx, VFIO, &list) < 0)
		return;
	kmod_list_foreach(l, list)
	{
		struct kmod_module *mod = kmod_module_get_module(l);

		kmod_module_probe_insert_module(mod, 0, NULL, NULL, NULL, NULL);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
}

static int bind_all(struct hold *h, struct err *err)
{
	load_vfio(&h->roots);
	for (size_t i = 0; i < h->journal.n; i++) {
		const struct binding *b = &h->journal.items[i];

		if (!bind(&h->roots, b->address, VFIO, VFIO))
			return err_set(err, ERR_HOST,
				       "%s cannot be bound to vfio-pci (%s had it); `dmesg | tail` "
				       "says why",
				       b->address, b->driver[0] ? b->driver : "nothing");
	}
	return 0;
}

int hold_take(const struct card *card, const struct card_roots *roots, struct hold **ret,
	      struct err *err)
{
	_cleanup_(hold_release_p) struct hold *h = xcalloc(1, sizeof(*h));
	_cleanup_free_ char *dir = cards_dir(err);
	_cleanup_free_ char *path = NULL, *lock = NULL;

	h->roots = sysfs_roots(roots);
	h->lock = -1;
	if (!dir || fs_mkdirs(dir, err) < 0)
		return -1;
	path = str_printf("%s/%s", dir, card->self.address);
	lock = str_printf("%s.lock", path);
	if (fs_lock(lock, false, &h->lock, err) < 0) {
		err->kind = ERR_USAGE;
		return err_prefix(err, "%s is in use by another run", card->self.address);
	}
	if (geteuid() == 0) {
		if (write_journal(h, card, path, err) < 0)
			return -1;
		h->path = take_ptr(path);
		if (bind_all(h, err) < 0)
			return -1;
	}
	*ret = take_ptr(h);
	return 0;
}

int hold_again(struct hold *h, struct err *err)
{
	return bind_all(h, err);
}

void hold_release(struct hold *h)
{
	if (!h)
		return;
	if (h->path && give_back(&h->roots, &h->journal))
		unlink(h->path);
	free(h->path);
	if (h->lock >= 0)
		close(h->lock);
	free(h);
}

/* True if the card of this journal is nobody's; the lock is then in @fd. */
static bool orphaned(const char *path, int *fd)
{
	_cleanup_free_ char *lock = str_printf("%s.lock", path);

	*fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return *fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB) == 0;
}

static bool still_used(const struct card_roots *r, const struct journal *j)
{
	int64_t end = clock_now_ns() + LET_GO_MS * NS_PER_MS;
	char who[96] = "";

	for (;;) {
		for (size_t i = 0; i < j->n && !who[0]; i++) {
			struct card_function f;

			if (sysfs_function(r, j->items[i].address, &f))
				users_vfio(r, &f, who, sizeof(who));
		}
		if (!who[0] || clock_now_ns() >= end)
			return who[0];
		who[0] = '\0';
		clock_sleep_ms(100);
	}
}

/* A journal that cannot be read, or that is of before the last boot, says nothing about now. */
static bool read_journal(const struct card_roots *r, const char *path, struct journal *ret)
{
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	char boot[64];
	size_t len;

	read_boot(r, boot, sizeof(boot));
	return fs_read(path, JOURNAL_BYTES_MAX, &text, &len, &ignored) == 0 &&
	       journal_parse(text, len, ret) && strcmp(ret->boot, boot) == 0;
}

static void recover(const struct card_roots *r, const char *path, const char *address,
		    struct strv *said)
{
	struct journal j = { 0 };

	if (!read_journal(r, path, &j)) {
		unlink(path);
		return;
	}
	if (still_used(r, &j)) {
		if (said)
			strv_addf(said, "%s was left by a killed run and a guest still uses it",
				  address);
		return;
	}
	if (!give_back(r, &j)) {
		if (said)
			strv_addf(said,
				  "%s was left by a killed run and goes not back to its driver; "
				  "`dmesg | tail` says why",
				  address);
		return;
	}
	unlink(path);
	if (said)
		strv_addf(said, "%s given back to %s, which a killed run had taken it from",
			  address, j.n && j.items[0].driver[0] ? j.items[0].driver : "no driver");
}

static void each_orphan(void (*found)(const struct card_roots *r, const char *path,
				      const char *address, struct strv *said),
			const struct card_roots *roots, struct strv *said)
{
	const struct card_roots r = sysfs_roots(roots);
	struct err ignored;
	_cleanup_free_ char *dir = cards_dir(&ignored);
	_cleanup_closedir_ DIR *d = dir ? opendir(dir) : NULL;

	for (struct dirent *e; d && (e = readdir(d));) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, e->d_name);
		_cleanup_close_ int fd = -1;

		if (sysfs_address(e->d_name) && orphaned(path, &fd))
			found(&r, path, e->d_name, said);
	}
}

void hold_recover(const struct card_roots *roots, struct strv *said)
{
	each_orphan(recover, roots, said);
}

static void tell(const struct card_roots *r, const char *path, const char *address,
		 struct strv *said)
{
	struct journal j = { 0 };

	if (read_journal(r, path, &j))
		strv_addf(said, "%s, taken from %s by a run that was killed", address,
			  j.n && j.items[0].driver[0] ? j.items[0].driver : "no driver");
}

void cards_leftovers(struct strv *ret)
{
	each_orphan(tell, NULL, ret);
}
