// SPDX-License-Identifier: GPL-2.0-or-later
/* A trial's domain: no disk, no network, no video; a serial console and one virtio-serial port. */
#include "guest/virt/xml.h"

#include <libxml/tree.h>
#include <libxml/xmlwriter.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

DEFINE_CLEANUP(xmlTextWriterPtr, xmlFreeTextWriter)
DEFINE_CLEANUP(xmlBufferPtr, xmlBufferFree)

#define X(s) ((const xmlChar *)(s))

/* XML 1.0 cannot hold control characters at all, escaped or not. */
static int check_text(const char *what, const char *s, struct err *err)
{
	for (const char *p = s; *p; p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return err_set(err, ERR_USAGE, "%s holds a control character: %s", what, s);
	if (!xmlCheckUTF8(X(s)))
		return err_set(err, ERR_USAGE, "%s is no UTF-8: %s", what, s);
	return 0;
}

static void attribute(xmlTextWriterPtr w, const char *name, const char *value)
{
	xmlTextWriterWriteAttribute(w, X(name), X(value));
}

static void element(xmlTextWriterPtr w, const char *name, const char *text)
{
	xmlTextWriterWriteElement(w, X(name), X(text));
}

static void number(xmlTextWriterPtr w, const char *name, const char *unit, unsigned int n)
{
	xmlTextWriterStartElement(w, X(name));
	if (unit)
		attribute(w, "unit", unit);
	xmlTextWriterWriteFormatString(w, "%u", n);
	xmlTextWriterEndElement(w);
}

static void write_os(xmlTextWriterPtr w, const struct xml_domain *d)
{
	xmlTextWriterStartElement(w, X("os"));
	xmlTextWriterStartElement(w, X("type"));
	attribute(w, "arch", "x86_64");
	attribute(w, "machine", "pc"); /* boots faster than q35 without KVM */
	xmlTextWriterWriteString(w, X("hvm"));
	xmlTextWriterEndElement(w);
	element(w, "kernel", d->kernel);
	element(w, "initrd", d->initrd);
	element(w, "cmdline", d->cmdline);
	xmlTextWriterEndElement(w);
}

static void write_devices(xmlTextWriterPtr w, const struct xml_domain *d)
{
	xmlTextWriterStartElement(w, X("devices"));
	if (d->emulator)
		element(w, "emulator", d->emulator);

	xmlTextWriterStartElement(w, X("controller"));
	attribute(w, "type", "usb");
	attribute(w, "model", "none");
	xmlTextWriterEndElement(w);

	xmlTextWriterStartElement(w, X("serial"));
	attribute(w, "type", "file");
	xmlTextWriterStartElement(w, X("source"));
	attribute(w, "path", d->console);
	xmlTextWriterEndElement(w);
	xmlTextWriterStartElement(w, X("target"));
	attribute(w, "port", "0");
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);

	xmlTextWriterStartElement(w, X("channel"));
	attribute(w, "type", "unix");
	xmlTextWriterStartElement(w, X("target"));
	attribute(w, "type", "virtio");
	attribute(w, "name", d->port);
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);

	/* Fed by the agent. Paused, a guest that locked up can still be asked where it stands. */
	xmlTextWriterStartElement(w, X("watchdog"));
	attribute(w, "model", "i6300esb");
	attribute(w, "action", "pause");
	xmlTextWriterEndElement(w);

	xmlTextWriterStartElement(w, X("memballoon"));
	attribute(w, "model", "none");
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
}

static void write_domain(xmlTextWriterPtr w, const struct xml_domain *d)
{
	xmlTextWriterSetIndent(w, 1);
	xmlTextWriterStartElement(w, X("domain"));
	attribute(w, "type", d->kvm ? "kvm" : "qemu");
	element(w, "name", d->name);
	number(w, "memory", "MiB", d->memory_mib);
	number(w, "vcpu", NULL, d->vcpus);
	write_os(w, d);
	xmlTextWriterStartElement(w, X("features"));
	xmlTextWriterStartElement(w, X("acpi"));
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
	if (d->kvm) {
		xmlTextWriterStartElement(w, X("cpu"));
		attribute(w, "mode", "host-passthrough");
		xmlTextWriterEndElement(w);
	}
	/* a guest that panics reboots (panic=-1) and so ends: no second boot of the same trial */
	element(w, "on_poweroff", "destroy");
	element(w, "on_reboot", "destroy");
	element(w, "on_crash", "destroy");
	write_devices(w, d);
	xmlTextWriterEndElement(w);
}

int xml_domain(const struct xml_domain *d, char **ret, struct err *err)
{
	_cleanup_(xmlBufferFree_p) xmlBufferPtr b = NULL;
	_cleanup_(xmlFreeTextWriter_p) xmlTextWriterPtr w = NULL;

	if (check_text("the domain's name", d->name, err) < 0 ||
	    check_text("the kernel's path", d->kernel, err) < 0 ||
	    check_text("the initramfs' path", d->initrd, err) < 0 ||
	    check_text("the kernel's arguments", d->cmdline, err) < 0 ||
	    check_text("the console's path", d->console, err) < 0)
		return -1;
	b = xmlBufferCreate();
	w = b ? xmlNewTextWriterMemory(b, 0) : NULL;
	if (!w)
		return err_set(err, ERR_HOST, "out of memory for the domain's XML");
	write_domain(w, d);
	if (xmlTextWriterFlush(w) < 0)
		return err_set(err, ERR_HOST, "out of memory for the domain's XML");
	*ret = xstrdup((const char *)xmlBufferContent(b));
	return 0;
}
