/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PID 1 of a small guest: the little that is needed, and never an end. */
#ifndef AGENT_INIT_H
#define AGENT_INIT_H

#include <stdbool.h>

#define INIT_CONFIG "/etc/amdgpu-bisect" /* the lists `modules` and `boot` */

/**
 * init_run() - mount what is needed, then keep a child running
 * @serve: runs in the child; started again whenever it ends, even by a crash; @again is then true
 *
 * PID 1 itself only reaps, so that nothing the controller or a probe does can end it, which would
 * be a panic of our own making.
 */
_Noreturn void init_run(void (*serve)(void *arg, bool again), void *arg);

/**
 * init_boot_modules() - insert the modules that the channel itself needs
 * @list:  packed modules, see modules.h
 * @names: file with the names to insert, one a line
 * What goes wrong is logged: the channel may work nevertheless (built in).
 */
void init_boot_modules(const char *list, const char *names);

#endif
