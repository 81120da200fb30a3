// SPDX-License-Identifier: GPL-2.0-or-later
/* One candidate in a fresh guest: start it, greet the agent, load the modules, run the probe. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/stop.h"
#include "guest/image/image.h"
#include "guest/image/runtime.h"
#include "guest/evidence.h"
#include "guest/virt/domain.h"
#include "guest/rig.h"
#include "guest/steps.h"
#include "guest/virt/xml.h"

#define FREE_MIN (UINT64_C(64) << 20) /* a trial's logs are bounded to some 24 MiB */

static const char *const end_names[] = {
	[TRIAL_DONE] = "done",
	[TRIAL_NO_BOOT] = "no-boot",
	[TRIAL_PANIC] = "panic",
	[TRIAL_LOAD_FAILED] = "load-failed",
	[TRIAL_LOAD_HUNG] = "load-hung",
	[TRIAL_LOAD_MISMATCH] = "load-mismatch",
	[TRIAL_OOPS] = "oops",
	[TRIAL_PROBE_FAILED] = "probe-failed",
	[TRIAL_PROBE_HUNG] = "probe-hung",
	[TRIAL_PROTOCOL] = "protocol",
	[TRIAL_LOCKUP] = "lockup",
	[TRIAL_OOM] = "oom",
	[TRIAL_RESET] = "reset",
	[TRIAL_EMULATOR] = "emulator-died",
	[TRIAL_DIED] = "died",
};
static_assert(ARRAY_SIZE(end_names) == TRIAL_ENDS, "an end has no name");

static const char *const stage_names[] = {
	[STAGE_CREATE] = "create",
	[STAGE_BOOT] = "boot",
	[STAGE_LOAD] = "load",
	[STAGE_PROBE] = "probe",
};
static_assert(ARRAY_SIZE(stage_names) == STAGE_COUNT, "a stage has no name");

const char *trial_end_name(enum trial_end e)
{
	return (unsigned int)e < TRIAL_ENDS ? end_names[e] : "unknown";
}

bool trial_end_parse(const char *name, enum trial_end *ret)
{
	for (unsigned int i = 0; i < TRIAL_ENDS; i++)
		if (strcmp(name, end_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

const char *trial_stage_name(enum trial_stage s)
{
	return (unsigned int)s < STAGE_COUNT ? stage_names[s] : "unknown";
}

void trial_deinit(struct trial *t)
{
	free(t->samples);
	*t = (struct trial){ 0 };
}

/* Everything of one trial, so that whatever happens it is let go in the right order. */
struct attempt {
	struct rig *rig;
	const struct trial_spec *spec;
	char *console_path;
	char *image; /* the candidate's own, or NULL */
	struct wake *wake;
	struct domain *domain;
	struct session session;
	int64_t begun_ns; /* of the stage */
	enum trial_stage stage;
};

static void attempt_deinit(struct attempt *a)
{
	channel_close(a->session.channel);
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
	if (whole)
		a->rig->expect_ns[a->stage] = elapsed;
}

static char *domain_name(const struct attempt *a)
{
	char *name = str_printf("ab-%d-%u-%.24s", (int)getpid(), a->rig->n_trials, a->spec->label);

	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
			    *p))
			*p = '_';
	return name;
}

/* The disks of the guest; returns the kernel's arguments with those that name them. */
static char *add_disks(const struct rig *r, const char *cmdline, struct xml_disk *disks, size_t *n)
{
	if (r->runtime)
		disks[(*n)++] = (struct xml_disk){
			.path = r->runtime,
			.format = "raw",
			.serial = RUNTIME_SERIAL,
			.readonly = true,
		};
	return str_printf("%s%s", cmdline,
			  r->runtime ? " amdgpu_bisect.runtime=" RUNTIME_SERIAL : "");
}

static int write_xml(struct attempt *a, const char *dir, char **ret, struct err *err)
{
	struct rig *r = a->rig;
	_cleanup_free_ char *name = domain_name(a);
	_cleanup_free_ char *path = str_printf("%s/domain.xml", dir);
	_cleanup_free_ char *cmdline = NULL;
	_cleanup_free_ char *xml = NULL;
	struct xml_disk disks[XML_DISKS] = { 0 };
	_cleanup_free_ char *arguments = NULL;
	struct xml_domain d = {
		.name = name,
		.kernel = a->image ? a->image : r->vmlinux,
		.initrd = r->initramfs,
		.console = a->console_path,
		.port = WIRE_PORT_NAME,
		.emulator = r->emulator,
		.kvm = r->accel == GUEST_ACCEL_KVM,
		.memory_mib = r->own.memory_mib,
		.vcpus = r->own.vcpus,
		.disks = disks,
	};

	/*
	 * panic=-1 reboots at once and on_reboot=destroy ends the domain: no panic is waited out. With
	 * panic=0 the guest stays, so that its memory can be had.
	 * The crypto self-tests are the longest single step of an emulated boot.
	 */
	cmdline = str_printf(
		"console=ttyS0 quiet panic=%d cryptomgr.notests amdgpu_bisect.candidate=%s%s%s",
		r->own.core ? 0 : -1, a->spec->label, r->own.append ? " " : "",
		r->own.append ? r->own.append : "");
	arguments = add_disks(r, cmdline, disks, &d.n_disks);
	d.cmdline = arguments;
	pass_fill(r->pass, &d);
	if (a->image && rig_bare(r, &d.initrd, err) < 0)
		return -1;
	if (xml_domain(&d, &xml, err) < 0 || fs_write(path, xml, strlen(xml), err) < 0)
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
			       "`amdgpu-bisect resume`",
			       (uintmax_t)(room >> 20), dir);
	a->console_path = str_printf("%s/console.log", dir);
	if (unlink(a->console_path) < 0 && errno != ENOENT)
		return err_errno(err, ERR_HOST, "cannot replace %s", a->console_path);
	console_init(&a->session.console, a->console_path);
	a->session.raw = fopen(raw, "we");
	return a->session.raw ? 0 : err_errno(err, ERR_HOST, "cannot write %s", raw);
}

static int start(struct attempt *a, struct err *err)
{
	_cleanup_free_ char *dir = NULL, *xml = NULL;
	struct rig *r = a->rig;

	stage_begin(a, STAGE_CREATE, r->own.limit.boot_ms);
	if (fs_mkdirs(a->spec->dir, err) < 0)
		return -1;
	dir = realpath(a->spec->dir, NULL);
	if (!dir)
		return err_errno(err, ERR_HOST, "cannot use %s", a->spec->dir);
	if (open_logs(a, dir, err) < 0 || write_xml(a, dir, &xml, err) < 0)
		return -1;
	a->wake = wake_create();
	if (!a->wake)
		return err_errno(err, ERR_HOST, "cannot make an eventfd");
	a->session.wake = a->wake;
	if (domain_create(r->virt, xml, a->wake, &a->domain, err) < 0 ||
	    channel_open(r->virt, a->domain, WIRE_PORT_NAME, a->wake, &a->session.channel, err) <
		    0 ||
	    domain_resume(a->domain, err) < 0)
		return -1;
	stage_end(a, true);
	return 0;
}

/* 0: next stage; SESSION_ENDED; -1. */
static int run_stages(struct attempt *a, struct err *err)
{
	const struct trial_spec *spec = a->spec;
	struct session *s = &a->session;
	int64_t probe_ms =
		spec->probe_limit_ms > 0 ? spec->probe_limit_ms : a->rig->own.limit.probe_ms;
	int ret;

	stage_begin(a, STAGE_BOOT, a->rig->own.limit.boot_ms);
	ret = step_hello(s, err);
	stage_end(a, ret == 0);
	if (ret != 0)
		return ret;

	stage_begin(a, STAGE_LOAD, a->rig->own.limit.load_ms);
	console_forget(&s->console);
	ret = step_load_all(s, spec, err);
	stage_end(a, ret == 0);
	if (ret != 0)
		return ret;

	stage_begin(a, STAGE_PROBE, probe_ms + STEP_PROBE_GRACE_MS);
	ret = step_probe(s, spec, probe_ms, err);
	stage_end(a, s->trial->end == TRIAL_DONE);
	return ret;
}

/* A kernel that cannot be booted is the candidate's; one that is not there is ours. */
static int take_image(struct attempt *a, struct err *err)
{
	struct err fault;

	a->image = realpath(a->spec->image, NULL); /* libvirt takes no relative paths */
	if (!a->image)
		return err_errno(err, ERR_HOST, "cannot boot %s", a->spec->image);
	if (image_check(a->image, &fault) == 0)
		return 0;
	if (fault.kind == ERR_BOOT)
		return session_end(&a->session, TRIAL_NO_BOOT, "%s", fault.msg);
	*err = fault;
	return -1;
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
	evidence_take(a->domain, dir, core, text, sizeof(text));
	if (*text)
		snprintf(t->reason + len, sizeof(t->reason) - len, "; %s", text);
}

static int attempt_run(struct attempt *a, struct err *err)
{
	int r = stop_check(err);

	if (r == 0 && a->spec->image)
		r = take_image(a, err);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (start(a, err) < 0 || run_stages(a, err) < 0)
		return -1;
	take_evidence(a);
	console_poll(&a->session.console);
	if (fflush(a->session.raw) != 0)
		return err_errno(err, ERR_HOST, "cannot write agent.jsonl in %s", a->spec->dir);
	return 0;
}

int guest_try(struct rig *r, const struct trial_spec *spec, struct trial *ret, struct err *err)
{
	_cleanup_(attempt_deinit) struct attempt a = { .rig = r, .spec = spec };
	struct trial t = { .exit_code = -1 };

	r->n_trials++;
	a.session.trial = &t;
	a.session.progress = r->own.progress;
	a.session.console.fd = -1;
	if (attempt_run(&a, err) < 0) {
		trial_deinit(&t);
		return -1;
	}
	*ret = t;
	return 0;
}
