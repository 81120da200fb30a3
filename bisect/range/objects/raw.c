// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mapped packs first, as nearly all is there, then files of their own. What is damaged in one place may be
 * whole in another; libgit2 is not asked for it, as it reads on where a damaged index sends it.
 */
#include "range/objects/raw.h"

#include <stdlib.h>

#define BASES_BYTES (12u << 20) /* hundreds of large trees; more would fall out of the L3 cache */

int raw_init(struct raw *r, const struct places *places)
{
	*r = (struct raw){ .places = places };
	return unpacker_init(&r->unpacker, BASES_BYTES);
}

void raw_deinit(struct raw *r)
{
	unpacker_deinit(&r->unpacker);
	loose_deinit(&r->loose);
	git_odb_object_free(r->held);
	git_odb_free(r->odb);
	*r = (struct raw){ 0 };
}

/* Return: true if it could be read; else @why is NULL, or says what is wrong with the copy in a pack. */
static bool read_packed(struct raw *r, const git_oid *id, struct content *ret, const char **why)
{
	const struct places *p = r->places;

	*why = NULL;
	for (unsigned int i = 0; i < p->n_packs; i++) {
		unsigned int no = (r->recent + i) % p->n_packs;
		uint64_t offset;

		if (pack_find(&p->packs[no], id->id, &offset) &&
		    unpack(&r->unpacker, &p->packs[no], no, offset, ret, why) == 0) {
			r->recent = no;
			return true;
		}
	}
	return false;
}

int raw_read_here(struct raw *r, const git_oid *id, struct content *ret, const char **why)
{
	if (read_packed(r, id, ret, why))
		return 0;
	loose_deinit(&r->loose);
	if (loose_read(&r->places->dirs, id, &r->loose, why) <= 0)
		return *why ? GIT_ERROR : GIT_ENOTFOUND;
	*ret = (struct content){ .data = r->loose.data,
				 .len = r->loose.len,
				 .type = (unsigned int)r->loose.type };
	return 0;
}

/* An object database of the reader's own: libgit2 locks one that is shared at each step. Packs alone. */
static int open_odb(struct raw *r)
{
	_cleanup_(git_odb_free_p) git_odb *odb = NULL;
	int rc = r->odb ? 0 : git_odb_new(&odb);

	for (size_t i = 0; odb && rc == 0 && i < r->places->dirs.n; i++) {
		git_odb_backend *packs;

		rc = git_odb_backend_pack(&packs, r->places->dirs.items[i]);
		if (rc == 0)
			rc = git_odb_add_backend(odb, packs, 1);
	}
	if (odb && rc == 0)
		r->odb = take_ptr(odb);
	return rc;
}

int raw_read(struct raw *r, const git_oid *id, struct content *ret, const char **why)
{
	int rc = raw_read_here(r, id, ret, why);

	if (rc != GIT_ENOTFOUND)
		return rc;
	git_odb_object_free(take_ptr(r->held));
	git_error_clear();
	rc = open_odb(r);
	if (rc == 0)
		rc = git_odb_read(&r->held, r->odb, id);
	if (rc == GIT_ENOTFOUND)
		return rc;
	if (rc < 0) {
		*why = gitlib_words();
		return GIT_ERROR;
	}
	*ret = (struct content){ .data = git_odb_object_data(r->held),
				 .len = git_odb_object_size(r->held),
				 .type = (unsigned int)git_odb_object_type(r->held) };
	return 0;
}

bool raw_has_here(struct raw *r, const git_oid *id)
{
	const struct places *p = r->places;

	for (unsigned int i = 0; i < p->n_packs; i++) {
		unsigned int no = (r->recent + i) % p->n_packs;
		uint64_t offset;

		if (pack_find(&p->packs[no], id->id, &offset)) {
			r->recent = no;
			return true;
		}
	}
	return loose_has(&p->dirs, id);
}

bool raw_has(struct raw *r, const git_oid *id)
{
	return raw_has_here(r, id) || (open_odb(r) == 0 && git_odb_exists(r->odb, id) == 1);
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

static int find_packed(const struct fan *fan, const char *hex, size_t n, struct finding *f)
{
	git_oid least;
	int rc = git_oid_fromstrn(&least, hex, n);

	for (uint32_t i = fan_from(fan, least.id); rc == 0 && i < fan->n; i++) {
		git_oid id;

		git_oid_fromraw(&id, fan->ids + (size_t)i * GIT_ID_LEN);
		if (git_oid_ncmp(&id, &least, n) != 0)
			break;
		rc = take_found(&id, f);
	}
	return rc;
}

int raw_find_here(struct raw *r, const char *hex, size_t n, git_oid *ret)
{
	struct finding f = { .ret = ret };
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < r->places->n_packs; i++)
		rc = find_packed(&r->places->packs[i].fan, hex, n, &f);
	if (rc == 0)
		rc = loose_find(&r->places->dirs, hex, n, take_found, &f);
	return rc || f.found ? rc : GIT_ENOTFOUND;
}
