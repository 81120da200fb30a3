// SPDX-License-Identifier: GPL-2.0-or-later
/* A module whose init fails, hangs, locks up, resets or oopses as its parameter says, or that oopses or hangs when poked. */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <asm/desc.h>

static char *when = "never";
module_param(when, charp, 0400);

static noinline void faulty_oops(void)
{
	*(volatile int *)8 = 1;
}

/* D state: no signal ends it. */
static void faulty_hang(void)
{
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_timeout(HZ);
	}
}

static int poked(const char *value, const struct kernel_param *kp)
{
	if (!strncmp(value, "hang", 4))
		faulty_hang();
	faulty_oops();
	return 0;
}
static const struct kernel_param_ops poke_ops = { .set = poked };
module_param_cb(poke, &poke_ops, NULL, 0200);

static int __init faulty_init(void)
{
	if (!strcmp(when, "fail"))
		return -EINVAL;
	if (!strcmp(when, "oops"))
		faulty_oops();
	if (!strcmp(when, "panic"))
		panic("faulty on request");
	if (!strcmp(when, "lockup")) {
		local_irq_disable();
		for (;;)
			cpu_relax();
	}
	if (!strcmp(when, "reset")) { /* an interrupt without a handler, thrice */
		static const struct desc_ptr none;

		load_idt(&none);
		asm volatile("int3");
	}
	if (!strcmp(when, "hang"))
		faulty_hang();
	return 0;
}

static void __exit faulty_exit(void)
{
}

module_init(faulty_init);
module_exit(faulty_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("fails on request");
