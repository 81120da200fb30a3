// SPDX-License-Identifier: GPL-2.0-or-later
/* Any MAINTAINERS and any message give addresses that are plain, and header fields that stay what they are. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "reports/mail/header.h"
#include "reports/mail/maintainers.h"

static void check_addresses(const struct addresses *l)
{
	_cleanup_buf_ struct buf b = { 0 };

	assert(l->n <= ADDRESSES_MAX);
	header_addresses(&b, "To", l);
	for (size_t i = 0; i < l->n; i++)
		assert(address_is_valid(l->items[i].addr, strlen(l->items[i].addr)));
	for (size_t i = 0; i < b.len; i++) {
		assert(b.data[i] == '\n' || (b.data[i] >= ' ' && b.data[i] < 0x7f));
		/* Each line but the first goes on with the one above. */
		assert(b.data[i] != '\n' || i + 1 == b.len || b.data[i + 1] == ' ');
	}
}

static void check_text(const char *text)
{
	_cleanup_buf_ struct buf b = { 0 };
	char *end;

	header_text(&b, "Subject", text);
	assert(strncmp(b.data, "Subject: ", strlen("Subject: ")) == 0);
	while ((end = strchr(b.data, '\n')) && end[1]) {
		assert(end[1] == ' ');
		*end = ' ';
	}
	for (const char *c = b.data; c[1]; c++)
		assert(*c >= ' ' && *c < 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = { "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c", "mm/hmm.c",
					     "Makefile" };
	struct maintainers m = { 0 };
	struct addresses l = { 0 };
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	maintainers_find(text, files, 3, text, &m);
	addresses_of_message(&l, text);
	check_addresses(&m.people);
	check_addresses(&m.reviewers);
	check_addresses(&m.lists);
	check_addresses(&l);
	check_text(text);
	maintainers_deinit(&m);
	addresses_deinit(&l);
	free(text);
	return 0;
}
