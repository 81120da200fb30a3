// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of the commits of a repository, kept as audit/<hash of the question>.index.
 *
 * A commit never changes, so what was read of it once stays true; the question is the repository and the
 * paths. The file is a head with a sum, then a record each. Anything that does not fit, and the whole
 * file is passed over: it costs the reading of the commits.
 */
#include <fcntl.h>
#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cap/cap.h"
#include "base/fs.h"
#include "range/cache/cache.h"
#include "range/audit/lines.h"
#include "range/audit/record.h"
#include "range/audit/words.h"
#include "range/keymap.h"

#define KEPT_MAX_BYTES \
	(UINT64_C(512) << 20) /* of all files; forty thousand commits take some 30 MiB */
#define VERSION 1

struct head {
	char magic[8];
	uint32_t version;
	uint32_t sum; /* CRC-32 of all bytes behind the head */
	uint32_t n;
	uint32_t key_len; /* the question, right behind the head */
};
static const char magic[8] = { 'A', 'U', 'D', 'I', 'T', 'I', 'D', 'X' };

struct audit_index {
	struct view view;
	struct strv paths;
	struct keymap at;	       /* raw id → commit */
	struct audit_commit **commits; /* [n] */
	size_t n, cap;
	size_t learnt;
	bool changed;
	char *dir, *name, *path, *key; /* NULL: nowhere */
};

void audit_index_destroy(struct audit_index *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++) {
		commit_deinit(x->commits[i]);
		free(x->commits[i]);
	}
	free(x->commits);
	keymap_deinit(&x->at);
	strv_deinit(&x->paths);
	view_deinit(&x->view);
	free(x->dir);
	free(x->name);
	free(x->path);
	free(x->key);
	free(x);
}

static struct audit_commit *add(struct audit_index *x, const struct audit_commit *c)
{
	git_oid id = { 0 };
	uint32_t known;

	git_oid_fromstr(&id, c->id);
	if (keymap_get(&x->at, id.id, &known))
		return NULL;
	if (x->n == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 1024;
		x->commits = xrealloc(x->commits, x->cap, sizeof(*x->commits));
	}
	keymap_put(&x->at, id.id, (uint32_t)x->n);
	x->commits[x->n] = xmalloc(sizeof(*c));
	*x->commits[x->n] = *c;
	return x->commits[x->n++];
}

/* The records behind the head; false if they are not what its sum says. */
static bool take_all(struct audit_index *x, const char *data, size_t len)
{
	const char *at = data + sizeof(struct head), *end = data + len;
	struct head head;

	if (len < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	if (memcmp(head.magic, magic, sizeof(magic)) != 0 || head.version != VERSION ||
	    head.key_len != strlen(x->key) || (size_t)(end - at) < head.key_len ||
	    memcmp(at, x->key, head.key_len) != 0 ||
	    libdeflate_crc32(0, at, (size_t)(end - at)) != head.sum)
		return false;
	at += head.key_len;
	for (uint32_t i = 0; i < head.n; i++) {
		struct audit_commit c;

		if (!record_take(&at, end, &c))
			return false;
		if (!add(x, &c))
			commit_deinit(&c);
	}
	return at == end;
}

static void forget(struct audit_index *x)
{
	for (size_t i = 0; i < x->n; i++) {
		commit_deinit(x->commits[i]);
		free(x->commits[i]);
	}
	x->n = 0;
	keymap_deinit(&x->at);
	keymap_init(&x->at, GIT_ID_LEN);
}

static void load(struct audit_index *x)
{
	_cleanup_free_ char *data = NULL;
	struct err ignored = { 0 };
	size_t len;

	if (!fs_exists(x->path) || fs_is_special(x->path) ||
	    fs_read(x->path, KEPT_MAX_BYTES, &data, &len, &ignored) < 0)
		return;
	if (take_all(x, data, len))
		utimensat(AT_FDCWD, x->path, NULL, 0);
	else
		forget(x);
}

static void find_place(struct audit_index *x, const char *cache_dir)
{
	_cleanup_free_ char *place = realpath(git_repository_commondir(x->view.repo), NULL);
	_cleanup_buf_ struct buf b = { 0 };
	char hash[65];

	if (!place)
		return;
	buf_printf(&b, "repository %zu %s\n", strlen(place), place);
	for (size_t i = 0; i < x->paths.n; i++)
		buf_printf(&b, "path %zu %s\n", strlen(x->paths.items[i]), x->paths.items[i]);
	fs_sha256_text(b.data, b.len, hash);
	x->dir = str_printf("%s/audit", cache_dir);
	x->name = str_printf("%.40s.index", hash);
	x->path = str_printf("%s/%s", x->dir, x->name);
	x->key = buf_take(&b);
	load(x);
}

int audit_index_open(const char *repo, const char *const *paths, size_t n_paths,
		     const char *cache_dir, struct audit_index **ret, struct err *err)
{
	_cleanup_(audit_index_destroy_p) struct audit_index *x = xcalloc(1, sizeof(*x));

	keymap_init(&x->at, GIT_ID_LEN);
	if (view_open(repo, &x->view, err) < 0 || gitlib_paths(paths, n_paths, &x->paths, err) < 0)
		return -1;
	if (cache_dir)
		find_place(x, cache_dir);
	*ret = take_ptr(x);
	return 0;
}

void audit_index_save(struct audit_index *x)
{
	struct head head = { .version = VERSION, .n = (uint32_t)x->n };
	_cleanup_buf_ struct buf b = { 0 };
	struct err ignored = { 0 };

	if (!x->path || !x->changed)
		return;
	memcpy(head.magic, magic, sizeof(magic));
	head.key_len = (uint32_t)strlen(x->key);
	buf_add(&b, &head, sizeof(head));
	buf_puts(&b, x->key);
	for (size_t i = 0; i < x->n && b.len < KEPT_MAX_BYTES; i++)
		record_put(&b, x->commits[i]);
	if (b.len >= KEPT_MAX_BYTES || fs_mkdirs(x->dir, &ignored) < 0)
		return;
	head.sum = libdeflate_crc32(0, b.data + sizeof(head), b.len - sizeof(head));
	memcpy(b.data, &head, sizeof(head));
	if (cache_place(x->path, &b)) {
		x->changed = false;
		cap_trim(x->dir, KEPT_MAX_BYTES, x->name, &ignored);
	}
}

size_t audit_index_learnt(const struct audit_index *x)
{
	return x->learnt;
}

/* "author NAME <MAIL> SECONDS ZONE"; 0 where there is none that can be read */
static int64_t author_date(const char *head, const char *end)
{
	const char *at = head;

	while (at < end && *at != '\n') {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *stop = nl ? nl : end;
		const char *close;

		if (stop - at > 7 && memcmp(at, "author ", 7) == 0) {
			close = memrchr(at, '>', (size_t)(stop - at));
			/* the content is NUL-terminated: strtoll() ends there at the latest */
			return close && close + 1 < stop ? strtoll(close + 1, NULL, 10) : 0;
		}
		at = nl ? nl + 1 : end;
	}
	return 0;
}

static int learn(struct audit_index *x, const git_oid *id, struct audit_commit *c, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	const unsigned char *data;
	const unsigned char *line;
	size_t len, n;
	const char *message;

	if (reader_object(x->view.reader, id, GIT_OBJECT_COMMIT, &data, &len, err) < 0)
		return -1;
	text = xmalloc(len + 1);
	memcpy(text, data, len);
	text[len] = '\0';
	line = subject_find((const unsigned char *)text, len, &n);
	c->subject = subject_clean(line, n);
	c->authored_s = author_date(text, text + len);
	message = memmem(text, len, "\n\n", 2);
	if (message)
		words_parse(message + 2, len - (size_t)(message + 2 - text), &c->words);
	for (const char *p = text;
	     (p = memmem(p, (size_t)((message ? message : text + len) - p), "\nparent ", 8));
	     p += 8)
		c->merge |= memmem(p + 8, (size_t)((message ? message : text + len) - p - 8),
				   "\nparent ", 8) != NULL;
	return 0;
}

int audit_index_get(struct audit_index *x, const char *id, struct audit_commit **ret,
		    struct err *err)
{
	struct audit_commit c = { 0 };
	git_oid oid;
	uint32_t at;

	if (!str_is_commit_id(id) || git_oid_fromstr(&oid, id) < 0)
		return err_set(err, ERR_USAGE, "'%s' is no full commit id; give 40 hex digits", id);
	if (keymap_get(&x->at, oid.id, &at)) {
		*ret = x->commits[at];
		return 0;
	}
	str_copy(c.id, sizeof(c.id), id);
	if (learn(x, &oid, &c, err) < 0)
		return -1;
	x->learnt++;
	x->changed = true;
	*ret = add(x, &c);
	return 0;
}

int audit_index_lines(struct audit_index *x, struct audit_commit *c, struct err *err)
{
	if (c->has_lines)
		return 0;
	x->changed = true;
	return lines_read(&x->view, &x->paths, c, err);
}
