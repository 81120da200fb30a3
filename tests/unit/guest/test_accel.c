// SPDX-License-Identifier: GPL-2.0-or-later
/* Names, and the question to KVM: whatever it does, the answer comes in time and says why. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "guest/guest.h"

static void kvm_is_answered_for_within_the_limit(void **state)
{
	char why[256] = "";
	int64_t begun = clock_now_ns();
	bool runs = guest_probe_kvm(500, why, sizeof(why));

	(void)state;
	assert_true(clock_now_ns() - begun < 2 * NS_PER_S);
	assert_string_not_equal(why, "");
	assert_null(strchr(why, '\n'));
	assert_true(runs == (strcmp(why, "runs") == 0));
}

static void no_time_is_a_no(void **state)
{
	char why[256] = "";

	(void)state;
	assert_false(guest_probe_kvm(0, why, sizeof(why)));
	assert_string_not_equal(why, "");
}

/* KVM that never runs its guest spins for ever; a controller that was killed cannot end it. */
static void a_killed_asker_leaves_no_process(void **state)
{
	int64_t end = clock_now_ns() + 3 * NS_PER_S;
	char why[256];
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		setpgid(0, 0);
		guest_probe_kvm(20000, why, sizeof(why));
		pause();
	}
	setpgid(pid, pid);
	clock_sleep_ms(300);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	while (kill(-pid, 0) == 0 && clock_now_ns() < end)
		clock_sleep_ms(20);
	assert_int_equal(kill(-pid, 0), -1);
}

static void names_come_back(void **state)
{
	enum guest_accel a;
	enum trial_end e;

	(void)state;
	for (unsigned int i = 0; i < GUEST_ACCELS; i++) {
		assert_true(guest_accel_parse(guest_accel_name(i), &a));
		assert_int_equal(a, i);
	}
	for (unsigned int i = 0; i < TRIAL_ENDS; i++) {
		assert_true(trial_end_parse(trial_end_name(i), &e));
		assert_int_equal(e, i);
	}
	assert_false(guest_accel_parse("xen", &a));
	assert_false(trial_end_parse("", &e));
	assert_string_equal(trial_end_name(TRIAL_ENDS), "unknown");
	assert_string_equal(trial_stage_name(STAGE_COUNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kvm_is_answered_for_within_the_limit),
		cmocka_unit_test(no_time_is_a_no),
		cmocka_unit_test(a_killed_asker_leaves_no_process),
		cmocka_unit_test(names_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
