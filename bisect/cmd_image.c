// SPDX-License-Identifier: GPL-2.0-or-later
/* image: what guests boot. `run` makes it by itself; here it is looked at, made before, and removed. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/spawn.h"
#include "cmd.h"
#include "guest/stock/stock.h"
#include "lab.h"
#include "paths.h"

#define MIB	     (1 << 20)
#define NAMES_FIRST  1 /* of the arguments, the first says what to do */
#define RECIPE_USAGE 129
#define JUST_NOW_S   60
#define FAULT	     "disk-guest: " /* begins the recipe's last line if it fails */

static const struct {
	const char *name, *suite;
} releases[] = {
	{ "debian-12", "bookworm" },
	{ "debian-13", "trixie" },
	{ "ubuntu-24.04", "noble" },
};

static int list(const struct stock *s)
{
	int64_t now = clock_date_s();

	if (!s->n)
		puts("nothing was made yet; `amdgpu-bisect image build` does, and so does a run");
	for (size_t i = 0; i < s->n; i++) {
		const struct stock_image *it = &s->images[i];
		int64_t ago = now - it->used_ns / NS_PER_S;
		char used[32] = "just now,";

		if (ago >= JUST_NOW_S) {
			clock_duration_text(ago * NS_PER_S, used, sizeof(used) - 5);
			strcat(used, " ago,");
		}
		printf("%-27s %5ju MiB, used %s %s\n", it->name, (uintmax_t)(it->on_disk / MIB),
		       used, it->summary);
	}
	return EXIT_GOOD;
}

static int show(const struct stock_image *i)
{
	printf("%s %s\npath %s\nsize %ju bytes, %ju MiB on the disk\ndigest %s\n",
	       stock_kind_name(i->kind), i->name, i->path, (uintmax_t)i->bytes,
	       (uintmax_t)(i->on_disk / MIB), *i->digest ? i->digest : "unknown");
	printf("%s%s", i->manifest ? "\n" : "no manifest\n", i->manifest ? i->manifest : "");
	return EXIT_GOOD;
}

static int check(const struct stock_image *i, bool *bad, struct err *err)
{
	static const char *const words[] = {
		[STOCK_WHOLE] = "whole",
		[STOCK_DAMAGED] = "damaged",
		[STOCK_UNKNOWN] = "unknown",
	};
	char why[192];
	int state = stock_check(i, why, sizeof(why), err);

	if (state < 0)
		return -1;
	printf("%-7s %s%s%s\n", words[state], i->name, *why ? ": " : "", why);
	*bad |= state == STOCK_DAMAGED;
	return 0;
}

static int remove_one(const struct stock_image *i, struct err *err)
{
	if (stock_remove(i, err) < 0)
		return -1;
	printf("removed %s, %ju MiB\n", i->name, (uintmax_t)(i->on_disk / MIB));
	return 0;
}

static int check_all(const struct stock *s, struct err *err)
{
	bool bad = false;

	for (size_t i = 0; i < s->n; i++)
		if (check(&s->images[i], &bad, err) < 0)
			return -1;
	return bad ? EXIT_BAD : EXIT_GOOD;
}

/* All are found before one is touched: a slip of the pen removes nothing. */
static int each(const struct options *o, const struct stock *s, struct err *err)
{
	const char *what = o->args.items[0];
	const struct stock_image *found;
	bool bad = false;

	for (size_t i = NAMES_FIRST; i < o->args.n; i++)
		if (stock_find(s, o->args.items[i], &found, err) < 0)
			return -1;
	for (size_t i = NAMES_FIRST; i < o->args.n; i++) {
		stock_find(s, o->args.items[i], &found, err);
		if (strcmp(what, "show") == 0)
			show(found);
		else if (strcmp(what, "check") == 0 ? check(found, &bad, err) < 0
						    : remove_one(found, err) < 0)
			return -1;
	}
	return bad ? EXIT_BAD : EXIT_GOOD;
}

/* The recipe's own words, for people; its last one is why it failed. */
struct words {
	struct progress *progress;
	char last[400];
};

static void on_line(const char *line, void *arg)
{
	struct words *w = arg;

	bool fault = str_starts(line, FAULT);

	str_copy(w->last, sizeof(w->last), line + (fault ? strlen(FAULT) : 0));
	if (!fault && line[0] != '/')
		progress_event(w->progress, "%s", line);
}

static void fill_recipe(const struct options *o, const char *recipe, const char *dir,
			struct strv *ret)
{
	const char *release = options_str(o, OPT_MAKE_DISK);
	const struct strv *more = options_list(o, OPT_INCLUDE);
	const struct strv *sources = options_list(o, OPT_SOURCES);

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++)
		if (strcmp(release, releases[i].name) == 0)
			release = releases[i].suite;
	strv_add(ret, recipe);
	strv_add(ret, "--suite");
	strv_add(ret, release);
	strv_add(ret, "--dir");
	strv_take(ret, str_printf("%s/guest", dir));
	if (options_bool(o, OPT_NO_HIP))
		strv_add(ret, "--no-hip");
	if (options_bool(o, OPT_REFRESH))
		strv_add(ret, "--refresh");
	for (size_t i = 0; i < more->n; i++) {
		strv_add(ret, "--include");
		strv_add(ret, more->items[i]);
	}
	for (size_t i = 0; i < sources->n; i++) {
		strv_add(ret, "--sources");
		strv_add(ret, sources->items[i]);
	}
}

static int build_disk(const struct options *o, struct err *err)
{
	_cleanup_(progress_destroy_p) struct progress *progress =
		progress_create(stderr, options_bool(o, OPT_QUIET));
	_cleanup_free_ char *recipe = NULL, *cache = path_cache();
	_cleanup_strv_ struct strv words = { 0 };
	struct words said = { .progress = progress };
	struct spawn spawn = { .on_line = on_line, .arg = &said };
	_cleanup_free_ const char **argv = NULL;
	struct spawn_result result;

	if (path_part("disk-guest", &recipe, err) < 0)
		return -1;
	fill_recipe(o, recipe, cache, &words);
	argv = xcalloc(words.n + 1, sizeof(*argv));
	for (size_t i = 0; i < words.n; i++)
		argv[i] = words.items[i];
	spawn.argv = argv;
	progress_stage(progress, "disk", -1);
	if (spawn_run(&spawn, &result, err) < 0)
		return -1;
	progress_destroy(take_ptr(progress));
	if (result.exit_code != 0)
		return err_set(err, result.exit_code == RECIPE_USAGE ? ERR_USAGE : ERR_HOST, "%s",
			       said.last);
	puts(said.last);
	return EXIT_GOOD;
}

static int build_small(const struct options *o, struct err *err)
{
	struct progress *progress = progress_create(stderr, options_bool(o, OPT_QUIET));
	_cleanup_(guest_images_deinit) struct guest_images images = { 0 };
	_cleanup_(lab_deinit) struct lab lab = { 0 };
	int r;

	r = lab_check(&lab, o, progress, NULL, err);
	if (!r)
		r = lab_make_images(&lab, &images, err);
	progress_destroy(progress);
	if (r < 0)
		return -1;
	printf("%s\n%s\n", images.kernel, images.initramfs);
	if (images.runtime)
		puts(images.runtime);
	return EXIT_GOOD;
}

static int build(const struct options *o, struct err *err)
{
	static const enum option disks[] = { OPT_NO_HIP, OPT_INCLUDE, OPT_SOURCES, OPT_REFRESH };

	if (o->args.n > NAMES_FIRST)
		return err_set(err, ERR_USAGE,
			       "image build takes no name, not '%s'; --disk RELEASE makes a disk",
			       o->args.items[NAMES_FIRST]);
	if (options_str(o, OPT_MAKE_DISK))
		return build_disk(o, err);
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
		if (options_given(o, disks[i]))
			return err_set(err, ERR_USAGE,
				       "that is an option of a disk; say which with --disk "
				       "RELEASE, as debian-13");
	return build_small(o, err);
}

int cmd_image(struct options *o, struct err *err)
{
	const char *what = o->args.n ? o->args.items[0] : "list";
	_cleanup_(stock_deinit) struct stock stock = { 0 };
	_cleanup_free_ char *cache = path_cache();
	bool names = o->args.n > NAMES_FIRST;

	if (strcmp(what, "build") == 0)
		return build(o, err);
	if (options_str(o, OPT_MAKE_DISK))
		return err_set(err, ERR_USAGE, "--disk belongs to `amdgpu-bisect image build`");
	if (stock_list(cache, &stock, err) < 0)
		return -1;
	if (strcmp(what, "list") == 0 && !names)
		return list(&stock);
	if (strcmp(what, "check") == 0 && !names)
		return check_all(&stock, err);
	if (strcmp(what, "show") != 0 && strcmp(what, "check") != 0 && strcmp(what, "remove") != 0)
		return err_set(err, ERR_USAGE,
			       "'image %s'%s: want list, show NAME, build, check [NAME] or "
			       "remove NAME",
			       what, names ? " with a name" : "");
	if (!names)
		return err_set(err, ERR_USAGE,
			       "image %s wants a name; `amdgpu-bisect image` lists them", what);
	return each(o, &stock, err);
}
