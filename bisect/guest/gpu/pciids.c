// SPDX-License-Identifier: GPL-2.0-or-later
/* What to call a card where libvirt does not say it. */
#include "guest/gpu/pciids.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"

#define LIST_MAX (16 << 20) /* it has 1.5 MiB */

/* Does the line at @at, which ends before @end, begin with @id and two blanks? */
static bool begins(const char *at, const char *end, const char *id)
{
	size_t n = strlen(id);

	return (size_t)(end - at) > n + 2 && memcmp(at, id, n) == 0 && at[n] == ' ' &&
	       at[n + 1] == ' ';
}

static void take_name(const char *at, const char *end, char *ret, size_t size)
{
	size_t n = 0;

	for (; at < end && n + 1 < size; at++, n++)
		ret[n] = (unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f ? '?' : *at;
	ret[n] = '\0';
}

bool pciids_find(const char *text, size_t len, uint16_t vendor, uint16_t device, char *ret,
		 size_t size)
{
	const char *stop = text + len;
	char want_vendor[8], want_device[8];
	bool inside = false;

	snprintf(want_vendor, sizeof(want_vendor), "%04x", vendor);
	snprintf(want_device, sizeof(want_device), "\t%04x", device);
	for (const char *at = text; at < stop;) {
		const char *end = memchr(at, '\n', (size_t)(stop - at));

		if (!end)
			end = stop;
		if (*at != '\t' && *at != '#' && end > at) {
			if (inside)
				return false; /* each vendor is listed once */
			inside = begins(at, end, want_vendor);
		} else if (inside && begins(at, end, want_device)) {
			take_name(at + strlen(want_device) + 2, end, ret, size);
			return true;
		}
		at = end < stop ? end + 1 : stop;
	}
	return false;
}

bool pciids_name(uint16_t vendor, uint16_t device, char *ret, size_t size)
{
	static const char *const places[] = { "/usr/share/hwdata/pci.ids",
					      "/usr/share/misc/pci.ids" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *text = NULL;
		struct err ignored;
		size_t len;

		if (fs_exists(places[i]) &&
		    fs_read(places[i], LIST_MAX, &text, &len, &ignored) == 0 &&
		    pciids_find(text, len, vendor, device, ret, size))
			return true;
	}
	return false;
}
