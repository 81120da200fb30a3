// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The mirror as a runtime: no bytes move, but the range goes through the candidate's own HMM code
 * as it would before a GPU reads it.
 */
#include "guest-agent/probes/runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guest-agent/mirror/mirror_abi.h"

static int mirror_open(struct runtime *rt, const struct runtime_setup *setup,
		       enum runtime_found *ret, char *why, size_t size, struct err *err)
{
	_cleanup_close_ int fd = open(MIRROR_DEVICE, O_RDWR | O_CLOEXEC);
	struct mirror_info info = { 0 };

	if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO)) {
		snprintf(why, size, "no " MIRROR_DEVICE ": load the mirror module first");
		*ret = RUNTIME_NO_DEVICE;
		return 0;
	}
	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot open " MIRROR_DEVICE);
	if (ioctl(fd, MIRROR_IOC_INFO, &info) < 0)
		return err_errno(err, ERR_HOST, MIRROR_DEVICE " does not say what it is");
	if (info.abi != MIRROR_ABI)
		return err_set(err, ERR_HOST,
			       MIRROR_DEVICE " speaks version %u, this probe %u: build both from "
					     "one source",
			       info.abi, MIRROR_ABI);
	if (setup->max_bytes > MIRROR_LEN_MAX_BYTES)
		return err_set(err, ERR_USAGE, "the mirror takes at most %llu bytes at once",
			       MIRROR_LEN_MAX_BYTES);
	snprintf(rt->what, sizeof(rt->what), "the mirror, form %u", info.form);
	rt->fd = take_fd(fd);
	*ret = RUNTIME_READY;
	return 0;
}

static int mirror_copy(struct runtime *rt, const void *addr, size_t len, bool read_permission,
		       struct runtime_copy *ret, struct err *err)
{
	struct mirror_call call = {
		.addr = (uintptr_t)addr,
		.len = len,
		.permission = read_permission ? MIRROR_PERMISSION_READ : MIRROR_PERMISSION_VMA,
	};

	if (ioctl(rt->fd, MIRROR_IOC_CALL, &call) < 0)
		return err_errno(err, ERR_HOST, MIRROR_DEVICE " refuses %zu bytes at %p", len,
				 addr);
	ret->result = call.result;
	ret->restarts = call.restarts;
	ret->calls = call.calls;
	return 0;
}

static void mirror_close(struct runtime *rt)
{
	if (rt->fd >= 0)
		close(rt->fd);
	rt->fd = -1;
}

const struct runtime_ops runtime_mirror = {
	.name = "mirror",
	.open = mirror_open,
	.copy = mirror_copy,
	.close = mirror_close,
	.can_read_permission = true,
};
