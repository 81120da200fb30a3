/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The prototypes amdgpu_hmm_range_get_pages() has had, one macro per enum mirror_form.
 *
 * Each is a type, used twice: compared with the candidate's by form.c, and shown as text.
 */
#ifndef PROTOTYPES_H
#define PROTOTYPES_H

#include <linux/types.h>

struct amdgpu_bo;
struct amdgpu_hmm_range;
struct hmm_range;
struct mm_struct;
struct mmu_interval_notifier;
struct page;

#define PROTOTYPE_6_1                                                                     \
	int(struct mmu_interval_notifier *, struct mm_struct *, struct page **, uint64_t, \
	    uint64_t, struct hmm_range **, bool, bool, void *)

#define PROTOTYPE_6_12                                                                        \
	int(struct mmu_interval_notifier *, uint64_t, uint64_t, bool, void *, struct page **, \
	    struct hmm_range **)

#define PROTOTYPE_6_18 \
	int(struct mmu_interval_notifier *, uint64_t, uint64_t, bool, void *, struct hmm_range **)

#define PROTOTYPE_6_19_DEV \
	int(struct mmu_interval_notifier *, uint64_t, uint64_t, bool, void *, struct hmm_range *)

#define PROTOTYPE_7_2                                                         \
	int(struct mmu_interval_notifier *, uint64_t, uint64_t, bool, void *, \
	    struct amdgpu_hmm_range *)

#endif
