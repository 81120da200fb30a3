/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before the fourth step, with --gpu: the cards of this machine, what each is bound to, and whether one
 * can be passed to a guest. All that can stand in the way is said here, before anything is built.
 */
#ifndef GUEST_CARD_H
#define GUEST_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define CARD_ADDRESS_SIZE 13 /* "0000:03:00.0" and a NUL */

/* Where the kernel shows the machine; another root in tests. */
struct card_roots {
	const char *sys, *proc, *dev; /* NULL: "/sys", "/proc", "/dev" */
};

/* One PCI function, as sysfs has it. */
struct card_function {
	char address[CARD_ADDRESS_SIZE];
	uint16_t vendor, device;
	uint32_t class;	     /* 0xCCSSPP: PCI Code and ID Assignment */
	int group;	     /* IOMMU group, or -1 */
	char driver[32];     /* bound to; "" none */
	char reset[64];	     /* methods in the order the kernel tries them; "" none */
	bool boot_display;   /* boot_vga */
	bool rom;	     /* has an expansion ROM */
	uint64_t bars_bytes; /* of its 64-bit memory BARs */
	bool along;	     /* goes to the guest with the card */
};

struct card {
	struct card_function self;
	char name[96]; /* for people; "" where nobody knows it */
	/* The others that matter: of its IOMMU group and of its slot, by address, itself included. */
	struct card_function *members; /* [n_members], owned */
	size_t n_members;
	bool opens;	  /* this user may open the group's file below /dev/vfio */
	char screen[160]; /* what of the host would lose its screen; "" nothing */
	char user[160];	  /* guest or process that has it through VFIO; "" nobody */
};

struct cards {
	struct card *items; /* [n], owned, by address */
	size_t n;
	char source[160]; /* who named them, for people: libvirt's node devices, or sysfs and why */
};
void cards_deinit(struct cards *c);

/* What passthrough asks of the host, whatever the card. */
struct card_host {
	bool iommu;	       /* there are IOMMU groups */
	bool remapping;	       /* interrupts are remapped, or the user said they need not be */
	bool vfio, vfio_pci;   /* the kernel has them, loaded or as modules */
	bool daemon;	       /* libvirt's daemon binds and locks, with its own rights */
	bool root;	       /* may bind drivers */
	bool privileged;       /* may raise its limit of locked memory */
	uint64_t locked_bytes; /* that limit */
	char remote[96];       /* URI of another machine, or "" */
};

/**
 * cards_find() - AMD's display controllers and processing accelerators, with all that must go along
 * @uri:   libvirt connection that is asked for node devices; NULL: the embedded driver, which has none,
 *         so that sysfs is read
 * @roots: NULL: this machine's
 * @ret:   none found is no error; cards_deinit()
 * @err:   ERR_HOST: sysfs cannot be read
 *
 * Source: Documentation/ABI/testing/sysfs-bus-pci, libvirt's nodedev.rng.
 */
int cards_find(const char *uri, const struct card_roots *roots, struct cards *ret, struct err *err);

/** card_host_read() - what the host offers; what cannot be read counts as not there */
void card_host_read(const char *uri, const struct card_roots *roots, struct card_host *ret);

/**
 * card_check() - can this card be passed through, as things are now?
 * @memory_mib:  of the guest [MiB]; all of it is locked
 * @give_screen: the host may lose its screen
 * @err:         ERR_USAGE: the first obstacle, and what removes it
 */
int card_check(const struct card *card, const struct card_host *host, unsigned int memory_mib,
	       bool give_screen, struct err *err);

/**
 * cards_choose() - the card that is meant
 * @which: a PCI address, with or without its domain, or "auto": the only one that passes card_check()
 * @ret:   points into @cards
 * @err:   ERR_USAGE: no such card, none that can be passed, or several
 */
int cards_choose(const struct cards *cards, const char *which, const struct card_host *host,
		 unsigned int memory_mib, bool give_screen, const struct card **ret,
		 struct err *err);

/**
 * cards_leftovers() - cards that a killed controller left bound to vfio-pci, for `doctor`
 * @ret: a line for people each; what a living controller holds is none
 */
void cards_leftovers(struct strv *ret);

#endif
