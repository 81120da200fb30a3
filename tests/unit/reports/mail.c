// SPDX-License-Identifier: GPL-2.0-or-later
/* Drafts of mails: the three as they are kept, and what foreign text cannot do to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "fixture.h"
#include "forms.h"
#include "reports/mail/header.h"
#include "reports/mail/mail.h"
#include "reports/mail/maintainers.h"

static const char kernel_maintainers[] = "List of maintainers\n"
					 "===================\n"
					 "\n"
					 "	M: *Mail* patches to: FullName <address@domain>\n"
					 "AMD KFD\n"
					 "M:	Felix Kfd <felix@amd.example>\n"
					 "L:	amd-gfx@lists.example\n"
					 "F:	drivers/gpu/drm/amd/amdgpu/amdgpu_amdkfd*.[ch]\n"
					 "F:	drivers/gpu/drm/amd/amdkfd/\n"
					 "\n"
					 "DRM DRIVERS\n"
					 "M:	Dave Drm <dave@drm.example>\n"
					 "F:	drivers/gpu/\n"
					 "X:	drivers/gpu/host1x/\n"
					 "\n"
					 "RADEON and AMDGPU DRM DRIVERS\n"
					 "M:	Alice Driver <alice@amd.example>\n"
					 "M:	Pan, Xin <xin@amd.example>\n"
					 "R:	J\xc3\xb6rg Reader <joerg@amd.example>\n"
					 "L:	amd-gfx@lists.example (moderated)\n"
					 "L:	closed@lists.example (subscribers-only)\n"
					 "F:	drivers/gpu/drm/amd/\n"
					 "F:	include/linux/hmm*\n"
					 "\n"
					 "ORPHAN\n"
					 "L:	orphans@lists.example\n"
					 "S:	Orphan\n"
					 "F:	drivers/gpu/drm/amd/old/\n"
					 "\n"
					 "THE REST\n"
					 "M:	Linus Everyone <linus@all.example>\n"
					 "L:	linux-kernel@lists.example\n"
					 "F:	*\n"
					 "F:	*/\n";

/* Who is named for one file, "people; reviewers; lists", each by the local part. */
static char *named_for(const char *text, const char *file, const char *changes)
{
	_cleanup_(maintainers_deinit) struct maintainers m = { 0 };
	const struct addresses *parts[] = { &m.people, &m.reviewers, &m.lists };
	struct buf b = { 0 };

	maintainers_find(text, &file, 1, changes, &m);
	for (size_t p = 0; p < ARRAY_SIZE(parts); p++) {
		buf_puts(&b, p ? ";" : "");
		for (size_t i = 0; i < parts[p]->n; i++)
			buf_printf(&b, "%s%.*s", i ? " " : "",
				   (int)strcspn(parts[p]->items[i].addr, "@"),
				   parts[p]->items[i].addr);
	}
	return buf_take(&b);
}

static char *named(const char *text, const char *file)
{
	return named_for(text, file, NULL);
}

static void the_most_specific_section_with_a_maintainer_is_taken(void **state)
{
	static const struct {
		const char *file, *want;
	} t[] = {
		{ "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c", "alice xin;joerg;amd-gfx" },
		{ "drivers/gpu/drm/amd/amdgpu/amdgpu_amdkfd_gpuvm.c", "felix;;amd-gfx" },
		{ "drivers/gpu/drm/amd/amdgpu/amdgpu_amdkfd.rst", "alice xin;joerg;amd-gfx" },
		{ "drivers/gpu/drm/amd/amdkfd/kfd_svm.c", "felix;;amd-gfx" },
		{ "drivers/gpu/drm/amd/old/a.c", "alice xin;joerg;amd-gfx orphans" },
		{ "drivers/gpu/drm/drm_gem.c", "dave;;" },
		{ "drivers/gpu/host1x/bus.c", "linus;;linux-kernel" },
		{ "include/linux/hmm.h", "alice xin;joerg;amd-gfx" },
		{ "include/linux/hmm/deeper.h", "linus;;linux-kernel" },
		{ "Makefile", "linus;;linux-kernel" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		_cleanup_free_ char *have = named(kernel_maintainers, t[i].file);

		if (strcmp(have, t[i].want) != 0)
			fail_msg("%s: '%s', want '%s'", t[i].file, have, t[i].want);
	}
}

/* Sections by the name of a file, and by what was changed in it. */
static const char expressions[] = "TEGRA\n"
				  "M:	thierry@tegra.example\n"
				  "R:	jon@tegra.example\n"
				  "L:	tegra@lists.example\n"
				  "N:	[^a-z]tegra # with a remark\n"
				  "X:	drivers/pwm/pwm-tegra-old.c\n"
				  "\nPWM\n"
				  "M:	uwe@pwm.example\n"
				  "F:	drivers/pwm/\n"
				  "K:	pwm_(config|apply_state)\n"
				  "\nDMA-BUF\n"
				  "M:	sumit@dma.example\n"
				  "L:	dma@lists.example\n"
				  "K:	\\bdma_(?:buf|fence|resv)\\b\n"
				  "\nCLANG\n"
				  "M:	nathan@clang.example\n"
				  "K:	\\b(?i:clang|llvm)\\b\n"
				  "\nBROKEN\n"
				  "M:	nobody@broken.example\n"
				  "N:	(\n"
				  "K:	[\n"
				  "\nREST\n"
				  "M:	linus@all.example\n"
				  "F:	*/\n";

static void expressions_name_whoever_is_beside(void **state)
{
	static const struct {
		const char *file, *changes, *want;
	} t[] = {
		/* An N: alone leads; beside a directory it is in copy, unless its X: says no. */
		{ "arch/arm/mach-tegra/x.c", NULL, "thierry;jon;tegra" },
		{ "drivers/pwm/pwm-tegra.c", NULL, "uwe;thierry jon;tegra" },
		{ "drivers/pwm/pwm-tegra-old.c", NULL, "uwe;;" },
		{ "drivers/pwm/integra.c", NULL, "uwe;;" },
		/* A K: is of what was changed, never of the file's name. */
		{ "a/b.c", "x\n	struct dma_fence *f;\n", "linus;sumit;dma" },
		{ "a/b.c", "dma_fence_put(f);\n", "linus;;" },
		{ "a/dma_buf.c", "x\n", "linus;;" },
		{ "a/b.c", "/* CLANG is happy */", "linus;nathan;" },
		{ "drivers/pwm/a.c", "pwm_config(x);\ndma_buf\n", "uwe;sumit;dma" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		_cleanup_free_ char *have = named_for(expressions, t[i].file, t[i].changes);

		if (strcmp(have, t[i].want) != 0)
			fail_msg("%s, '%s': '%s', want '%s'", t[i].file,
				 t[i].changes ? t[i].changes : "", have, t[i].want);
	}
}

/* One that would run for ever on a line of a patch is given up, and the others are looked at. */
static void an_expression_without_end_is_given_up(void **state)
{
	static const char text[] =
		"EVIL\nM:	evil@evil.example\nK:	(a+)+$\nK:	(?=(a+)+b)(?1)\n"
		"\nGOOD\nM:	good@good.example\nK:	b$\n";
	_cleanup_buf_ struct buf line = { 0 };
	_cleanup_free_ char *have = NULL;
	int64_t begun_ns = clock_now_ns();

	(void)state;
	for (unsigned int i = 0; i < 4000; i++)
		buf_puts(&line, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac\n");
	buf_puts(&line, "b\n");
	have = named_for(text, "x", line.data);
	assert_string_equal(have, ";good;");
	assert_true(clock_now_ns() - begun_ns < 10 * NS_PER_S);
}

static void everyone_s_maintainer_is_not_asked_beside_others(void **state)
{
	static const char *const files[] = { "Makefile", "drivers/gpu/drm/drm_gem.c" };
	_cleanup_(maintainers_deinit) struct maintainers m = { 0 };

	(void)state;
	maintainers_find(kernel_maintainers, files, 2, NULL, &m);
	assert_int_equal(m.people.n, 1);
	assert_string_equal(m.people.items[0].addr, "dave@drm.example");
}

static void patterns_match_as_get_maintainer_has_it(void **state)
{
	static const struct {
		const char *pattern, *file;
		int depth;
	} t[] = {
		{ "mm/hmm*", "mm/hmm.c", 2 },
		{ "mm/hmm*", "mm/hmm/x.c", MAINTAINERS_NO_MATCH },
		{ "mm/hmm", "mm/hmm.c", 2 }, /* a beginning is enough */
		{ "mm/", "mm/a/b/c.c", 1 },
		{ "mm", "mm/a/b/c.c", 1 },
		{ "drivers/*/amd/", "drivers/gpu/amd/x.c", 3 },
		{ "*/", "mm/hmm.c", -1 },
		{ "*", "Makefile", -1 },
		{ "*", "mm/hmm.c", MAINTAINERS_NO_MATCH },
		{ "Documentation/**/hmm.rst", "Documentation/a/b/hmm.rst", 3 },
		{ "mm/h?m.c", "mm/hmm.c", 2 },
		{ "mm/[g-i]mm.c", "mm/hmm.c", 2 },
		{ "mm/[^h]mm.c", "mm/hmm.c", MAINTAINERS_NO_MATCH },
		{ "mm/[h", "mm/[h", 2 },
		{ "mm/[h", "mm/hmm.c", MAINTAINERS_NO_MATCH },
		{ "mm/hmm.c", "mm/hmmXc", MAINTAINERS_NO_MATCH },
		{ "", "mm/hmm.c", MAINTAINERS_NO_MATCH },
		{ "mm/hmm.c.longer", "mm/hmm.c", MAINTAINERS_NO_MATCH },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		int have = maintainers_match(t[i].pattern, strlen(t[i].pattern), t[i].file);

		if (have != t[i].depth)
			fail_msg("%s on %s: %d, want %d", t[i].pattern, t[i].file, have,
				 t[i].depth);
	}
}

static void a_maintainers_file_of_any_bytes_names_nobody_or_addresses(void **state)
{
	static const char *const texts[] = {
		"",
		"no entry at all\n\n# remark",
		"M:\nF:\nX:\nL:",
		"A\nM:	Someone <a@b.example>\nL:	l@b.example\n", /* no F: */
		"A\nM:	not an address\nF:	mm/\n",
		"A\nM:	\xff\xfe\x01 <x\r\ny@b.example>\nF:	mm/\n",
		"A\nM:	<@>\nM:	<a@>\nM:	<@b>\nF:	mm/\n",
		"A\nM:	<a@b@c>\nM:	<a b@c>\nF:	mm/\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_free_ char *have = named(texts[i], "mm/hmm.c");

		assert_string_equal(have, ";;");
	}
}

static void a_huge_maintainers_file_is_read_in_time_and_to_its_bound(void **state)
{
	_cleanup_buf_ struct buf b = { 0 };
	_cleanup_free_ char *have = NULL;
	int64_t begun = clock_now_ns();

	(void)state;
	buf_puts(&b, "FIRST\nM:	a@b.example\nF:	mm/hmm.c\n");
	while (b.len < 2 * MAINTAINERS_MAX_BYTES)
		buf_puts(&b, "X\nM:	x@b.example\nF:	*m*m*m*m*/*h*m*m*.*.*c*c*z\n");
	buf_puts(&b, "LAST\nM:	z@b.example\nF:	mm/hmm.c\n");
	have = named(b.data, "mm/hmm.c");
	assert_string_equal(have, "a;;");
	assert_true(clock_now_ns() - begun < 30 * NS_PER_S);
}

static void only_plain_addresses_are_addresses(void **state)
{
	static const char *const no[] = {
		"",	      "a",	    "@b.c",   "a@",	  "a@b c",
		"a@b,c@d",    "a@b>",	    "a..b@c", ".a@b",	  "a.@b",
		"a@.b",	      "a@b.",	    "a\"b@c", "a(b)@c",	  "a@[1.2.3.4]",
		"a@b\nBcc:x", "\xc3\xa4@b", "a@b\r",  "a@b@c.de",
	};
	static const char *const yes[] = { "a@b", "a.b+c@d-e.example", "o'neil@b.example" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (address_is_valid(no[i], strlen(no[i])))
			fail_msg("'%s' is no address", no[i]);
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_true(address_is_valid(yes[i], strlen(yes[i])));
}

static void each_person_stands_once_and_lists_have_an_end(void **state)
{
	_cleanup_(addresses_deinit) struct addresses l = { 0 };
	_cleanup_buf_ struct buf b = { 0 };

	(void)state;
	buf_puts(&b, "subject\n\nSigned-off-by: A <a@b.example>\nreviewed-by: Other <A@B.example>\n"
		     "Fixes: 1234 <f@b.example>\nCc: C <c@b.example>\n");
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "Acked-by: N <n%d@b.example>\n", i);
	addresses_of_message(&l, b.data);
	assert_int_equal(l.n, ADDRESSES_MAX);
	assert_false(addresses_has(&l, "f@b.example"));
	assert_false(addresses_has(&l, "c@b.example"));
	assert_string_equal(l.items[0].name, "A");
	assert_string_equal(l.items[1].addr, "n0@b.example");
}

static void no_text_leaves_its_header(void **state)
{
	_cleanup_(addresses_deinit) struct addresses l = { 0 };
	_cleanup_buf_ struct buf b = { 0 };

	(void)state;
	addresses_add_pair(&l, HOSTILE "\r\nBcc: x@y.example", "a@b.example");
	addresses_add_pair(&l, "Pan, \"X\" \\ Y", "b@b.example");
	addresses_add_pair(&l, "=?UTF-8?Q?=0ABcc?=", "c@b.example");
	assert_int_equal(l.n, 3);
	header_text(&b, "Subject", HOSTILE "\r\nBcc: x@y.example\n\nbody");
	header_addresses(&b, "To", &l);
	for (const char *line = b.data, *end; (end = strchr(line, '\n')); line = end + 1) {
		assert_true(*line == ' ' || str_starts(line, "Subject: ") ||
			    str_starts(line, "To: "));
		if (end - line > 76)
			fail_msg("long header line: %.*s", (int)(end - line), line);
		for (const char *c = line; c < end; c++)
			assert_true(*c >= ' ' && *c < 0x7f);
	}
	assert_non_null(strstr(b.data, "\"Pan, \\\"X\\\" \\\\ Y\" <b@b.example>"));
	assert_non_null(strstr(b.data, "=?UTF-8?Q?=3D=3FUTF-8=3FQ=3F=3D0ABcc=3F=3D?="));
}

static void put_text(char **ret, const char *text)
{
	*ret = xstrdup(text);
}

static void fill_commit(struct mail_commit *c, const char *id, const char *subject)
{
	str_copy(c->id, sizeof(c->id), id);
	put_text(&c->subject, subject);
	put_text(&c->author_name, "Zo\xc3\xab Author");
	put_text(&c->author_email, "zoe@author.example");
	put_text(&c->message, "subject\n\nSigned-off-by: Zo\xc3\xab Author <zoe@author.example>\n"
			      "Reviewed-by: Alice Driver <alice@amd.example>\n"
			      "Signed-off-by: Sam Signer <sam@signer.example>\n");
	strv_add(&c->files, "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c");
}

/* What the repository would say of the fixture's run. */
static void fill_source(struct mail_source *m)
{
	char id[COMMIT_ID_SIZE];

	*m = (struct mail_source){ .date_s = 1787302800, .n_blamed = 1, .asked = &asked };
	put_text(&m->from_name, "Kim M\xc3\xb6ller");
	put_text(&m->from_email, "kim@example.org");
	put_text(&m->maintainers, kernel_maintainers);
	put_text(&m->old_version, "6.1.187");
	put_text(&m->new_version, "6.1.192");
	put_text(&m->series, "6.1.y");
	m->blamed = xcalloc(1, sizeof(*m->blamed));
	fixture_id(FIXTURE_CULPRIT, id);
	fill_commit(&m->blamed[0], id, "drm/amdgpu: fix amdgpu_hmm_range_get_pages");
	fixture_id(1000, id);
	fill_commit(&m->repair, id, "drm/amdgpu: drop retry loop in amdgpu_hmm_range_get_pages");
}

/* A proven run, of which the follow-up is shown as well. */
static void store_repaired(void)
{
	char id[COMMIT_ID_SIZE];

	fixture_proven(s);
	fixture_id(1000, id);
	store_set(s, "proof.tip_with_followup.followup", id, &err);
	store_set(s, "proof.tip_with_followup.how", "its Fixes: names the culprit", &err);
	fixture_id(1001, id);
	store_set(s, "proof.tip_with_followup.commit", id, &err);
	fixture_trial(s, 1001, ROLE_TIP_WITH_FOLLOWUP, VERDICT_GOOD);
	store_set(s, "proof.tip_without.why",
		  "taking it away from the tip does not apply: it collides "
		  "in drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c",
		  &err);
}

static void is_as_kept(enum mail_kind kind, const char *file)
{
	_cleanup_free_ char *path = str_printf("%s/mail/%s", HERE, file);
	_cleanup_(mail_source_deinit) struct mail_source source = { 0 };
	_cleanup_(mail_ask_deinit) struct mail_ask ask = { 0 };
	_cleanup_free_ char *want = NULL;

	store_repaired();
	assert_int_equal(mail_ask(s, kind, &ask, &err), 0);
	assert_string_equal(ask.refusal, "");
	fill_source(&source);
	buf_deinit(&out);
	assert_int_equal(report_mail(s, kind, &source, &out, &err), 0);
	assert_int_equal(fs_read(path, 1 << 20, &want, NULL, &err), 0);
	if (strcmp(want, out.data) == 0)
		return;
	fputs(out.data, stderr);
	fail_msg("that is another draft than %s; if it is right, keep it", path);
}

static void a_regression_is_reported_as_kept(void **state)
{
	(void)state;
	is_as_kept(MAIL_REGRESSION, "regression.eml");
}

static void the_stable_team_is_asked_as_kept(void **state)
{
	(void)state;
	is_as_kept(MAIL_STABLE, "stable.eml");
}

static void a_bug_is_written_as_kept(void **state)
{
	(void)state;
	is_as_kept(MAIL_BUG, "bug.eml");
}

static const char *refusal(enum mail_kind kind)
{
	static char text[640];
	_cleanup_(mail_ask_deinit) struct mail_ask ask = { 0 };

	assert_int_equal(mail_ask(s, kind, &ask, &err), 0);
	str_copy(text, sizeof(text), ask.refusal);
	return text;
}

static void without_a_culprit_there_is_no_draft_and_the_reason_is_said(void **state)
{
	static const struct {
		const char *outcome, *words;
	} t[] = {
		{ "running", "has not ended" },
		{ "stopped", "was stopped" },
		{ "host", "broke off" },
		{ "end", "an end is not what was claimed" },
	};

	(void)state;
	fixture_facts(s);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		for (enum mail_kind k = 0; k < MAIL_KINDS; k++) {
			store_set(s, "run.outcome", t[i].outcome, &err);
			assert_non_null(strstr(refusal(k), "the run names no commit"));
			assert_non_null(strstr(refusal(k), t[i].words));
		}
}

static void a_repair_that_was_not_shown_is_not_asked_for(void **state)
{
	char id[COMMIT_ID_SIZE];

	(void)state;
	fixture_proven(s);
	assert_non_null(strstr(refusal(MAIL_STABLE), "corner 4 of the proof is missing"));
	assert_string_equal(refusal(MAIL_REGRESSION), "");
	fixture_id(1000, id);
	store_set(s, "proof.tip_with_followup.followup", id, &err);
	fixture_id(1001, id);
	store_set(s, "proof.tip_with_followup.commit", id, &err);
	fixture_trial(s, 1001, ROLE_TIP_WITH_FOLLOWUP, VERDICT_BAD);
	assert_non_null(strstr(refusal(MAIL_STABLE), "corner 4 of the proof is failed"));
	fixture_trial(s, 1001, ROLE_TIP_WITH_FOLLOWUP, VERDICT_GOOD);
	assert_string_equal(refusal(MAIL_STABLE), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_most_specific_section_with_a_maintainer_is_taken),
		TEST(everyone_s_maintainer_is_not_asked_beside_others),
		TEST(patterns_match_as_get_maintainer_has_it),
		TEST(expressions_name_whoever_is_beside),
		TEST(an_expression_without_end_is_given_up),
		TEST(a_maintainers_file_of_any_bytes_names_nobody_or_addresses),
		TEST(a_huge_maintainers_file_is_read_in_time_and_to_its_bound),
		TEST(only_plain_addresses_are_addresses),
		TEST(each_person_stands_once_and_lists_have_an_end),
		TEST(no_text_leaves_its_header),
		TEST(a_regression_is_reported_as_kept),
		TEST(the_stable_team_is_asked_as_kept),
		TEST(a_bug_is_written_as_kept),
		TEST(without_a_culprit_there_is_no_draft_and_the_reason_is_said),
		TEST(a_repair_that_was_not_shown_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
