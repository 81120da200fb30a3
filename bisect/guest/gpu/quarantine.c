// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of a card that failed: one small file with the reason, and the boot it was in, since a
 * cold start is what mends most of them.
 *
 *	DIR/0000:03:00.0	"BOOT-ID DATE\nREASON\n"
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/card_rescue.h"
#include "guest/talk/console.h"
#include "guest/gpu/sysfs.h"

#define TEXT_MAX 4096

static void boot_id(char *ret, size_t size)
{
	_cleanup_free_ char *id = sysfs_text("/proc", "sys/kernel/random/boot_id");

	str_copy(ret, size, id && *id ? id : "unknown");
}

int card_quarantine(const char *dir, const char *address, const char *reason, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, address);
	_cleanup_free_ char *text = NULL;
	time_t now = time(NULL);
	char boot[64], date[32];
	struct tm tm;

	boot_id(boot, sizeof(boot));
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M", localtime_r(&now, &tm));
	text = str_printf("%s %s\n%s\n", boot, date, reason);
	if (fs_mkdirs(dir, err) < 0)
		return -1;
	return fs_write(path, text, strlen(text), err);
}

bool card_is_quarantined(const char *dir, const char *address, char *ret, size_t size)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, address);
	_cleanup_free_ char *text = NULL;
	char *date, *reason, boot[64];
	struct err ignored;

	if (!fs_exists(path))
		return false;
	if (fs_read(path, TEXT_MAX, &text, NULL, &ignored) < 0 || !(date = strchr(text, ' ')) ||
	    !(reason = strchr(date, '\n'))) {
		/* Whatever has become of the note, somebody put the card aside. */
		snprintf(ret, size, "its note %s cannot be read", path);
		return true;
	}
	*date++ = '\0';
	*reason++ = '\0';
	reason[strcspn(reason, "\n")] = '\0';
	boot_id(boot, sizeof(boot));
	snprintf(ret, size, "since %s%s: %s", date,
		 strcmp(boot, text) == 0 ? "" : ", before this machine was started anew", reason);
	console_clean(ret);
	return true;
}

int card_release(const char *dir, const char *address, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, address);

	if (!sysfs_address(address))
		return err_set(err, ERR_USAGE, "%s is no PCI address such as 0000:03:00.0",
			       address);
	if (unlink(path) == 0)
		return 0;
	if (errno == ENOENT)
		return err_set(err, ERR_USAGE, "%s is not in quarantine", address);
	return err_errno(err, ERR_HOST, "cannot remove %s", path);
}
