// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real guests: whatever one does, its trial ends, in time, with the reason; nothing of it is left.
 * One rig serves all; a fault is chosen by the candidate's label.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "guest/evidence.h"
#include "kit/trial.h"

static char work[] = "/tmp/amdgpu-bisect-vm.XXXXXX";
static const char *const probes[] = { POKE };
static const char *const pack[] = { "drm" };
static char append[2048];
static char *faulty_ko;
static struct guest_spec spec;
static struct rig *rig;

/* What each fault must lead to, and words that its reason must hold. */
static const struct {
	const char *fault;
	enum trial_end end;
	const char *words;
} faults[] = {
	{ "none", TRIAL_DONE, "3 samples" },
	{ "panic-early", TRIAL_PANIC, "Attempted to kill init" },
	{ "panic-in-probe", TRIAL_PANIC, "Kernel panic" },
	{ "wrong-nonce", TRIAL_PROTOCOL, "nonce" },
	{ "wrong-version", TRIAL_PROTOCOL, "the agent speaks version" },
	{ "flood", TRIAL_PROTOCOL, "flood" },
	{ "flood-console", TRIAL_PROTOCOL, "flooded its console" },
	{ "half-line", TRIAL_PROTOCOL, "half a line" },
	{ "huge-line", TRIAL_PROTOCOL, "" },
	{ "bad-json", TRIAL_PROTOCOL, "" },
	{ "lie", TRIAL_PROTOCOL, "" },
	{ "lie-clock", TRIAL_PROTOCOL, "passed" },
	{ "exit-after-hello", TRIAL_RESET, "load stage" },
	{ "exit-in-probe", TRIAL_RESET, "probe stage" },
	{ "hang-in-load", TRIAL_LOAD_HUNG, "in time" },
	{ "hang-in-probe", TRIAL_PROBE_HUNG, "in time" },
	{ "close-in-load", TRIAL_LOAD_HUNG, "in time" },
	{ "deaf", TRIAL_LOAD_HUNG, "in time" },
	{ "mismatch", TRIAL_LOAD_MISMATCH, "build id 0badc0de" },
	{ "samples-without-end", TRIAL_PROTOCOL, "samples" },
};

/* The build id as binutils read it, not as we do. */
static char *build_id_of(const char *ko)
{
	_cleanup_free_ char *command =
		str_printf("readelf -n %s | sed -n 's/^ *Build ID: //p'", ko);
	const char *const argv[] = { "sh", "-c", command, NULL };

	return kit_first_line(argv);
}

static struct trial try_with(struct rig *r, struct trial_spec *t, const char *label)
{
	if (!t->probe) {
		t->probe = "poke";
		t->args = "/dev/null x";
	}
	return kit_try(r, work, label, t);
}

static int set_up(void **state)
{
	struct buf list = { 0 };
	struct err err;

	(void)state;
	if (kit_begin(&spec, work, HOSTILE, probes, ARRAY_SIZE(probes)) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		buf_printf(&list, "%s%s@%s", i ? "," : "amdgpu_bisect.fault=", faults[i].fault,
			   faults[i].fault);
	str_copy(append, sizeof(append), list.data);
	buf_deinit(&list);
	spec.append = append;
	spec.pack = pack;
	spec.n_pack = ARRAY_SIZE(pack);
	spec.start = GUEST_START_COLD; /* the kernel's command line says whose fault it is */
	spec.limit.boot_ms = 90000;
	spec.limit.load_ms = 15000;
	spec.limit.probe_ms = 10000;
	faulty_ko = kit_faulty(work);
	if (rig_open(&spec, &rig, &err) < 0) {
		print_error("%s\n", err.msg);
		return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rig_close(rig);
	free(faulty_ko);
	return kit_end(work);
}

static char *stock_module(const char *name)
{
	const char *const argv[] = { "modinfo", "-k", kit_release(), "-n", name, NULL };

	return kit_first_line(argv);
}

/* A fault, with a packed and a streamed module on the way to it. */
static void a_fault_ends_the_trial(size_t i)
{
	static const char *const packed[] = { "drm" };
	_cleanup_free_ char *path = stock_module("crc8");
	_cleanup_free_ char *id = build_id_of(path);
	struct trial_module module = {
		.name = "crc8", .path = path, .srcversion = "", .build_id = id
	};
	struct trial_spec t = {
		.packed = packed, .n_packed = 1, .modules = &module, .n_modules = 1
	};
	int64_t begun = clock_now_ns(), most = 0;
	struct trial ret;

	assert_non_null(id);
	ret = try_with(rig, &t, faults[i].fault);
	kit_expect(&ret, faults[i].end, faults[i].words);
	most = 3000 + spec.limit.boot_ms + spec.limit.load_ms + spec.limit.probe_ms + 8000;
	assert_true(clock_now_ns() - begun < most * NS_PER_MS);
	assert_true(ret.stage_ns[STAGE_LOAD] < (spec.limit.load_ms + 4000) * NS_PER_MS);
	assert_true(ret.stage_ns[STAGE_PROBE] < (spec.limit.probe_ms + 9000) * NS_PER_MS);
	if (faults[i].end == TRIAL_DONE)
		assert_int_equal(ret.n_samples, 3);
	trial_deinit(&ret);
}

static void every_fault_ends_the_trial_in_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		a_fault_ends_the_trial(i);
}

static void an_agent_that_never_answers_is_no_boot(void **state)
{
	_cleanup_(rig_close_p) struct rig *impatient = NULL;
	struct guest_spec s = spec;
	struct trial_spec t = { 0 };
	int64_t begun;
	struct trial ret;
	struct err err;

	(void)state;
	s.append = "amdgpu_bisect.fault=no-hello";
	s.limit.boot_ms = 15000;
	assert_int_equal(rig_open(&s, &impatient, &err), 0);
	begun = clock_now_ns();
	ret = try_with(impatient, &t, "no-hello");
	kit_expect(&ret, TRIAL_NO_BOOT, "in time");
	assert_true(clock_now_ns() - begun < 20 * NS_PER_S);
	trial_deinit(&ret);
}

/* The kernel's code is one endless loop: nothing is ever said. */
static char *dead_kernel(void)
{
	_cleanup_free_ char *pattern = str_printf("ls %s/guest/vmlinux-*", spec.cache_dir);
	const char *const argv[] = { "sh", "-c", pattern, NULL };
	_cleanup_free_ char *from = kit_first_line(argv);
	_cleanup_free_ char *data = NULL;
	char *to = str_printf("%s/dead-kernel", work);
	Elf64_Ehdr *eh;
	struct err err;
	size_t len;

	assert_non_null(from);
	assert_int_equal(fs_read(from, 1 << 30, &data, &len, &err), 0);
	eh = (Elf64_Ehdr *)data;
	for (unsigned int i = 0; i < eh->e_phnum; i++) {
		Elf64_Phdr *ph = (Elf64_Phdr *)(data + eh->e_phoff) + i;

		for (uint64_t k = 0; ph->p_type == PT_LOAD && k + 1 < ph->p_filesz; k += 2)
			memcpy(data + ph->p_offset + k, "\xeb\xfe", 2);
		/* the note says where to start: keep it */
		if (ph->p_type == PT_NOTE) {
			_cleanup_free_ char *whole = NULL;
			size_t n;

			assert_int_equal(fs_read(from, 1 << 30, &whole, &n, &err), 0);
			memcpy(data + ph->p_offset, whole + ph->p_offset, ph->p_filesz);
		}
	}
	assert_int_equal(fs_write(to, data, len, &err), 0);
	return to;
}

static void a_kernel_that_never_boots_is_no_boot(void **state)
{
	_cleanup_(rig_close_p) struct rig *impatient = NULL;
	_cleanup_free_ char *image = dead_kernel();
	struct guest_spec s = spec;
	struct trial_spec t = { 0 };
	struct trial ret;
	struct err err;

	(void)state;
	s.image = image;
	s.limit.boot_ms = 5000;
	assert_int_equal(rig_open(&s, &impatient, &err), 0);
	ret = try_with(impatient, &t, "dead");
	kit_expect(&ret, TRIAL_NO_BOOT, "nothing on its console");
	trial_deinit(&ret);
}

/*
 * As a candidate's own: no module is packed, so one that has the channel's drivers as modules, like a
 * distribution's, boots to an agent that nobody hears.
 */
static void a_kernel_of_its_own_needs_the_channels_drivers_built_in(void **state)
{
	_cleanup_(rig_close_p) struct rig *r = NULL;
	_cleanup_free_ char *pattern =
		str_printf("ls %s/guest/vmlinux-* | head -n 1", spec.cache_dir);
	const char *const argv[] = { "sh", "-c", pattern, NULL };
	_cleanup_free_ char *stock = kit_first_line(argv);
	_cleanup_free_ char *xml = NULL, *path = str_printf("%s/own-stock/domain.xml", work);
	struct trial_spec t = { .image = stock };
	struct guest_spec s = spec;
	struct trial ret;
	struct err err;

	(void)state;
	s.limit.boot_ms = 15000;
	assert_int_equal(rig_open(&s, &r, &err), 0);
	ret = try_with(r, &t, "own-stock");
	kit_expect(&ret, TRIAL_NO_BOOT, "in time");
	trial_deinit(&ret);
	assert_int_equal(fs_read(path, 1 << 20, &xml, NULL, &err), 0);
	assert_non_null(strstr(xml, stock));
}

static void a_kernel_of_its_own_that_cannot_boot_is_the_candidates(void **state)
{
	_cleanup_free_ char *text = str_printf("%s/no-kernel", work);
	struct trial_spec t = { .image = text, .label = "nothing", .dir = work, .probe = "poke" };
	struct trial ret;
	struct err err;

	(void)state;
	assert_int_equal(fs_write(text, "no kernel\n", 10, &err), 0);
	ret = try_with(rig, &t, "own-text");
	kit_expect(&ret, TRIAL_NO_BOOT, "no x86-64 kernel");
	trial_deinit(&ret);
	t.image = "/nowhere/vmlinux"; /* it was built, and now is gone */
	assert_int_equal(guest_try(rig, &t, &ret, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "/nowhere/vmlinux"));
}

/* Built by the builder's test, with everything that a guest needs in it. */
static void a_trimmed_kernel_boots_to_its_agent(void **state)
{
	const char *image = getenv("AMDGPU_BISECT_TEST_VMLINUX");
	struct trial_spec t = { .image = image };
	struct trial ret;

	(void)state;
	if (!image || !fs_exists(image))
		skip();
	ret = try_with(rig, &t, "own-trimmed");
	kit_expect(&ret, TRIAL_DONE, "0 samples");
	assert_true(*ret.kernel);
	trial_deinit(&ret);
	t.probe = NULL;
	ret = try_with(rig, &t, "panic-early");
	kit_expect(&ret, TRIAL_PANIC, "Attempted to kill init");
	trial_deinit(&ret);
}

static void without_its_init_a_kernel_panics_and_says_so(void **state)
{
	_cleanup_(rig_close_p) struct rig *r = NULL;
	struct guest_spec s = spec;
	struct trial_spec t = { 0 };
	struct trial ret;
	struct err err;

	(void)state;
	s.append = "rdinit=/nothing-here";
	assert_int_equal(rig_open(&s, &r, &err), 0);
	ret = try_with(r, &t, "no-init");
	kit_expect(&ret, TRIAL_PANIC, "Kernel panic - not syncing: ");
	trial_deinit(&ret);
}

/* A module of our own that really fails, hangs, oopses and panics, under the real agent. */
static void what_a_module_does_to_the_kernel_is_told(void **state)
{
	static const struct {
		const char *label, *params, *args;
		enum trial_end end;
		const char *words;
	} cases[] = {
		{ "ko-well", "when=never", "/dev/null x", TRIAL_DONE, "0 samples" },
		{ "ko-fail", "when=fail", "", TRIAL_LOAD_FAILED, "Invalid argument" },
		{ "ko-hang", "when=hang", "", TRIAL_LOAD_HUNG, "faulty" },
		{ "ko-oops", "when=oops", "", TRIAL_OOPS, "faulty_oops+0x" },
		{ "ko-reset", "when=reset", "", TRIAL_RESET, "load stage" },
		{ "ko-panic", "when=panic", "", TRIAL_PANIC, "faulty on request" },
		{ "ko-poke", "when=never", "/sys/module/faulty/parameters/poke 1", TRIAL_OOPS,
		  "faulty_oops+0x" },
		{ "ko-poke-hang", "when=never", "/sys/module/faulty/parameters/poke hang",
		  TRIAL_PROBE_HUNG, "it cannot be killed" },
		{ "ko-probe-fails", "when=never", "/nowhere x", TRIAL_PROBE_FAILED,
		  "ended with 2" },
	};
	_cleanup_free_ char *id = NULL;

	(void)state;
	if (!faulty_ko)
		skip();
	id = build_id_of(faulty_ko);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trial_module m = { .name = "faulty",
					  .path = faulty_ko,
					  .srcversion = "",
					  .build_id = id,
					  .params = cases[i].params };
		struct trial_spec t = {
			.modules = &m, .n_modules = 1, .probe = "poke", .args = cases[i].args
		};
		struct trial ret = try_with(rig, &t, cases[i].label);

		kit_expect(&ret, cases[i].end, cases[i].words);
		trial_deinit(&ret);
	}
}

/* Registers, and the guest's memory in makedumpfile's flattened form. */
static void assert_evidence(const char *label, const struct trial *t)
{
	_cleanup_free_ char *registers = str_printf("%s/%s/registers.txt", work, label);
	_cleanup_free_ char *core = str_printf("%s/%s/vmcore", work, label);
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = open(core, O_RDONLY);
	char head[12] = "", rip[32];
	struct err err;

	assert_int_equal(fs_read(registers, 1 << 20, &text, NULL, &err), 0);
	assert_true(evidence_rip(text, rip, sizeof(rip)));
	assert_non_null(strstr(t->reason, rip));
	assert_int_equal(read(fd, head, sizeof(head)), sizeof(head));
	assert_memory_equal(head, "makedumpfile", sizeof(head));
	unlink(core);
}

/* With interrupts off nothing is printed and nothing answers; only the watchdog tells it from a hang. */
static void a_lockup_is_told_from_a_hang(void **state)
{
	_cleanup_(rig_close_p) struct rig *patient = NULL;
	struct guest_spec s = spec;
	struct trial_module m = {
		.name = "faulty", .path = faulty_ko, .srcversion = "", .params = "when=lockup"
	};
	struct trial_spec t = { .modules = &m, .n_modules = 1 };
	struct trial ret;
	struct err err;

	(void)state;
	if (!faulty_ko)
		skip();
	s.limit.load_ms = 60000;
	s.core = true;
	assert_int_equal(rig_open(&s, &patient, &err), 0);
	ret = try_with(patient, &t, "ko-lockup");
	kit_expect(&ret, TRIAL_LOCKUP, "locked up in the load stage");
	assert_evidence("ko-lockup", &ret);
	trial_deinit(&ret);
	m.params = "when=panic"; /* as well: it stays instead of ending at once */
	ret = try_with(patient, &t, "ko-panic-kept");
	kit_expect(&ret, TRIAL_PANIC, "faulty on request");
	assert_evidence("ko-panic-kept", &ret);
	trial_deinit(&ret);
}

static void another_module_than_the_artifact_voids_the_trial(void **state)
{
	_cleanup_free_ char *path = stock_module("crc8");
	struct trial_module m = { .name = "crc8",
				  .path = path,
				  .srcversion = "",
				  .build_id = "00112233445566778899aabbccddeeff00112233" };
	struct trial_spec t = { .modules = &m, .n_modules = 1 };
	struct trial ret = try_with(rig, &t, "other-module");

	(void)state;
	kit_expect(&ret, TRIAL_LOAD_MISMATCH, "0011223344556677");
	trial_deinit(&ret);
}

static void the_evidence_of_a_trial_is_kept(void **state)
{
	static const char *const files[] = { "console.log", "agent.jsonl", "domain.xml" };
	struct trial_spec t = { 0 };
	struct trial ret = try_with(rig, &t, "evidence");

	(void)state;
	assert_int_equal(ret.end, TRIAL_DONE);
	assert_string_equal(ret.kernel, kit_release());
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_free_ char *path = str_printf("%s/evidence/%s", work, files[i]);

		assert_true(fs_exists(path));
	}
	trial_deinit(&ret);
}

static void nothing_is_left_of_twenty_trials(void **state)
{
	_cleanup_(rig_close_p) struct rig *r = NULL;
	struct guest_spec s = spec;
	struct err err;
	int fds = 0;

	(void)state;
	s.limit.boot_ms = 700;
	assert_int_equal(rig_open(&s, &r, &err), 0);
	for (int i = 0; i < 21; i++) {
		struct trial_spec t = { 0 };
		struct trial ret = try_with(r, &t, "brief");

		trial_deinit(&ret);
		if (i == 0)
			fds = kit_fds();
	}
	rig_close(take_ptr(r));
	clock_sleep_ms(1000);
	assert_int_equal(kit_qemus(getpid()), 0);
	if (kit_fds() > fds)
		fail_msg("%d descriptors are open, there were %d", kit_fds(), fds);
}

static pid_t start_once(const char *label, const char *arguments, const char *out)
{
	_cleanup_free_ char *dir = str_printf("%s/%s", work, label);
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen(out, "w", stdout))
			_exit(3);
		execl(ONCE, ONCE, HOSTILE, label, dir, spec.cache_dir, arguments, NULL);
		_exit(3);
	}
	return pid;
}

static bool wait_for_qemu(pid_t pid)
{
	for (int i = 0; i < 400 && !kit_qemus(pid); i++)
		clock_sleep_ms(50);
	return kit_qemus(pid) > 0;
}

static void a_stop_request_ends_the_guest(void **state)
{
	_cleanup_free_ char *out = str_printf("%s/stopped.out", work);
	_cleanup_free_ char *said = NULL;
	pid_t pid = start_once("stop", "amdgpu_bisect.fault=no-hello", out);
	int64_t begun;
	struct err err;
	int status;

	(void)state;
	assert_true(wait_for_qemu(pid));
	begun = clock_now_ns();
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(clock_now_ns() - begun < 6 * NS_PER_S);
	assert_int_equal(fs_read(out, 4096, &said, NULL, &err), 0);
	assert_true(str_starts(said, "stopped: "));
	assert_int_equal(kit_qemus(pid), 0);
}

static void what_a_killed_controller_left_is_ended_by_the_next(void **state)
{
	_cleanup_free_ char *out = str_printf("%s/killed.out", work);
	_cleanup_free_ char *said = NULL;
	pid_t first = start_once("killed", "amdgpu_bisect.fault=no-hello", out), second;
	struct err err;
	int status;

	(void)state;
	assert_true(wait_for_qemu(first));
	kill(first, SIGKILL);
	assert_int_equal(waitpid(first, &status, 0), first);
	clock_sleep_ms(1000);
	assert_int_equal(kit_qemus(first), 1); /* nobody ended it */
	second = start_once("next", "amdgpu_bisect.fault=wrong-nonce", out);
	assert_int_equal(waitpid(second, &status, 0), second);
	assert_int_equal(fs_read(out, 4096, &said, NULL, &err), 0);
	assert_true(str_starts(said, "protocol: "));
	assert_int_equal(kit_qemus(first), 0);
	assert_int_equal(kit_qemus(second), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_evidence_of_a_trial_is_kept),
		cmocka_unit_test(every_fault_ends_the_trial_in_time),
		cmocka_unit_test(what_a_module_does_to_the_kernel_is_told),
		cmocka_unit_test(a_lockup_is_told_from_a_hang),
		cmocka_unit_test(another_module_than_the_artifact_voids_the_trial),
		cmocka_unit_test(an_agent_that_never_answers_is_no_boot),
		cmocka_unit_test(a_kernel_that_never_boots_is_no_boot),
		cmocka_unit_test(a_kernel_of_its_own_needs_the_channels_drivers_built_in),
		cmocka_unit_test(a_kernel_of_its_own_that_cannot_boot_is_the_candidates),
		cmocka_unit_test(a_trimmed_kernel_boots_to_its_agent),
		cmocka_unit_test(without_its_init_a_kernel_panics_and_says_so),
		cmocka_unit_test(a_stop_request_ends_the_guest),
		cmocka_unit_test(what_a_killed_controller_left_is_ended_by_the_next),
		cmocka_unit_test(nothing_is_left_of_twenty_trials),
	};

	cmocka_set_test_filter(getenv("TEST"));
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
