/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blockers: commits that cannot be tested for one and the same reason. What tells one reason from
 * another is a trial's text without what differs from build to build and from boot to boot.
 */
#ifndef CONTROLLER_BLOCKER_H
#define CONTROLLER_BLOCKER_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/**
 * blocker_normal() - a text without addresses, ids, numbers, directories, and forms of quotes
 * @text: a compiler's error, a panic, a failed load; any bytes
 * Return: owned by the caller
 */
char *blocker_normal(const char *text);

/**
 * blocker_of() - the number of what a skip's verdict was skipped for
 *
 * A number stands for a text, whatever else the run has seen, so that a resumed run counts alike. Two
 * of a hundred texts share one by chance once in a million runs; it would cost a detour of the search,
 * never its answer.
 *
 * Return: > 0, as search_block() wants it; 0 for other verdicts, and for skips that say nothing about
 * the commit's neighbours: a measurement that moved, a word of the user, a build without an error line.
 */
uint32_t blocker_of(const struct store_verdict *v);

/**
 * blocker_text() - what a number stands for, by the first trial that met it
 * @t: [n] in order
 * Return: "build: amdgpu_mn.c: ...", owned by the caller; NULL if no trial did
 */
char *blocker_text(const struct store_trial *t, size_t n, uint32_t blocker);

#endif
