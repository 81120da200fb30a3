// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mapped packs first, as nearly all is there, then files of their own, then what came since. What is
 * damaged in one place may be whole in another.
 *
 * libgit2 reads packs with an index of version 1, and those beyond PACKS_MAX. It is not asked for
 * others, as it reads on where a damaged index sends it.
 */
#include "range/objects/raw.h"

#include <git2/sys/odb_backend.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define BASES_BYTES (12u << 20) /* hundreds of large trees; more would fall out of the L3 cache */
#define SETTLED_S   2		/* a directory may change again within one tick of its clock */

int raw_init(struct raw *r, const struct places *places)
{
	*r = (struct raw){ .places = places };
	return unpacker_init(&r->unpacker, BASES_BYTES);
}

static void late_deinit(struct raw_late *l)
{
	git_odb_free(l->odb);
	places_close(&l->places);
	free(l->seen);
	*l = (struct raw_late){ 0 };
}

void raw_deinit(struct raw *r)
{
	unpacker_deinit(&r->unpacker);
	loose_deinit(&r->loose);
	git_odb_object_free(r->held);
	late_deinit(&r->late);
	*r = (struct raw){ 0 };
}

/*
 * @from: what the first of these packs is called in the unpacker
 *
 * Return: true if it could be read; else @why says what is wrong with a copy, if there was one.
 */
static bool read_packed(struct raw *r, const struct places *p, unsigned int from, const git_oid *id,
			struct content *ret, const char **why)
{
	unsigned int recent = from ? 0 : r->recent;

	for (unsigned int i = 0; i < p->n_packs; i++) {
		unsigned int no = (recent + i) % p->n_packs;
		uint64_t offset;

		if (!pack_find(&p->packs[no], id->id, &offset) ||
		    unpack(&r->unpacker, &p->packs[no], from + no, offset, ret, why) < 0)
			continue;
		if (!from)
			r->recent = no;
		return true;
	}
	return false;
}

static bool read_loose(struct raw *r, const git_oid *id, struct content *ret, const char **why)
{
	loose_deinit(&r->loose);
	if (loose_read(&r->places->dirs, id, &r->loose, why) <= 0)
		return false;
	*ret = (struct content){ .data = r->loose.data,
				 .len = r->loose.len,
				 .type = (unsigned int)r->loose.type };
	return true;
}

/* The pack directories with their times; "" if one of them changed so lately that it may go on. */
static char *look_at_places(const struct places *p)
{
	_cleanup_buf_ struct buf b = { 0 };
	time_t now = time(NULL);

	for (size_t i = 0; i < p->dirs.n; i++) {
		_cleanup_free_ char *path = str_printf("%s/pack", p->dirs.items[i]);
		struct stat st = { 0 };

		if (stat(path, &st) == 0 && st.st_mtim.tv_sec + SETTLED_S >= now)
			return xstrdup("");
		buf_printf(&b, "%ju %jd.%09ld\n", (uintmax_t)st.st_ino, (intmax_t)st.st_mtim.tv_sec,
			   st.st_mtim.tv_nsec);
	}
	return buf_take(&b);
}

static git_odb *open_odd(const struct strv *odd)
{
	git_odb *odb = NULL;

	for (size_t i = 0; i < odd->n; i++) {
		git_odb_backend *pack;

		if ((!odb && git_odb_new(&odb) < 0) ||
		    git_odb_backend_one_pack(&pack, odd->items[i]) < 0)
			continue;
		if (git_odb_add_backend(odb, pack, 1) < 0)
			pack->free(pack);
	}
	return odb;
}

/* Something was missed: looks again, unless nothing can have come since the last look. */
static int look_again(struct raw *r)
{
	_cleanup_free_ char *seen = look_at_places(r->places);

	if (r->late.open && *seen && strcmp(seen, r->late.seen) == 0)
		return 0;
	late_deinit(&r->late);
	/* What it remembers goes by the numbers of packs. */
	unpacker_deinit(&r->unpacker);
	if (unpacker_init(&r->unpacker, BASES_BYTES) < 0)
		return -1;
	places_open(r->places->dirs.n ? r->places->dirs.items[0] : "", &r->late.places);
	r->late.odb = open_odd(&r->late.places.odd);
	r->late.seen = take_ptr(seen);
	r->late.open = true;
	return 0;
}

static int read_late(struct raw *r, const git_oid *id, struct content *ret, const char **why)
{
	int rc = GIT_ENOTFOUND;

	if (look_again(r) < 0) {
		*why = "there is no memory to read it";
		return GIT_ERROR;
	}
	if (read_packed(r, &r->late.places, r->places->n_packs + 1, id, ret, why))
		return 0;
	if (*why)
		return GIT_ERROR;
	git_error_clear();
	if (r->late.odb)
		rc = git_odb_read(&r->held, r->late.odb, id);
	if (rc < 0 && rc != GIT_ENOTFOUND)
		*why = gitlib_words();
	if (rc < 0)
		return rc == GIT_ENOTFOUND ? rc : GIT_ERROR;
	*ret = (struct content){ .data = git_odb_object_data(r->held),
				 .len = git_odb_object_size(r->held),
				 .type = (unsigned int)git_odb_object_type(r->held) };
	return 0;
}

int raw_read(struct raw *r, const git_oid *id, struct content *ret, const char **why)
{
	*why = NULL;
	if (read_packed(r, r->places, 0, id, ret, why) || read_loose(r, id, ret, why))
		return 0;
	if (*why)
		return GIT_ERROR;
	git_odb_object_free(take_ptr(r->held));
	return read_late(r, id, ret, why);
}

static bool has_packed(const struct places *p, unsigned int *recent, const git_oid *id)
{
	for (unsigned int i = 0; i < p->n_packs; i++) {
		unsigned int no = (*recent + i) % p->n_packs;
		uint64_t offset;

		if (pack_find(&p->packs[no], id->id, &offset)) {
			*recent = no;
			return true;
		}
	}
	return false;
}

bool raw_has(struct raw *r, const git_oid *id)
{
	unsigned int recent = 0;

	if (has_packed(r->places, &r->recent, id) || loose_has(&r->places->dirs, id))
		return true;
	return look_again(r) == 0 && (has_packed(&r->late.places, &recent, id) ||
				      (r->late.odb && git_odb_exists(r->late.odb, id) == 1));
}

struct finding {
	git_oid *ret;
	bool found;
};

/* Return: GIT_EAMBIGUOUS for another one than before. */
static int take_found(const git_oid *id, void *arg)
{
	struct finding *f = arg;

	if (f->found && !git_oid_equal(f->ret, id))
		return GIT_EAMBIGUOUS;
	git_oid_cpy(f->ret, id);
	f->found = true;
	return 0;
}

static int find_packed(const struct places *p, const git_oid *least, size_t n, struct finding *f)
{
	for (unsigned int no = 0; no < p->n_packs; no++) {
		const struct fan *fan = &p->packs[no].fan;

		for (uint32_t i = fan_from(fan, least->id); i < fan->n; i++) {
			git_oid id;

			git_oid_fromraw(&id, fan->ids + (size_t)i * GIT_ID_LEN);
			if (git_oid_ncmp(&id, least, n) != 0)
				break;
			if (take_found(&id, f) < 0)
				return GIT_EAMBIGUOUS;
		}
	}
	return 0;
}

static int find_odd(git_odb *odb, const git_oid *least, size_t n, struct finding *f)
{
	git_oid id;
	int rc = odb ? git_odb_exists_prefix(&id, odb, least, n) : GIT_ENOTFOUND;

	if (rc == 0)
		return take_found(&id, f);
	return rc == GIT_EAMBIGUOUS ? rc : 0;
}

/* All of it is asked: that there is but one has to be known. */
int raw_find(struct raw *r, const char *hex, size_t n, git_oid *ret)
{
	struct finding f = { .ret = ret };
	git_oid least;
	int rc = git_oid_fromstrn(&least, hex, n);

	if (rc == 0)
		rc = find_packed(r->places, &least, n, &f);
	if (rc == 0)
		rc = loose_find(&r->places->dirs, hex, n, take_found, &f);
	if (rc == 0 && look_again(r) < 0)
		rc = GIT_ERROR;
	if (rc == 0)
		rc = find_packed(&r->late.places, &least, n, &f);
	if (rc == 0)
		rc = find_odd(r->late.odb, &least, n, &f);
	return rc || f.found ? rc : GIT_ENOTFOUND;
}
