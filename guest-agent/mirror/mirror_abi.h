/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /dev/amdgpu-mirror speaks; read by the module and by its callers.
 *
 * Plain fixed-width members without holes, so a 32-bit caller sees the same layout. A change that
 * an old caller would misread raises MIRROR_ABI; a new form only adds a value.
 */
#ifndef MIRROR_ABI_H
#define MIRROR_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define MIRROR_DEVICE	       "/dev/amdgpu-mirror"
#define MIRROR_ABI	       1
#define MIRROR_LEN_MAX_BYTES   (4ULL << 30)
#define MIRROR_PROTOTYPE_BYTES 240

/**
 * enum mirror_permission - where the access asked of the range comes from
 * @MIRROR_PERMISSION_VMA:  from each mapping, as svm_range_validate_and_map() takes it
 * @MIRROR_PERMISSION_READ: read, whatever the mapping allows: never breaks copy-on-write
 */
enum mirror_permission {
	MIRROR_PERMISSION_VMA = 0,
	MIRROR_PERMISSION_READ = 1,
};

/**
 * enum mirror_scope - how much of the candidate runs
 * @MIRROR_SCOPE_UNIT:   one translation unit of it, linked into the mirror
 * @MIRROR_SCOPE_MODULE: its whole amdgpu.ko, loaded before the mirror
 */
enum mirror_scope {
	MIRROR_SCOPE_UNIT = 1,
	MIRROR_SCOPE_MODULE = 2,
};

/**
 * enum mirror_form - prototype of the candidate's amdgpu_hmm_range_get_pages()
 * @MIRROR_FORM_UNKNOWN:  never seen outside the build, where it is an error
 * @MIRROR_FORM_6_1:      5.15 to 6.1, amdgpu_mn.h: takes the mm and returns a range
 * @MIRROR_FORM_6_12:     amdgpu_hmm.h: no mm, still fills a page array
 * @MIRROR_FORM_6_18:     the page array is gone
 * @MIRROR_FORM_6_19_DEV: between 6.18 and 6.19 only: fills the caller's struct hmm_range
 * @MIRROR_FORM_7_2:      fills the caller's struct amdgpu_hmm_range
 *
 * The prototypes themselves are in prototypes.h.
 */
enum mirror_form {
	MIRROR_FORM_UNKNOWN = 0,
	MIRROR_FORM_6_1 = 1,
	MIRROR_FORM_6_12 = 2,
	MIRROR_FORM_6_18 = 3,
	MIRROR_FORM_6_19_DEV = 4,
	MIRROR_FORM_7_2 = 5,
};

/**
 * struct mirror_info - what this mirror was built from
 * @abi:       out: MIRROR_ABI of the module; ask before anything else
 * @form:      out: enum mirror_form
 * @scope:     out: enum mirror_scope
 * @reserved:  out: 0
 * @prototype: out: type of the candidate's function, text ended by NUL
 */
struct mirror_info {
	__u32 abi;
	__u32 form;
	__u32 scope;
	__u32 reserved;
	char prototype[MIRROR_PROTOTYPE_BYTES];
};

/**
 * struct mirror_call - validate one range of the caller, without a GPU
 * @addr:       in: start [bytes], page aligned
 * @len:        in: length [bytes], page aligned, 1 page to MIRROR_LEN_MAX_BYTES
 * @permission: in: enum mirror_permission
 * @flags:      in: 0
 * @elapsed_ns: out: first call of the candidate to the last, repeats included [ns]
 * @calls:      out: how often the candidate's function ran; once per mapping and repeat
 * @restarts:   out: how often -EBUSY or -EAGAIN made the whole range start again
 * @result:     out: 0, or -errno of the last try: -EFAULT where the range is not mapped throughout,
 *              -EINTR when a fatal signal ended the repeats
 * @form:       out: enum mirror_form
 *
 * The ioctl itself returns 0 when the out members are filled, whatever @result says; -1 with errno
 * EINVAL when an in member is out of bounds and EFAULT when the struct cannot be read or written.
 */
struct mirror_call {
	__u64 addr;
	__u64 len;
	__u32 permission;
	__u32 flags;
	__u64 elapsed_ns;
	__u32 calls;
	__u32 restarts;
	__s32 result;
	__u32 form;
};

#define MIRROR_IOC_MAGIC 0xbe
#define MIRROR_IOC_INFO	 _IOR(MIRROR_IOC_MAGIC, 0, struct mirror_info)
#define MIRROR_IOC_CALL	 _IOWR(MIRROR_IOC_MAGIC, 1, struct mirror_call)

#endif
