// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit/range/kit.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"

/* libgit2 1.5 loses some memory when it matches config keys and when a merge base cannot be read. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libgit2\nleak:libpcre2\n";
}

static char top[4096];

void kit_start(void)
{
	const char *tmp = getenv("TMPDIR");
	_cleanup_free_ char *config = NULL;

	if (!tmp && access("/dev/shm", W_OK) == 0)
		tmp = "/dev/shm"; /* thousands of small files, many of them synced */
	snprintf(top, sizeof(top), "%s/range-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(top));
	setenv("HOME", top, 1);
	setenv("XDG_CONFIG_HOME", top, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	config = kit_path("gitconfig");
	/* Nothing here grows so large that a commit must look after it. */
	kit_write(top, "gitconfig", "[maintenance]\n\tauto = false\n");
	setenv("GIT_CONFIG_GLOBAL", config, 1);
	setenv("GIT_AUTHOR_NAME", "A", 1);
	setenv("GIT_AUTHOR_EMAIL", "a@example.org", 1);
	setenv("GIT_COMMITTER_NAME", "C", 1);
	setenv("GIT_COMMITTER_EMAIL", "c@example.org", 1);
	/* Or fast-import gives its memory back at each commit, to get it anew: most of its time. */
	setenv("MALLOC_TRIM_THRESHOLD_", "134217728", 1);
	setenv("MALLOC_TOP_PAD_", "1048576", 1);
	setenv("MALLOC_MMAP_THRESHOLD_", "33554432", 1);
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
}

void kit_end(void)
{
	free(kit_sh("chmod -R u+rwX '%s'; rm -rf '%s'", top, top));
}

char *kit_path(const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	buf_printf(&b, "%s/", top);
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return buf_take(&b);
}

/* Runs it, and waits; what it writes, with its errors if wanted, without the last newlines. */
static char *run(const char *program, const char *const *argv, bool errors, const char *command)
{
	posix_spawn_file_actions_t actions;
	_cleanup_buf_ struct buf b = { 0 };
	char part[4096];
	int ends[2], rc;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	if (errors)
		posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	assert_int_equal(posix_spawn(&pid, program, &actions, NULL, (char *const *)argv, environ),
			 0);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while ((n = read(ends[0], part, sizeof(part))) > 0)
		buf_add(&b, part, (size_t)n);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &rc, 0), pid);
	if (rc)
		fail_msg("`%s` ended with %d: %s", command, rc, b.data ? b.data : "");
	while (b.len && b.data[b.len - 1] == '\n')
		b.data[--b.len] = '\0';
	return buf_take(&b);
}

static char *run_shell(const char *command)
{
	const char *const argv[] = { "sh", "-c", command, NULL };

	return run("/bin/sh", argv, false, command);
}

/* The words of a command; false: only a shell knows. */
static bool split(const char *command, struct strv *ret)
{
	_cleanup_buf_ struct buf word = { 0 };
	char quote = '\0';
	bool in = false;

	for (const char *p = command; *p; p++) {
		if (strchr(quote == '\'' ? "" : quote ? "$`\\" : "|&;<>()$`\\*?[#\n", *p))
			return false;
		if (quote ? *p == quote : *p == '\'' || *p == '"') {
			quote = quote ? '\0' : *p;
			in = true;
		} else if (!quote && (*p == ' ' || *p == '\t')) {
			if (in)
				strv_take(ret, buf_take(&word));
			in = false;
		} else {
			buf_add(&word, p, 1);
			in = true;
		}
	}
	if (in)
		strv_take(ret, buf_take(&word));
	return !quote;
}

/* A shell is a third of what a small git costs, and there are thousands. */
static char *run_git(const char *command)
{
	static char *program;
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ const char **argv = NULL;

	if (!split(command, &words)) {
		/* What has more than the one command must come back to its shell. */
		_cleanup_free_ char *all =
			str_printf("%s%s 2>&1", strpbrk(command, "|&;") ? "" : "exec ", command);

		return run_shell(all);
	}
	if (!program)
		program = spawn_find("git");
	assert_non_null(program);
	argv = xcalloc(words.n + 1, sizeof(*argv));
	memcpy(argv, words.items, words.n * sizeof(*argv));
	return run(program, argv, true, command);
}

char *kit_sh(const char *fmt, ...)
{
	_cleanup_buf_ struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return run_shell(b.data);
}

char *kit_git(const char *repo, const char *fmt, ...)
{
	_cleanup_buf_ struct buf b = { 0 };
	va_list ap;

	buf_printf(&b, "git -C '%s' ", repo);
	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return run_git(b.data);
}

void kit_write(const char *dir, const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	_cleanup_fclose_ FILE *f = NULL;
	struct err err;

	*strrchr(path, '/') = '\0';
	assert_int_equal(fs_mkdirs(path, &err), 0);
	path[strlen(path)] = '/';
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
}

char *kit_commit(const char *repo, const char *name, const char *text, const char *subject)
{
	kit_write(repo, name, text);
	return kit_sh("cd '%s' && git add -A 2>&1 && git commit -q --allow-empty -m '%s' 2>&1 && "
		      "exec git rev-parse HEAD",
		      repo, subject);
}

void kit_lines(char *text, struct strv *ret)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		strv_add(ret, line);
}

/* SplitMix64: small, and good enough to shape histories. */
uint32_t kit_rand(uint64_t *state, uint32_t n)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) % n);
}

static void put_changes(FILE *f, uint64_t *seed)
{
	static const char *const files[] = { "a/x", "a/b/y", "c/z", "d" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		uint32_t what = kit_rand(seed, 12);

		if (what == 0)
			fprintf(f, "D %s\n", files[i]);
		else if (what < 4) /* few different contents: reverts and equal sides are common */
			fprintf(f, "M 100644 inline %s\ndata 2\nv%u\n", files[i],
				kit_rand(seed, 3));
	}
}

static void put_parents(FILE *f, uint64_t *seed, unsigned int k)
{
	unsigned int n = k < 2 ? 1 : kit_rand(seed, 10) < 6 ? 1 : 2 + kit_rand(seed, 10) / 8;
	unsigned int last = 0;

	if (!k || kit_rand(seed, 40) == 0)
		return;
	for (unsigned int i = 0; i < n; i++) {
		unsigned int back = kit_rand(seed, 5) == 0 ? k : k < 4 ? k : 4;
		unsigned int parent = k - kit_rand(seed, back); /* marks count from 1 */

		if (parent == last)
			continue;
		fprintf(f, "%s :%u\n", i ? "merge" : "from", parent);
		last = parent;
	}
}

/* The last commit ties every loose end together, so that nearly all of the history is in reach. */
static void put_last(FILE *f, unsigned int k)
{
	fprintf(f, "from :%u\n", k);
	for (unsigned int back = 1; back < 4 && back < k; back++)
		fprintf(f, "merge :%u\n", k - back);
}

char *kit_random_repo(uint64_t seed, unsigned int commits, enum kit_dates dates)
{
	char *repo = kit_path("random-%lu-%d", (unsigned long)seed, dates);
	_cleanup_free_ char *stream = str_printf("%s.stream", repo);
	FILE *f = fopen(stream, "w");

	assert_non_null(f);
	for (unsigned int k = 0; k < commits; k++) {
		unsigned int at = dates == DATES_FORWARD    ? k
				  : dates == DATES_BACKWARD ? commits - k
							    : kit_rand(&seed, commits);

		fprintf(f, "reset refs/heads/build\n\ncommit refs/heads/build\nmark :%u\n", k + 1);
		fprintf(f, "committer C <c@example.org> %u +0000\n", 1700000000 + 100 * at);
		fprintf(f, "data <<E\ncommit %u\nE\n", k);
		if (k + 1 == commits && k)
			put_last(f, k);
		else
			put_parents(f, &seed, k);
		put_changes(f, &seed);
		fprintf(f, "\nreset refs/tags/c%u\nfrom :%u\n\n", k, k + 1);
	}
	fclose(f);
	free(kit_sh("git init -q --bare '%s'", repo));
	free(kit_git(repo, "fast-import --quiet --force < '%s'", stream));
	unlink(stream);
	return repo;
}

unsigned int kit_rounds(unsigned int few)
{
	const char *times = getenv("TEST_ROUNDS");
	uint64_t n = 1;

	if (times && (!str_to_u64(times, 1000, &n) || !n))
		fail_msg("TEST_ROUNDS=%s: want 1 to 1000", times);
	return few * (unsigned int)n;
}
