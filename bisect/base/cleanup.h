/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ownership: what is acquired in a scope is released when the scope ends, unless it is handed over.
 *
 * A room adds its own with DEFINE_CLEANUP(struct thing *, thing_destroy) next to the destructor.
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* Defines fn##_p(), which calls fn() on a pointer variable of @type that is not NULL. */
#define DEFINE_CLEANUP(type, fn)                                                                   \
	static inline void fn##_p(type *p)                                                         \
	{                                                                                          \
		if (*p)                                                                            \
			fn(*p);                                                                    \
	}

DEFINE_CLEANUP(FILE *, fclose)
DEFINE_CLEANUP(DIR *, closedir)

static inline void free_p(void *p)
{
	free(*(void **)p);
}

static inline void close_p(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_	   _cleanup_(free_p)
#define _cleanup_close_	   _cleanup_(close_p)
#define _cleanup_fclose_   _cleanup_(fclose_p)
#define _cleanup_closedir_ _cleanup_(closedir_p)

/* Hands over a pointer: gives its value and leaves NULL behind. */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		__typeof__(p) _taken = (p);                                                        \
		(p) = NULL;                                                                        \
		_taken;                                                                            \
	})

/* Hands over a descriptor: gives its value and leaves -1 behind. */
#define take_fd(fd)                                                                                \
	({                                                                                         \
		int _taken = (fd);                                                                 \
		(fd) = -1;                                                                         \
		_taken;                                                                            \
	})

#endif
