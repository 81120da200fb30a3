// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before guests are started on a daemon: those that a killed controller, or a lost connection, left there
 * are ended. A guest without our mark, or with that of somebody who may still live, is never touched.
 */
#include "guest/remote/owner.h"

#include <inttypes.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define NAME_PREFIX "ab-"
#define STAT_START  22 /* proc_pid_stat(5): the field that tells the start */

DEFINE_CLEANUP(xmlDocPtr, xmlFreeDoc)

static void read_word(const char *path, char ret[65])
{
	_cleanup_free_ char *text = NULL;
	struct err ignored;

	str_copy(ret, 65, "-");
	if (fs_read(path, 256, &text, NULL, &ignored) < 0)
		return;
	text[strspn(text, "0123456789abcdefABCDEF-")] = '\0';
	if (*text)
		str_copy(ret, 65, text);
}

uint64_t owner_start(uint64_t pid)
{
	_cleanup_free_ char *path = str_printf("/proc/%" PRIu64 "/stat", pid);
	_cleanup_free_ char *text = NULL;
	struct err ignored;
	uint64_t ret = 0;
	char *at;

	if (fs_read(path, 4096, &text, NULL, &ignored) < 0)
		return 0;
	at = strrchr(text, ')'); /* the name before it may hold anything */
	for (int field = 2; at && field < STAT_START; field++) {
		at = strchr(at + 1, ' ');
	}
	if (at) {
		at++;
		at[strspn(at, "0123456789")] = '\0';
	}
	return at && str_to_u64(at, INT64_MAX, &ret) ? ret : 0;
}

void owner_self(uint64_t rig, struct owner *ret)
{
	struct stat st;

	*ret = (struct owner){ .pid = (uint64_t)getpid(), .rig = rig };
	read_word("/etc/machine-id", ret->machine);
	read_word("/proc/sys/kernel/random/boot_id", ret->boot);
	if (stat("/proc/self/ns/pid", &st) == 0)
		ret->pid_ns = st.st_ino;
	ret->start = owner_start(ret->pid);
}

char *owner_format(const struct owner *o)
{
	return str_printf("%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, o->machine, o->boot,
			  o->pid_ns, o->pid, o->start, o->rig);
}

static bool parse_text(char *text, struct owner *ret)
{
	struct owner o = { 0 };
	uint64_t *const numbers[] = { &o.pid_ns, &o.pid, &o.start, &o.rig };
	const char *word = strsep(&text, " ");

	if (!word || !*word || !str_copy(o.machine, sizeof(o.machine), word))
		return false;
	word = strsep(&text, " ");
	if (!word || !*word || !str_copy(o.boot, sizeof(o.boot), word))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		word = strsep(&text, " ");
		if (!word || !str_to_u64(word, INT64_MAX, numbers[i]))
			return false;
	}
	if (text || !o.pid)
		return false;
	*ret = o;
	return true;
}

bool owner_parse(const char *xml, size_t len, struct owner *ret)
{
	_cleanup_(xmlFreeDoc_p) xmlDocPtr doc = NULL;
	xmlNodePtr root;
	xmlChar *text;
	bool ok;

	if (len > INT32_MAX)
		return false;
	doc = xmlReadMemory(xml, (int)len, NULL, NULL,
			    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	root = doc ? xmlDocGetRootElement(doc) : NULL;
	text = root && strcmp((const char *)root->name, OWNER_KEY) == 0 ? xmlNodeGetContent(root)
									: NULL;
	ok = text && parse_text((char *)text, ret);
	xmlFree(text);
	return ok;
}

bool owner_gone(const struct owner *o, const struct owner *self, uint64_t start)
{
	bool known = strcmp(self->machine, "-") != 0;

	if (strcmp(o->boot, self->boot) != 0) /* ours, and booted since */
		return known && strcmp(o->machine, self->machine) == 0 &&
		       strcmp(o->boot, "-") != 0 && strcmp(self->boot, "-") != 0;
	return strcmp(self->boot, "-") != 0 && o->pid_ns == self->pid_ns && start != o->start;
}

static bool is_self(const struct owner *o, const struct owner *self)
{
	return strcmp(o->boot, self->boot) == 0 && o->pid_ns == self->pid_ns &&
	       o->pid == self->pid && o->start == self->start && o->rig == self->rig;
}

static bool must_end(virDomainPtr dom, const struct owner *self)
{
	_cleanup_free_ char *xml = NULL;
	struct owner o;

	if (!str_starts(virDomainGetName(dom), NAME_PREFIX))
		return false;
	xml = virDomainGetMetadata(dom, VIR_DOMAIN_METADATA_ELEMENT, OWNER_URI, 0);
	if (!xml || !owner_parse(xml, strlen(xml), &o))
		return false;
	return is_self(&o, self) || owner_gone(&o, self, owner_start(o.pid));
}

int owner_clean(virConnectPtr conn, const struct owner *self)
{
	virDomainPtr *all = NULL;
	int ended = 0;
	int n = virConnectListAllDomains(conn, &all, VIR_CONNECT_LIST_DOMAINS_ACTIVE);

	for (int i = 0; i < n; i++) {
		if (must_end(all[i], self) && virDomainDestroy(all[i]) == 0)
			ended++;
		virDomainFree(all[i]);
	}
	free(all);
	return ended;
}
