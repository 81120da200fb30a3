// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where libvirt's QEMU is another user's or another machine's, it cannot read our files: kernel,
 * initramfs and disks become volumes of a storage pool, named by content (shelf.h). What is sent is read
 * back once, and then stays for the trials and runs to come.
 */
#include "guest/remote/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fs.h"
#include "guest/remote/shelf.h"
#include "guest/remote/volume.h"
#include "guest/virt/xml.h"

#define OWN_POOL      "amdgpu-bisect"
#define SYSTEM_TARGET "/var/lib/libvirt/" OWN_POOL
#define MAX_BYTES     (UINT64_C(3) << 30) /* a kernel takes 60 MiB, a HIP runtime 100 to 500 */
#define TOUCH_NS      (10 * 60 * NS_PER_S)

/* A file that was asked for. */
struct sent {
	char *local, *stamp;
	char digest[65];
	char name[SHELF_NAME]; /* of its volume; empty: not placed yet */
	char *there;	       /* path on the other machine */
	int64_t touched_ns;    /* when it was marked as used */
};

struct place {
	struct virt *virt;
	struct place_spec spec;
	struct sent **sent; /* [n] */
	size_t n;
};

static void sent_destroy(struct sent *s)
{
	free(s->local);
	free(s->stamp);
	free(s->there);
	free(s);
}

static int no_pool(const struct place *p, struct err *err)
{
	const char *name = p->spec.pool ? p->spec.pool : "default";

	return err_set(
		err, ERR_USAGE,
		"%s has no storage pool %s for the guest's files; `virsh -c '%s' pool-create-as "
		"%s dir --target DIR --build` makes one, --pool names another",
		p->spec.uri, name, p->spec.uri, name);
}

/* Where a pool of our own may lie on the machine of the guests; NULL: nobody knows. */
static char *own_target(const struct place *p)
{
	const char *slashes = strstr(p->spec.uri, "://");

	if (strstr(p->spec.uri, "/system"))
		return xstrdup(SYSTEM_TARGET);
	if (slashes && slashes[3] == '/' && strstr(p->spec.uri, "/session"))
		return str_printf("%s/pool", p->spec.cache_dir);
	return NULL;
}

static int make_pool(const struct place *p, virStoragePoolPtr *ret, struct err *err)
{
	_cleanup_free_ char *target = own_target(p);
	_cleanup_free_ char *xml = NULL;

	if (!target || strpbrk(target, "<>&'\""))
		return no_pool(p, err);
	xml = str_printf("<pool type='dir'><name>" OWN_POOL "</name><target><path>%s</path>"
			 "<permissions><mode>0711</mode></permissions></target></pool>",
			 target);
	*ret = virStoragePoolCreateXML(virt_conn(p->virt), xml, VIR_STORAGE_POOL_CREATE_WITH_BUILD);
	return *ret ? 0
		    : virt_error(err, "%s has no storage pool default, and none can be made at %s",
				 p->spec.uri, target);
}

int place_pool(const struct place *p, virStoragePoolPtr *ret, struct err *err)
{
	virConnectPtr conn = virt_conn(p->virt);
	virStoragePoolPtr pool =
		virStoragePoolLookupByName(conn, p->spec.pool ? p->spec.pool : "default");
	int code = pool ? 0 : virGetLastErrorCode();

	if (!pool && code == VIR_ERR_NO_SUPPORT)
		return err_set(err, ERR_USAGE,
			       "libvirt has no storage driver at %s; `sudo apt install "
			       "libvirt-daemon` there",
			       p->spec.uri);
	if (!pool && code != VIR_ERR_NO_STORAGE_POOL)
		return virt_error(err, "cannot look for a storage pool at %s", p->spec.uri);
	if (!pool && p->spec.pool)
		return no_pool(p, err);
	if (!pool)
		pool = virStoragePoolLookupByName(conn, OWN_POOL);
	if (!pool)
		return make_pool(p, ret, err);
	if (virStoragePoolIsActive(pool) == 0 && virStoragePoolCreate(pool, 0) < 0) {
		virt_error(err, "cannot start the storage pool %s", virStoragePoolGetName(pool));
		virStoragePoolFree(pool);
		return -1;
	}
	*ret = pool;
	return 0;
}

static struct shelf_item *item_of(struct shelf_item **items, size_t *n, const char *name)
{
	size_t len = strlen(name) - (str_ends(name, SHELF_MARK) ? strlen(SHELF_MARK) : 0);

	for (size_t i = 0; i < *n; i++)
		if (strlen((*items)[i].name) == len && strncmp((*items)[i].name, name, len) == 0)
			return &(*items)[i];
	*items = xrealloc(*items, *n + 1, sizeof(**items));
	(*items)[*n] = (struct shelf_item){ 0 };
	snprintf((*items)[*n].name, SHELF_NAME, "%.*s", (int)len, name);
	return &(*items)[(*n)++];
}

static void add_item(struct shelf_item **items, size_t *n, virStorageVolPtr vol)
{
	const char *name = virStorageVolGetName(vol);
	virStorageVolInfo info;
	struct shelf_item *it;
	bool mark;

	if (!shelf_ours(name, NULL, &mark))
		return;
	it = item_of(items, n, name);
	if (mark)
		it->used_ns = volume_written(vol);
	else
		it->written_ns = volume_written(vol);
	if (!mark && virStorageVolGetInfo(vol, &info) == 0)
		it->bytes = info.capacity;
}

/* What of ours is in the pool; [*n], freed by the caller. */
static struct shelf_item *list_ours(virStoragePoolPtr pool, size_t *n)
{
	struct shelf_item *items = NULL;
	virStorageVolPtr *all = NULL;
	int count = virStoragePoolListAllVolumes(pool, &all, 0);

	*n = 0;
	for (int i = 0; i < count; i++) {
		add_item(&items, n, all[i]);
		virStorageVolFree(all[i]);
	}
	free(all);
	return items;
}

/* The mark first: a file without one is never taken for whole. */
static void drop(virStoragePoolPtr pool, const char *name)
{
	_cleanup_free_ char *mark = str_printf("%s" SHELF_MARK, name);
	const char *const names[] = { mark, name };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_(virStorageVolFree_p) virStorageVolPtr vol =
			virStorageVolLookupByName(pool, names[i]);

		if (vol)
			virStorageVolDelete(vol, 0);
	}
}

static void cap(struct place *p, virStoragePoolPtr pool)
{
	size_t n;
	_cleanup_free_ struct shelf_item *items = list_ours(pool, &n);
	_cleanup_free_ bool *gone = xcalloc(n + 1, sizeof(*gone));

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < p->n; k++)
			items[i].needed |= strcmp(items[i].name, p->sent[k]->name) == 0;
	shelf_cap(items, n, MAX_BYTES, gone);
	for (size_t i = 0; i < n; i++)
		if (gone[i])
			drop(pool, items[i].name);
}

int place_open(struct virt *v, const struct place_spec *spec, struct place **ret, struct err *err)
{
	_cleanup_(place_close_p) struct place *p = xcalloc(1, sizeof(*p));
	_cleanup_(virStoragePoolFree_p) virStoragePoolPtr pool = NULL;

	p->virt = v;
	p->spec = *spec;
	if (place_pool(p, &pool, err) < 0)
		return -1;
	/* Fails while somebody else fills a volume; then the list is fresh enough. */
	virStoragePoolRefresh(pool, 0);
	cap(p, pool);
	*ret = take_ptr(p);
	return 0;
}

void place_close(struct place *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		sent_destroy(p->sent[i]);
	free(p->sent);
	free(p);
}

/* What is known of @path, as long as it was not written since. */
static int know(struct place *p, const char *path, struct sent **ret, struct err *err)
{
	_cleanup_buf_ struct buf stamp = { 0 };
	struct sent *s = NULL;

	if (!fs_stamp(path, path, &stamp))
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	for (size_t i = 0; i < p->n && !s; i++)
		if (strcmp(p->sent[i]->local, path) == 0)
			s = p->sent[i];
	if (!s) {
		s = xcalloc(1, sizeof(*s));
		s->local = xstrdup(path);
		p->sent = xrealloc(p->sent, p->n + 1, sizeof(struct sent *));
		p->sent[p->n++] = s;
	}
	if (!s->stamp || strcmp(s->stamp, stamp.data) != 0) {
		*s->name = '\0';
		if (fs_sha256_file(path, s->digest, err) < 0)
			return -1;
		free(s->stamp);
		s->stamp = buf_take(&stamp);
	}
	*ret = s;
	return 0;
}

/* Sets it down as used now, which also says that it is whole. */
static int set_mark(virStoragePoolPtr pool, struct sent *s, struct err *err)
{
	_cleanup_free_ char *name = str_printf("%s" SHELF_MARK, s->name);
	_cleanup_(virStorageVolFree_p) virStorageVolPtr vol = virStorageVolLookupByName(pool, name);

	if (!vol && volume_make(pool, name, strlen(s->digest), &vol, err) < 0)
		return -1;
	if (volume_write(vol, s->digest, strlen(s->digest), err) < 0)
		return -1;
	s->touched_ns = clock_now_ns();
	return 0;
}

static int take(struct sent *s, const char *name, virStorageVolPtr vol, struct err *err)
{
	char *path = virStorageVolGetPath(vol);

	if (!path)
		return virt_error(err, "the volume %s has no path", name);
	free(s->there);
	s->there = path;
	if (name != s->name)
		str_copy(s->name, sizeof(s->name), name);
	return 0;
}

/* 1: there is a whole one, from this or an earlier run; 0: none; -1. */
static int find_whole(virStoragePoolPtr pool, struct sent *s, struct err *err)
{
	size_t n;
	_cleanup_free_ struct shelf_item *items = list_ours(pool, &n);

	for (size_t i = 0; i < n; i++) {
		_cleanup_(virStorageVolFree_p) virStorageVolPtr vol = NULL;
		char digest[65];

		if (!shelf_whole(&items[i]) || !shelf_ours(items[i].name, digest, NULL) ||
		    strcmp(digest, s->digest) != 0)
			continue;
		vol = virStorageVolLookupByName(pool, items[i].name);
		if (vol)
			return take(s, items[i].name, vol, err) < 0 || set_mark(pool, s, err) < 0
				       ? -1
				       : 1;
	}
	return 0;
}

static int check_kind(const struct place *p, virStoragePoolPtr pool, virStorageVolPtr vol,
		      struct err *err)
{
	virStorageVolInfo info;

	if (virStorageVolGetInfo(vol, &info) < 0)
		return virt_error(err, "cannot look at a volume at %s", p->spec.uri);
	if (info.type != VIR_STORAGE_VOL_FILE)
		return err_set(err, ERR_USAGE,
			       "the storage pool %s holds no files, which kernels must be; name "
			       "one of type dir, fs or netfs with --pool",
			       virStoragePoolGetName(pool));
	return 0;
}

static int fill(struct place *p, virStoragePoolPtr pool, const char *name, struct sent *s,
		struct err *err)
{
	_cleanup_(virStorageVolFree_p) virStorageVolPtr vol = NULL;
	_cleanup_close_ int fd = open(s->local, O_RDONLY | O_CLOEXEC);
	char digest[65];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", s->local);
	if (volume_make(pool, name, (uint64_t)st.st_size, &vol, err) < 0 ||
	    check_kind(p, pool, vol, err) < 0 ||
	    volume_send(vol, fd, (uint64_t)st.st_size, p->spec.progress, err) < 0 ||
	    volume_digest(vol, (uint64_t)st.st_size, p->spec.progress, digest, err) < 0)
		return -1;
	if (strcmp(digest, s->digest) != 0)
		return err_set(err, ERR_HOST,
			       "%s did not arrive as it was sent to %s: its disk or ours fails, or "
			       "the file was written meanwhile",
			       s->local, p->spec.uri);
	return take(s, name, vol, err);
}

static int send_anew(struct place *p, virStoragePoolPtr pool, struct sent *s, struct err *err)
{
	char name[SHELF_NAME];
	uint32_t draw;

	if (getrandom(&draw, sizeof(draw), 0) != sizeof(draw))
		draw = (uint32_t)clock_now_ns();
	shelf_name(s->digest, draw, name);
	if (p->spec.progress)
		progress_stage(p->spec.progress, "send", -1);
	if (fill(p, pool, name, s, err) < 0 || set_mark(pool, s, err) < 0) {
		*s->name = '\0';
		drop(pool, name);
		return -1;
	}
	cap(p, pool);
	return 0;
}

/* Somebody may have emptied the pool since it was placed. */
static bool still_there(virStoragePoolPtr pool, const struct sent *s)
{
	_cleanup_(virStorageVolFree_p) virStorageVolPtr vol =
		*s->name ? virStorageVolLookupByName(pool, s->name) : NULL;

	return vol;
}

int place_file(struct place *p, const char *path, const char **ret, struct err *err)
{
	_cleanup_(virStoragePoolFree_p) virStoragePoolPtr pool = NULL;
	struct sent *s = NULL;
	int r = 1;

	if (know(p, path, &s, err) < 0 || place_pool(p, &pool, err) < 0)
		return -1;
	if (!still_there(pool, s))
		r = find_whole(pool, s, err);
	else if (clock_now_ns() - s->touched_ns > TOUCH_NS)
		r = set_mark(pool, s, err) < 0 ? -1 : 1;
	if (r < 0 || (r == 0 && send_anew(p, pool, s, err) < 0))
		return -1;
	*ret = s->there;
	return 0;
}

int place_domain(struct place *p, struct xml_domain *d, struct xml_disk *disks, struct err *err)
{
	if (place_file(p, d->kernel, &d->kernel, err) < 0 ||
	    place_file(p, d->initrd, &d->initrd, err) < 0)
		return -1;
	if (d->rom && strcmp(d->rom, "off") != 0 && place_file(p, d->rom, &d->rom, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n_disks; i++)
		if (!disks[i].there && place_file(p, disks[i].path, &disks[i].path, err) < 0)
			return -1;
	d->console = NULL;
	return 0;
}
