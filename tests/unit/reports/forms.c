// SPDX-License-Identifier: GPL-2.0-or-later
/* A run in each form, looked at as a reader would: see forms.h. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fs.h"

struct store *s;
struct err err;
struct buf out;
struct report_asked asked = { .test = (char *)" --memory 1024",
			      .run = (char *)" --rule 'metric op_ms'" };

static char dir[64];

int setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test-reports-XXXXXX");
	assert_non_null(mkdtemp(dir));
	return store_create(dir, &s, &err);
}

int teardown(void **state)
{
	(void)state;
	store_close(s);
	buf_deinit(&out);
	return fs_remove_tree(dir, &err);
}

const char *text(void)
{
	buf_deinit(&out);
	assert_int_equal(report_text(s, &asked, &out, &err), 0);
	return out.data;
}

const char *html(void)
{
	buf_deinit(&out);
	assert_int_equal(report_html(s, &asked, &out, &err), 0);
	return out.data;
}

struct json *json(void)
{
	struct json *j;

	buf_deinit(&out);
	assert_int_equal(report_json(s, &out, &err), 0);
	j = json_parse(out.data, out.len);
	assert_non_null(j);
	return j;
}

/* Runs a checker over what was written to a file. Return: its exit code. */
static int check(const char *script, const char *schema, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	_cleanup_free_ char *command =
		str_printf("python3 %s/%s %s %s", HERE, script, schema, path);
	int status;

	assert_int_equal(fs_write(path, out.data, out.len, &err), 0);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* All three forms of the run as it stands: valid, closed, within their columns. */
void all_forms_are_sound(void)
{
	int r;

	for (const char *line = text(), *end; (end = strchr(line, '\n')); line = end + 1) {
		/* Longer only where a path or a command is printed whole. */
		if (end - line > 100 && strncmp(line, "  ", 2) != 0)
			fail_msg("long line: %.*s", (int)(end - line), line);
	}
	json_destroy(json());
	r = check("check_json.py", SCHEMA, "report.json");
	if (r == 77)
		print_message("jsonschema is not installed: the schema was not checked\n");
	else
		assert_int_equal(r, 0);
	html();
	assert_int_equal(check("check_html.py", "", "report.html"), 0);
}

void expect_text(const char *want)
{
	if (!strstr(text(), want))
		fail_msg("no \"%s\" in:\n%s", want, out.data);
}
