/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A toy kernel source: functions that have the tokens the demo works on and do nothing else, and a
 * folder around them.
 */
#ifndef TESTS_DEMO_TOY_H
#define TESTS_DEMO_TOY_H

#define TOY_DRIVER "drivers/gpu/drm/amd"

#define TOY_HEAD                                                    \
	"/* toy */\n#include <linux/toy.h>\n#include \"toy.h\"\n\n" \
	"static int before(void)\n{\n\treturn 1;\n}\n\n"
#define TOY_TAIL "\nint after(void)\n{\n\treturn 2;\n}\n\nint last(void)\n{\n\treturn 3;\n}\n"

/* The loop is a label: the form to 6.2 or so. */
#define TOY_LABEL                                                 \
	"int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n"    \
	"\tunsigned long timeout;\n\tint r = 0;\n\n"              \
	"\ttimeout = later(1);\n\nretry:\n"                       \
	"\ttoy->notifier_seq = mmu_interval_read_begin(toy);\n\n" \
	"\tr = hmm_range_fault(toy);\n"                           \
	"\tif (r == -EBUSY && !past(timeout))\n\t\tgoto retry;\n\treturn r;\n}\n"

/* The label is inside of a loop over parts of the range: the form to 7.0 or so. */
#define TOY_PARTS                                                                       \
	"int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n"                          \
	"\tunsigned long timeout;\n\tint r;\n\n\tcount(toy);\n"                         \
	"\tdo {\n\t\ttimeout = later(1);\n\nretry:\n"                                   \
	"\t\ttoy->notifier_seq = mmu_interval_read_begin(toy);\n"                       \
	"\t\tr = hmm_range_fault(toy);\n"                                               \
	"\t\tif (r) {\n\t\t\tif (r == -EBUSY && !past(timeout))\n\t\t\t\tgoto retry;\n" \
	"\t\t\tgoto out;\n\t\t}\n\t} while (more(toy));\nout:\n\treturn r;\n}\n"

/* The label is gone: the form from 7.1, and of stable kernels. */
#define TOY_DROPPED                                                 \
	"int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n"      \
	"\tint r;\n\n\tcount(toy);\n"                               \
	"\ttoy->notifier_seq = mmu_interval_read_begin(toy);\n"     \
	"\tdo {\n\t\tpart(toy);\n\n\t\tr = hmm_range_fault(toy);\n" \
	"\t\tif (r)\n\t\t\tgoto out;\n\t} while (more(toy));\nout:\n\treturn r;\n}\n"

/* As c08972f55594 left it. */
#define TOY_DEFECT                                                                   \
	"int amdgpu_hmm_range_get_pages(struct toy *toy)\n{\n"                       \
	"\tunsigned long timeout;\n\tint r;\n\n\tcount(toy);\n"                      \
	"\ttoy->notifier_seq = mmu_interval_read_begin(toy);\n"                      \
	"\tdo {\n\t\ttimeout = later(1);\n\nretry:\n\t\tr = hmm_range_fault(toy);\n" \
	"\t\tif (r == -EBUSY && !past(timeout))\n\t\t\tgoto retry;\n"                \
	"\t} while (more(toy));\n\treturn r;\n}\n"

/** toy_source() - write the folder; the unit is @unit_file below the driver and holds @function */
void toy_source(const char *dir, const char *unit_file, const char *function);

/** toy_put() - write @text to @dir/@path, folders included */
void toy_put(const char *dir, const char *path, const char *text);

/** toy_run() - output of a shell command made by printf(), which must succeed; owned by the caller */
__attribute__((format(printf, 1, 2))) char *toy_run(const char *fmt, ...);

/** toy_number() - the same as a number */
__attribute__((format(printf, 1, 2))) long toy_number(const char *fmt, ...);

#endif
