/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files: the few things every room does with them. */
#ifndef BASE_FS_H
#define BASE_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/** fs_mkdirs() - make a directory and its parents; one that exists is fine */
int fs_mkdirs(const char *path, struct err *err);

/**
 * fs_remove_tree() - remove a file or a whole directory; never follows links, never leaves the file
 * system it started on; nothing there is success
 */
int fs_remove_tree(const char *path, struct err *err);

/**
 * fs_remove_large_tree() - as fs_remove_tree(), but a stop request ends it half done
 *
 * For what takes minutes on a slow disk, such as a kernel tree; not for cleaning up after a stop.
 */
int fs_remove_large_tree(const char *path, struct err *err);

/**
 * fs_read() - read a whole file
 * @max:     refuse more than this [bytes]
 * @ret:     NUL-terminated, owned by the caller
 * @ret_len: [bytes], may be NULL
 */
int fs_read(const char *path, size_t max, char **ret, size_t *ret_len, struct err *err);

/**
 * fs_write() - write a whole file under a temporary name, fsync, rename: never half a file
 *
 * A link is followed. What is no regular file (a device, a pipe) is written to and stays what it is.
 */
int fs_write(const char *path, const void *data, size_t len, struct err *err);

/** fs_settle() - all that was written to the file system of @path is on the disk */
int fs_settle(const char *path, struct err *err);

/** fs_copy() - copy a regular file (reflink or copy_file_range where possible), whole or not at all */
int fs_copy(const char *from, const char *to, struct err *err);

bool fs_exists(const char *path);

/**
 * fs_stamp() - add "NAME SIZE TIME" and a newline: another text if the file was written since
 * @name: what it is called in the text; its path, where that is no matter
 * Return: false if there is no such file; nothing is added then.
 */
bool fs_stamp(const char *path, const char *name, struct buf *ret);

bool fs_is_dir(const char *path);

/** fs_is_special() - a pipe, a socket, a device: what opening may wait for */
bool fs_is_special(const char *path);

/** fs_free_bytes() - bytes an unprivileged writer can still put where @path lies; -1 with @err */
int fs_free_bytes(const char *path, uint64_t *ret, struct err *err);

/** fs_sha256_text() / fs_sha256_file() - SHA-256 in 64 hex digits and a NUL */
void fs_sha256_text(const void *data, size_t len, char ret[65]);
int fs_sha256_file(const char *path, char ret[65], struct err *err);

/**
 * fs_lock() - take an exclusive advisory lock on a file, made if need be
 * @wait: wait for it (a stop request ends the wait); else fail at once, unless its holder was killed
 *        and what it left is still being ended: that is waited for, 10 s at most
 * @ret:  descriptor that holds the lock until closed
 *
 * Return: 0, or -1: ERR_HOST naming the pid in the file if another process holds it.
 */
int fs_lock(const char *path, bool wait, int *ret, struct err *err);

#endif
