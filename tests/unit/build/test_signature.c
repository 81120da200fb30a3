// SPDX-License-Identifier: GPL-2.0-or-later
/* What makes another signature, and what does not: with objects of the compiler, and byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <glob.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/str.h"
#include "build/make/signature.h"
#include "compile.h"

static char root[32];
static struct err err;

/* The kernel's tables as its macros write them; LINE, FLAGS and FILE come with the command line. */
static const char tables[] =
	"#define ENTRY(pointers, size) \\\n"
	"	asm volatile(\"1: ud2\\n.pushsection __bug_table,\\\"aw\\\"\\n2: .long 1b - .\\n\" "
	"\\\n"
	"		     pointers \".word %c1\\n.word %c2\\n.org 2b + \" size "
	"\"\\n.popsection\" \\\n"
	"		     : : \"i\"(FILE), \"i\"(LINE), \"i\"(FLAGS), \"i\"(\"a format\"))\n"
	"#define WARN() ENTRY(\".long %c0 - .\\n\", \"12\")\n"
	"#define WARN_FORMAT() ENTRY(\".long %c3 - .\\n.long %c0 - .\\n\", \"16\")\n"
	/* without CONFIG_DEBUG_BUGVERBOSE: flags where others have the line */
	"#define WARN_TERSE() ENTRY(\".long %c3 - .\\n\", \"12\")\n"
	"struct ddebug {\n"
	"	const char *modname, *function, *filename, *format;\n"
	"	unsigned int lineno : 18, class_id : 6, flags : 8;\n"
	"	long key[2];\n"
	"} __attribute__((aligned(8)));\n"
	"#define DEBUG(n) __attribute__((section(\"__dyndbg\"), used, aligned(8))) \\\n"
	"	static struct ddebug dd##n = { \"m\", \"fn\", FILE, \"text\\n\", LINE, 63, FLAGS, "
	"{ 1 } }\n"
	"struct tag {\n"
	"	unsigned int flags, lineno;\n"
	"	const char *modname, *function, *filename;\n"
	"	void *counters;\n"
	"};\n"
	"#define TAG(n) __attribute__((section(\"alloc_tags\"), used, aligned(8))) \\\n"
	"	static struct tag tag##n = { FLAGS, LINE, \"m\", \"fn\", FILE, 0 }\n";

#define USUAL "-DLINE=10 -DFLAGS=3 '-DFILE=\"drivers/gpu/x.c\"'"

static int setup(void **state)
{
	(void)state;
	str_copy(root, sizeof(root), "/tmp/build-sign-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return fs_remove_tree(root, &err);
}

static char *sign(const char *path)
{
	char signature[65];

	if (signature_of(&path, 1, signature, &err) < 0)
		fail_msg("%s", err.msg);
	return xstrdup(signature);
}

static char *sign_source(const char *source, const char *flags)
{
	_cleanup_free_ char *path = str_printf("%s/x.o", root);
	_cleanup_free_ char *all = str_printf("%s%s%s", compile_modinfo, tables, source);

	compile(path, all, flags);
	return sign(path);
}

static bool same(const char *a, const char *a_flags, const char *b, const char *b_flags)
{
	_cleanup_free_ char *first = sign_source(a, a_flags);
	_cleanup_free_ char *second = sign_source(b, b_flags);

	return strcmp(first, second) == 0;
}

static void comments_and_debug_information_make_no_difference(void **state)
{
	static const char plain[] = "int g(int);\nint f(int a)\n{\n	return g(a) + 3;\n}\n";
	static const char comments[] = "/* a\n * b\n */\nint g(int);\n\nint f(int a) // c\n{\n\n"
				       "	return g(a) + 3; /* d */\n}\n";

	(void)state;
	assert_true(same(plain, USUAL, comments, USUAL));
	assert_true(same(plain, USUAL " -g0", comments, USUAL " -g3"));
	assert_true(same(plain, USUAL " -g", plain, USUAL " -gdwarf-4 -ggdb3"));
}

static void code_constants_and_targets_make_one(void **state)
{
	static const char code[] = "int g(int); int h(int); int f(int a) { return g(a) + 3; }";
	static const char *const others[] = {
		"int g(int); int h(int); int f(int a) { return g(a) + 4; }", /* a constant */
		"int g(int); int h(int); int f(int a) { return h(a) + 3; }", /* who is called */
		"int g(int); int h(int); int F(int a) { return g(a) + 3; }", /* a global's name */
		"int g(int); int h(int); static int __attribute__((used)) f(int a) "
		"{ return g(a) + 3; }",
		"int g(int); int h(int); __attribute__((weak)) int f(int a) { return g(a) + 3; }",
		"__attribute__((weak)) int g(int); int h(int); int f(int a) { return g(a) + 3; }",
		"int g(int); int h(int); __attribute__((section(\".init.text\"))) int f(int a) "
		"{ return g(a) + 3; }",
		"int g(int); int h(int); int f(int a) { return g(a) + 3; } int bss[8];",
		"int g(int); int h(int); int f(int a) { return g(a) + 3; } int data = 1;",
	};

	(void)state;
	assert_true(same(code, USUAL, code, USUAL));
	assert_false(same("static int a[8]; int *f(void) { return a; }", USUAL,
			  "static int a[16]; int *f(void) { return a; }", USUAL));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (same(code, USUAL, others[i], USUAL))
			fail_msg("the same signature: %s", others[i]);
}

/* The same bytes and the same relocations, but of two that lead elsewhere. */
static void swapped_targets_of_relocations_make_one(void **state)
{
	static const char code[] = "%s static int a[4] = { 1 }, b[4] = { 1 };\n"
				   "int *const first = %s, *const second = %s;\n";
	_cleanup_free_ char *one = str_printf(code, "", "a", "b");
	_cleanup_free_ char *other = str_printf(code, "", "b", "a");
	_cleanup_free_ char *global = str_printf(code, "extern int u, v;", "&u", "&v");
	_cleanup_free_ char *swapped = str_printf(code, "extern int u, v;", "&v", "&u");

	(void)state;
	assert_false(same(one, USUAL, other, USUAL));
	assert_false(same(global, USUAL, swapped, USUAL));
}

static void names_count_where_the_kernel_looks_things_up_by_them(void **state)
{
	static const char code[] = "static int a[4] = { 1 }; int *f(void) { return a; }";
	static const char data[] = "static int b[4] = { 1 }; int *f(void) { return b; }";
	static const char called[] = "static __attribute__((noinline)) void s(void) { asm(\"\"); }"
				     "void f(void) { s(); s(); }";
	static const char other[] = "static __attribute__((noinline)) void t(void) { asm(\"\"); }"
				    "void f(void) { t(); t(); }";

	(void)state;
	assert_true(same(code, USUAL, data, USUAL));
	/* a kprobe finds it by its name, static or not */
	assert_false(same(called, USUAL, other, USUAL));
}

static void build_id_and_srcversion_are_left_out(void **state)
{
	static const char note[] =
		"int f(void) { return 1; }\n"
		"asm(\".pushsection .note.gnu.build-id,\\\"a\\\",@note\\n\"\n"
		"    \".long 4, 4, 3\\n.asciz \\\"GNU\\\"\\n.long \" ID \"\\n\"\n"
		"    \".popsection\");\n"
		"INFO(4, \"srcversion=\" VERSION);\n"
		"INFO(5, \"version=\" OTHER);\n";

	(void)state;
#define OF(id, version, other) \
	USUAL " '-DID=\"" id "\"' '-DVERSION=\"" version "\"' '-DOTHER=\"" other "\"'"
	assert_true(same(note, OF("1", "0A", "1"), note, OF("2", "0B", "1")));
	assert_true(same(note, OF("1", "0A", "1"), note, OF("1", "0ABC", "1")));
	assert_false(same(note, OF("1", "0A", "1"), note, OF("1", "0A", "2")));
	assert_false(same(note, OF("1", "0A", "1"), note, OF("1", "0z", "1")));
#undef OF
}

static void order_of_symbols_and_strings_is_left_out(void **state)
{
	static const char one[] = "asm(\".globl x1\\n.globl x2\\n.globl another\");\n"
				  "asm(\"x1: .byte 1\\nx2: .byte 2\\nanother: .byte 3\");\n";
	static const char two[] = "asm(\".globl another\\n.globl x2\\n.globl x1\");\n"
				  "asm(\"x1: .byte 1\\nx2: .byte 2\\nanother: .byte 3\");\n";
	static const char swapped[] = "asm(\".globl x1\\n.globl x2\\n.globl another\");\n"
				      "asm(\"x2: .byte 1\\nx1: .byte 2\\nanother: .byte 3\");\n";

	(void)state;
	assert_true(same(one, USUAL, two, USUAL));
	assert_false(same(one, USUAL, swapped, USUAL));
}

static const char *const tables_of[] = {
	"void f(void) { WARN(); WARN(); }",
	"void f(void) { WARN_FORMAT(); WARN_FORMAT(); }",
	"DEBUG(1); DEBUG(2);",
	"TAG(1); TAG(2);",
};

static void lines_in_known_tables_make_no_difference(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tables_of); i++) {
		const char *t = tables_of[i];

		if (!same(t, "-DLINE=10 -DFLAGS=3 '-DFILE=\"a/x.c\"'", t,
			  "-DLINE=65535 -DFLAGS=3 '-DFILE=\"a/x.c\"'"))
			fail_msg("another signature: %s", t);
	}
}

static void all_else_in_them_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tables_of); i++) {
		const char *t = tables_of[i];

		assert_false(same(t, "-DLINE=10 -DFLAGS=3 '-DFILE=\"a/x.c\"'", t,
				  "-DLINE=10 -DFLAGS=2 '-DFILE=\"a/x.c\"'"));
		assert_false(same(t, "-DLINE=10 -DFLAGS=3 '-DFILE=\"a/x.c\"'", t,
				  "-DLINE=10 -DFLAGS=3 '-DFILE=\"a/y.c\"'"));
	}
}

/* What is not surely such a table counts as it is. */
static void tables_of_another_layout_count_whole(void **state)
{
	static const char *const others[] = {
		/* its "line" is the flags of an entry that has none */
		"void f(void) { WARN_TERSE(); }",
		/* one entry of another kind among them */
		"void f(void) { WARN(); WARN_TERSE(); }",
		/* bytes that belong to no entry */
		"void f(void) { WARN(); } asm(\".pushsection __bug_table,\\\"aw\\\"\\n.long "
		"0\\n.popsection\");",
		/* an entry without its relocations */
		"void f(void) { WARN(); } asm(\".pushsection __bug_table,\\\"aw\\\"\\n.long 0, 0, "
		"0\\n"
		".popsection\");",
		"DEBUG(1); __attribute__((section(\"__dyndbg\"), used, aligned(8))) static long "
		"more[7] = { 1 "
		"};",
		"TAG(1); __attribute__((section(\"alloc_tags\"), used, aligned(8))) static long "
		"more[5] = { 1 "
		"};",
		/* as many pointers, but elsewhere */
		"struct o { const char *m, *f, *file; long none; unsigned int n; const char "
		"*format; "
		"long key; };\n"
		"__attribute__((section(\"__dyndbg\"), used, aligned(8))) static struct o d = "
		"{ \"m\", \"fn\", FILE, 0, LINE, \"text\\n\", 0 };",
		/* the same in a section that the kernel reads otherwise */
		"__attribute__((section(\"__other\"), used)) static struct ddebug d = "
		"{ \"m\", \"fn\", FILE, \"text\\n\", LINE, 63, FLAGS, { 1 } };",
		"int line = LINE;",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (same(others[i], USUAL, others[i],
			 "-DLINE=11 -DFLAGS=3 '-DFILE=\"drivers/gpu/x.c\"'"))
			fail_msg("the same signature: %s", others[i]);
	/* a pointer to something that is no source's name */
	for (size_t i = 0; i < ARRAY_SIZE(tables_of); i++)
		assert_false(same(tables_of[i], "-DLINE=10 -DFLAGS=3 '-DFILE=\"text\"'",
				  tables_of[i], "-DLINE=11 -DFLAGS=3 '-DFILE=\"text\"'"));
}

/* Which byte of the file may change what. */
enum part { HEADERS, COUNTS, IS_LEFT_OUT, EITHER };

static enum part part_of_section(const char *name, size_t at, unsigned int bit)
{
	if (strcmp(name, "__bug_table") == 0)
		return at % 12 == 8 || at % 12 == 9 ? IS_LEFT_OUT : COUNTS;
	if (strcmp(name, "__dyndbg") == 0 && at % 56 >= 32 && at % 56 <= 34)
		return at % 56 < 34 || bit < 2 ? IS_LEFT_OUT : COUNTS;
	if (strcmp(name, "alloc_tags") == 0 && at % 40 >= 4 && at % 40 < 8)
		return IS_LEFT_OUT;
	/* "srcversion=..." comes first: another hexadecimal digit, or a value that is no version */
	if (strcmp(name, ".modinfo") == 0 && at >= 11 && at < 34)
		return EITHER;
	return COUNTS;
}

static enum part part_of(const unsigned char *file, size_t at, unsigned int bit)
{
	const Elf64_Ehdr *eh = (const void *)file;
	const Elf64_Shdr *sh = (const void *)(file + eh->e_shoff);
	const char *names = (const char *)file + sh[eh->e_shstrndx].sh_offset;

	for (size_t i = 1; i < eh->e_shnum; i++) {
		const char *name = names + sh[i].sh_name;

		if (sh[i].sh_type == SHT_NOBITS || at < sh[i].sh_offset ||
		    at >= sh[i].sh_offset + sh[i].sh_size)
			continue;
		if (sh[i].sh_type == SHT_NOTE)
			return IS_LEFT_OUT;
		if (sh[i].sh_flags & SHF_ALLOC)
			return part_of_section(name, at - sh[i].sh_offset, bit);
		if (strcmp(name, ".comment") == 0 || str_starts(name, ".debug"))
			return IS_LEFT_OUT;
		return HEADERS; /* symbols, relocations, names */
	}
	return HEADERS;
}

/* Without a disk, as it is done for each byte of a file; @ret stays as it is if they are refused. */
static int sign_bytes(const void *data, size_t len, char ret[65])
{
	_cleanup_close_ int fd = memfd_create("elf", MFD_CLOEXEC);
	_cleanup_free_ char *path = str_printf("/proc/self/fd/%d", fd);
	const char *paths[] = { path };
	int rc;

	assert_int_equal(write(fd, data, len), len);
	rc = signature_of(paths, 1, ret, &err);
	if (rc < 0)
		assert_non_null(strstr(err.msg, path));
	return rc;
}

static void each_flipped_byte_changes_it_or_is_left_out(void **state)
{
	static const char source[] = "int g(int); static const int t[] = { 1, 2, 3 };\n"
				     "DEBUG(1); DEBUG(2); TAG(1);\n"
				     "int f(int a) { WARN(); WARN(); return g(t[a]); }\n"
				     "asm(\".pushsection .note.x,\\\"a\\\",@note\\n.long 1, 2, 3\\n"
				     ".popsection\");\n";
	_cleanup_free_ char *path = str_printf("%s/x.o", root);
	_cleanup_free_ char *all = str_printf("%s%s%s", compile_modinfo, tables, source);
	_cleanup_free_ char *pristine = NULL;
	_cleanup_free_ unsigned char *file = NULL;
	size_t seen[EITHER + 1] = { 0 };
	size_t len;

	(void)state;
	compile(path, all, USUAL " -g");
	pristine = sign(path);
	assert_int_equal(fs_read(path, 1u << 20, (char **)&file, &len, &err), 0);
	for (size_t i = 0; i < len; i++) {
		unsigned int bit = i & 7;
		enum part part = part_of(file, i, bit);
		char is[65] = "";

		file[i] ^= 1u << bit;
		sign_bytes(file, len, is);
		file[i] ^= 1u << bit;
		seen[part]++;
		if ((part == COUNTS && strcmp(is, pristine) == 0) ||
		    (part == IS_LEFT_OUT && strcmp(is, pristine) != 0))
			fail_msg("byte %zu, bit %u: %d %s", i, bit, part, is);
	}
	assert_true(seen[COUNTS] > 300 && seen[IS_LEFT_OUT] > 300 && seen[EITHER] == 23);
}

static void several_files_count_each_and_in_their_order(void **state)
{
	_cleanup_free_ char *a = str_printf("%s/a.ko", root);
	_cleanup_free_ char *b = str_printf("%s/b.ko", root);
	_cleanup_free_ char *c = str_printf("%s/c.ko", root);
	char ab[65], ba[65], one[65], renamed[65];

	(void)state;
	compile(a, "int a;", "");
	compile(b, "int b;", "");
	compile(c, "int b;", "");
	assert_int_equal(signature_of((const char *const[]){ a, b }, 2, ab, &err), 0);
	assert_int_equal(signature_of((const char *const[]){ b, a }, 2, ba, &err), 0);
	assert_int_equal(signature_of((const char *const[]){ a }, 1, one, &err), 0);
	assert_int_equal(signature_of((const char *const[]){ a, c }, 2, renamed, &err), 0);
	assert_string_not_equal(ab, ba);
	assert_string_not_equal(ab, one);
	assert_string_equal(ab, renamed);
}

static void a_linked_kernel_is_signed_as_well(void **state)
{
	static const char source[] = "int data = VALUE;\nvoid _start(void) { data++; }\n";
	_cleanup_free_ char *path = str_printf("%s/vmlinux.o", root);
	_cleanup_free_ char *image = str_printf("%s/vmlinux", root);
	_cleanup_free_ char *link = str_printf("ld -static %s -o %s --build-id=0x", path, image);
	static const char *const values[] = { "1", "1", "2" }, *const ids[] = { "11", "22", "11" };
	char *signatures[3];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_free_ char *flags = str_printf("-DVALUE=%s -g%zu", values[i], i & 1);
		_cleanup_free_ char *command = str_printf("%s%s", link, ids[i]);

		compile(path, source, flags);
		assert_int_equal(system(command), 0);
		signatures[i] = sign(image);
	}
	assert_string_equal(signatures[0], signatures[1]);
	assert_string_not_equal(signatures[0], signatures[2]);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		free(signatures[i]);
}

static void what_is_no_object_is_named(void **state)
{
	_cleanup_free_ char *path = str_printf("%s/x.o", root);
	_cleanup_free_ char *file = NULL;
	char is[65] = "untouched";
	size_t len;

	(void)state;
	compile(path, compile_modinfo, "");
	assert_int_equal(fs_read(path, 1u << 20, &file, &len, &err), 0);
	for (size_t n = 0; n < len; n++) {
		err = (struct err){ 0 };
		assert_int_equal(sign_bytes(file, n, is), -1);
		assert_int_equal(err.kind, ERR_HOST);
	}
	assert_int_equal(signature_of((const char *const[]){ root }, 1, is, &err), -1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(signature_of((const char *const[]){ path }, 1, is, &err), -1);
	assert_string_equal(is, "untouched");
}

static const Elf64_Shdr *find(const char *file, const char *name)
{
	const Elf64_Ehdr *eh = (const void *)file;
	const Elf64_Shdr *sh = (const void *)(file + eh->e_shoff);
	const char *names = file + sh[eh->e_shstrndx].sh_offset;

	for (size_t i = 1; i < eh->e_shnum; i++)
		if (strcmp(names + sh[i].sh_name, name) == 0)
			return &sh[i];
	return NULL;
}

/* Debian 13 compresses modules. */
static void plain_copy(const char *from, const char *to)
{
	_cleanup_free_ char *command = str_printf(
		"case %s in *.xz) xz -dc %s;; *) cat %s;; esac >%s", from, from, from, to);
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct spawn s = { .argv = argv };
	struct spawn_result r;

	assert_int_equal(spawn_run(&s, &r, &err), 0);
	assert_int_equal(r.exit_code, 0);
}

/* A driver as a distribution builds it: 1670 warnings and 2352 debug messages in that of 6.1. */
static void lines_of_a_real_driver_make_no_difference(void **state)
{
	static const struct {
		const char *section;
		size_t entry, line, other;
	} kinds[] = { { "__bug_table", 12, 8, 10 }, { "__dyndbg", 56, 33, 35 } };
	_cleanup_free_ char *copy = NULL;
	_cleanup_free_ char *pristine = NULL;
	_cleanup_free_ char *file = NULL;
	int64_t begun_ns;
	glob_t found;
	size_t len;

	(void)state;
	if (glob("/lib/modules/*-amd64/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko*", 0, NULL,
		 &found) != 0)
		skip();
	copy = str_printf("%s/amdgpu.ko", root);
	plain_copy(found.gl_pathv[0], copy);
	globfree(&found);
	assert_int_equal(fs_read(copy, 64u << 20, &file, &len, &err), 0);
	begun_ns = clock_now_ns();
	pristine = sign(copy);
	print_message("%zu bytes: %lld ms\n", len,
		      (long long)((clock_now_ns() - begun_ns) / 1000000));
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const Elf64_Shdr *sh = find(file, kinds[i].section);
		_cleanup_free_ char *lines = NULL;
		_cleanup_free_ char *flags = NULL;

		assert_true(sh && sh->sh_size > 1000 * kinds[i].entry);
		for (size_t at = 0; at < sh->sh_size; at += kinds[i].entry)
			file[sh->sh_offset + at + kinds[i].line] ^= 5;
		assert_int_equal(fs_write(copy, file, len, &err), 0);
		lines = sign(copy);
		assert_string_equal(lines, pristine);
		file[sh->sh_offset + kinds[i].other] ^= 1;
		assert_int_equal(fs_write(copy, file, len, &err), 0);
		flags = sign(copy);
		assert_string_not_equal(flags, pristine);
		file[sh->sh_offset + kinds[i].other] ^= 1;
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(comments_and_debug_information_make_no_difference),
		T(code_constants_and_targets_make_one),
		T(swapped_targets_of_relocations_make_one),
		T(names_count_where_the_kernel_looks_things_up_by_them),
		T(build_id_and_srcversion_are_left_out),
		T(order_of_symbols_and_strings_is_left_out),
		T(lines_in_known_tables_make_no_difference),
		T(all_else_in_them_does),
		T(tables_of_another_layout_count_whole),
		T(each_flipped_byte_changes_it_or_is_left_out),
		T(several_files_count_each_and_in_their_order),
		T(a_linked_kernel_is_signed_as_well),
		T(what_is_no_object_is_named),
		T(lines_of_a_real_driver_make_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
