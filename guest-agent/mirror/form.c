// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which form the candidate has, told to the preprocessor.
 *
 * Compiled to assembly only; Kbuild reads the values out of it into the generated form.h, the way
 * asm-offsets.h is made, because the code for one form does not compile in a tree of another.
 */
#include <linux/kbuild.h>

#include "driver.h"
#include "prototypes.h"

#define IS_FORM(form) \
	__builtin_types_compatible_p(typeof(amdgpu_hmm_range_get_pages), PROTOTYPE_##form)
#define IS_KNOWN \
	(IS_FORM(6_1) || IS_FORM(6_12) || IS_FORM(6_18) || IS_FORM(6_19_DEV) || IS_FORM(7_2))

/*
 * Where the form is unknown this initialiser is wrong, so that the compiler's message names the
 * candidate's prototype. The pointer's type is there to be read in that message.
 */
struct a_prototype_the_mirror_knows;
extern struct a_prototype_the_mirror_knows *check;
struct a_prototype_the_mirror_knows *check =
	__builtin_choose_expr(IS_KNOWN, NULL, &amdgpu_hmm_range_get_pages);

int main(void);
int main(void)
{
	DEFINE(HAS_FORM_6_1, IS_FORM(6_1));
	DEFINE(HAS_FORM_6_12, IS_FORM(6_12));
	DEFINE(HAS_FORM_6_18, IS_FORM(6_18));
	DEFINE(HAS_FORM_6_19_DEV, IS_FORM(6_19_DEV));
	DEFINE(HAS_FORM_7_2, IS_FORM(7_2));
	return 0;
}
