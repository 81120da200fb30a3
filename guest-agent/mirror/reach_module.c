// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Module scope: the candidate is the amdgpu.ko that is loaded.
 *
 * Neither its functions nor kallsyms_lookup_name(), find_module() and __module_address() are
 * exported to modules. A kprobe resolves a symbol on the way to being registered, and the driver's
 * struct module hangs from its directory in /sys/module, a sibling of our own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "reach.h"

#define DRIVER_NAME "amdgpu"

/* NULL when the driver is built into the kernel: then it cannot leave */
static struct module *driver;

int reach_open(void)
{
	struct kobject *kobj;
	int ret = 0;

	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, DRIVER_NAME);
	if (!kobj) {
		pr_err("no " DRIVER_NAME " is loaded: load the candidate's first\n");
		return -ENODEV;
	}

	/* the reference on kobj keeps struct module itself alive: unloading waits for it */
	driver = container_of(kobj, struct module_kobject, kobj)->mod;
	if (driver && !try_module_get(driver)) {
		pr_err(DRIVER_NAME " is being unloaded, or failed to load\n");
		driver = NULL;
		ret = -ENODEV;
	}

	kobject_put(kobj);
	return ret;
}

void reach_close(void)
{
	module_put(driver);
	driver = NULL;
}

static void *find_by_kprobe(const char *symbol)
{
	struct kprobe probe = { .symbol_name = symbol };
	void *found;

	if (register_kprobe(&probe) < 0)
		return NULL;
	found = probe.addr;
	unregister_kprobe(&probe);
	return found;
}

/*
 * With CONFIG_X86_KERNEL_IBT the kprobe, and so the address, sits behind the ENDBR at the head of
 * the function; a direct call may enter there.
 */
void *reach_find(const char *symbol)
{
	char qualified[128];
	void *found;

	snprintf(qualified, sizeof(qualified), DRIVER_NAME ":%s", symbol);
	found = find_by_kprobe(qualified);
	if (!found)
		found = find_by_kprobe(symbol);

	if (found && driver && !within_module((unsigned long)found, driver)) {
		pr_err("%s is at %pS, outside " DRIVER_NAME "\n", symbol, found);
		return NULL;
	}
	if (!found)
		pr_err("%s is not in the loaded " DRIVER_NAME "\n", symbol);
	return found;
}
