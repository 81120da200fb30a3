/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The candidate's own header, under the name it has in that tree.
 *
 * It was amdgpu_mn.h up to 6.1 and leans on its includer for what is declared first here.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <linux/hmm.h>
#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>

#if !IS_ENABLED(CONFIG_HMM_MIRROR)
#error "CONFIG_HMM_MIRROR is off: the candidate has no amdgpu_hmm_range_get_pages()"
#endif

struct amdgpu_bo;
struct amdgpu_device;

#if __has_include("amdgpu_hmm.h")
#include "amdgpu_hmm.h"
#elif __has_include("amdgpu_mn.h")
#include "amdgpu_mn.h"
#else
#error "neither amdgpu_hmm.h nor amdgpu_mn.h: MIRROR_DRIVER must name drivers/gpu/drm/amd"
#endif

#endif
