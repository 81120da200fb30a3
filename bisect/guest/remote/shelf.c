// SPDX-License-Identifier: GPL-2.0-or-later
/* Before a file is sent to another machine: what of ours is there, and what of it can go. See shelf.h. */
#include "guest/remote/shelf.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define PREFIX	   "amdgpu-bisect-"
#define DIGEST_LEN 64
#define DRAW_LEN   8
#define HALF_NS	   (10 * 60 * NS_PER_S) /* an upload that stands still so long is dead */
#define FRESH_NS   (60 * 60 * NS_PER_S)

DEFINE_CLEANUP(xmlDocPtr, xmlFreeDoc)

void shelf_name(const char *digest, uint32_t draw, char ret[SHELF_NAME])
{
	snprintf(ret, SHELF_NAME, PREFIX "%.64s-%08x", digest, draw);
}

static bool all_hex(const char *s, size_t len)
{
	return strspn(s, "0123456789abcdef") >= len;
}

bool shelf_ours(const char *name, char digest[65], bool *mark)
{
	const char *at = name + strlen(PREFIX);
	const char *end;

	if (!str_starts(name, PREFIX) || strlen(at) < DIGEST_LEN + 1 + DRAW_LEN ||
	    !all_hex(at, DIGEST_LEN) || at[DIGEST_LEN] != '-' ||
	    !all_hex(at + DIGEST_LEN + 1, DRAW_LEN))
		return false;
	end = at + DIGEST_LEN + 1 + DRAW_LEN;
	if (*end && strcmp(end, SHELF_MARK) != 0)
		return false;
	if (digest)
		str_copy(digest, DIGEST_LEN + 1, at);
	if (mark)
		*mark = *end;
	return true;
}

bool shelf_whole(const struct shelf_item *i)
{
	return *i->name && i->used_ns && i->written_ns <= i->used_ns;
}

static int64_t touched(const struct shelf_item *i)
{
	return i->used_ns > i->written_ns ? i->used_ns : i->written_ns;
}

static int newest_first(const void *a, const void *b)
{
	int64_t x = touched(a), y = touched(b);

	return (x < y) - (x > y);
}

void shelf_cap(struct shelf_item *items, size_t n, uint64_t max_bytes, bool *drop)
{
	uint64_t total = 0;
	int64_t now;

	if (!n)
		return;
	qsort(items, n, sizeof(*items), newest_first);
	/* The other machine's clock may be wrong; what was touched last was touched just now. */
	now = touched(&items[0]);
	for (size_t i = 0; i < n; i++) {
		const struct shelf_item *it = &items[i];
		int64_t age = now - touched(it);

		drop[i] = false;
		if (it->needed) {
			total += it->bytes;
			continue;
		}
		if (!shelf_whole(it))
			drop[i] = age > HALF_NS;
		else
			drop[i] = age > FRESH_NS &&
				  it->bytes > max_bytes - (total < max_bytes ? total : max_bytes);
		if (!drop[i])
			total += it->bytes;
	}
}

static xmlNodePtr child(xmlNodePtr node, const char *name)
{
	for (xmlNodePtr c = node ? node->children : NULL; c; c = c->next)
		if (c->type == XML_ELEMENT_NODE && strcmp((const char *)c->name, name) == 0)
			return c;
	return NULL;
}

/* "1341933637.273190990"; the fraction may be missing. */
static int64_t stamp(const char *text)
{
	_cleanup_free_ char *seconds = xstrndup(text, strcspn(text, "."));
	const char *dot = strchr(text, '.');
	char part[10] = "000000000";
	uint64_t s, ns = 0;

	if (!str_to_u64(seconds, INT64_MAX / NS_PER_S - 1, &s))
		return 0;
	for (size_t i = 0; dot && i < 9 && dot[1 + i]; i++)
		part[i] = dot[1 + i];
	if (!str_to_u64(part, NS_PER_S - 1, &ns))
		return 0;
	return (int64_t)s * NS_PER_S + (int64_t)ns;
}

/* Text of an element under the root, or NULL; freed with xmlFree(). */
static xmlChar *text_of(const char *xml, size_t len, const char *const *path)
{
	_cleanup_(xmlFreeDoc_p) xmlDocPtr doc = NULL;
	xmlNodePtr at;

	if (len > INT32_MAX)
		return NULL;
	doc = xmlReadMemory(xml, (int)len, NULL, NULL,
			    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	at = doc ? xmlDocGetRootElement(doc) : NULL;
	for (; *path; path++)
		at = child(at, *path);
	return at ? xmlNodeGetContent(at) : NULL;
}

int64_t shelf_written(const char *xml, size_t len)
{
	static const char *const path[] = { "target", "timestamps", "mtime", NULL };
	xmlChar *text = text_of(xml, len, path);
	int64_t ret = text ? stamp((const char *)text) : 0;

	xmlFree(text);
	return ret;
}

char *shelf_target(const char *xml, size_t len)
{
	static const char *const path[] = { "target", "path", NULL };
	xmlChar *text = text_of(xml, len, path);
	char *ret = text && *text == '/' ? xstrdup((const char *)text) : NULL;

	xmlFree(text);
	return ret;
}
