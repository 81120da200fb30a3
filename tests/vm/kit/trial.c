// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tests share that try things in guests: see trial.h. */
#include "kit/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"

#define SKIPPED	 77 /* to ctest */
#define LIMIT_MS 300000

static char *cache;

static void forget_cache(void)
{
	free(cache);
}

int kit_begin(struct guest_spec *ret, char *work, const char *agent, const char *const *probes,
	      size_t n)
{
	if (!mkdtemp(work))
		return -1;
	cache = str_printf("%s/cache", work);
	atexit(forget_cache);
	if (!kit_spec(ret, agent, cache)) {
		print_message("no kernel with its modules is installed here\n");
		kit_end(work);
		exit(SKIPPED);
	}
	ret->probes = probes;
	ret->n_probes = n;
	return 0;
}

int kit_end(const char *work)
{
	struct err err;

	return getenv("KEEP") ? 0 : fs_remove_tree(work, &err);
}

bool kit_shell(const char *command)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct spawn s = { .argv = argv, .limit_ms = LIMIT_MS };
	struct spawn_result r;
	struct err err;

	return spawn_run(&s, &r, &err) == 0 && r.exit_code == 0;
}

char *kit_first_line(const char *const *argv)
{
	_cleanup_buf_ struct buf out = { 0 };
	struct spawn s = { .argv = argv, .capture = &out, .limit_ms = LIMIT_MS };
	struct spawn_result r;
	struct err err;

	if (spawn_run(&s, &r, &err) < 0 || r.exit_code != 0 || !out.data)
		return NULL;
	out.data[strcspn(out.data, "\n")] = '\0';
	return xstrdup(out.data);
}

char *kit_faulty(const char *work)
{
	_cleanup_free_ char *make = str_printf(
		"cp -r " KIT_FAULTY " %s/ko && make -s -C /lib/modules/%s/build M=%s/ko modules",
		work, kit_release(), work);

	return kit_shell(make) ? str_printf("%s/ko/faulty.ko", work) : NULL;
}

struct trial kit_try(struct rig *r, const char *work, const char *label, struct trial_spec *t)
{
	_cleanup_free_ char *dir = str_printf("%s/%s", work, label);
	struct trial ret;
	struct err err;

	t->label = label;
	t->dir = dir;
	if (guest_try(r, t, &ret, &err) < 0)
		fail_msg("%s: %s", label, err.msg);
	t->dir = NULL;
	print_message("%s: %s, %s: %s (create %.2f boot %.2f load %.2f probe %.2f s)\n", label,
		      guest_start_name(ret.start), trial_end_name(ret.end), ret.reason,
		      ret.stage_ns[0] / 1e9, ret.stage_ns[1] / 1e9, ret.stage_ns[2] / 1e9,
		      ret.stage_ns[3] / 1e9);
	return ret;
}

void kit_expect(const struct trial *t, enum trial_end end, const char *words)
{
	assert_string_equal(trial_end_name(t->end), trial_end_name(end));
	if (!strstr(t->reason, words))
		fail_msg("'%s' does not say '%s'", t->reason, words);
	assert_null(strchr(t->reason, '\n'));
}
