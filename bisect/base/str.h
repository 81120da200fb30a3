/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory and text. Running out of memory ends the program with exit code 128: everything that must
 * survive is in the store by then, and `resume` goes on.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A full commit id in hex with its terminating NUL (SHA-1; SHA-256 repositories are refused). */
#define COMMIT_ID_SIZE 41

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s); /* NULL gives NULL */
char *xstrndup(const char *s, size_t n);

/** str_printf() - format into a new string, owned by the caller */
__attribute__((format(printf, 1, 2))) char *str_printf(const char *fmt, ...);

/**
 * str_copy() - copy into a fixed buffer, cut at its end, always terminated
 * Return: true if all of @src fitted.
 */
bool str_copy(char *dst, size_t size, const char *src);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

/** str_is_commit_id() - true for 40 lower-case hex digits and nothing else */
bool str_is_commit_id(const char *s);

/** str_to_u64() - whole string as a decimal number in [0, max]; false if it is anything else */
bool str_to_u64(const char *s, uint64_t max, uint64_t *ret);

/* A growing string. Zero-initialised it is empty and owns nothing; data is NUL-terminated or NULL. */
struct buf {
	char *data;
	size_t len; /* [bytes], without the NUL */
	size_t cap; /* [bytes] */
};

void buf_deinit(struct buf *b);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_puts(struct buf *b, const char *s);
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b, const char *fmt, ...);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
/** buf_shell() - one word as a shell takes it, quoted where it would take it for another thing */
void buf_shell(struct buf *b, const char *word);
/** buf_take() - hand the text over; the caller frees; an empty buf gives "" */
char *buf_take(struct buf *b);

#define _cleanup_buf_ __attribute__((cleanup(buf_deinit)))

/* A growing list of strings, each owned by it; argv-shaped: items[n] is NULL once non-empty. */
struct strv {
	char **items;
	size_t n;
	size_t cap;
};

void strv_deinit(struct strv *v);
void strv_add(struct strv *v, const char *s);
void strv_take(struct strv *v, char *s); /* takes ownership of s */
__attribute__((format(printf, 2, 3))) void strv_addf(struct strv *v, const char *fmt, ...);
/** strv_has() - one of them is @s; looks at each */
bool strv_has(const struct strv *v, const char *s);
/** strv_sort_once() - sort by bytes, and keep each string once */
void strv_sort_once(struct strv *v);

#define _cleanup_strv_ __attribute__((cleanup(strv_deinit)))

#endif
