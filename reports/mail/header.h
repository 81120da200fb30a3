/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Header fields of a mail, folded and encoded: nothing of a value can begin another field. reports/mail/ only. */
#ifndef REPORTS_MAIL_HEADER_H
#define REPORTS_MAIL_HEADER_H

#include <stdint.h>

#include "base/str.h"
#include "reports/mail/address.h"

/**
 * header_text() - an unstructured field: "Subject: ..."
 * @text: foreign; controls and what hides become '?', other than ASCII becomes encoded words
 * Source: RFC 5322, 2.2.3 (folding); RFC 2047 (encoded words, 75 characters at most).
 */
void header_text(struct buf *b, const char *name, const char *text);

/** header_addresses() - "To: ...", an address a line; nothing for an empty list */
void header_addresses(struct buf *b, const char *name, const struct addresses *l);

/** header_date() - "Date: ...", UTC; Source: RFC 5322, 3.3 */
void header_date(struct buf *b, int64_t date_s);

#endif
