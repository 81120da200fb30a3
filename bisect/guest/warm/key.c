// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before a save is looked for: its name. Another kernel, initramfs (agent, probes, packed modules),
 * kernel argument, amount of memory, number of processors, acceleration, device, QEMU or libvirt is
 * another name, and so another save.
 */
#include "guest/warm/key.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/fs.h"
#include "guest/warm/warm_state.h"

#define FORMAT	     "1" /* raised when what is done to a guest before it is saved changes */
#define CPUINFO_SIZE (8 << 20)

/* With KVM the guest has the host's processor; what was saved on another one may not run here. */
static void put_cpu(struct buf *b)
{
	static const char *const lines[] = { "vendor_id", "cpu family", "model",
					     "stepping",  "microcode",	"flags" };
	_cleanup_free_ char *text = NULL;
	struct utsname host;
	struct err ignored;
	char *end;

	if (uname(&host) == 0)
		buf_printf(b, "host %s %s\n", host.release, host.version);
	if (fs_read("/proc/cpuinfo", CPUINFO_SIZE, &text, NULL, &ignored) < 0)
		return;
	end = strstr(text, "\n\n"); /* the others are like the first */
	if (end)
		*end = '\0';
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
		for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
			if (str_starts(line, lines[i]))
				buf_printf(b, "%s\n", line);
}

static int put_versions(const struct rig *r, struct buf *b, struct err *err)
{
	unsigned long lib, qemu;

	if (virConnectGetLibVersion(virt_conn(r->virt), &lib) < 0 ||
	    virConnectGetVersion(virt_conn(r->virt), &qemu) < 0)
		return virt_error(err, "libvirt does not tell its version");
	buf_printf(b, "libvirt %lu\nqemu %lu\n", lib, qemu);
	/* a distribution mends QEMU without a new version */
	if (r->emulator)
		fs_stamp(r->emulator, r->emulator, b);
	return 0;
}

/* Both are large, and the rig's for as long as it is open. */
static int sum_files(struct rig *r, struct err *err)
{
	struct warm *w = r->warm;

	if (*w->kernel_sum && *w->initrd_sum)
		return 0;
	if (fs_sha256_file(r->vmlinux, w->kernel_sum, err) < 0)
		return -1;
	return fs_sha256_file(r->initramfs, w->initrd_sum, err);
}

int warm_key(struct attempt *a, char ret[17], struct err *err)
{
	const struct trial_spec *spec = a->spec;
	struct rig *r = a->rig;
	_cleanup_free_ char *xml = NULL;
	_cleanup_buf_ struct buf b = { 0 };
	char digest[65];

	if (sum_files(r, err) < 0 ||
	    attempt_xml(a, r->warm->kernel_sum, r->warm->initrd_sum, "console", &xml, err) < 0)
		return -1;
	buf_printf(&b, "save " FORMAT "\n%s\n", xml);
	if (put_versions(r, &b, err) < 0)
		return -1;
	if (r->runtime)
		fs_stamp(r->runtime, r->runtime, &b);
	for (size_t i = 0; i < spec->n_packed; i++)
		buf_printf(&b, "loaded %s\n", spec->packed[i]);
	if (r->accel == GUEST_ACCEL_KVM)
		put_cpu(&b);
	fs_sha256_text(b.data, b.len, digest);
	str_copy(ret, 17, digest);
	return 0;
}
