/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run in each form, looked at as a reader would. */
#ifndef FORMS_H
#define FORMS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"
#include "reports/report.h"
#include "store/store.h"
#include "wire/json.h"

/* Everything at once that an escape can miss. */
#define HOSTILE                                                                     \
	"<script>alert(1)</script> & \"q\" 'a' \x1b[31mred\r\xff\xc3( \xe2\x80\xae" \
	"evil </title></svg>--> %s%n"

/* The run of the test that goes on, and the form that was made last. */
extern struct store *s;
extern struct err err;
extern struct buf out;
extern struct report_asked asked; /* as the caller of the two that people read gives it */

int setup(void **state);
int teardown(void **state);

/** text() / html() / json() - the run in that form; the first two until the next of them */
const char *text(void);
const char *html(void);
struct json *json(void);

/** all_forms_are_sound() - valid by the schema, every element closed, within the columns */
void all_forms_are_sound(void);

/** expect_text() - the text holds @want */
void expect_text(const char *want);

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
