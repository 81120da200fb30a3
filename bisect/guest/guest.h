/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fourth step: an artifact is tried in a guest: booted, module inside, agent answering, probe run.
 *
 * The guest is not trusted. Whatever it does (never boots, panics, hangs, lies, floods, dies) is a
 * trial that ended so, which is data; only the rig's own failures are errors.
 */
#ifndef GUEST_GUEST_H
#define GUEST_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "base/str.h"
#include "guest/card_rescue.h"
#include "wire/wire.h"

enum guest_accel { GUEST_ACCEL_AUTO, GUEST_ACCEL_KVM, GUEST_ACCEL_TCG, GUEST_ACCELS };
const char *guest_accel_name(enum guest_accel a);
bool guest_accel_parse(const char *name, enum guest_accel *ret);

/* Warm: restored from a guest that was booted once and saved, just before the candidate's modules. */
enum guest_start { GUEST_START_AUTO, GUEST_START_WARM, GUEST_START_COLD, GUEST_STARTS };
const char *guest_start_name(enum guest_start s);
bool guest_start_parse(const char *name, enum guest_start *ret);

struct guest_spec {
	const char *uri;     /* libvirt URI; NULL: embedded driver below cache_dir, no daemon */
	const char *pool;    /* storage pool that files travel to; NULL: "default", or our own */
	const char *image;   /* bzImage (made into a vmlinux once, cached) or vmlinux */
	const char *modules; /* /lib/modules/RELEASE */
	const char *const *pack; /* names of modules to pack with their dependencies, [n_pack] */
	size_t n_pack;
	const char *agent;	   /* amdgpu-bisect-agent */
	const char *const *probes; /* probe programs packed beside it, [n_probes] */
	size_t n_probes;
	const char *const *own; /* the user's program and what it needs, beside the probes, [n_own] */
	size_t n_own;
	const char *cache_dir; /* vmlinux, initramfs and libvirt's state live below it */
	enum guest_accel accel;
	enum guest_start start;	 /* auto: warm where a guest can be saved */
	unsigned int memory_mib; /* 0: 512 */
	unsigned int vcpus;	 /* 0: 1 */
	const char *append;	 /* more kernel arguments, or NULL */
	bool core;		 /* the memory of a guest in trouble is written beside its logs */
	struct { /* for a small guest with a card; all NULL: nothing more is packed */
		const char
			*dir; /* with libamdhip64.so.N, or a tree that has it; "/": this machine */
		const char *const *debs; /* packages that have it, [n_debs] */
		size_t n_debs;
		const char *firmware; /* /lib/firmware: what amdgpu.ko names is taken from there */
		bool may_lack; /* where none of it is, the guest goes without, and that is said */
	} runtime;
	bool has_disk; /* a system on a disk of its own, vm-images/disk-guest; else the initramfs' */
	const char *disk; /* its base, raw or qcow2, only ever read; NULL: the last one made here */
	struct {	  /* a card of this machine that guests get; see card.h */
		const char *which;	 /* "auto" or a PCI address; NULL or "none": none */
		const char *kept;	 /* directory of quarantined cards; NULL: none is */
		const char *rom;	 /* "off", a file, or NULL or "on": the card's own */
		unsigned int window_gib; /* for BARs above 4 GiB; 0: by the card's */
		bool give_screen;	 /* the host may lose its screen */
	} card;
	const char *hugepages;	   /* "2M", "1G", NULL or "off" */
	const char *cpus;	   /* processors of the host, "2-5,8"; NULL: any */
	struct progress *progress; /* or NULL */
	struct {		   /* limits of the stages [ms]; 0: default for the acceleration */
		int64_t boot_ms, load_ms, probe_ms;
	} limit;
};

struct rig;

/**
 * rig_open() - everything that is the same for each candidate
 *
 * Opens libvirt, finds out whether KVM runs a guest (with a time limit), makes the vmlinux and the
 * initramfs unless cached, removes domains that a killed controller left behind (its own only).
 *
 * @spec: strings must outlive the rig
 * @err:  ERR_USAGE: no libvirt driver, no QEMU, no rights, a module that is not there, each with
 *        what to do; ERR_HOST: disk and the rest
 */
int rig_open(const struct guest_spec *spec, struct rig **ret, struct err *err);
void rig_close(struct rig *r); /* ends what still runs */
DEFINE_CLEANUP(struct rig *, rig_close)

/**
 * rig_tidy() - end the guests of controllers that were killed, and give back their cards
 * As rig_open() does, for who goes on while others of its kind are killed. @r has no guest of its own now.
 */
void rig_tidy(struct rig *r);

/**
 * rig_renew() - kernel and images made anew, not taken from the cache: a guest of them did not come up
 * @err: as rig_open(); the rig is then of no use any more
 */
int rig_renew(struct rig *r, struct err *err);

/* What guests boot; paths, owned. */
struct guest_images {
	char *kernel, *initramfs;
	char *runtime; /* NULL: none was asked for */
};
void guest_images_deinit(struct guest_images *i);

/**
 * guest_make_images() - kernel, initramfs and runtime into the cache, as rig_open() does, without libvirt
 * @err: as rig_open()
 */
int guest_make_images(const struct guest_spec *spec, struct guest_images *ret, struct err *err);

/** rig_accel() - what is used: KVM or TCG; @why (may be NULL) gets a few words for people */
enum guest_accel rig_accel(const struct rig *r, const char **why);

/**
 * rig_start() - how guests of the rig's own kernel start: warm or cold, never auto; @why as above
 *
 * Warm is a saving and no more: a candidate's own kernel boots always, and so does a trial whose saved
 * guest cannot be made or used.
 */
enum guest_start rig_start(const struct rig *r, const char **why);

/** rig_disk() - what the guests' own disks lie upon, or NULL: they have none, or @r is NULL */
const char *rig_disk(const struct rig *r);

/**
 * rig_disk_content() - of that: another text for another content
 * @ret: appended to; nothing without a disk
 * @err: ERR_HOST: it cannot be looked at any more
 */
int rig_disk_content(const struct rig *r, struct buf *ret, struct err *err);

/** rig_card() - address of the card that guests get, or NULL */
const char *rig_card(const struct rig *r);

/** rig_card_reset() - one rung of the ladder for it, once its last guest has ended; as card_reset() */
int rig_card_reset(struct rig *r, enum card_rung rung, struct err *err);

/**
 * rig_card_give_up() - put the card in quarantine, and take another one if the user named none
 * @why: one line, kept with it
 * @err: ERR_HOST
 * Return: 1 guests get another card from now on; 0 there is none; -1 error.
 */
int rig_card_give_up(struct rig *r, const char *why, struct err *err);

/**
 * guest_probe_kvm() - does KVM run a guest on this machine, and faster than emulation would?
 * @limit_ms: for the whole question; a KVM that opens and never runs a guest is a no, and so is one
 *            that interprets its guest: a loop of 10 ms must be done within the limit
 * @why:      [size] one line: "no /dev/kvm", "/dev/kvm opens, but its guest did not run a short loop
 *            within 1.5 s", "runs"
 */
bool guest_probe_kvm(int64_t limit_ms, char *why, size_t size);

/**
 * guest_check_libvirt() - for `doctor`: can libvirt run a guest here?
 * @uri, @cache_dir: as in struct guest_spec
 * @ret: [size] versions and driver, one line
 * @err: as rig_open()
 */
int guest_check_libvirt(const char *uri, const char *cache_dir, char *ret, size_t size,
			struct err *err);

enum trial_end {
	TRIAL_DONE,	   /* the probe ran to its end (whatever it measured) */
	TRIAL_NO_BOOT,	   /* no hello within its limit */
	TRIAL_PANIC,	   /* the kernel panicked (console), at any stage */
	TRIAL_LOAD_FAILED, /* the module was refused */
	TRIAL_LOAD_HUNG,
	TRIAL_LOAD_MISMATCH, /* loaded srcversion or build id are not the artifact's: void */
	TRIAL_OOPS,	     /* the probe died in an oops (console says so) */
	TRIAL_PROBE_FAILED,  /* the probe ended with an error */
	TRIAL_PROBE_HUNG,
	TRIAL_PROTOCOL, /* the agent lied, flooded, sent half a line, wrong nonce or version */
	TRIAL_LOCKUP,	/* the kernel locked up: its watchdog was not fed */
	TRIAL_OOM,	/* the guest ran out of memory, and its kernel ended the probe */
	TRIAL_AGENT,	/* the agent was ended, and started again */
	TRIAL_RESET,	/* the guest reset itself without a panic: a triple fault, for one */
	TRIAL_EMULATOR, /* QEMU died under it */
	TRIAL_DIED,	/* the guest ended by itself otherwise */
	TRIAL_ENDS
};
/** trial_end_name() - "done", "no-boot", "panic", ...; never NULL */
const char *trial_end_name(enum trial_end e);
bool trial_end_parse(const char *name, enum trial_end *ret);

struct trial_module {
	const char *name;	/* module name */
	const char *path;	/* .ko to stream in */
	const char *srcversion; /* expected; "" not checked */
	const char *build_id;	/* expected; "" not checked */
	const char *params;	/* or NULL */
};

struct trial_spec {
	const char *
		label; /* short commit id: domain name and kernel argument amdgpu_bisect.candidate= */
	const char *dir; /* raw logs go here: console.log, agent.jsonl, domain.xml */
	/*
	 * Kernel to boot instead of the rig's: a vmlinux that has virtio's PCI and console drivers built
	 * in. Then no module is packed, and @modules holds all that is to be loaded. NULL: the rig's.
	 */
	const char *image;
	const char *const *packed; /* packed modules to load first, by name, [n_packed] */
	size_t n_packed;
	const struct trial_module *modules; /* [n_modules], in order */
	size_t n_modules;
	const char *probe; /* "copy-regimes" */
	const char *args;
	int64_t probe_limit_ms; /* 0: the rig's; of each run of @exec */
	/*
	 * A program of the user's instead of @probe, run @repeats times as long as it ends with 0: a name
	 * among spec->own, or a path in the guest. Its exit code is data. NULL: @probe is run, once.
	 */
	const char *exec;
	unsigned int repeats;
	/* called for each sample as it comes, or NULL */
	void (*on_sample)(const struct wire_sample *s, void *arg);
	void *arg;
};

enum trial_stage { STAGE_CREATE, STAGE_BOOT, STAGE_LOAD, STAGE_PROBE, STAGE_COUNT };
const char *trial_stage_name(enum trial_stage s);

/* One run of the user's program that ended by itself. */
struct trial_run {
	int code;
	int64_t elapsed_ns; /* by the host's clock, talk included */
	char *output;	    /* the last line of its stdout, printable; "" if there was none */
};

struct trial {
	enum trial_end end;
	enum guest_start start; /* warm or cold: how this one's guest came about */
	char reason[512];	/* one line for people; console's last words where they tell */
	int64_t stage_ns[STAGE_COUNT]; /* 0: not reached */
	struct wire_sample *samples;   /* [n_samples], owned */
	size_t n_samples;
	struct trial_run *runs; /* [n_runs], owned; with @exec */
	size_t n_runs;
	char said[256]; /* the last note of the agent, for people; may be empty */
	char *console;	/* with @exec: lines of the kernel since the candidate's modules were due; or NULL */
	int exit_code; /* of the probe, with TRIAL_DONE and TRIAL_PROBE_FAILED; else -1 */
	char kernel[WIRE_NAME_MAX + 1]; /* uname -r as the agent said */
};
void trial_deinit(struct trial *t);

/**
 * guest_try() - boot a fresh guest, load, probe, end it
 * @ret: how it went; written on success only, trial_deinit()
 * @err: ERR_HOST: libvirt or the disk failed; ERR_STOPPED: asked to stop, the guest is ended
 *
 * Return: 0 whatever the guest did, or -1. The guest's end is not waited for (it costs a second and
 * more); rig_close() and the next start see to it.
 */
int guest_try(struct rig *r, const struct trial_spec *spec, struct trial *ret, struct err *err);

#endif
