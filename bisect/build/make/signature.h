/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a candidate came to be: two with one signature are tested once, so different things must never
 * have the same one. The other way round costs a test and no more.
 *
 * It is SHA-256 over what the kernel's loader, or the boot, makes use of:
 *   - the ELF header's kind, machine and entry, and of a linked kernel the segments that are loaded;
 *   - allocated sections in their order: name, type, flags, address, size, alignment, content;
 *   - relocations that apply to them: offset, type, addend, and what the symbol stands for: section and
 *     value, or the name of one that comes from elsewhere;
 *   - global symbols, and functions whether global or not: kprobes find those by name.
 * Left out: notes (the build id), debug information, srcversion in .modinfo (a sum over the sources),
 * names of static variables, and how the file is laid out.
 *
 * Lines. A comment that is edited moves the lines below it, and a line number only shows in a text, which
 * no probe measures. So it is taken out of the tables that carry it for texts alone:
 *   __bug_table    line of struct bug_entry                 include/asm-generic/bug.h
 *   __dyndbg       lineno (18 bits) of struct _ddebug       include/linux/dynamic_debug.h
 *   alloc_tags     lineno of struct codetag                 include/linux/codetag.h
 * and only of x86-64 objects whose relocations, one by one, show that every entry has the known layout
 * and names a source file at the known place; any other table counts as it is. So do line numbers
 * elsewhere: in code (an argument __LINE__), in the data of UBSAN and of the printk index, and in a
 * linked kernel, which has no relocations left.
 */
#ifndef BUILD_SIGNATURE_H
#define BUILD_SIGNATURE_H

#include <stddef.h>

#include "base/err.h"

/**
 * signature_of() - one signature of several modules and kernels
 * @paths: [n] ELF files; their order counts, their names do not
 * @ret:   64 hex digits and a NUL; written on success only
 * @err:   ERR_HOST: a file that cannot be read, or is no whole ELF file; it is named
 *
 * Fast enough to be taken of each build: 60 MB take a tenth of a second.
 */
int signature_of(const char *const *paths, size_t n, char ret[65], struct err *err);

#endif
