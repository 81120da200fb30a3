// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A card is taken from its drivers and given back, also by who comes after a run that was killed. The
 * bus is a tree of files; what is written to one that binds is done as the kernel does it
 * (Documentation/ABI/testing/sysfs-bus-pci), or refused, which a kernel cannot be had to do: __wrap_sysfs_put().
 *
 * What is written down lies in /run, which is the test's own here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "guest/gpu/hold.h"
#include "guest/gpu/sysfs.h"

#define CARD	"0000:03:00.0"
#define AUDIO	"0000:03:00.1"
#define JOURNAL "/run/amdgpu-bisect/cards/" CARD
#define SKIP	77

static const char *const functions[] = { CARD, AUDIO };
static const char *usual[ARRAY_SIZE(functions)]; /* what the kernel would choose */

static char root[] = "/tmp/amdgpu-bisect-hold.XXXXXX";
static struct card_roots roots;
static const char *refuses_bind, *refuses_unbind; /* driver, or NULL */

__attribute__((format(printf, 1, 2))) static char *below(const char *fmt, ...)
{
	_cleanup_buf_ struct buf b = { 0 };
	va_list ap;

	buf_printf(&b, "%s/", root);
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return buf_take(&b);
}

static void put(const char *path, const char *text)
{
	_cleanup_free_ char *full = below("%s", path);
	_cleanup_free_ char *dir = xstrdup(full);
	struct err err;

	*strrchr(dir, '/') = '\0';
	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(fs_write(full, text, strlen(text), &err), 0);
}

/* The kernel */

static void driver_of(const char *address, char *ret, size_t size)
{
	_cleanup_free_ char *dir = below("sys/bus/pci/devices/%s", address);
	_cleanup_free_ char *link = sysfs_link(dir, "driver");

	str_copy(ret, size, link ? link : "");
}

static void set_driver(const char *address, const char *driver)
{
	_cleanup_free_ char *path = below("sys/bus/pci/devices/%s/driver", address);
	_cleanup_free_ char *target = str_printf("../../drivers/%s", driver);

	unlink(path);
	if (*driver && symlink(target, path) < 0)
		abort();
}

static void override_of(const char *address, char *ret, size_t size)
{
	_cleanup_free_ char *dir = below("sys/bus/pci/devices/%s", address);
	_cleanup_free_ char *text = sysfs_text(dir, "driver_override");

	str_copy(ret, size, text && strcmp(text, "(null)") != 0 ? text : "");
	ret[strcspn(ret, "\n")] = '\0';
}

static void probe(const char *address, const char *driver)
{
	char now[32], override[32];

	driver_of(address, now, sizeof(now));
	override_of(address, override, sizeof(override));
	for (size_t i = 0; !driver && i < ARRAY_SIZE(functions); i++)
		if (strcmp(functions[i], address) == 0)
			driver = *override ? override : usual[i];
	if (now[0] || !*driver || (*override && strcmp(override, driver) != 0) ||
	    (refuses_bind && strcmp(refuses_bind, driver) == 0))
		return;
	set_driver(address, driver);
}

static void unbind(const char *address)
{
	char now[32];

	driver_of(address, now, sizeof(now));
	if (!refuses_unbind || strcmp(refuses_unbind, now) != 0)
		set_driver(address, "");
}

bool __real_sysfs_put(const char *dir, const char *name, const char *word);
bool __wrap_sysfs_put(const char *dir, const char *name, const char *word);

bool __wrap_sysfs_put(const char *dir, const char *name, const char *word)
{
	if (strcmp(name, "drivers_probe") == 0)
		probe(word, NULL);
	else if (strcmp(name, "driver/unbind") == 0)
		unbind(word);
	else if (strcmp(name, "bind") == 0)
		probe(word, strrchr(dir, '/') + 1);
	else
		return __real_sysfs_put(dir, name, word);
	return true;
}

static void make_function(const char *address)
{
	_cleanup_free_ char *dir = str_printf("sys/bus/pci/devices/%s", address);
	_cleanup_free_ char *override = str_printf("%s/driver_override", dir);
	_cleanup_free_ char *group = below("%s/iommu_group", dir);

	put(override, "(null)\n");
	if (symlink("../../../../kernel/iommu_groups/7", group) < 0)
		assert_int_equal(errno, EEXIST);
}

/* As a test finds it: both functions with the drivers named. */
static void machine(const char *card, const char *audio)
{
	_cleanup_free_ char *proc = below("proc/99");
	struct err err;

	refuses_bind = refuses_unbind = NULL;
	fs_remove_tree(proc, &err);
	unlink(JOURNAL);
	put("proc/sys/kernel/random/boot_id", "0a-1b\n");
	usual[0] = card;
	usual[1] = audio;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		make_function(functions[i]);
		set_driver(functions[i], usual[i]);
	}
}

/* The tests' words */

static void assert_bound(const char *card, const char *audio)
{
	char now[32];

	driver_of(CARD, now, sizeof(now));
	assert_string_equal(now, card);
	driver_of(AUDIO, now, sizeof(now));
	assert_string_equal(now, audio);
}

static void assert_override(const char *address, const char *want)
{
	char override[32];

	override_of(address, override, sizeof(override));
	assert_string_equal(override, want);
}

static int take(struct hold **ret, struct err *err)
{
	struct card_function members[2] = { { .along = true }, { .along = true } };
	struct card card = { .members = members, .n_members = 2 };

	for (size_t i = 0; i < 2; i++) {
		assert_true(sysfs_function(&roots, functions[i], &members[i]));
		members[i].along = true;
	}
	card.self = members[0];
	return hold_take(&card, &roots, ret, err);
}

/* A controller of its own: it has the card when this returns, and until it is killed. */
static pid_t controller(void)
{
	int told[2];
	char word = 0;
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct hold *h;
		struct err err;
		ssize_t n;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		n = write(told[1], take(&h, &err) == 0 ? "y" : "n", 1);

		(void)n;
		for (;;)
			pause();
	}
	close(told[1]);
	assert_int_equal(read(told[0], &word, 1), 1);
	close(told[0]);
	assert_int_equal(word, 'y');
	return pid;
}

static void kill_it(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* What the next start says; "" nothing. */
static void recover(const char *want)
{
	_cleanup_strv_ struct strv said = { 0 };

	hold_recover(&roots, &said);
	assert_int_equal(said.n, *want ? 1 : 0);
	if (*want && !strstr(said.items[0], want))
		fail_msg("'%s' is said, want '%s'", said.items[0], want);
}

static void all_functions_go_to_vfio_and_come_back(void **state)
{
	struct hold *h;
	struct err err;

	(void)state;
	machine("amdgpu", "snd_hda_intel");
	assert_int_equal(take(&h, &err), 0);
	assert_bound("vfio-pci", "vfio-pci");
	assert_override(CARD, "vfio-pci");
	assert_true(fs_exists(JOURNAL));
	hold_release(h);
	assert_bound("amdgpu", "snd_hda_intel");
	assert_override(CARD, "");
	assert_false(fs_exists(JOURNAL));
}

static void what_was_bound_to_nothing_or_by_an_override_is_so_again(void **state)
{
	struct hold *h;
	struct err err;

	(void)state;
	machine("", "pci-stub");
	put("sys/bus/pci/devices/" AUDIO "/driver_override", "pci-stub\n");
	assert_int_equal(take(&h, &err), 0);
	assert_bound("vfio-pci", "vfio-pci");
	hold_release(h);
	assert_bound("", "pci-stub");
	assert_override(CARD, "");
	assert_override(AUDIO, "pci-stub");
}

/* Where the kernel would choose another, the one that had it is named. */
static void the_driver_that_had_it_gets_it_and_no_other(void **state)
{
	struct hold *h;
	struct err err;

	(void)state;
	machine("amdgpu", "snd_hda_intel");
	usual[0] = "";
	assert_int_equal(take(&h, &err), 0);
	hold_release(h);
	assert_bound("amdgpu", "snd_hda_intel");
}

static void a_card_that_was_found_anew_is_bound_once_more(void **state)
{
	struct hold *h;
	struct err err;

	(void)state;
	machine("amdgpu", "snd_hda_intel");
	assert_int_equal(take(&h, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		make_function(functions[i]);
		set_driver(functions[i], "");
	}
	assert_int_equal(hold_again(h, &err), 0);
	assert_bound("vfio-pci", "vfio-pci");
	hold_release(h);
	assert_bound("amdgpu", "snd_hda_intel");
}

static void two_runs_never_share_a_card(void **state)
{
	struct hold *h;
	struct err err;
	pid_t other;

	(void)state;
	machine("amdgpu", "snd_hda_intel");
	other = controller();
	assert_int_equal(take(&h, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, CARD " is in use by another run"));
	recover(""); /* and what the living has is left */
	assert_bound("vfio-pci", "vfio-pci");
	kill_it(other);
	recover(CARD " given back to amdgpu");
	assert_bound("amdgpu", "snd_hda_intel");
	assert_false(fs_exists(JOURNAL));
	recover("");
}

/* The bindings themselves did not outlive it either. */
static void a_journal_of_another_boot_says_nothing(void **state)
{
	(void)state;
	machine("amdgpu", "snd_hda_intel");
	kill_it(controller());
	put("proc/sys/kernel/random/boot_id", "2c-3d\n");
	recover("");
	assert_bound("vfio-pci", "vfio-pci");
	assert_false(fs_exists(JOURNAL));
}

static void a_damaged_journal_says_nothing(void **state)
{
	struct err err;

	(void)state;
	machine("amdgpu", "snd_hda_intel");
	kill_it(controller());
	assert_int_equal(fs_write(JOURNAL, "boot 0a-1b\n" CARD, 23, &err), 0);
	recover("");
	assert_bound("vfio-pci", "vfio-pci");
	assert_false(fs_exists(JOURNAL));
}

static void what_a_third_driver_has_by_now_is_left(void **state)
{
	(void)state;
	machine("amdgpu", "snd_hda_intel");
	kill_it(controller());
	set_driver(AUDIO, "pci-stub");
	recover("given back to amdgpu");
	assert_bound("amdgpu", "pci-stub");
}

static void a_driver_that_fails_keeps_the_journal_for_the_next_start(void **state)
{
	(void)state;
	machine("amdgpu", "snd_hda_intel");
	kill_it(controller());
	refuses_bind = "amdgpu";
	recover(CARD " was left by a killed run and goes not back to its driver");
	assert_bound("", "snd_hda_intel");
	assert_true(fs_exists(JOURNAL));
	refuses_bind = NULL;
	recover("given back to amdgpu");
	assert_bound("amdgpu", "snd_hda_intel");
}

static void a_card_that_a_guest_still_uses_is_left(void **state)
{
	_cleanup_free_ char *fd = below("proc/99/fd");
	_cleanup_free_ char *link = below("proc/99/fd/3");
	struct err err;

	(void)state;
	machine("amdgpu", "snd_hda_intel");
	kill_it(controller());
	assert_int_equal(fs_mkdirs(fd, &err), 0);
	assert_int_equal(symlink("/dev/vfio/7", link), 0);
	recover("a guest still uses it");
	assert_bound("vfio-pci", "vfio-pci");
	unlink(link);
	recover("given back to amdgpu");
}

static void a_driver_that_does_not_let_go_is_named_and_all_is_undone(void **state)
{
	struct hold *h;
	struct err err;

	(void)state;
	machine("amdgpu", "snd_hda_intel");
	refuses_unbind = "snd_hda_intel";
	assert_int_equal(take(&h, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, AUDIO " cannot be bound to vfio-pci (snd_hda_intel"));
	assert_bound("amdgpu", "snd_hda_intel");
	assert_override(CARD, "");
	assert_override(AUDIO, ""); /* or vfio-pci would have it the next time */
	assert_false(fs_exists(JOURNAL));
}

static bool write_file(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* user_namespaces(7) */
static bool map_ids(uid_t uid, gid_t gid)
{
	_cleanup_free_ char *uids = str_printf("0 %ju 1", (uintmax_t)uid);
	_cleanup_free_ char *gids = str_printf("0 %ju 1", (uintmax_t)gid);

	return write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/uid_map", uids) && write_file("/proc/self/gid_map", gids);
}

/* Root, and a /run of its own; in a user namespace where the tests run as somebody else. */
static bool be_root(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0 || (uid && !map_ids(uid, gid)))
		return false;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") == 0;
}

static int set_up(void **state)
{
	static char sys[64], proc[64], dev[64];
	_cleanup_free_ char *driver = NULL;
	struct err err;

	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(sys, sizeof(sys), "%s/sys", root);
	snprintf(proc, sizeof(proc), "%s/proc", root);
	snprintf(dev, sizeof(dev), "%s/dev", root);
	roots = (struct card_roots){ sys, proc, dev };
	driver = below("sys/bus/pci/drivers/vfio-pci");
	return fs_mkdirs(driver, &err);
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return fs_remove_tree(root, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_functions_go_to_vfio_and_come_back),
		cmocka_unit_test(what_was_bound_to_nothing_or_by_an_override_is_so_again),
		cmocka_unit_test(the_driver_that_had_it_gets_it_and_no_other),
		cmocka_unit_test(a_card_that_was_found_anew_is_bound_once_more),
		cmocka_unit_test(two_runs_never_share_a_card),
		cmocka_unit_test(a_journal_of_another_boot_says_nothing),
		cmocka_unit_test(a_damaged_journal_says_nothing),
		cmocka_unit_test(what_a_third_driver_has_by_now_is_left),
		cmocka_unit_test(a_driver_that_fails_keeps_the_journal_for_the_next_start),
		cmocka_unit_test(a_card_that_a_guest_still_uses_is_left),
		cmocka_unit_test(a_driver_that_does_not_let_go_is_named_and_all_is_undone),
	};

	if (!be_root()) {
		puts("SKIP: no mount namespace may be made here");
		return SKIP;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
