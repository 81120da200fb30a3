// SPDX-License-Identifier: GPL-2.0-or-later
/* Before the first candidate: everything that each of them is tried with. */
#include "guest/rig.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "guest/gpu/hold.h"
#include "guest/image/disk.h"
#include "guest/image/image.h"
#include "guest/image/initramfs.h"
#include "guest/image/keep.h"
#include "guest/image/runtime.h"
#include "guest/warm/warm.h"

#define KVM_LIMIT_MS	 1500 /* the loop takes 10 ms; a nested KVM is slower */
#define KVM_CARD_MS	 8000 /* without KVM there is no guest with a card: worth a longer wait */
#define DEFAULT_MEMORY	 512
#define DEFAULT_BOOT_MS	 60000	/* without KVM; a boot to the agent takes 4 s on an idle machine */
#define DEFAULT_DISK_MS	 240000 /* the same with a system of its own */
#define DEFAULT_LOAD_MS	 40000
#define DEFAULT_PROBE_MS 60000
#define KEEP_KERNELS	 4 /* some 60 MiB each */
#define KEEP_INITRAMFS	 8 /* some 4 to 25 MiB each */
#define KEEP_RUNTIMES	 2 /* some 100 to 500 MiB each */
#define KVM_SPEED	 3 /* KVM gets this part of the time */

static int64_t limit_of(int64_t wanted, int64_t tcg_ms, enum guest_accel accel)
{
	if (wanted > 0)
		return wanted;
	return accel == GUEST_ACCEL_KVM ? tcg_ms / KVM_SPEED : tcg_ms;
}

static bool wants_card(const struct rig *r)
{
	return r->spec->card.which && strcmp(r->spec->card.which, "none") != 0;
}

static bool kvm_works(const struct rig *r, char *why, size_t size)
{
	return virt_elsewhere(r->virt)
		       ? virt_offers_kvm(r->virt, why, size)
		       : guest_probe_kvm(wants_card(r) ? KVM_CARD_MS : KVM_LIMIT_MS, why, size);
}

static int choose_accel(struct rig *r, struct err *err)
{
	char why[192];

	r->accel = GUEST_ACCEL_TCG;
	if (r->spec->accel == GUEST_ACCEL_TCG) {
		snprintf(r->why, sizeof(r->why), "asked for");
		return 0;
	}
	if (kvm_works(r, why, sizeof(why))) {
		r->accel = GUEST_ACCEL_KVM;
		snprintf(r->why, sizeof(r->why), "KVM %s", why);
		return 0;
	}
	if (r->spec->accel == GUEST_ACCEL_KVM)
		return err_set(err, ERR_USAGE,
			       "KVM cannot be used: %s; leave --accel out to go "
			       "without it",
			       why);
	if (wants_card(r))
		return err_set(err, ERR_USAGE,
			       "a card's guest wants KVM, which cannot be used: %s; --accel tcg "
			       "goes without it, slowly",
			       why);
	snprintf(r->why, sizeof(r->why), "no KVM: %s", why);
	return 0;
}

static void fill_defaults(struct rig *r)
{
	struct guest_spec *s = &r->own;

	*s = *r->spec;
	if (!s->memory_mib)
		s->memory_mib = DEFAULT_MEMORY;
	if (!s->vcpus)
		s->vcpus = 1;
	s->limit.boot_ms = limit_of(s->limit.boot_ms,
				    s->has_disk ? DEFAULT_DISK_MS : DEFAULT_BOOT_MS, r->accel);
	s->limit.load_ms = limit_of(s->limit.load_ms, DEFAULT_LOAD_MS, r->accel);
	s->limit.probe_ms = limit_of(s->limit.probe_ms, DEFAULT_PROBE_MS, r->accel);
}

static int resolve_modules(struct rig *r, struct err *err)
{
	const struct guest_spec *s = r->spec;
	_cleanup_strv_ struct strv names = { 0 };

	initramfs_boot_names(s, &names);
	for (size_t i = 0; i < s->n_pack; i++)
		strv_add(&names, s->pack[i]);
	return modules_resolve(s->modules, (const char *const *)names.items, names.n, &r->modules,
			       err);
}

static int cache_dir(const struct rig *r, char **ret, struct err *err)
{
	_cleanup_free_ char *dir = str_printf("%s/guest", r->spec->cache_dir);
	char *full;

	if (fs_mkdirs(dir, err) < 0)
		return -1;
	full = realpath(dir, NULL); /* libvirt takes no relative paths */
	if (!full)
		return err_errno(err, ERR_HOST, "cannot use %s", dir);
	*ret = full;
	return 0;
}

static int make_files(struct rig *r, struct err *err)
{
	const struct guest_spec *s = r->spec;
	_cleanup_free_ char *full = NULL;

	if (cache_dir(r, &full, err) < 0)
		return -1;
	if (image_make(s->image, full, &r->vmlinux, err) < 0)
		return -1;
	if (initramfs_make(s, &r->modules, full, &r->initramfs, err) < 0 ||
	    runtime_make(s, full, &r->runtime, err) < 0)
		return -1;
	if (s->has_disk && !r->base && disk_base(s->disk, full, &r->base, err) < 0)
		return -1;
	keep_used(r->vmlinux);
	keep_used(r->initramfs);
	keep_newest(full, "vmlinux-", KEEP_KERNELS);
	keep_newest(full, "initramfs-", KEEP_INITRAMFS);
	keep_newest(full, "runtime-", KEEP_RUNTIMES);
	return 0;
}

static void forget(char **path)
{
	if (*path)
		unlink(*path);
	free(take_ptr(*path));
}

int rig_renew(struct rig *r, struct err *err)
{
	forget(&r->vmlinux);
	forget(&r->initramfs);
	forget(&r->runtime);
	forget(&r->bare);
	/* the user's, or what vm-images/disk-guest made: never another one in the same run */
	if (r->base && disk_check(r->base, err) < 0)
		return -1;
	return make_files(r, err);
}

int rig_bare(struct rig *r, const char **ret, struct err *err)
{
	const struct modules none = { 0 };
	_cleanup_free_ char *full = NULL;

	if (!r->bare) {
		if (cache_dir(r, &full, err) < 0 ||
		    initramfs_make(r->spec, &none, full, &r->bare, err) < 0)
			return -1;
		keep_newest(full, "initramfs-", KEEP_INITRAMFS);
	}
	*ret = r->bare;
	return 0;
}

/* A daemon's QEMU is another user's, or on another machine: it reads no file of ours. */
static int open_place(struct rig *r, struct err *err)
{
	const struct guest_spec *s = r->spec;
	const struct place_spec spec = {
		.uri = s->uri,
		.pool = s->pool,
		.cache_dir = s->cache_dir,
		.progress = s->progress,
	};

	if (!s->uri)
		return 0;
	return place_open(r->virt, &spec, &r->place, err);
}

int rig_open(const struct guest_spec *spec, struct rig **ret, struct err *err)
{
	_cleanup_(rig_close_p) struct rig *r = xcalloc(1, sizeof(*r));

	r->spec = spec;
	for (int i = 0; i < STAGE_COUNT; i++)
		r->expect_ns[i] = -1;
	if (spec->progress)
		progress_stage(spec->progress, "guest", -1);
	/* libvirt first: it ends what killed runs left, which may still have a card */
	if (pass_check_place(spec, err) < 0 ||
	    virt_open(spec->uri, spec->cache_dir, &r->virt, err) < 0 || open_place(r, err) < 0 ||
	    pass_open(spec, spec->memory_mib ? spec->memory_mib : DEFAULT_MEMORY, &r->pass, err) <
		    0 ||
	    choose_accel(r, err) < 0 || resolve_modules(r, err) < 0 || make_files(r, err) < 0)
		return -1;
	if (!spec->uri) /* else it is where libvirt's guests are */
		r->emulator = spawn_find("qemu-system-x86_64");
	fill_defaults(r);
	if (warm_open(r, err) < 0)
		return -1;
	*ret = take_ptr(r);
	return 0;
}

void rig_close(struct rig *r)
{
	if (!r)
		return;
	place_close(r->place);
	virt_close(r->virt);
	pass_close(r->pass);
	warm_close(r->warm);
	modules_deinit(&r->modules);
	free(r->vmlinux);
	free(r->initramfs);
	free(r->runtime);
	free(r->base);
	free(r->bare);
	free(r->emulator);
	free(r);
}

void rig_tidy(struct rig *r)
{
	_cleanup_strv_ struct strv said = { 0 };

	virt_tidy(r->virt);
	hold_recover(NULL, &said);
	for (size_t i = 0; i < said.n; i++)
		progress_event(r->spec->progress, "%s", said.items[i]);
}

const char *rig_disk(const struct rig *r)
{
	return r ? r->base : NULL;
}

int rig_disk_content(const struct rig *r, struct buf *ret, struct err *err)
{
	return r->base ? disk_content(r->base, ret, err) : 0;
}

void guest_images_deinit(struct guest_images *i)
{
	free(i->kernel);
	free(i->initramfs);
	free(i->runtime);
	*i = (struct guest_images){ 0 };
}

int guest_make_images(const struct guest_spec *spec, struct guest_images *ret, struct err *err)
{
	_cleanup_(rig_close_p) struct rig *r = xcalloc(1, sizeof(*r));

	r->spec = spec;
	if (resolve_modules(r, err) < 0 || make_files(r, err) < 0)
		return -1;
	ret->kernel = take_ptr(r->vmlinux);
	ret->initramfs = take_ptr(r->initramfs);
	ret->runtime = take_ptr(r->runtime);
	return 0;
}

enum guest_accel rig_accel(const struct rig *r, const char **why)
{
	if (why)
		*why = r->why;
	return r->accel;
}

enum guest_start rig_start(const struct rig *r, const char **why)
{
	if (why)
		*why = r->start_why;
	return r->start;
}
