// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The mirror: does to the caller's range what svm_range_validate_and_map() does before the GPU.
 *
 * A notifier is inserted on the range and the mmap lock taken, then each mapping of the range goes
 * to the candidate's own function, with the access its VMA allows. Where the driver would return
 * -EAGAIN to user space, the ROCm thunk's ioctl wrapper calls again; so does this.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "candidate.h"
#include "mirror_abi.h"
#include "reach.h"

/**
 * struct validation - one range under validation
 * @notifier:  inserted on [@start, @end)
 * @lock:      orders the notifier's callback and the check of its sequence, as prange->lock does
 * @start:     first byte, page aligned
 * @end:       first byte behind, page aligned
 * @read_only: ask for read access even of a writable mapping
 * @calls:     calls of the candidate's function so far
 * @restarts:  times the whole range had to start again so far
 */
struct validation {
	struct mmu_interval_notifier notifier;
	struct mutex lock;
	u64 start;
	u64 end;
	bool read_only;
	u32 calls;
	u32 restarts;
};

static bool invalidate(struct mmu_interval_notifier *notifier,
		       const struct mmu_notifier_range *range, unsigned long seq)
{
	struct validation *v = container_of(notifier, struct validation, notifier);

	if (mmu_notifier_range_blockable(range))
		mutex_lock(&v->lock);
	else if (!mutex_trylock(&v->lock))
		return false;

	mmu_interval_set_seq(notifier, seq);
	mutex_unlock(&v->lock);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = { .invalidate = invalidate };

/* Once over the range, a mapping at a time; 0 or -errno of the first mapping that fails. */
static int validate_once(struct validation *v)
{
	struct vm_area_struct *vma;
	u64 addr = v->start;
	u64 next;
	int ret = 0;

	mmap_read_lock(current->mm);
	while (addr < v->end && !ret) {
		vma = find_vma(current->mm, addr);
		if (!vma || addr < vma->vm_start) {
			ret = -EFAULT;
			break;
		}

		next = min_t(u64, vma->vm_end, v->end);
		v->calls++;
		ret = candidate_validate(&v->notifier, &v->lock, addr, (next - addr) >> PAGE_SHIFT,
					 v->read_only || !(vma->vm_flags & VM_WRITE));
		addr = next;
	}
	mmap_read_unlock(current->mm);

	return ret;
}

static int validate(struct validation *v)
{
	int ret;

	for (;;) {
		ret = validate_once(v);
		if (ret != -EBUSY && ret != -EAGAIN)
			return ret;

		v->restarts++;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}

static bool call_is_valid(const struct mirror_call *call)
{
	return PAGE_ALIGNED(call->addr) && PAGE_ALIGNED(call->len) && call->len > 0 &&
	       call->len <= MIRROR_LEN_MAX_BYTES && call->addr + call->len > call->addr &&
	       call->permission <= MIRROR_PERMISSION_READ && call->flags == 0;
}

static void call_run(struct mirror_call *call)
{
	struct validation v = {
		.start = call->addr,
		.end = call->addr + call->len,
		.read_only = call->permission == MIRROR_PERMISSION_READ,
	};
	u64 begin_ns;

	call->elapsed_ns = 0;
	mutex_init(&v.lock);
	call->result = mmu_interval_notifier_insert(&v.notifier, current->mm, call->addr, call->len,
						    &notifier_ops);
	if (!call->result) {
		begin_ns = ktime_get_ns();
		call->result = validate(&v);
		call->elapsed_ns = ktime_get_ns() - begin_ns;
		mmu_interval_notifier_remove(&v.notifier);
	}

	call->calls = v.calls;
	call->restarts = v.restarts;
	call->form = candidate_form;
}

static long ioctl_call(void __user *arg)
{
	struct mirror_call call;

	if (copy_from_user(&call, arg, sizeof(call)))
		return -EFAULT;
	if (!call_is_valid(&call))
		return -EINVAL;

	call_run(&call);

	return copy_to_user(arg, &call, sizeof(call)) ? -EFAULT : 0;
}

static long ioctl_info(void __user *arg)
{
	struct mirror_info info = {
		.abi = MIRROR_ABI,
		.form = candidate_form,
		.scope = REACH_SCOPE,
	};

	strscpy(info.prototype, candidate_prototype, sizeof(info.prototype));

	return copy_to_user(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long mirror_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case MIRROR_IOC_INFO:
		return ioctl_info((void __user *)arg);
	case MIRROR_IOC_CALL:
		return ioctl_call((void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations mirror_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = mirror_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice mirror_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "amdgpu-mirror",
	.fops = &mirror_fops,
	.mode = 0600,
};

static int __init mirror_init(void)
{
	int ret;

	ret = reach_open();
	if (ret)
		return ret;

	ret = candidate_bind();
	if (!ret)
		ret = misc_register(&mirror_device);
	if (ret)
		reach_close();
	return ret;
}

static void __exit mirror_exit(void)
{
	misc_deregister(&mirror_device);
	reach_close();
}

module_init(mirror_init);
module_exit(mirror_exit);

MODULE_DESCRIPTION("amdgpu's HMM validation without a GPU");
MODULE_LICENSE("GPL");
