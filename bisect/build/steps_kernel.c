// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scope kernel: vmlinux by the trimmed config, and the driver for it.
 *
 * With its unit alone the driver takes no part in the kernel's own build: the unit is compiled once vmlinux
 * is there and has said which symbols it exports. As a module it is built in the same call of make, with
 * every module it depends on: nothing is packed into a guest that boots this kernel.
 */
#include "build/steps_kernel.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "build/mirror.h"
#include "build/order.h"

#define SYMVERS_MAX_BYTES (64u << 20)
#define STRIP_LIMIT_MS	  300000

/*
 * M= builds look for Module.symvers, which only a build of modules writes. Before 5.8 `make vmlinux` writes
 * it as well; since then it writes vmlinux.symvers.
 */
static int read_symvers(const struct steps *s, struct symvers *ret, struct err *err)
{
	_cleanup_free_ char *own = str_printf("%s/vmlinux.symvers", s->tree->linux_dir);
	_cleanup_free_ char *all = str_printf("%s/Module.symvers", s->tree->linux_dir);
	const char *path = fs_exists(own) ? own : all;
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (!fs_exists(path))
		return err_set(err, ERR_BUILD, "make succeeded without making vmlinux.symvers");
	if (fs_read(path, SYMVERS_MAX_BYTES, &text, &len, err) < 0)
		return -1;
	if (path == own && mirror_put(s->tree->linux_dir, "Module.symvers", text, len, err) < 0)
		return -1;
	return symvers_parse(ret, take_ptr(text), path, err);
}

/* The boot loader's part of the file: no symbols, no debug information. kallsyms is data, and stays. */
static int put_image(const struct steps *s, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *from = str_printf("%s/vmlinux", s->tree->linux_dir);
	_cleanup_free_ char *to = str_printf("%s/" STEPS_IMAGE, s->out);
	struct spawn_result result;
	const struct spawn spawn = {
		.argv = (const char *const[]){ "objcopy", "--strip-all",
					       "--remove-section=.comment", from, to, NULL },
		.env = (const char *const[]){ "LC_ALL=C", NULL },
		.output = s->log,
		.limit_ms = STRIP_LIMIT_MS,
	};

	if (!fs_exists(from))
		return err_set(err, ERR_BUILD, "make succeeded without making vmlinux");
	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	if (result.exit_code)
		return err_set(err, ERR_HOST,
			       "objcopy --strip-all %s failed; is the disk full? See %s", from,
			       s->log);
	a->image = xstrdup(STEPS_IMAGE);
	return 0;
}

static int collect_modules(const struct steps *s, struct artifact *a, struct err *err)
{
	_cleanup_strv_ struct strv files = { 0 };

	if (order_modules(s->tree->linux_dir, "amdgpu", &files, err) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_free_ char *name = order_name(files.items[i]);

		if (steps_collect(s, files.items[i], name, a, err) < 0)
			return -1;
	}
	return steps_mirror(s, a, err);
}

static int make_unit(const struct steps *s, struct artifact *a, struct err *err)
{
	struct symvers symvers = { 0 };
	int rc;

	if (read_symvers(s, &symvers, err) < 0)
		return -1;
	rc = steps_unit(s, &symvers, a, err);
	symvers_deinit(&symvers);
	return rc;
}

int steps_kernel(const struct steps *s, struct artifact *a, struct err *err)
{
	bool unit = steps_links_unit(s->spec);
	/* The banner counts builds of a tree, unless it is told. */
	const char *const args[] = { "KBUILD_BUILD_VERSION=1", "vmlinux", unit ? NULL : "modules",
				     NULL };

	if (maker_run(s->maker, args, s->log, err) < 0 || put_image(s, a, err) < 0)
		return -1;
	return unit ? make_unit(s, a, err) : collect_modules(s, a, err);
}
