// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form that lived between 6.18 and 6.19: fills a struct hmm_range of its caller's. Empty in a
 * tree of another form.
 *
 * First its callers made and freed that range by hand, then through helpers. By hand suits both.
 */
#include "form.h"

#if HAS_FORM_6_19_DEV

#include <linux/slab.h>
#include <linux/stringify.h>

#include "candidate.h"
#include "driver.h"
#include "prototypes.h"
#include "reach.h"

REACH_DEFINE(amdgpu_hmm_range_get_pages);

const enum mirror_form candidate_form = MIRROR_FORM_6_19_DEV;
const char candidate_prototype[] = __stringify(PROTOTYPE_6_19_DEV);

int candidate_bind(void)
{
	return reach_bind(amdgpu_hmm_range_get_pages);
}

int candidate_validate(struct mmu_interval_notifier *notifier, struct mutex *lock, u64 start,
		       u64 npages, bool readonly)
{
	struct hmm_range *range;
	int ret;

	range = kzalloc(sizeof(*range), GFP_KERNEL);
	if (!range)
		return -ENOMEM;

	ret = reach_call(amdgpu_hmm_range_get_pages)(notifier, start, npages, readonly, NULL,
						     range);
	if (!ret) {
		mutex_lock(lock);
		if (mmu_interval_read_retry(range->notifier, range->notifier_seq))
			ret = -EAGAIN;
		mutex_unlock(lock);
		kvfree(range->hmm_pfns);
	}

	kfree(range);
	return ret;
}

#endif
