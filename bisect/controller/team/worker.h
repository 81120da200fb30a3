/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker: `amdgpu-bisect worker`, which only a controller starts. What it hears and says: member.h. */
#ifndef CONTROLLER_TEAM_WORKER_H
#define CONTROLLER_TEAM_WORKER_H

#include "options.h"

/**
 * worker_main() - make the trials that standard input asks for, until it ends
 * @o: those of the run, its directory and repository; the argument is the worker's number
 * Return: the exit code, or -1; what went wrong was told as well.
 */
int worker_main(struct options *o, struct err *err);

#endif
