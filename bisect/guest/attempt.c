// SPDX-License-Identifier: GPL-2.0-or-later
/* One guest: start it, greet the agent, load the modules, run the probe. See attempt.h. */
#include "guest/attempt.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/stop.h"
#include "guest/evidence.h"
#include "guest/image/disk.h"
#include "guest/image/runtime.h"
#include "guest/talk/steps.h"
#include "guest/virt/xml.h"

#define FREE_MIN (UINT64_C(64) << 20) /* a trial's logs are bounded to some 24 MiB */

/*
 * A restored guest has the name and the UUID it was saved with: libvirt refuses another. The embedded
 * driver's domains are this process's alone, so the names of two controllers do not meet.
 */
#define SAVED_NAME "ab-saved"
#define SAVED_UUID "7c1f3a52-8e0d-4b6a-9d27-5b60c4e1a9f3"

void attempt_init(struct attempt *a, struct rig *r, const struct trial_spec *spec,
		  enum attempt_kind kind, struct trial *t)
{
	*a = (struct attempt){ .rig = r, .spec = spec, .kind = kind };
	t->start = GUEST_START_COLD;
	a->session.trial = t;
	a->session.progress = r->own.progress;
	a->session.virt = r->virt;
	a->session.console.fd = -1;
}

/* Whoever has it open keeps it. */
static void drop_overlay(struct attempt *a)
{
	if (a->overlay)
		unlink(a->overlay);
	if (a->disk.path)
		scratch_drop(a->rig->place, &a->disk);
}

void attempt_deinit(struct attempt *a)
{
	channel_close(a->session.channel);
	tap_close(a->session.tap);
	/* A card is free for the next guest only once this one has ended. */
	if (a->domain && pass_card(a->rig->pass))
		virDomainDestroy(domain_handle(a->domain));
	domain_destroy(a->domain);
	console_deinit(&a->session.console);
	if (a->session.raw)
		fclose(a->session.raw);
	wake_unref(a->wake);
	free(a->console_path);
	free(a->image);
	drop_overlay(a);
	free(a->overlay);
	scratch_deinit(&a->disk);
}

/* A guest that is booted and one that is restored have nothing in common. */
static struct limits *limits(const struct attempt *a)
{
	return a->kind == ATTEMPT_RESTORED ? &a->rig->restored : &a->rig->booted;
}

/* @set_ms: the user's word, which counts as it is; 0: none was given. */
static int64_t limit_of(const struct attempt *a, enum trial_stage stage, int64_t set_ms,
			int64_t default_ms)
{
	return set_ms > 0 ? set_ms : limits_ms(limits(a), stage, default_ms, a->slow);
}

static void stage_begin(struct attempt *a, enum trial_stage stage, int64_t limit_ms)
{
	struct progress *p = a->rig->own.progress;

	a->stage = stage;
	a->begun_ns = clock_now_ns();
	session_stage(&a->session, stage, limit_ms);
	if (p)
		progress_stage(p, trial_stage_name(stage), a->rig->expect_ns[stage]);
}

static void stage_end(struct attempt *a, bool whole)
{
	int64_t elapsed = clock_now_ns() - a->begun_ns;

	a->session.trial->stage_ns[a->stage] = elapsed;
	if (whole && a->kind != ATTEMPT_BASE) /* that one is made once */
		a->rig->expect_ns[a->stage] = elapsed;
	if (whole)
		limits_learn(limits(a), a->stage, elapsed);
}

static char *domain_name(const struct attempt *a)
{
	char *name;

	if (a->kind != ATTEMPT_BOOTED)
		return xstrdup(SAVED_NAME);
	name = str_printf("ab-%d-%u-%.24s", (int)getpid(), a->rig->n_trials, a->spec->label);

	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
			    *p))
			*p = '_';
	return name;
}

/* The disks of the guest; returns the kernel's arguments with those that name them. */
static char *add_disks(const struct attempt *a, const char *cmdline, struct xml_disk *disks,
		       size_t *n)
{
	const char *root = a->disk.path ? a->disk.path : a->overlay;
	const struct rig *r = a->rig;

	if (root)
		disks[(*n)++] = (struct xml_disk){
			.path = root,
			.format = "qcow2",
			.serial = DISK_SERIAL,
			.there = a->disk.path,
		};
	if (r->runtime)
		disks[(*n)++] = (struct xml_disk){
			.path = r->runtime,
			.format = "raw",
			.serial = RUNTIME_SERIAL,
			.readonly = true,
		};
	return str_printf("%s%s%s%s%s", cmdline, root ? " amdgpu_bisect.root=" DISK_SERIAL : "",
			  r->runtime ? " amdgpu_bisect.runtime=" RUNTIME_SERIAL : "",
			  pass_card(r->pass) ? " amdgpu_bisect.card=" : "",
			  pass_card(r->pass) ? pass_card(r->pass) : "");
}

/*
 * panic=-1 reboots at once and on_reboot=destroy ends the domain: no panic is waited out. With
 * panic=0 the guest stays, so that its memory can be had.
 * At level 6 the kernel's first line is shown and little else, so that a boot that ends there is known.
 * The crypto self-tests are the longest single step of an emulated boot. The test of the timer's interrupt counts
 * ticks in a loop: on a busy host it panics ("IO-APIC + timer doesn't work"), which would be the candidate's.
 */
static char *arguments(const struct attempt *a)
{
	const struct guest_spec *own = &a->rig->own;
	_cleanup_free_ char *candidate = str_printf(" amdgpu_bisect.candidate=%s", a->spec->label);

	return str_printf(
		"console=ttyS0 loglevel=6 panic=%d cryptomgr.notests no_timer_check%s%s%s",
		own->core ? 0 : -1, a->kind == ATTEMPT_BOOTED ? candidate : "",
		own->append ? " " : "", own->append ? own->append : "");
}

int attempt_xml(struct attempt *a, const char *kernel, const char *initrd, const char *console,
		char **ret, struct err *err)
{
	struct rig *r = a->rig;
	_cleanup_free_ char *name = domain_name(a);
	_cleanup_free_ char *words = arguments(a);
	struct xml_disk disks[XML_DISKS] = { 0 };
	_cleanup_free_ char *cmdline = NULL;
	struct xml_domain d = {
		.name = name,
		.uuid = a->kind == ATTEMPT_BOOTED ? NULL : SAVED_UUID,
		.kernel = kernel,
		.initrd = initrd,
		.console = console,
		.port = WIRE_PORT_NAME,
		.emulator = r->emulator,
		.kvm = r->accel == GUEST_ACCEL_KVM,
		.memory_mib = r->own.memory_mib,
		.vcpus = r->own.vcpus,
		.disks = disks,
		.owner = virt_owner(r->virt),
	};

	cmdline = add_disks(a, words, disks, &d.n_disks);
	d.cmdline = cmdline;
	pass_fill(r->pass, &d);
	a->session.wants = pass_id(r->pass);
	if (r->place && place_domain(r->place, &d, disks, err) < 0)
		return -1;
	return xml_domain(&d, ret, err);
}

static int write_xml(struct attempt *a, const char *dir, char **ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/domain.xml", dir);
	const char *initrd = a->rig->initramfs;
	_cleanup_free_ char *xml = NULL;

	if (a->image && rig_bare(a->rig, &initrd, err) < 0)
		return -1;
	if (attempt_xml(a, a->image ? a->image : a->rig->vmlinux, initrd, a->console_path, &xml,
			err) < 0 ||
	    fs_write(path, xml, strlen(xml), err) < 0)
		return -1;
	*ret = take_ptr(xml);
	return 0;
}

static int open_logs(struct attempt *a, const char *dir, struct err *err)
{
	_cleanup_free_ char *raw = str_printf("%s/agent.jsonl", dir);
	uint64_t room;

	if (fs_free_bytes(dir, &room, err) < 0)
		return -1;
	if (room < FREE_MIN)
		return err_set(err, ERR_HOST,
			       "only %ju MiB free in %s; free some space there, then "
			       "try again",
			       (uintmax_t)(room >> 20), dir);
	a->console_path = str_printf("%s/console.log", dir);
	if (unlink(a->console_path) < 0 && errno != ENOENT)
		return err_errno(err, ERR_HOST, "cannot replace %s", a->console_path);
	console_init(&a->session.console, a->console_path);
	a->session.raw = fopen(raw, "we");
	if (!a->session.raw)
		return err_errno(err, ERR_HOST, "cannot write %s", raw);
	setvbuf(a->session.raw, NULL, _IOLBF, 0); /* also if this controller is killed */
	return 0;
}

static int make_overlay(struct attempt *a, const char *dir, struct err *err)
{
	if (!a->rig->base)
		return 0;
	if (a->rig->place)
		return scratch_overlay(a->rig->place, a->rig->base, disk_format(a->rig->base),
				       &a->disk, err);
	a->overlay = str_printf("%s/root.qcow2", dir);
	return disk_overlay(a->rig->base, a->overlay, err);
}

static int make_domain(struct attempt *a, const char *xml, struct err *err)
{
	struct virt *v = a->rig->virt;

	if (a->kind == ATTEMPT_RESTORED)
		return domain_restore(v, a->save, SAVED_UUID, xml, a->wake, &a->domain, err);
	if (a->kind == ATTEMPT_BASE && domain_wait(v, SAVED_UUID, err) < 0)
		return -1;
	return domain_create(v, xml, a->wake, &a->domain, err);
}

int attempt_start(struct attempt *a, struct err *err)
{
	_cleanup_free_ char *dir = NULL, *xml = NULL;
	struct rig *r = a->rig;

	stage_begin(a, STAGE_CREATE, r->own.limit.boot_ms);
	if (fs_mkdirs(a->spec->dir, err) < 0)
		return -1;
	dir = realpath(a->spec->dir, NULL);
	if (!dir)
		return err_errno(err, ERR_HOST, "cannot use %s", a->spec->dir);
	if (open_logs(a, dir, err) < 0 || make_overlay(a, dir, err) < 0 ||
	    write_xml(a, dir, &xml, err) < 0)
		return -1;
	a->wake = wake_create();
	if (!a->wake)
		return err_errno(err, ERR_HOST, "cannot make an eventfd");
	a->session.wake = a->wake;
	if (make_domain(a, xml, err) < 0)
		return -1;
	/* QEMU has it open: nothing of it is left, whatever ends us */
	drop_overlay(a);
	if (r->place &&
	    tap_open(r->virt, a->domain, a->console_path, a->wake, &a->session.tap, err) < 0)
		return -1;
	if (channel_open(r->virt, a->domain, WIRE_PORT_NAME, a->wake, &a->session.channel, err) <
		    0 ||
	    domain_resume(a->domain, err) < 0)
		return -1;
	a->slow = limits_slowness(limits(a), clock_now_ns() - a->begun_ns);
	stage_end(a, true);
	return 0;
}

int attempt_greet(struct attempt *a, int64_t limit_ms, struct err *err)
{
	int64_t set_ms = a->rig->spec->limit.boot_ms, silence_ms;
	struct session *s = &a->session;
	int ret;

	limit_ms = limit_of(a, STAGE_BOOT, set_ms, limit_ms);
	stage_begin(a, STAGE_BOOT, limit_ms);
	silence_ms =
		a->kind == ATTEMPT_RESTORED ? 0 : limits_silence_ms(limits(a), limit_ms, a->slow);
	s->silence_ns = silence_ms ? s->begun_ns + silence_ms * NS_PER_MS : 0;
	ret = step_hello(s, err);
	stage_end(a, ret == 0);
	if (ret == 0 && s->kernel_ns > limits(a)->kernel_ns)
		limits(a)->kernel_ns = s->kernel_ns;
	return ret;
}

int attempt_load(struct attempt *a, struct err *err)
{
	struct trial_spec spec = *a->spec;
	int ret;

	if (a->kind == ATTEMPT_RESTORED) /* those are in it, checked when they were loaded */
		spec.n_packed = 0;
	stage_begin(
		a, STAGE_LOAD,
		limit_of(a, STAGE_LOAD, a->rig->spec->limit.load_ms, a->rig->own.limit.load_ms));
	console_forget(&a->session.console);
	ret = step_load_all(&a->session, &spec, err);
	stage_end(a, ret == 0);
	return ret;
}

int attempt_probe(struct attempt *a, struct err *err)
{
	int64_t limit_ms =
		a->spec->probe_limit_ms > 0 ? a->spec->probe_limit_ms : a->rig->own.limit.probe_ms;
	int ret;

	stage_begin(a, STAGE_PROBE, limit_ms + STEP_PROBE_GRACE_MS);
	ret = a->spec->exec ? step_exec(&a->session, a->spec, limit_ms, err)
			    : step_probe(&a->session, a->spec, limit_ms, err);
	stage_end(a, a->session.trial->end == TRIAL_DONE);
	return ret;
}

/* Registers, and memory if it is wanted; that of a guest elsewhere is written there, and fetched. */
static void take_memory(struct attempt *a, const char *dir, bool core, char *text, size_t size)
{
	_cleanup_free_ char *here = str_printf("%s/" EVIDENCE_CORE, dir);
	_cleanup_(scratch_deinit) struct scratch there = { 0 };
	struct place *p = a->rig->place;
	struct err why;
	bool have;

	if (core && p && scratch_path(p, &there, &why) < 0)
		core = false;
	have = evidence_take(a->domain, dir, !core ? NULL : p ? there.path : here, text, size);
	if (!p || !core)
		return;
	if (have && scratch_fetch(p, &there, here, &why) < 0)
		str_copy(text, size, "see " EVIDENCE_REGISTERS "; its memory did not come here");
	scratch_drop(p, &there);
}

/* Of a guest that stands still, and has no word for it. */
static void take_evidence(struct attempt *a)
{
	static const enum trial_end troubles[] = { TRIAL_NO_BOOT, TRIAL_PANIC,	    TRIAL_LOAD_HUNG,
						   TRIAL_OOPS,	  TRIAL_PROBE_HUNG, TRIAL_LOCKUP };
	struct trial *t = a->session.trial;
	_cleanup_free_ char *dir = NULL;
	bool trouble = false, core = a->rig->own.core;
	size_t len = strlen(t->reason);
	struct err ignored;
	uint64_t room;
	char text[96];

	for (size_t i = 0; i < ARRAY_SIZE(troubles); i++)
		trouble |= t->end == troubles[i];
	if (!trouble || atomic_load(&a->wake->ended))
		return;
	dir = realpath(a->spec->dir, NULL); /* QEMU writes there */
	if (!dir || fs_free_bytes(dir, &room, &ignored) < 0)
		return;
	core = core && room >> 20 > a->rig->own.memory_mib;
	take_memory(a, dir, core, text, sizeof(text));
	if (*text)
		snprintf(t->reason + len, sizeof(t->reason) - len, "; %s", text);
}

int attempt_end(struct attempt *a, struct err *err)
{
	if (a->wake)
		take_evidence(a);
	console_poll(&a->session.console);
	if (a->spec->exec && !a->session.trial->console)
		a->session.trial->console = console_heard(&a->session.console);
	if (fflush(a->session.raw) != 0)
		return err_errno(err, ERR_HOST, "cannot write agent.jsonl in %s", a->spec->dir);
	return 0;
}
