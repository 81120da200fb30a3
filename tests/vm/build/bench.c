// SPDX-License-Identifier: GPL-2.0-or-later
/* A bench to build on: see bench.h. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

#define DRIVER "drivers/gpu/drm/amd"

static const char *const paths[] = {
	DRIVER "/amdgpu/amdgpu_hmm.c",
	DRIVER "/amdgpu/amdgpu_hmm.h",
	DRIVER "/amdgpu/amdgpu_mn.c",
	DRIVER "/amdgpu/amdgpu_mn.h",
	DRIVER "/bench",
	"arch/x86/include/linux",
};

char *bench_sh(const char *fmt, ...)
{
	_cleanup_buf_ struct buf cmd = { 0 };
	_cleanup_buf_ struct buf out = { 0 };
	char data[4096];
	va_list ap;
	FILE *f;
	size_t n;

	va_start(ap, fmt);
	buf_vprintf(&cmd, fmt, ap);
	va_end(ap);
	f = popen(cmd.data, "r");
	assert_non_null(f);
	while ((n = fread(data, 1, sizeof(data), f)))
		buf_add(&out, data, n);
	if (pclose(f) != 0)
		fail_msg("failed: %s", cmd.data);
	while (out.len && out.data[out.len - 1] == '\n')
		out.data[--out.len] = '\0';
	return buf_take(&out);
}

char *bench_replace(const char *text, const char *from, const char *to)
{
	const char *p = strstr(text, from);

	if (!p)
		fail_msg("the driver's source does not hold '%s'", from);
	return str_printf("%.*s%s%s", (int)(p - text), text, to, p + strlen(from));
}

static void put(const char *path, const char *text)
{
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	struct err err = { 0 };

	if (fs_mkdirs(dir, &err) < 0 || fs_write(path, text, strlen(text), &err) < 0)
		fail_msg("%s", err.msg);
}

static char *get(const char *path)
{
	struct err err = { 0 };
	char *text;

	if (fs_read(path, 1 << 24, &text, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	return text;
}

static void commit_all(struct bench *b, char ret[COMMIT_ID_SIZE])
{
	_cleanup_free_ char *id = NULL;

	free(bench_sh("cd '%s' && git add -A && git -c user.name=t -c user.email=t@t commit -q "
		      "--allow-empty -m 'a candidate'",
		      b->repo));
	id = bench_sh("git -C '%s' rev-parse HEAD", b->repo);
	assert_true(str_copy(ret, COMMIT_ID_SIZE, id));
}

void bench_commit(struct bench *b, const char *text_c, const char *text_h, char ret[COMMIT_ID_SIZE])
{
	_cleanup_free_ char *c = str_printf("%s/" DRIVER "/amdgpu/%s.c", b->repo, b->unit);
	_cleanup_free_ char *h = str_printf("%s/" DRIVER "/amdgpu/%s.h", b->repo, b->unit);

	put(c, text_c ? text_c : b->text_c);
	put(h, text_h ? text_h : b->text_h);
	commit_all(b, ret);
}

void bench_commit_other(struct bench *b, const char *name, const char *text,
			char ret[COMMIT_ID_SIZE])
{
	_cleanup_free_ char *path = str_printf("%s/" DRIVER "/bench/%s", b->repo, name);

	put(path, text);
	commit_all(b, ret);
}

void part_open(const char *source, struct part *ret)
{
	_cleanup_free_ char *is = bench_sh("stat -c %%s-%%Y '%s'", source);
	_cleanup_free_ char *at = str_printf(BENCH_PART "/%s", is);
	_cleanup_free_ char *id = NULL;

	if (!fs_is_dir(at))
		free(bench_sh("rm -rf '" BENCH_PART "' && '" BENCH_HERE "/part.sh' '%s' '%s'",
			      source, at));
	*ret = (struct part){
		.dir = str_printf("%s/linux", at),
		.tarball = str_printf("%s/linux.tar", at),
		.repo = str_printf("%s/repo", at),
	};
	id = bench_sh("cd '%s' && rm -f .git/index.lock && git rev-parse base", ret->repo);
	assert_true(str_copy(ret->base, sizeof(ret->base), id));
}

void part_close(struct part *p)
{
	free(p->dir);
	free(p->tarball);
	free(p->repo);
}

/* The two files as they are shipped. */
static void read_files(struct bench *b)
{
	_cleanup_free_ char *dir = str_printf("%s/" DRIVER "/amdgpu", b->part.dir);
	_cleanup_free_ char *c = NULL;
	_cleanup_free_ char *h = NULL;

	b->unit = bench_sh(
		"cd '%s' && grep -l '^int amdgpu_hmm_range_get_pages' *.c | sed 's/.c$//'", dir);
	c = str_printf("%s/%s.c", dir, b->unit);
	h = str_printf("%s/%s.h", dir, b->unit);
	b->text_c = get(c);
	b->text_h = get(h);
}

static void make_compiler(struct bench *b)
{
	b->cc = xstrdup(BENCH_CACHE "/cc");
	put(b->cc, "#!/bin/sh\n"
		   "case \"$*\" in *amdgpu_mn.c*|*amdgpu_hmm.c*)\n"
		   "\tif [ -e \"$0.kill\" ]; then kill -9 $$; fi\n"
		   "esac\n"
		   "exec gcc \"$@\"\n");
	assert_int_equal(chmod(b->cc, 0755), 0);
	bench_kill_compiler(b, false);
}

void bench_kill_compiler(struct bench *b, bool kill)
{
	_cleanup_free_ char *flag = str_printf("%s.kill", b->cc);

	if (kill)
		put(flag, "");
	else
		unlink(flag);
}

bool bench_open_files(struct bench *b)
{
	struct err err = { 0 };

	*b = (struct bench){ .kernel.release = xstrdup(getenv("TEST_RELEASE")) };
	if (build_find(&b->kernel, &err) < 0) {
		print_message("skipped: %s\n", err.msg);
		return false;
	}
	/* what was built by an earlier run proves nothing about this one */
	free(bench_sh("mkdir -p '" BENCH_CACHE "' && rm -rf '" BENCH_CACHE
		      "/artifacts' '" BENCH_CACHE "/repo' '" BENCH_CACHE "/build.log'"));
	b->repo = xstrdup(BENCH_CACHE "/repo");
	b->log = xstrdup(BENCH_CACHE "/build.log");
	make_compiler(b);
	part_open(b->kernel.source, &b->part);
	read_files(b);
	free(bench_sh("git init -q '%s' && mkdir -p '%s/" DRIVER "/amdgpu'", b->repo, b->repo));
	bench_commit(b, NULL, NULL, b->base);
	b->spec = (struct build_spec){
		.scope = BUILD_SCOPE_UNIT,
		.kernel = &b->kernel,
		.repo = b->repo,
		.paths = paths,
		.n_paths = ARRAY_SIZE(paths),
		.driver = DRIVER,
		.mirror = BENCH_MIRROR,
		.cache_dir = BENCH_CACHE,
		.cc = b->cc,
	};
	return true;
}

bool bench_open(struct bench *b)
{
	struct err err = { 0 };

	if (!bench_open_files(b))
		return false;
	free(b->kernel.source);
	b->kernel.source = xstrdup(b->part.tarball);
	if (builder_open(&b->spec, &b->builder, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
	return true;
}

void bench_close(struct bench *b)
{
	builder_close(b->builder);
	build_kernel_deinit(&b->kernel);
	part_close(&b->part);
	free(b->repo);
	free(b->cc);
	free(b->log);
	free(b->unit);
	free(b->text_c);
	free(b->text_h);
}

void bench_make(struct bench *b, const char *id, struct artifact *ret)
{
	struct err err = { 0 };

	if (builder_make(b->builder, id, b->log, ret, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
	print_message("%.8s: %.2f s, %u objects%s\n", id, (double)ret->elapsed_ns / 1e9,
		      ret->objects, ret->cached ? ", cached" : "");
}

void bench_fails(struct bench *b, const char *id, enum err_kind kind, const char *words)
{
	struct artifact a = { 0 };
	struct err err = { 0 };

	assert_int_equal(builder_make(b->builder, id, b->log, &a, &err), -1);
	if (err.kind != kind || !strstr(err.msg, words))
		fail_msg("%s: '%s' does not say '%s'", err_kind_name(err.kind), err.msg, words);
	assert_int_equal(a.n_modules, 0);
}
