// SPDX-License-Identifier: GPL-2.0-or-later
/* Before the hello is answered: which card this guest has. See cards.h. */
#include "guest-agent/agent/cards.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "guest-agent/agent/text.h"

#define DEVICES	   "/sys/bus/pci/devices"
#define AMD_VENDOR 0x1002
/* Base classes; PCI Code and ID Assignment. */
#define DISPLAY	    0x03
#define ACCELERATOR 0x12

static unsigned long number(const char *address, const char *file)
{
	char path[384], text[32];

	snprintf(path, sizeof(path), DEVICES "/%s/%s", address, file);
	return text_read(path, text, sizeof(text)) ? strtoul(text, NULL, 16) : 0;
}

static bool is_card(const char *address)
{
	unsigned long base = number(address, "class") >> 16;

	return number(address, "vendor") == AMD_VENDOR && (base == DISPLAY || base == ACCELERATOR);
}

void cards_tell(struct port *p)
{
	_cleanup_closedir_ DIR *dir = NULL;
	char cmdline[4096], text[384];

	if (!text_read("/proc/cmdline", cmdline, sizeof(cmdline)) ||
	    !strstr(cmdline, "amdgpu_bisect.card="))
		return;
	dir = opendir(DEVICES);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.' || !is_card(e->d_name))
			continue;
		snprintf(text, sizeof(text), "card %s %04lx:%04lx", e->d_name,
			 number(e->d_name, "vendor"), number(e->d_name, "device"));
		port_note(p, text, strlen(text));
	}
}
