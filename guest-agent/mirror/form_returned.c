// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Forms whose function makes a struct hmm_range and returns it, with a _done() that checks and
 * frees it: 6.1, 6.12 and 6.18. Empty in a tree of another form.
 */
#include "form.h"

#if HAS_FORM_6_1 || HAS_FORM_6_12 || HAS_FORM_6_18

#include <linux/sched.h>
#include <linux/stringify.h>

#include "candidate.h"
#include "driver.h"
#include "prototypes.h"
#include "reach.h"

REACH_DEFINE(amdgpu_hmm_range_get_pages);
REACH_DEFINE(amdgpu_hmm_range_get_pages_done);

#if HAS_FORM_6_1

const enum mirror_form candidate_form = MIRROR_FORM_6_1;
const char candidate_prototype[] = __stringify(PROTOTYPE_6_1);

static int get_pages(struct mmu_interval_notifier *notifier, u64 start, u64 npages, bool readonly,
		     struct hmm_range **ret)
{
	return reach_call(amdgpu_hmm_range_get_pages)(notifier, current->mm, NULL, start, npages,
						      ret, readonly, true, NULL);
}

#elif HAS_FORM_6_12

const enum mirror_form candidate_form = MIRROR_FORM_6_12;
const char candidate_prototype[] = __stringify(PROTOTYPE_6_12);

static int get_pages(struct mmu_interval_notifier *notifier, u64 start, u64 npages, bool readonly,
		     struct hmm_range **ret)
{
	return reach_call(amdgpu_hmm_range_get_pages)(notifier, start, npages, readonly, NULL, NULL,
						      ret);
}

#else

const enum mirror_form candidate_form = MIRROR_FORM_6_18;
const char candidate_prototype[] = __stringify(PROTOTYPE_6_18);

static int get_pages(struct mmu_interval_notifier *notifier, u64 start, u64 npages, bool readonly,
		     struct hmm_range **ret)
{
	return reach_call(amdgpu_hmm_range_get_pages)(notifier, start, npages, readonly, NULL, ret);
}

#endif

int candidate_bind(void)
{
	return reach_bind(amdgpu_hmm_range_get_pages)
		       ?: reach_bind(amdgpu_hmm_range_get_pages_done);
}

int candidate_validate(struct mmu_interval_notifier *notifier, struct mutex *lock, u64 start,
		       u64 npages, bool readonly)
{
	struct hmm_range *range = NULL;
	bool invalidated;
	int ret;

	ret = get_pages(notifier, start, npages, readonly, &range);
	if (ret)
		return ret;

	mutex_lock(lock);
	invalidated = reach_call(amdgpu_hmm_range_get_pages_done)(range);
	mutex_unlock(lock);
	return invalidated ? -EAGAIN : 0;
}

#endif
