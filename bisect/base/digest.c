// SPDX-License-Identifier: GPL-2.0-or-later
/* SHA-256 in parts: see digest.h. */
#include "base/digest.h"

#include <stdint.h>

#include <nettle/sha2.h>

#include "base/str.h"

struct digest {
	struct sha256_ctx ctx;
};

struct digest *digest_create(void)
{
	struct digest *d = xmalloc(sizeof(*d));

	sha256_init(&d->ctx);
	return d;
}

void digest_destroy(struct digest *d)
{
	free(d);
}

void digest_add(struct digest *d, const void *data, size_t len)
{
	sha256_update(&d->ctx, len, data);
}

void digest_hex(struct digest *d, char ret[65])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t sum[SHA256_DIGEST_SIZE];

	sha256_digest(&d->ctx, sizeof(sum), sum);
	for (size_t i = 0; i < sizeof(sum); i++) {
		ret[2 * i] = digits[sum[i] >> 4];
		ret[2 * i + 1] = digits[sum[i] & 15];
	}
	ret[64] = '\0';
}
