// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First of a card, by libvirt: node devices with the PCI capability. Only a daemon has them: the embedded
 * driver loads no node device driver, and `nodedev:///embed` answers "Driver does not support embedded
 * mode" (libvirt 9.0).
 */
#include "guest/gpu/nodedev.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "guest/gpu/sysfs.h"

#define DEVICES_MAX 65536

DEFINE_CLEANUP(xmlDocPtr, xmlFreeDoc)

static void free_text(xmlChar **p)
{
	if (*p)
		xmlFree(*p);
}
#define _cleanup_text_ _cleanup_(free_text)

static xmlNodePtr child(xmlNodePtr node, const char *name)
{
	for (xmlNodePtr n = node ? node->children : NULL; n; n = n->next)
		if (n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, name) == 0)
			return n;
	return NULL;
}

static xmlNodePtr pci_capability(xmlNodePtr device)
{
	for (xmlNodePtr n = device ? device->children : NULL; n; n = n->next) {
		_cleanup_text_ xmlChar *type = NULL;

		if (n->type != XML_ELEMENT_NODE || strcmp((const char *)n->name, "capability") != 0)
			continue;
		type = xmlGetProp(n, (const xmlChar *)"type");
		if (type && strcmp((const char *)type, "pci") == 0)
			return n;
	}
	return NULL;
}

/* The text of a child, or of its attribute @attribute, as a number of C's notation within @max. */
static bool number(xmlNodePtr node, const char *name, const char *attribute, unsigned long max,
		   unsigned long *ret)
{
	xmlNodePtr n = child(node, name);
	_cleanup_text_ xmlChar *text = NULL;
	char *end;

	if (n)
		text = attribute ? xmlGetProp(n, (const xmlChar *)attribute) : xmlNodeGetContent(n);
	if (!text || !*text)
		return false;
	*ret = strtoul((const char *)text, &end, 0);
	return !*end && *ret <= max;
}

/* Names come from hwdb and go to a terminal. */
static void name(xmlNodePtr node, const char *what, char *ret, size_t size)
{
	xmlNodePtr n = child(node, what);
	_cleanup_text_ xmlChar *text = n ? xmlNodeGetContent(n) : NULL;

	str_copy(ret, size, text ? (const char *)text : "");
	for (char *p = ret; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
}

static bool read_capability(xmlNodePtr cap, struct nodedev *ret)
{
	unsigned long domain, bus, slot, function, vendor, product, class = 0;
	struct nodedev d = { 0 };

	if (!number(cap, "domain", NULL, 0xffff, &domain) ||
	    !number(cap, "bus", NULL, 0xff, &bus) || !number(cap, "slot", NULL, 0x1f, &slot) ||
	    !number(cap, "function", NULL, 7, &function) ||
	    !number(cap, "vendor", "id", 0xffff, &vendor) ||
	    !number(cap, "product", "id", 0xffff, &product))
		return false;
	number(cap, "class", NULL, 0xffffff, &class); /* since libvirt 5.2 */
	snprintf(d.address, sizeof(d.address), "%04x:%02x:%02x.%x", (unsigned int)domain & 0xffff,
		 (unsigned int)bus & 0xff, (unsigned int)slot & 0x1f, (unsigned int)function & 7);
	d.vendor = (uint16_t)vendor;
	d.device = (uint16_t)product;
	d.class = (uint32_t) class & 0xffffff;
	name(cap, "vendor", d.vendor_name, sizeof(d.vendor_name));
	name(cap, "product", d.product_name, sizeof(d.product_name));
	*ret = d;
	return true;
}

bool nodedev_parse(const char *xml, size_t len, struct nodedev *ret)
{
	_cleanup_(xmlFreeDoc_p) xmlDocPtr doc = NULL;
	xmlNodePtr cap;

	if (len > NODEDEV_XML_MAX)
		return false;
	doc = xmlReadMemory(xml, (int)len, NULL, NULL,
			    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	if (!doc || xmlGetIntSubset(doc)) /* a description has no DTD, so no entities either */
		return false;
	cap = pci_capability(xmlDocGetRootElement(doc));
	return cap && read_capability(cap, ret);
}

static void take(virNodeDevicePtr dev, struct nodedev **list, size_t *n)
{
	_cleanup_free_ char *xml = virNodeDeviceGetXMLDesc(dev, 0);
	struct nodedev d;

	if (!xml || !nodedev_parse(xml, strlen(xml), &d))
		return;
	*list = xrealloc(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = d;
}

bool nodedev_list(const char *uri, struct nodedev **ret, size_t *n, char *why, size_t size)
{
	virConnectPtr conn = virConnectOpenReadOnly(uri);
	virNodeDevicePtr *devices = NULL;
	int found;

	*ret = NULL;
	*n = 0;
	if (!conn) {
		snprintf(why, size, "%s", virGetLastErrorMessage());
		return false;
	}
	found = virConnectListAllNodeDevices(conn, &devices,
					     VIR_CONNECT_LIST_NODE_DEVICES_CAP_PCI_DEV);
	if (found < 0)
		snprintf(why, size, "%s", virGetLastErrorMessage());
	for (int i = 0; i < found; i++) {
		if (i < DEVICES_MAX)
			take(devices[i], ret, n);
		virNodeDeviceFree(devices[i]);
	}
	free(devices);
	virConnectClose(conn);
	return found >= 0;
}
