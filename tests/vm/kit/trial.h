/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests share that try things in guests: a place, a spec, a module that fails, one trial. */
#ifndef KIT_TRIAL_H
#define KIT_TRIAL_H

#include "kit/kit.h"

/**
 * kit_begin() - a place of the test's own, and a spec whose cache lies in it
 * @work:   template for mkdtemp(), changed
 * @agent, @probes: [n], packed as they are
 * Return: 0, or -1 for cmocka. Without a kernel here the program ends, as left out.
 */
int kit_begin(struct guest_spec *ret, char *work, const char *agent, const char *const *probes,
	      size_t n);

/** kit_end() - removes the place, unless KEEP is set; for cmocka's tear down */
int kit_end(const char *work);

/** kit_shell() - true if the command ended well, within five minutes */
bool kit_shell(const char *command);

/** kit_first_line() - of what a program prints; owned by the caller, NULL if it failed */
char *kit_first_line(const char *const *argv);

/** kit_faulty() - builds tests/vm/guest/faulty in the place; its path, owned; NULL without headers */
char *kit_faulty(const char *work);

/**
 * kit_try() - one trial with its logs in @work/@label; an error of the rig fails the test
 * @t: label and dir are filled in
 */
struct trial kit_try(struct rig *r, const char *work, const char *label, struct trial_spec *t);

/** kit_expect() - the trial's end, and words that its reason holds, on one line */
void kit_expect(const struct trial *t, enum trial_end end, const char *words);

#endif
