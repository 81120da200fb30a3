// SPDX-License-Identifier: GPL-2.0-or-later
/* While a file travels: see volume.h. The bytes go through libvirt's own connection, whatever it is. */
#include "guest/remote/volume.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/stop.h"
#include "base/str.h"
#include "guest/remote/shelf.h"
#include "guest/virt/virt.h"

#define CHUNK 65536
#define MIB   (1 << 20)

/* Aborted unless it was finished. */
static void stream_drop(virStreamPtr stream)
{
	virStreamAbort(stream);
	virStreamFree(stream);
}
DEFINE_CLEANUP(virStreamPtr, stream_drop)

static int make(virStoragePoolPtr pool, const char *xml, virStorageVolPtr *ret, struct err *err)
{
	*ret = virStorageVolCreateXML(pool, xml, 0);
	return *ret ? 0
		    : virt_error(err, "cannot make a volume in the storage pool %s",
				 virStoragePoolGetName(pool));
}

int volume_make(virStoragePoolPtr pool, const char *name, uint64_t bytes, virStorageVolPtr *ret,
		struct err *err)
{
	_cleanup_free_ char *xml =
		str_printf("<volume><name>%s</name><capacity unit='bytes'>%ju</capacity>"
			   "<allocation>0</allocation><target><format type='raw'/>"
			   "<permissions><mode>0644</mode></permissions></target></volume>",
			   name, (uintmax_t)bytes);

	return make(pool, xml, ret, err);
}

int volume_make_upon(virStoragePoolPtr pool, const char *name, const char *base, const char *format,
		     virStorageVolPtr *ret, struct err *err)
{
	_cleanup_free_ char *xml = str_printf(
		"<volume><name>%s</name><allocation>0</allocation>"
		"<target><format type='qcow2'/></target>"
		"<backingStore><path>%s</path><format type='%s'/></backingStore></volume>",
		name, base, format);

	if (strpbrk(base, "<>&'\""))
		return err_set(err, ERR_USAGE, "the path %s cannot stand in a volume's XML", base);
	return make(pool, xml, ret, err);
}

static int begin(virStorageVolPtr vol, virStreamPtr *ret, struct err *err)
{
	*ret = virStreamNew(virStorageVolGetConnect(vol), 0);
	return *ret ? 0 : virt_error(err, "cannot send a file to the guest's machine");
}

static int send_all(virStreamPtr stream, const char *data, size_t len, struct err *err)
{
	while (len) {
		int n = virStreamSend(stream, data, len);

		if (n < 0)
			return virt_error(err, "cannot send a file to the guest's machine");
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static void show(struct progress *p, const char *what, uint64_t done, uint64_t bytes)
{
	if (!p)
		return;
	progress_detail(p, "%s %ju of %ju MiB", what, (uintmax_t)(done / MIB),
			(uintmax_t)(bytes / MIB));
	progress_tick(p);
}

static int send_file(virStreamPtr stream, int fd, uint64_t bytes, struct progress *p,
		     struct err *err)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK);

	for (uint64_t done = 0; done < bytes;) {
		size_t want = bytes - done < CHUNK ? (size_t)(bytes - done) : CHUNK;
		ssize_t n = read(fd, chunk, want);

		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return err_errno(err, ERR_HOST, "cannot read a file of the guest");
		}
		if (stop_check(err) < 0 || send_all(stream, chunk, (size_t)n, err) < 0)
			return -1;
		done += (uint64_t)n;
		show(p, "sent", done, bytes);
	}
	return 0;
}

int volume_send(virStorageVolPtr vol, int fd, uint64_t bytes, struct progress *p, struct err *err)
{
	_cleanup_(stream_drop_p) virStreamPtr stream = NULL;

	if (begin(vol, &stream, err) < 0)
		return -1;
	if (virStorageVolUpload(vol, stream, 0, bytes, 0) < 0)
		return virt_error(err, "cannot fill the volume %s", virStorageVolGetName(vol));
	if (send_file(stream, fd, bytes, p, err) < 0)
		return -1;
	if (virStreamFinish(stream) < 0)
		return virt_error(err, "cannot fill the volume %s", virStorageVolGetName(vol));
	virStreamFree(take_ptr(stream));
	return 0;
}

int volume_write(virStorageVolPtr vol, const char *text, size_t len, struct err *err)
{
	_cleanup_(stream_drop_p) virStreamPtr stream = NULL;

	if (begin(vol, &stream, err) < 0)
		return -1;
	if (virStorageVolUpload(vol, stream, 0, len, 0) < 0)
		return virt_error(err, "cannot fill the volume %s", virStorageVolGetName(vol));
	if (send_all(stream, text, len, err) < 0)
		return -1;
	if (virStreamFinish(stream) < 0)
		return virt_error(err, "cannot fill the volume %s", virStorageVolGetName(vol));
	virStreamFree(take_ptr(stream));
	return 0;
}

int volume_digest(virStorageVolPtr vol, uint64_t bytes, struct progress *p, char ret[65],
		  struct err *err)
{
	_cleanup_(digest_destroy_p) struct digest *sum = digest_create();
	_cleanup_(stream_drop_p) virStreamPtr stream = NULL;
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	uint64_t done = 0;
	int n;

	if (begin(vol, &stream, err) < 0)
		return -1;
	if (virStorageVolDownload(vol, stream, 0, bytes, 0) < 0)
		return virt_error(err, "cannot read the volume %s", virStorageVolGetName(vol));
	while ((n = virStreamRecv(stream, chunk, CHUNK)) > 0) {
		if (stop_check(err) < 0)
			return -1;
		digest_add(sum, chunk, (size_t)n);
		done += (uint64_t)n;
		show(p, "checked", done, bytes);
	}
	if (n < 0 || virStreamFinish(stream) < 0)
		return virt_error(err, "cannot read the volume %s", virStorageVolGetName(vol));
	virStreamFree(take_ptr(stream));
	digest_hex(sum, ret);
	return 0;
}

static int write_all(int fd, const char *data, size_t len, struct err *err)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0)
			return err_errno(err, ERR_HOST,
					 "cannot write what came from the guest's "
					 "machine");
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int volume_fetch(virStorageVolPtr vol, int fd, struct err *err)
{
	_cleanup_(stream_drop_p) virStreamPtr stream = NULL;
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	int n;

	if (begin(vol, &stream, err) < 0)
		return -1;
	if (virStorageVolDownload(vol, stream, 0, 0, 0) < 0)
		return virt_error(err, "cannot read the volume %s", virStorageVolGetName(vol));
	while ((n = virStreamRecv(stream, chunk, CHUNK)) > 0)
		if (stop_check(err) < 0 || write_all(fd, chunk, (size_t)n, err) < 0)
			return -1;
	if (n < 0 || virStreamFinish(stream) < 0)
		return virt_error(err, "cannot read the volume %s", virStorageVolGetName(vol));
	virStreamFree(take_ptr(stream));
	return 0;
}

int64_t volume_written(virStorageVolPtr vol)
{
	_cleanup_free_ char *xml = virStorageVolGetXMLDesc(vol, 0);

	return xml ? shelf_written(xml, strlen(xml)) : 0;
}
