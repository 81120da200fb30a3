// SPDX-License-Identifier: GPL-2.0-or-later
/* Text that others wrote: see text.h. */
#include "wire/text.h"

#include <string.h>

#include "base/str.h"

size_t utf8_take(const char *s, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)s[0];
	size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4;
	uint32_t cp = n == 1 ? c : c & (0x7f >> n);

	if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*ret = cp;
	return n;
}

static bool is_harmless(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	if ((cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e))
		return false;
	return !(cp >= 0x2060 && cp <= 0x2069) && cp != 0xfeff;
}

void text_clean(char *s)
{
	size_t len = strlen(s);
	char *out = s;

	for (size_t at = 0; at < len;) {
		uint32_t cp = 0;
		size_t n = utf8_take(s + at, len - at, &cp);

		if (n && is_harmless(cp)) {
			memmove(out, s + at, n);
			out += n;
		} else {
			*out++ = cp == '\t' || cp == '\n' || cp == '\r' ? ' ' : '?';
		}
		at += n ? n : 1;
	}
	/* Nothing of what was taken out stays behind the new end. */
	memset(out, 0, (size_t)(s + len - out));
}

char *text_valid_utf8(const char *s)
{
	size_t len = strlen(s);
	struct buf b = { 0 };

	for (size_t at = 0; at < len;) {
		uint32_t cp;
		size_t n = utf8_take(s + at, len - at, &cp);

		if (n)
			buf_add(&b, s + at, n);
		else
			buf_puts(&b, "\xef\xbf\xbd");
		at += n ? n : 1;
	}
	return buf_take(&b);
}
