// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before any guest: does KVM run one here? /dev/kvm may open, answer its version, make a VM and a
 * vCPU, and still run nothing; on some nested hosts it runs a guest, but by interpreting each
 * instruction, at a hundredth of what QEMU's own emulation does. So a child runs a loop in long
 * mode within a time limit. Measured on such a host: 1 s for a million rounds; KVM_ROUNDS of them
 * are some 10 ms of a real CPU.
 */
#include "guest/guest.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/clock.h"

#define KVM_VERSION	  12 /* Documentation/virt/kvm/api.rst: the only stable version */
#define KVM_CPUIDS	  256
#define KVM_ROUNDS	  30000000
#define KVM_KILL_GRACE_MS 200 /* a child in D state is left behind, not waited for */

/* The guest's memory: one page each for code and the three levels of its page table. */
#define KVM_CODE   0x1000
#define KVM_PML4   0x2000
#define KVM_PDPT   0x3000
#define KVM_PD	   0x4000
#define KVM_MEMORY 0x10000

static const char *const accel_names[] = {
	[GUEST_ACCEL_AUTO] = "auto",
	[GUEST_ACCEL_KVM] = "kvm",
	[GUEST_ACCEL_TCG] = "tcg",
};
static_assert(ARRAY_SIZE(accel_names) == GUEST_ACCELS, "an accelerator has no name");

const char *guest_accel_name(enum guest_accel a)
{
	return (unsigned int)a < GUEST_ACCELS ? accel_names[a] : "unknown";
}

bool guest_accel_parse(const char *name, enum guest_accel *ret)
{
	for (unsigned int i = 0; i < GUEST_ACCELS; i++)
		if (strcmp(name, accel_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

/* How far the child came; its last report before the limit says where KVM stuck. */
enum kvm_step {
	KVM_STEP_OPEN,
	KVM_STEP_VERSION,
	KVM_STEP_VM,
	KVM_STEP_VCPU,
	KVM_STEP_RUN, /* about to run the guest */
	KVM_STEP_RAN, /* the guest ran its loop to the end */
	KVM_STEPS
};

struct kvm_report {
	enum kvm_step step;
	int error; /* errno of the step, or 0 */
	unsigned int exit_reason;
};

static const char *const step_texts[] = {
	[KVM_STEP_OPEN] = "cannot open /dev/kvm",
	[KVM_STEP_VERSION] = "/dev/kvm has an unknown version",
	[KVM_STEP_VM] = "/dev/kvm opens, but makes no virtual machine",
	[KVM_STEP_VCPU] = "/dev/kvm opens, but makes no virtual CPU",
	[KVM_STEP_RUN] = "/dev/kvm opens, but does not run its guest",
	[KVM_STEP_RAN] = "runs",
};
static_assert(ARRAY_SIZE(step_texts) == KVM_STEPS, "a step has no text");

static int kvm_map_memory(int vm)
{
	static const unsigned char code[] = {
		0xff, 0xc9, /* 1: dec %ecx */
		0x75, 0xfc, /* jnz 1b */
		0xf4,	    /* hlt */
	};
	static const struct {
		unsigned int at;
		uint64_t entry;
	} tables[] = {
		{ KVM_PML4, KVM_PDPT | 3 },
		{ KVM_PDPT, KVM_PD | 3 },
		{ KVM_PD, 0x83 }, /* the first 2 MiB */
	};
	struct kvm_userspace_memory_region region = { .memory_size = KVM_MEMORY };
	unsigned char *memory =
		mmap(NULL, KVM_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -1;
	memcpy(memory + KVM_CODE, code, sizeof(code));
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		memcpy(memory + tables[i].at, &tables[i].entry, sizeof(tables[i].entry));
	region.userspace_addr = (uintptr_t)memory;
	return ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

/* Long mode must be among what the virtual CPU can do before it can be entered. */
static int kvm_set_cpuid(int kvm, int vcpu)
{
	static _Alignas(struct kvm_cpuid2) char
		room[sizeof(struct kvm_cpuid2) + KVM_CPUIDS * sizeof(struct kvm_cpuid_entry2)];
	struct kvm_cpuid2 *cpuid = (struct kvm_cpuid2 *)room;

	cpuid->nent = KVM_CPUIDS;
	if (ioctl(kvm, KVM_GET_SUPPORTED_CPUID, cpuid) < 0)
		return -1;
	return ioctl(vcpu, KVM_SET_CPUID2, cpuid);
}

static int kvm_enter_long_mode(int vcpu)
{
	const struct kvm_segment code = {
		.limit = 0xffffffff,
		.selector = 8,
		.type = 11,
		.present = 1,
		.s = 1,
		.l = 1,
		.g = 1,
	};
	const struct kvm_segment data = {
		.limit = 0xffffffff,
		.selector = 16,
		.type = 3,
		.present = 1,
		.db = 1,
		.s = 1,
		.g = 1,
	};
	struct kvm_regs regs = { .rip = KVM_CODE, .rflags = 2, .rcx = KVM_ROUNDS };
	struct kvm_sregs sregs;

	if (ioctl(vcpu, KVM_GET_SREGS, &sregs) < 0)
		return -1;
	sregs.cs = code;
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
	sregs.cr3 = KVM_PML4;
	sregs.cr4 = 1 << 5;	       /* PAE */
	sregs.cr0 = 1U << 31 | 0x33;   /* PG, NE, ET, MP, PE */
	sregs.efer = 1 << 8 | 1 << 10; /* LME, LMA */
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs) < 0)
		return -1;
	return ioctl(vcpu, KVM_SET_REGS, &regs);
}

static void kvm_tell(int fd, enum kvm_step step, int error, unsigned int exit_reason)
{
	struct kvm_report r = { .step = step, .error = error, .exit_reason = exit_reason };
	ssize_t n = write(fd, &r, sizeof(r));

	(void)n;
	if (error || step == KVM_STEP_RAN)
		_exit(0);
}

/*
 * A guest that never runs keeps its process spinning, so the child must not outlive a controller that
 * was killed, nor hold what it inherited (a run's lock): it dies with its parent, and by an alarm.
 */
static void kvm_live_no_longer(int report, int64_t limit_ms)
{
	signal(SIGALRM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm((unsigned int)(limit_ms / 1000 + 2));
	if (report > 3)
		close_range(3, (unsigned int)report - 1, 0);
	close_range((unsigned int)report + 1, ~0U, 0);
}

/* In the child: only system calls, since other threads of the parent may hold locks. */
static _Noreturn void kvm_child(int report, int64_t limit_ms)
{
	int kvm, vm, vcpu, size;
	struct kvm_run *run;

	kvm_live_no_longer(report, limit_ms);
	kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (kvm < 0)
		kvm_tell(report, KVM_STEP_OPEN, errno, 0);
	if (ioctl(kvm, KVM_GET_API_VERSION, 0) != KVM_VERSION)
		kvm_tell(report, KVM_STEP_VERSION, ENOTSUP, 0);
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (vm < 0 || kvm_map_memory(vm) < 0)
		kvm_tell(report, KVM_STEP_VM, errno, 0);
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (vcpu < 0 || size < (int)sizeof(*run))
		kvm_tell(report, KVM_STEP_VCPU, errno ? errno : EINVAL, 0);
	run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (run == MAP_FAILED || kvm_set_cpuid(kvm, vcpu) < 0 || kvm_enter_long_mode(vcpu) < 0)
		kvm_tell(report, KVM_STEP_VCPU, errno, 0);
	kvm_tell(report, KVM_STEP_RUN, 0, 0);
	if (ioctl(vcpu, KVM_RUN, 0) < 0)
		kvm_tell(report, KVM_STEP_RUN, errno, 0);
	kvm_tell(report, KVM_STEP_RAN, 0, run->exit_reason);
	_exit(0);
}

/* Takes reports until the child has said its last word or the limit is over. */
static bool kvm_listen(int fd, int64_t limit_ms, struct kvm_report *last)
{
	int64_t end = clock_now_ns() + limit_ms * NS_PER_MS;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = (end - clock_now_ns()) / NS_PER_MS;
		struct kvm_report r;

		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		if (read(fd, &r, sizeof(r)) != sizeof(r))
			return true;
		*last = r;
	}
}

static void kvm_end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	for (int i = 0; i < KVM_KILL_GRACE_MS / 10; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		clock_sleep_ms(10);
	}
}

static bool kvm_explain(const struct kvm_report *r, bool finished, int64_t limit_ms, char *why,
			size_t size)
{
	if (r->step == KVM_STEP_RAN && r->exit_reason == KVM_EXIT_HLT) {
		snprintf(why, size, "runs");
		return true;
	}
	if (r->step == KVM_STEP_RAN)
		snprintf(why, size, "/dev/kvm ran its guest wrongly (exit reason %u)",
			 r->exit_reason);
	else if (r->step == KVM_STEP_OPEN && r->error == ENOENT)
		snprintf(why, size, "no /dev/kvm");
	else if (r->step == KVM_STEP_OPEN && (r->error == EACCES || r->error == EPERM))
		snprintf(why, size,
			 "no right to open /dev/kvm; `sudo usermod -aG kvm $USER`, then "
			 "log in again");
	else if (r->step == KVM_STEP_RUN && !finished)
		snprintf(why, size,
			 "/dev/kvm opens, but its guest did not run a short loop within "
			 "%.1f s",
			 (double)limit_ms / 1000);
	else
		snprintf(why, size, "%s%s%s", step_texts[r->step], r->error ? ": " : "",
			 r->error ? strerror(r->error) : "");
	return false;
}

bool guest_probe_kvm(int64_t limit_ms, char *why, size_t size)
{
	struct kvm_report last = { .step = KVM_STEP_OPEN };
	int fds[2];
	bool finished;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0) {
		snprintf(why, size, "not probed: %s", strerror(errno));
		return false;
	}
	pid = fork();
	if (pid == 0)
		kvm_child(fds[1], limit_ms);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		snprintf(why, size, "not probed: %s", strerror(errno));
		return false;
	}
	finished = kvm_listen(fds[0], limit_ms, &last);
	close(fds[0]);
	kvm_end_child(pid);
	return kvm_explain(&last, finished, limit_ms, why, size);
}
