/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of amdgpu_hmm_range_get_pages() that the demo works on. Pure. */
#ifndef DEMO_FUNCTION_H
#define DEMO_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "demo/text/ctext.h"

#define FUNCTION_NAME "amdgpu_hmm_range_get_pages"
#define FUNCTION_NONE ((size_t)-1)

/* Indices of tokens. */
struct function {
	struct ctext scan; /* of the function's text alone */
	struct cfunction body;
	size_t start;	  /* first statement that is no declaration */
	size_t read;	  /* statement that assigns mmu_interval_read_begin() to notifier_seq */
	size_t seq;	  /* the word notifier_seq in it */
	size_t read_end;  /* its semicolon */
	size_t fault;	  /* the word hmm_range_fault of the call */
	size_t fault_end; /* its semicolon */
	size_t label; /* label before the call that a goto after it jumps to, or FUNCTION_NONE */
};

/**
 * function_init() - find the parts
 * @path: for messages
 * @text: the function's own lines, must outlive @ret
 * @err:  ERR_USAGE: what was looked for and not found
 */
int function_init(const char *path, const char *text, size_t len, struct function *ret,
		  struct err *err);
void function_deinit(struct function *f);

/**
 * function_add_loop() - the function with a retry loop around hmm_range_fault() that reads the
 * notifier sequence each time; owned by the caller
 */
int function_add_loop(const char *path, const struct function *f, char **ret, struct err *err);

/**
 * function_move_read() - the function with the read moved out of its retry loop; owned by the caller
 * Source: upstream commit c08972f55594.
 */
int function_move_read(const char *path, const struct function *f, char **ret, struct err *err);

#endif
