// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Deltas: the base's length, the result's, then instructions: copy from the base, or take what follows.
 * Source: gitformat-pack(5), "Deltified representation".
 */
#include "range/pack/unpack.h"

#define COPY		 0x80 /* of an instruction; the other seven bits say which bytes follow */
#define COPY_LEN_OF_ZERO 0x10000

static bool read_size(const unsigned char **p, const unsigned char *end, size_t *ret)
{
	uint64_t v = 0;
	unsigned char c;

	for (unsigned int shift = 0; shift < 42; shift += 7) {
		if (*p == end)
			return false;
		c = *(*p)++;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			*ret = (size_t)v;
			return v <= OBJECT_MAX_BYTES;
		}
	}
	return false;
}

bool delta_size(const unsigned char *delta, size_t delta_len, size_t *ret)
{
	const unsigned char *end = delta + delta_len;
	size_t base_len;

	return read_size(&delta, end, &base_len) && read_size(&delta, end, ret);
}

/* Offset and length of a copy: of four and three bytes those that are not zero. */
static bool read_copy(unsigned char op, const unsigned char **p, const unsigned char *end,
		      size_t *offset, size_t *len)
{
	uint32_t parts[2] = { 0, 0 };

	for (unsigned int bit = 0; bit < 7; bit++) {
		if (!(op >> bit & 1))
			continue;
		if (*p == end)
			return false;
		if (bit < 4)
			parts[0] |= (uint32_t) * (*p)++ << 8 * bit;
		else
			parts[1] |= (uint32_t) * (*p)++ << 8 * (bit - 4);
	}
	*offset = parts[0];
	*len = parts[1] ? parts[1] : COPY_LEN_OF_ZERO;
	return true;
}

bool delta_apply(const unsigned char *delta, size_t delta_len, const unsigned char *base,
		 size_t base_len, unsigned char *ret, size_t len)
{
	const unsigned char *p = delta;
	const unsigned char *end = delta + delta_len;
	unsigned char *out = ret;
	unsigned char *out_end = ret + len;
	size_t claimed;

	if (!read_size(&p, end, &claimed) || claimed != base_len)
		return false;
	if (!read_size(&p, end, &claimed) || claimed != len)
		return false;
	while (p < end) {
		unsigned char op = *p++;
		const unsigned char *from = p;
		size_t n = op;

		if (op & COPY) {
			size_t offset;

			if (!read_copy(op, &p, end, &offset, &n) || offset > base_len ||
			    n > base_len - offset)
				return false;
			from = base + offset;
		} else if (!n || n > (size_t)(end - p)) {
			return false;
		} else {
			p += n;
		}
		if (n > (size_t)(out_end - out))
			return false;
		memcpy(out, from, n);
		out += n;
	}
	return out == out_end;
}
