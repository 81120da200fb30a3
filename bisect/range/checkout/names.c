// SPDX-License-Identifier: GPL-2.0-or-later
/* The checkout's doorkeeper: commits may come from anywhere, and so may the names in them. */
#include "range/checkout/names.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

bool name_is_safe(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       strcasecmp(name, ".git") != 0;
}

/*
 * A link may lead anywhere inside the directory. Its target may climb only at its start, where what is
 * above is a real directory: behind a name, which may be another link, ".." would lead anywhere.
 */
bool name_link_stays(const char *path, const char *target)
{
	long depth = -1; /* directories between the root and the link */
	bool named = false;

	if (*target == '/')
		return false;
	for (const char *c = path; *c; c++)
		depth += *c == '/';
	while (*target) {
		size_t len = strcspn(target, "/");

		if (len == 2 && memcmp(target, "..", 2) == 0) {
			if (named || --depth < 0)
				return false;
		} else if (len && !(len == 1 && *target == '.')) {
			named = true;
		}
		target += len;
		target += *target == '/';
	}
	return true;
}

static bool ends_with_any(const char *name, const char *const *suffixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_ends(name, suffixes[i]))
			return true;
	return false;
}

static bool is_any(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/*
 * What make writes beside the sources and calls as a person would. Source: the .gitignore files of Linux
 * 6.1, and what its build for x86 leaves behind.
 */
static bool is_made(const char *name)
{
	static const char *const suffixes[] = {
		".mod.c", ".lex.c", ".tab.c", ".tab.h", ".dtb.S", ".dt.yaml", "_reg_safe.h",
	};
	static const char *const names[] = {
		"av_permissions.h",
		"capability_names.h",
		"capflags.c",
		"compile_commands.json",
		"consolemap_deftbl.c",
		"cpustr.h",
		"crc32table.h",
		"crc64table.h",
		"devicetable-offsets.h",
		"elfconfig.h",
		"extra-certs.c",
		"flask.h",
		"gen-kdb_cmds.c",
		"inat-tables.c",
		"kvm-asm-offsets.h",
		"net_names.h",
		"oid_registry_data.c",
		"pasyms.h",
		"poly1305-x86_64-cryptogams.S",
		"randomize_layout_seed.h",
		"rlim_names.h",
		"scsi_devinfo_tbl.c",
		"shipped-certs.c",
		"utf8data.c",
		"utsversion-tmp.h",
		"vdso-image-32.c",
		"vdso-image-64.c",
		"vdso-image-x32.c",
		"voffset.h",
		"zoffset.h",
	};

	return ends_with_any(name, suffixes, ARRAY_SIZE(suffixes)) ||
	       is_any(name, names, ARRAY_SIZE(names));
}

bool name_is_output_dir(const char *name)
{
	/* the last two: headers that tools/ installs for its own programs */
	static const char *const names[] = { ".git", "generated", "libbpf", "libsubcmd" };

	return is_any(name, names, ARRAY_SIZE(names));
}

/* Not ".lds", most of which are made from ".lds.S", and which are never taken by a wildcard. */
bool name_is_source(const char *name)
{
	static const char *const suffixes[] = {
		".c",	  ".h",	    ".S",	".rs",	".dts",	   ".dtsi",    ".dtso",
		".asm",	  ".cc",    ".cpp",	".inc", ".y",	   ".l",       ".tbl",
		".tc",	  ".uc",    ".asn1",	".hex", ".ihex",   ".txt",     ".rst",
		".yaml",  ".json",  ".py",	".sh",	".pl",	   ".pm",      ".perl",
		".awk",	  ".mk",    ".ld",	".def", ".config", "_shipped", "_defconfig",
		".cocci", ".bconf", ".include",
	};
	static const char *const names[] = { "Makefile", "Kconfig",  "Kbuild",	    "README",
					     "Build",	 "Platform", "Makefile_32", "Makefile_64" };

	if (*name == '.' || is_made(name))
		return false;
	if (ends_with_any(name, suffixes, ARRAY_SIZE(suffixes)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(name, names[i]) && strchr(".", name[strlen(names[i])]))
			return true;
	return false;
}
