/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: threads that find out what commits hold in the paths, while the walk is still
 * under way and after it. What they find is kept in the nodes; it decides nothing, it only saves the one
 * thread that decides the reading of trees.
 */
#ifndef RANGE_WALK_CREW_H
#define RANGE_WALK_CREW_H

#include "range/walk/simplify.h"

struct crew;

/**
 * crew_start() - threads that wait to be told of commits
 * @v:       what is asked; view->reader stays with the calling thread
 * @from:    the new end
 * @helpers: threads beside the calling one, >= 0; fewer are started if the system has no more
 * @err:     ERR_HOST
 */
int crew_start(const struct view *v, struct objects *o, uint32_t from, unsigned int helpers,
	       struct crew **ret, struct err *err);

/** crew_tell() - a commit was passed by the walk; it and its parents are read */
void crew_tell(struct crew *c, uint32_t node);

/**
 * crew_finish() - the paint is final: find out what is left, with the calling thread's help
 * @err: ERR_STOPPED; what cannot be read is left to those who need it
 */
int crew_finish(struct crew *c, struct err *err);

/** crew_destroy() - ends the threads, wherever they are */
void crew_destroy(struct crew *c);
DEFINE_CLEANUP(struct crew *, crew_destroy)

#endif
