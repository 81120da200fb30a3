/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Within audit/ only: a commit of a list by what messages call it. */
#ifndef CONTROLLER_AUDIT_NAMES_H
#define CONTROLLER_AUDIT_NAMES_H

#include "controller/audit/audit.h"

struct names;

struct names *names_create(const struct audit_list *list);
void names_destroy(struct names *n);
DEFINE_CLEANUP(struct names *, names_destroy)

/** names_by_id() - the only commit whose id begins so, or that says it is that one; PAIR_NONE */
uint32_t names_by_id(const struct names *n, const char *id);

/** names_by_subject() - the last commit before @before with this subject; PAIR_NONE */
uint32_t names_by_subject(const struct names *n, const char *subject, uint32_t before);

/** names_authored() - the first with this subject and author's date; PAIR_NONE */
uint32_t names_authored(const struct names *n, const struct audit_commit *c);

/** names_mentioned() - what a commit's message means, before @before */
uint32_t names_mentioned(const struct names *n, const struct audit_mention *m, uint32_t before);

#endif
