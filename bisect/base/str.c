// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory and text: see str.h. */
#include "base/str.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
	static const char text[] = "amdgpu-bisect: out of memory; give this machine more, then "
				   "try again\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	_exit(128);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory();
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

char *xstrdup(const char *s)
{
	return s ? xstrndup(s, strlen(s)) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *str_printf(const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return buf_take(&b);
}

bool str_copy(char *dst, size_t size, const char *src)
{
	size_t len = strlen(src);
	size_t n = len < size ? len : size - 1;

	assert(size > 0);
	memcpy(dst, src, n);
	dst[n] = '\0';
	return n == len;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t len = strlen(s);
	size_t slen = strlen(suffix);

	return len >= slen && memcmp(s + len - slen, suffix, slen) == 0;
}

bool str_is_commit_id(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return n == COMMIT_ID_SIZE - 1 && s[n] == '\0';
}

bool str_to_u64(const char *s, uint64_t max, uint64_t *ret)
{
	char *end;
	unsigned long long v;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno || *end || v > max)
		return false;
	*ret = v;
	return true;
}

void buf_deinit(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

static void buf_reserve(struct buf *b, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(b->len, more, &need) || need == SIZE_MAX)
		out_of_memory();
	need++;
	if (need <= b->cap)
		return;
	b->cap = need < 64 ? 64 : need + need / 2;
	b->data = xrealloc(b->data, b->cap, 1);
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	buf_reserve(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	assert(n >= 0);
	buf_reserve(b, (size_t)n);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_shell(struct buf *b, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "%+,-./:=@_^~";

	/* A shell puts a home in the place of a ~ at the start alone. */
	if (*word && word[strspn(word, plain)] == '\0' && *word != '~') {
		buf_puts(b, word);
		return;
	}
	buf_puts(b, "'");
	for (; *word; word++)
		buf_printf(b, *word == '\'' ? "'\\%c'" : "%c", *word);
	buf_puts(b, "'");
}

char *buf_take(struct buf *b)
{
	char *s = b->data ? b->data : xstrdup("");

	*b = (struct buf){ 0 };
	return s;
}

void strv_deinit(struct strv *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->items[i]);
	free(v->items);
	*v = (struct strv){ 0 };
}

void strv_take(struct strv *v, char *s)
{
	if (v->n + 2 > v->cap) {
		v->cap = v->cap ? 2 * v->cap : 8;
		v->items = xrealloc(v->items, v->cap, sizeof(*v->items));
	}
	v->items[v->n++] = s;
	v->items[v->n] = NULL;
}

void strv_add(struct strv *v, const char *s)
{
	strv_take(v, xstrdup(s));
}

void strv_addf(struct strv *v, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	strv_take(v, buf_take(&b));
}

bool strv_has(const struct strv *v, const char *s)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->items[i], s) == 0)
			return true;
	return false;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strv_sort_once(struct strv *v)
{
	size_t n = 0;

	if (!v->n)
		return;
	qsort(v->items, v->n, sizeof(*v->items), compare_strings);
	for (size_t i = 0; i < v->n; i++) {
		if (n && strcmp(v->items[n - 1], v->items[i]) == 0)
			free(v->items[i]);
		else
			v->items[n++] = v->items[i];
	}
	v->items[n] = NULL;
	v->n = n;
}
