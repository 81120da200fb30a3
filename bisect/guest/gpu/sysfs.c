// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First of a card: the machine's PCI functions. sysfs is the kernel's word, so what decides is read
 * here, also where libvirt named the cards.
 */
#include "guest/gpu/sysfs.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"

#define TEXT_MAX	  4096 /* what sysfs gives at once */
#define AMD_VENDOR	  0x1002
#define CLASS_DISPLAY	  0x03
#define CLASS_ACCELERATOR 0x12
#define CLASS_BRIDGE	  0x06
#define RESOURCES	  6	     /* BARs; include/linux/pci.h, PCI_STD_NUM_BARS */
#define ROM_RESOURCE	  6	     /* PCI_ROM_RESOURCE */
#define RESOURCE_MEM_64	  0x00100000 /* include/linux/ioport.h, IORESOURCE_MEM_64 */

struct card_roots sysfs_roots(const struct card_roots *roots)
{
	struct card_roots r = { "/sys", "/proc", "/dev" };

	if (roots && roots->sys)
		r.sys = roots->sys;
	if (roots && roots->proc)
		r.proc = roots->proc;
	if (roots && roots->dev)
		r.dev = roots->dev;
	return r;
}

char *sysfs_text(const char *dir, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	struct err ignored;
	char *text;
	size_t len;

	if (fs_read(path, TEXT_MAX, &text, &len, &ignored) < 0)
		return NULL;
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

bool sysfs_put(const char *dir, const char *name, const char *word)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, word, strlen(word)) == (ssize_t)strlen(word);
}

char *sysfs_link(const char *dir, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *slash;

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return xstrdup(slash ? slash + 1 : target);
}

/* DDDD:BB:SS.F in lower-case hex, as the kernel writes it. */
bool sysfs_address(const char *s)
{
	static const char form[] = "hhhh:hh:hh.f";

	for (size_t i = 0; i < sizeof(form); i++) {
		bool hex = isdigit((unsigned char)s[i]) || (s[i] >= 'a' && s[i] <= 'f');
		bool fits = form[i] == 'h'   ? hex
			    : form[i] == 'f' ? s[i] >= '0' && s[i] <= '7'
					     : s[i] == form[i];

		if (!fits)
			return false;
	}
	return true;
}

static unsigned long number(const char *dir, const char *name, int base)
{
	_cleanup_free_ char *text = sysfs_text(dir, name);

	return text ? strtoul(text, NULL, base) : 0;
}

/* "START END FLAGS" a line, in hex; one that is not there is all zero. */
static void read_resources(const char *dir, struct card_function *f)
{
	_cleanup_free_ char *text = sysfs_text(dir, "resource");
	char *save = NULL;
	int i = 0;

	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l;
	     l = strtok_r(NULL, "\n", &save), i++) {
		unsigned long long start = 0, end = 0, flags = 0;

		if (sscanf(l, "%llx %llx %llx", &start, &end, &flags) != 3 || end <= start)
			continue;
		if (i < RESOURCES && (flags & RESOURCE_MEM_64))
			f->bars_bytes += end - start + 1;
		if (i == ROM_RESOURCE)
			f->rom = true;
	}
}

/* Kernels before 5.15 tell only whether there is a way. */
static void read_reset(const char *dir, struct card_function *f)
{
	_cleanup_free_ char *methods = sysfs_text(dir, "reset_method");
	_cleanup_free_ char *old = str_printf("%s/reset", dir);

	if (methods)
		str_copy(f->reset, sizeof(f->reset), methods);
	else if (fs_exists(old))
		str_copy(f->reset, sizeof(f->reset), "some");
}

bool sysfs_function(const struct card_roots *roots, const char *address, struct card_function *ret)
{
	_cleanup_free_ char *dir = str_printf("%s/bus/pci/devices/%s", roots->sys, address);
	_cleanup_free_ char *driver = NULL, *group = NULL;
	struct card_function f = { .group = -1 };
	uint64_t n;

	if (!sysfs_address(address) || !fs_is_dir(dir))
		return false;
	str_copy(f.address, sizeof(f.address), address);
	f.vendor = (uint16_t)number(dir, "vendor", 16);
	f.device = (uint16_t)number(dir, "device", 16);
	f.class = (uint32_t)number(dir, "class", 16);
	f.boot_display = number(dir, "boot_vga", 10) == 1;
	driver = sysfs_link(dir, "driver");
	if (driver)
		str_copy(f.driver, sizeof(f.driver), driver);
	group = sysfs_link(dir, "iommu_group");
	if (group && str_to_u64(group, INT_MAX, &n))
		f.group = (int)n;
	read_resources(dir, &f);
	read_reset(dir, &f);
	*ret = f;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct card_function *x = a, *y = b;

	return strcmp(x->address, y->address);
}

int sysfs_read(const struct card_roots *roots, struct sysfs *ret, struct err *err)
{
	struct sysfs s = { .roots = sysfs_roots(roots) };
	_cleanup_free_ char *dir = str_printf("%s/bus/pci/devices", s.roots.sys);
	_cleanup_closedir_ DIR *d = opendir(dir);

	if (!d)
		return err_errno(err, ERR_HOST, "no PCI bus at %s", dir);
	for (struct dirent *e; s.n < SYSFS_FUNCTIONS_MAX && (e = readdir(d));) {
		struct card_function f;

		if (!sysfs_function(&s.roots, e->d_name, &f))
			continue;
		s.functions = xrealloc(s.functions, s.n + 1, sizeof(*s.functions));
		s.functions[s.n++] = f;
	}
	if (s.n)
		qsort(s.functions, s.n, sizeof(*s.functions), by_address);
	*ret = s;
	return 0;
}

void sysfs_deinit(struct sysfs *s)
{
	free(s->functions);
	*s = (struct sysfs){ 0 };
}

bool sysfs_is_amd_card(const struct card_function *f)
{
	unsigned int base = f->class >> 16;

	return f->vendor == AMD_VENDOR && (base == CLASS_DISPLAY || base == CLASS_ACCELERATOR);
}

bool sysfs_is_bridge(const struct card_function *f)
{
	return f->class >> 16 == CLASS_BRIDGE;
}

bool sysfs_same_slot(const struct card_function *a, const struct card_function *b)
{
	return strncmp(a->address, b->address, strlen("0000:00:00")) == 0;
}
