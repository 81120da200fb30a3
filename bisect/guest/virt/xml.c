// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trial's domain: no disk, no network, no video; a serial console and one virtio-serial port; and with
 * --gpu the card, at 01:00.0 behind a root port, as a PCI Express device is on the host.
 */
#include "guest/virt/xml.h"

#include <libxml/tree.h>
#include <libxml/xmlwriter.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest/remote/owner.h"

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
	/* without a card pc, which boots faster than q35 without KVM; with one PCI Express */
	attribute(w, "machine", d->n_hostdevs ? "q35" : "pc");
	xmlTextWriterWriteString(w, X("hvm"));
	xmlTextWriterEndElement(w);
	element(w, "kernel", d->kernel);
	element(w, "initrd", d->initrd);
	element(w, "cmdline", d->cmdline);
	xmlTextWriterEndElement(w);
}

static void hex(xmlTextWriterPtr w, const char *name, unsigned int n)
{
	xmlTextWriterWriteFormatAttribute(w, X(name), "0x%x", n);
}

static void write_bridges(xmlTextWriterPtr w, const struct xml_domain *d)
{
	xmlTextWriterStartElement(w, X("controller"));
	attribute(w, "type", "pci");
	attribute(w, "index", "0");
	attribute(w, "model", "pcie-root");
	if (d->window_gib)
		number(w, "pcihole64", "GiB", d->window_gib);
	xmlTextWriterEndElement(w);

	xmlTextWriterStartElement(w, X("controller"));
	attribute(w, "type", "pci");
	attribute(w, "index", "1");
	attribute(w, "model", "pcie-root-port");
	xmlTextWriterEndElement(w);
}

static void write_rom(xmlTextWriterPtr w, const struct xml_domain *d, bool first)
{
	bool off = d->rom && strcmp(d->rom, "off") == 0;

	if (!off && (!d->rom || !first))
		return;
	xmlTextWriterStartElement(w, X("rom"));
	attribute(w, off ? "bar" : "file", d->rom);
	xmlTextWriterEndElement(w);
}

static void write_hostdev(xmlTextWriterPtr w, const struct xml_domain *d, size_t i)
{
	const struct xml_hostdev *h = &d->hostdevs[i];

	xmlTextWriterStartElement(w, X("hostdev"));
	attribute(w, "mode", "subsystem");
	attribute(w, "type", "pci");
	attribute(w, "managed", "yes");
	xmlTextWriterStartElement(w, X("driver"));
	attribute(w, "name", "vfio");
	xmlTextWriterEndElement(w);
	xmlTextWriterStartElement(w, X("source"));
	xmlTextWriterStartElement(w, X("address"));
	hex(w, "domain", h->domain);
	hex(w, "bus", h->bus);
	hex(w, "slot", h->slot);
	hex(w, "function", h->function);
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
	if (h->rom)
		write_rom(w, d, i == 0);
	xmlTextWriterStartElement(w, X("address"));
	attribute(w, "type", "pci");
	hex(w, "domain", 0);
	hex(w, "bus", 1);
	hex(w, "slot", 0);
	hex(w, "function", h->guest_function);
	if (i == 0 && d->n_hostdevs > 1)
		attribute(w, "multifunction", "on");
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
}

static void write_disk(xmlTextWriterPtr w, const struct xml_disk *d, size_t index)
{
	const char target[] = { 'v', 'd', (char)('a' + index), '\0' };

	xmlTextWriterStartElement(w, X("disk"));
	attribute(w, "type", "file");
	attribute(w, "device", "disk");
	xmlTextWriterStartElement(w, X("driver"));
	attribute(w, "name", "qemu");
	attribute(w, "type", d->format);
	xmlTextWriterEndElement(w);
	xmlTextWriterStartElement(w, X("source"));
	attribute(w, "file", d->path);
	xmlTextWriterEndElement(w);
	xmlTextWriterStartElement(w, X("target"));
	attribute(w, "dev", target);
	attribute(w, "bus", "virtio");
	xmlTextWriterEndElement(w);
	if (d->readonly)
		element(w, "readonly", "");
	element(w, "serial", d->serial);
	xmlTextWriterEndElement(w);
}

static void write_devices(xmlTextWriterPtr w, const struct xml_domain *d)
{
	xmlTextWriterStartElement(w, X("devices"));
	if (d->emulator)
		element(w, "emulator", d->emulator);

	for (size_t i = 0; i < d->n_disks; i++)
		write_disk(w, &d->disks[i], i);

	xmlTextWriterStartElement(w, X("controller"));
	attribute(w, "type", "usb");
	attribute(w, "model", "none");
	xmlTextWriterEndElement(w);

	if (d->n_hostdevs)
		write_bridges(w, d);

	xmlTextWriterStartElement(w, X("serial"));
	attribute(w, "type", d->console ? "file" : "pty");
	if (d->console) {
		xmlTextWriterStartElement(w, X("source"));
		attribute(w, "path", d->console);
		xmlTextWriterEndElement(w);
	}
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

	for (size_t i = 0; i < d->n_hostdevs; i++)
		write_hostdev(w, d, i);

	xmlTextWriterStartElement(w, X("memballoon"));
	attribute(w, "model", "none");
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
}

/* VFIO pins the guest's memory; locked, QEMU's own is not swapped out under the device either. */
static void write_memory(xmlTextWriterPtr w, const struct xml_domain *d)
{
	if (!d->hugepages && !d->n_hostdevs)
		return;
	xmlTextWriterStartElement(w, X("memoryBacking"));
	if (d->hugepages) {
		xmlTextWriterStartElement(w, X("hugepages"));
		xmlTextWriterStartElement(w, X("page"));
		attribute(w, "size", strcmp(d->hugepages, "1G") == 0 ? "1024" : "2");
		attribute(w, "unit", "MiB");
		xmlTextWriterEndElement(w);
		xmlTextWriterEndElement(w);
	}
	if (d->n_hostdevs) {
		xmlTextWriterStartElement(w, X("locked"));
		xmlTextWriterEndElement(w);
	}
	xmlTextWriterEndElement(w);
}

/* One processor each, in turn; QEMU's other threads on all of them. */
static void write_pins(xmlTextWriterPtr w, const struct xml_domain *d)
{
	if (!d->n_cpus)
		return;
	xmlTextWriterStartElement(w, X("cputune"));
	for (unsigned int i = 0; i < d->vcpus; i++) {
		xmlTextWriterStartElement(w, X("vcpupin"));
		xmlTextWriterWriteFormatAttribute(w, X("vcpu"), "%u", i);
		xmlTextWriterWriteFormatAttribute(w, X("cpuset"), "%u", d->cpus[i % d->n_cpus]);
		xmlTextWriterEndElement(w);
	}
	xmlTextWriterStartElement(w, X("emulatorpin"));
	xmlTextWriterStartAttribute(w, X("cpuset"));
	for (size_t i = 0; i < d->n_cpus; i++)
		xmlTextWriterWriteFormatString(w, "%s%u", i ? "," : "", d->cpus[i]);
	xmlTextWriterEndAttribute(w);
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
}

/* BARs above what 40 bits reach need the host's own width of addresses. */
static void write_cpu(xmlTextWriterPtr w, const struct xml_domain *d)
{
	if (!d->kvm)
		return;
	xmlTextWriterStartElement(w, X("cpu"));
	attribute(w, "mode", "host-passthrough");
	if (d->window_gib) {
		xmlTextWriterStartElement(w, X("maxphysaddr"));
		attribute(w, "mode", "passthrough");
		xmlTextWriterEndElement(w);
	}
	xmlTextWriterEndElement(w);
}

static void write_owner(xmlTextWriterPtr w, const struct xml_domain *d)
{
	if (!d->owner)
		return;
	xmlTextWriterStartElement(w, X("metadata"));
	xmlTextWriterStartElement(w, X("ab:" OWNER_KEY));
	attribute(w, "xmlns:ab", OWNER_URI);
	xmlTextWriterWriteString(w, X(d->owner));
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
}

static void write_domain(xmlTextWriterPtr w, const struct xml_domain *d)
{
	xmlTextWriterSetIndent(w, 1);
	xmlTextWriterStartElement(w, X("domain"));
	attribute(w, "type", d->kvm ? "kvm" : "qemu");
	element(w, "name", d->name);
	if (d->uuid)
		element(w, "uuid", d->uuid);
	write_owner(w, d);
	number(w, "memory", "MiB", d->memory_mib);
	write_memory(w, d);
	number(w, "vcpu", NULL, d->vcpus);
	write_pins(w, d);
	write_os(w, d);
	xmlTextWriterStartElement(w, X("features"));
	xmlTextWriterStartElement(w, X("acpi"));
	xmlTextWriterEndElement(w);
	xmlTextWriterEndElement(w);
	write_cpu(w, d);
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
	    (d->console && check_text("the console's path", d->console, err) < 0) ||
	    (d->owner && check_text("the controller's mark", d->owner, err) < 0) ||
	    (d->rom && check_text("the ROM's path", d->rom, err) < 0))
		return -1;
	for (size_t i = 0; i < d->n_disks; i++)
		if (check_text("the disk's path", d->disks[i].path, err) < 0)
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
