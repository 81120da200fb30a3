// SPDX-License-Identifier: GPL-2.0-or-later
/* What the compiler was asked by Kbuild: see asked.h. */
#include "build/cc/asked.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"

#define FILE_MAX_BYTES (1 << 20) /* a tree's are 60 KiB; candidates with other flags add to them */

/*
 * Instead of Kbuild's. $(1) is the command, $(2) what it is if that succeeds, $(3) if not. A line of the
 * file is the command and y or n; make reads and writes it without a shell. A plugin is built in the tree,
 * so that the answer to a command with one may change.
 */
static const char try_run[] =
	"try-run=$(if $(findstring <$(1)>y,$(file <$(AMDGPU_BISECT_ASKED))),$(2),"
	"$(if $(findstring <$(1)>n,$(file <$(AMDGPU_BISECT_ASKED))),$(3),"
	"$(foreach answer,$(shell "
	"dir=.tmp_$$$$; TMP=$$dir/tmp; TMPO=$$dir/tmp.o; trap \"rm -rf $$dir\" EXIT; mkdir -p "
	"$$dir; "
	"if said=$$( ( $(1) ) 2>&1 ); then echo y; else case $$said in "
	"(*unrecognized*option*|*unknown*argument*|*unknown*option*|*no\\ such\\ instruction*) "
	"echo n;; "
	"(*) echo unclear;; esac; fi),"
	"$(if $(findstring -fplugin,$(1))$(filter unclear,$(answer)),,"
	"$(file >>$(AMDGPU_BISECT_ASKED),<$(1)>$(answer)))"
	"$(if $(filter y,$(answer)),$(2),$(3)))))";

/* By size and time: a compiler of one's own may change under one version. */
static bool add_program(const char *command, struct buf *text)
{
	_cleanup_free_ char *first = xstrndup(command, strcspn(command, " "));
	_cleanup_free_ char *program = spawn_find(first);

	return program && fs_stamp(program, program, text);
}

char *asked_file(const char *tree, const char *cc, const char *version)
{
	const char *slash = strrchr(tree, '/');
	_cleanup_buf_ struct buf text = { 0 };
	char digest[65];
	struct stat st;
	char *path;

	buf_printf(&text, "%s\n%s\n", cc, version ? version : "");
	/* make would expand it once more */
	if (strchr(tree, '$'))
		return NULL;
	if (!slash || !version || !add_program(cc, &text) || !add_program("as", &text) ||
	    !add_program("ld", &text))
		return NULL;
	fs_sha256_text(text.data, text.len, digest);
	path = str_printf("%.*s/asked-%.16s", (int)(slash - tree), tree, digest);
	if (stat(path, &st) == 0 && st.st_size > FILE_MAX_BYTES)
		unlink(path);
	return path;
}

void asked_env(const char *file, struct strv *argv)
{
	strv_addf(argv, "AMDGPU_BISECT_ASKED=%s", file);
}

void asked_arg(struct strv *argv)
{
	strv_add(argv, try_run);
}
