/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses out of foreign text, and the people that a commit's message names. reports/mail/ only; pure. */
#ifndef REPORTS_MAIL_ADDRESS_H
#define REPORTS_MAIL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

struct address {
	char *name; /* one line of valid UTF-8, nothing that hides; "": none */
	char *addr; /* local@domain, ASCII without blanks, quotes or brackets */
};

/* Each address once, in the order they came. */
struct addresses {
	struct address *items; /* [n] */
	size_t n;
};
void addresses_deinit(struct addresses *l);

#define ADDRESSES_MAX 64 /* more than any commit has; a message cannot make a mail to thousands */

/** address_is_valid() - true for a plain addr-spec: RFC 5322 dot-atoms, a domain of letters, digits, '-' */
bool address_is_valid(const char *s, size_t len);

/**
 * addresses_add() - "Name <a@b>", "a@b", "a@b (moderated)", with what stands behind left out
 * @text: [len], any bytes
 * Return: false if it holds no valid address, or the list is full; one that is there already is not added.
 */
bool addresses_add(struct addresses *l, const char *text, size_t len);

/** addresses_add_pair() - a name and an address that come apart; NULL counts as "" */
bool addresses_add_pair(struct addresses *l, const char *name, const char *addr);

bool addresses_has(const struct addresses *l, const char *addr);

/** addresses_without() - take those out that another list has */
void addresses_without(struct addresses *l, const struct addresses *other);

/**
 * addresses_of_message() - who stands behind a commit by its trailers: "Signed-off-by:", "Reviewed-by:" ...
 * "Cc:" is left out: who was asked before it was taken is not asked again.
 */
void addresses_of_message(struct addresses *l, const char *message);

#endif
