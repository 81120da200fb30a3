/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of a domain's XML: a plain domain, and what stands at a place of it. */
#ifndef TESTS_GUEST_DOMAIN_H
#define TESTS_GUEST_DOMAIN_H

#include "guest/virt/xml.h"

/** domain_plain() - one processor, 512 MiB, no card */
struct xml_domain domain_plain(void);

/** domain_assert_at() - the value of an XPath expression, as text */
void domain_assert_at(const char *xml, const char *xpath, const char *value);

#endif
