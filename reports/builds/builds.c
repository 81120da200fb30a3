// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of the builds, as words: see builds.h. */
#include "reports/builds/builds.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"

const struct store_trial *builds_verdict_trial(const struct report *r,
					       const struct report_commit *c)
{
	for (size_t i = 0; c->trial && i < r->n_trials; i++)
		if (r->trials[i].trial == c->trial)
			return &r->trials[i];
	return NULL;
}

/* Names, a line each, with @between instead. */
static void put_names(struct buf *ret, const char *names, const char *between)
{
	for (; *names; names += strspn(names, "\n")) {
		size_t len = strcspn(names, "\n");

		buf_add(ret, names, len);
		names += len;
		if (names[0] && names[1])
			buf_puts(ret, between);
	}
}

void builds_note(const struct report *r, const struct report_commit *c, bool beside_reason,
		 struct buf *ret)
{
	const struct store_trial *t = builds_verdict_trial(r, c);

	if (!t)
		return;
	if (t->same_as[0] && !(beside_reason && str_starts(c->v.reason, "same as ")))
		buf_printf(ret, "same as %.12s", t->same_as);
	if (t->patches[0]) {
		buf_printf(ret, "%spatched by ", ret->len ? "; " : "");
		put_names(ret, t->patches, ", ");
	}
	if (t->where[0] && r->several)
		buf_printf(ret, "%son %s", ret->len ? "; " : "", t->where);
}

static void put_scope(const struct report *r, struct buf *ret)
{
	const char *why = report_fact(r, "build.scope.why");

	buf_puts(ret, report_fact_or(r, "scope", ""));
	if (ret->len && why)
		buf_printf(ret, ": %s", why);
}

static void put_warning(const struct report *r, struct buf *ret)
{
	buf_puts(ret, report_fact_or(r, "build.scope.warning", ""));
}

/* The @n-th fact config.DIGITS.file; NULL: there are no more. */
static const char *config_digits(const struct report *r, size_t n, char ret[13])
{
	for (size_t i = 0; i < r->keys.n; i++) {
		const char *key = r->keys.items[i];

		if (!str_starts(key, "config.") || !str_ends(key, ".file") ||
		    strlen(key) != strlen("config..file") + 12 || n--)
			continue;
		memcpy(ret, key + strlen("config."), 12);
		ret[12] = '\0';
		return ret;
	}
	return NULL;
}

static const char *config_fact(const struct report *r, const char *digits, const char *name)
{
	_cleanup_free_ char *key = str_printf("config.%s.%s", digits, name);

	return report_fact(r, key);
}

static void put_configs(const struct report *r, struct buf *ret)
{
	char digits[13];

	for (size_t n = 0; config_digits(r, n, digits); n++)
		buf_printf(ret, "%s%s (SHA-256 %s...)",
			   n ? ", " : "kept with the run: ", config_fact(r, digits, "file"),
			   digits);
}

/* Each once; several configs may be of one compiler. */
static void put_compilers(const struct report *r, struct buf *ret)
{
	const char *kernel = report_fact(r, "kernel.cc"), *cc = report_fact_or(r, "build.cc", "");
	_cleanup_strv_ struct strv all = { 0 };
	char digits[13];

	for (size_t n = 0; config_digits(r, n, digits); n++)
		if (config_fact(r, digits, "cc"))
			strv_add(&all, config_fact(r, digits, "cc"));
	strv_sort_once(&all);
	buf_puts(ret, cc);
	for (size_t i = 0; i < all.n; i++)
		buf_printf(ret, "%s%s", i ? "; " : *cc ? ": " : "", all.items[i]);
	if (!kernel || !all.n)
		return;
	if (all.n == 1 && strcmp(all.items[0], kernel) == 0)
		buf_puts(ret, ", as the kernel's own");
	else
		buf_printf(ret, "; the kernel's own: %s", kernel);
}

static bool has_patch(const struct store_trial *t)
{
	return t->patches[0];
}

static bool was_booted(const struct store_trial *t)
{
	return !t->same_as[0];
}

/* Commits of which a trial that was made is @is. */
static size_t count(const struct report *r, bool (*is)(const struct store_trial *), size_t *tried)
{
	size_t ret = 0;

	*tried = 0;
	for (size_t i = 0; i < r->n_commits; i++) {
		bool made = false, hit = false;

		for (size_t k = 0; k < r->n_trials; k++) {
			const struct store_trial *t = &r->trials[k];

			if (t->role == ROLE_USER || !t->ended ||
			    strcmp(t->commit, r->commits[i].id) != 0)
				continue;
			made = true;
			hit |= is(t);
		}
		*tried += made;
		ret += hit;
	}
	return ret;
}

static const char *given_patch(const struct report *r, size_t n)
{
	_cleanup_free_ char *key = str_printf("build.apply.%zu", n);

	return report_fact(r, key);
}

static void put_patches(const struct report *r, struct buf *ret)
{
	const char *text;
	size_t tried, n;

	if (!given_patch(r, 0))
		return;
	n = count(r, has_patch, &tried);
	buf_printf(ret, "%zu of %zu commits tried got one of: ", n, tried);
	for (size_t i = 0; (text = given_patch(r, i)); i++)
		buf_printf(ret, "%s%s", i ? "; " : "", text);
}

static size_t not_booted(const struct report *r, size_t *tried)
{
	size_t booted = count(r, was_booted, tried);

	return *tried - booted;
}

static void put_same(const struct report *r, struct buf *ret)
{
	size_t tried, n = not_booted(r, &tried);

	if (n)
		buf_printf(ret, "%zu of %zu commits tried %s not booted: %s", n, tried,
			   n == 1 ? "was" : "were",
			   n == 1 ? "its artifact is another's" : "their artifact is another's");
}

/* What was built while guests ran. */
static void put_ahead(const struct report *r, struct buf *ret)
{
	const char *saved = report_fact_or(r, "build.ahead.saved_ms", "0");
	char took[32];
	uint64_t ms;

	if (!report_fact(r, "build.ahead.built") && !report_fact(r, "build.ahead.stopped"))
		return;
	if (!str_to_u64(saved, INT64_MAX / NS_PER_MS, &ms))
		ms = 0;
	clock_duration_text((int64_t)ms * NS_PER_MS, took, sizeof(took));
	buf_printf(ret, "%s built while guests ran, %s of them used, which spared %s; %s stopped",
		   report_fact_or(r, "build.ahead.built", "0"),
		   report_fact_or(r, "build.ahead.used", "0"), took,
		   report_fact_or(r, "build.ahead.stopped", "0"));
}

bool builds_line(const struct report *r, size_t n, const char **label, struct buf *ret)
{
	static const struct {
		const char *label;
		void (*put)(const struct report *r, struct buf *ret);
	} lines[] = {
		{ "scope", put_scope },	       { "blind for", put_warning },
		{ "compiler", put_compilers }, { "config", put_configs },
		{ "patches", put_patches },    { "same", put_same },
		{ "ahead", put_ahead },
	};

	if (n >= ARRAY_SIZE(lines))
		return false;
	*label = lines[n].label;
	lines[n].put(r, ret);
	return true;
}

void builds_json_run(struct json *run, const struct report *r)
{
	json_set_str(run, "scope_why", report_fact(r, "build.scope.why"));
	json_set_str(run, "scope_warning", report_fact(r, "build.scope.warning"));
}

void builds_json(struct json *root, const struct report *r)
{
	struct json *build = json_set_object(root, "build");
	struct json *list;
	char digits[13];
	size_t tried;

	json_set_str(build, "cc", report_fact(r, "build.cc"));
	json_set_str(build, "kernel_cc", report_fact(r, "kernel.cc"));
	list = json_set_array(build, "configs");
	for (size_t n = 0; config_digits(r, n, digits); n++) {
		struct json *config = json_push_object(list);

		json_set_str(config, "id", digits);
		json_set_str(config, "file", config_fact(r, digits, "file"));
		json_set_str(config, "digest", config_fact(r, digits, "digest"));
		json_set_str(config, "cc", config_fact(r, digits, "cc"));
	}
	list = json_set_array(build, "apply");
	for (size_t n = 0; given_patch(r, n); n++)
		json_push_str(list, given_patch(r, n));
	json_set_int(build, "not_booted", (int64_t)not_booted(r, &tried));
	json_set_int(build, "tried", (int64_t)tried);
}

static void set_text(struct json *obj, const char *name, const char *text)
{
	json_set_str(obj, name, text && *text ? text : NULL);
}

void builds_json_trial(struct json *obj, const struct store_trial *t)
{
	_cleanup_free_ char *names = xstrdup(t ? t->patches : "");
	struct json *list;
	char *save = NULL;

	set_text(obj, "signature", t && t->ended ? t->v.signature : NULL);
	set_text(obj, "key", t ? t->key : NULL);
	set_text(obj, "config", t ? t->config : NULL);
	set_text(obj, "same_as", t ? t->same_as : NULL);
	list = json_set_array(obj, "patches");
	for (char *w = strtok_r(names, "\n", &save); w; w = strtok_r(NULL, "\n", &save))
		json_push_str(list, w);
}
