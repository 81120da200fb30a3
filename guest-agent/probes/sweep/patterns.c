// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of the window law's table: see patterns.h. */
#include "guest-agent/probes/sweep/patterns.h"

#include "base/str.h"

int sweep_patterns(const struct regimes *r, struct err *err)
{
	static const struct touch all = { .all = true };
	static const struct touch ends = { .map = { 0x5 } };
	static const struct touch pages = { .one_page = true, .map = { 0x5 } };
	static const struct touch last = { .map = { 0x8 } };
	static const struct {
		const char *name;
		struct copy copy;
	} rows[] = {
		{ "8 MiB, aligned, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 8 << 20, 0, &all, false } },
		{ "8 MiB, start + 4 KiB, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 8 << 20, 4096, &all, false } },
		{ "8 MiB, aligned, extents 0 and 2 resident",
		  { REGIME_RW_RESIDENT, false, 1, 8 << 20, 0, &ends, false } },
		{ "8 MiB, aligned, one page touched in extent 0 and one in extent 2",
		  { REGIME_RW_RESIDENT, false, 2, 8 << 20, 0, &pages, false } },
		{ "8 MiB, aligned, extent 3 resident",
		  { REGIME_RW_RESIDENT, false, 3, 8 << 20, 0, &last, false } },
		{ "2 MiB, aligned, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 2 << 20, 0, &all, false } },
		{ "64 KiB, aligned, all resident",
		  { REGIME_RW_RESIDENT, false, 0, 64 << 10, 0, &all, false } },
		{ "8 MiB, aligned, r--p resident",
		  { REGIME_R_RESIDENT, false, 0, 8 << 20, 0, &all, false } },
		{ "8 MiB, aligned, rw-p not resident",
		  { REGIME_RW_ABSENT, false, 0, 8 << 20, 0, &all, false } },
	};
	struct wire_sample s;

	if (regimes_warm_up(r, 2 << 20, err) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		r->on_note(rows[i].name, r->arg);
		if (regimes_copy(r, &rows[i].copy, &s, err) < 0)
			return -1;
	}
	return 0;
}
