// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form of 7.2: fills a struct amdgpu_hmm_range, which the candidate makes, checks and frees by
 * three more functions. Empty in a tree of another form.
 */
#include "form.h"

#if HAS_FORM_7_2

#include <linux/stringify.h>

#include "candidate.h"
#include "driver.h"
#include "prototypes.h"
#include "reach.h"

REACH_DEFINE(amdgpu_hmm_range_get_pages);
REACH_DEFINE(amdgpu_hmm_range_alloc);
REACH_DEFINE(amdgpu_hmm_range_valid);
REACH_DEFINE(amdgpu_hmm_range_free);

const enum mirror_form candidate_form = MIRROR_FORM_7_2;
const char candidate_prototype[] = __stringify(PROTOTYPE_7_2);

#ifdef REACH_UNIT
/*
 * Making and freeing a range takes and drops a reference on its buffer object. A range of SVM has
 * none, and for none these do nothing; so they are no stubs, and take the stubs' place (stub.h).
 */
struct amdgpu_bo *amdgpu_bo_ref(struct amdgpu_bo *bo);
void amdgpu_bo_unref(struct amdgpu_bo **bo);

struct amdgpu_bo *amdgpu_bo_ref(struct amdgpu_bo *bo)
{
	WARN_ON_ONCE(bo);
	return NULL;
}

void amdgpu_bo_unref(struct amdgpu_bo **bo)
{
	WARN_ON_ONCE(*bo);
}
#endif

int candidate_bind(void)
{
	return reach_bind(amdgpu_hmm_range_get_pages) ?: reach_bind(amdgpu_hmm_range_alloc) ?:
	       reach_bind(amdgpu_hmm_range_valid) ?: reach_bind(amdgpu_hmm_range_free);
}

int candidate_validate(struct mmu_interval_notifier *notifier, struct mutex *lock, u64 start,
		       u64 npages, bool readonly)
{
	struct amdgpu_hmm_range *range;
	int ret;

	range = reach_call(amdgpu_hmm_range_alloc)(NULL);
	if (!range)
		return -ENOMEM;

	ret = reach_call(amdgpu_hmm_range_get_pages)(notifier, start, npages, readonly, NULL,
						     range);
	if (!ret) {
		mutex_lock(lock);
		if (!reach_call(amdgpu_hmm_range_valid)(range))
			ret = -EAGAIN;
		mutex_unlock(lock);
	} else {
		/* the candidate freed it, but early versions leave the pointer */
		range->hmm_range.hmm_pfns = NULL;
	}

	reach_call(amdgpu_hmm_range_free)(range);
	return ret;
}

#endif
