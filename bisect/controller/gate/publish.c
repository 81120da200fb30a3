// SPDX-License-Identifier: GPL-2.0-or-later
/* What a gate leaves behind: see gate.h. */
#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/evidence/evidence.h"
#include "controller/gate/gate.h"
#include "reports/report.h"

int gate_publish(struct store *s, const char *run, const char *dir, const char *name,
		 struct err *err)
{
	static const struct {
		const char *suffix;
		int (*make)(struct store *s, struct buf *ret, struct err *err);
	} forms[] = { { "junit.xml", report_junit }, { "ktap", report_ktap } };
	_cleanup_free_ char *evidence = str_printf("%s/%s.evidence", dir, name);

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s.%s", dir, name, forms[i].suffix);
		_cleanup_buf_ struct buf text = { 0 };

		if (forms[i].make(s, &text, err) < 0 ||
		    fs_write(path, text.data, text.len, err) < 0)
			return -1;
	}
	return evidence_write(s, run, evidence, err);
}
