// SPDX-License-Identifier: GPL-2.0-or-later
/* While a trial runs: its files where its guest is. See scratch.h. */
#include "guest/remote/scratch.h"

#include <fcntl.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/fs.h"
#include "guest/remote/volume.h"

void scratch_deinit(struct scratch *s)
{
	free(s->path);
	*s = (struct scratch){ 0 };
}

/* No file has the SHA-256 of a name that was drawn for it. */
static void draw_name(char ret[SHELF_NAME])
{
	uint64_t draw;
	char digest[65];

	if (getrandom(&draw, sizeof(draw), 0) != sizeof(draw))
		draw = (uint64_t)clock_now_ns();
	fs_sha256_text(&draw, sizeof(draw), digest);
	shelf_name(digest, (uint32_t)draw, ret);
}

int scratch_overlay(struct place *p, const char *base, const char *format, struct scratch *ret,
		    struct err *err)
{
	_cleanup_(virStoragePoolFree_p) virStoragePoolPtr pool = NULL;
	_cleanup_(virStorageVolFree_p) virStorageVolPtr vol = NULL;
	const char *there;

	if (place_file(p, base, &there, err) < 0 || place_pool(p, &pool, err) < 0)
		return -1;
	draw_name(ret->name);
	if (volume_make_upon(pool, ret->name, there, format, &vol, err) < 0)
		return -1;
	ret->path = virStorageVolGetPath(vol);
	return ret->path ? 0 : virt_error(err, "the volume %s has no path", ret->name);
}

int scratch_path(struct place *p, struct scratch *ret, struct err *err)
{
	_cleanup_(virStoragePoolFree_p) virStoragePoolPtr pool = NULL;
	_cleanup_free_ char *xml = NULL, *dir = NULL;

	if (place_pool(p, &pool, err) < 0)
		return -1;
	xml = virStoragePoolGetXMLDesc(pool, 0);
	dir = xml ? shelf_target(xml, strlen(xml)) : NULL;
	if (!dir)
		return virt_error(err, "the storage pool %s has no path",
				  virStoragePoolGetName(pool));
	draw_name(ret->name);
	ret->path = str_printf("%s/%s", dir, ret->name);
	return 0;
}

int scratch_fetch(struct place *p, const struct scratch *s, const char *to, struct err *err)
{
	_cleanup_(virStoragePoolFree_p) virStoragePoolPtr pool = NULL;
	_cleanup_(virStorageVolFree_p) virStorageVolPtr vol = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (place_pool(p, &pool, err) < 0)
		return -1;
	/* Somebody who fills a volume meanwhile makes it fail; then the look-up below does. */
	virStoragePoolRefresh(pool, 0);
	vol = virStorageVolLookupByName(pool, s->name);
	if (!vol)
		return virt_error(err, "cannot find %s", s->path);
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", to);
	r = volume_fetch(vol, fd, err);
	if (r < 0)
		unlink(to);
	return r;
}

void scratch_drop(struct place *p, const struct scratch *s)
{
	_cleanup_(virStoragePoolFree_p) virStoragePoolPtr pool = NULL;
	_cleanup_(virStorageVolFree_p) virStorageVolPtr vol = NULL;
	struct err ignored;

	if (!*s->name || place_pool(p, &pool, &ignored) < 0)
		return;
	vol = virStorageVolLookupByName(pool, s->name);
	if (vol)
		virStorageVolDelete(vol, 0);
}
