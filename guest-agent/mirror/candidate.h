/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The candidate as the rest of the mirror sees it: one function, whatever its form and scope.
 *
 * One of form_*.c implements this, whichever suits the form; the others are empty.
 */
#ifndef CANDIDATE_H
#define CANDIDATE_H

#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "mirror_abi.h"

/** candidate_form - which prototype the candidate's function has */
extern const enum mirror_form candidate_form;

/** candidate_prototype - that prototype as text, for a reader */
extern const char candidate_prototype[];

/**
 * candidate_bind() - find the candidate's functions
 *
 * Context: after reach_open().
 * Return: 0, or -ENOENT when a function is not in the loaded driver.
 */
int candidate_bind(void);

/**
 * candidate_validate() - have the candidate fault in and check pages of one mapping
 * @notifier: inserted in current->mm over at least these pages
 * @lock:     the notifier's callback advances the sequence under it; taken here for the check
 * @start:    first byte, page aligned
 * @npages:   > 0; start and npages lie in one VMA
 * @readonly: ask for read access only
 *
 * Context: process; the mmap lock of current->mm is held for read.
 * Return: 0, -EAGAIN when an invalidation came after the faults, or what the candidate returned.
 * Source: the order of calls in svm_range_validate_and_map(), drivers/gpu/drm/amd/amdkfd/kfd_svm.c.
 */
int candidate_validate(struct mmu_interval_notifier *notifier, struct mutex *lock, u64 start,
		       u64 npages, bool readonly);

#endif
