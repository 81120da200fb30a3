/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel that says its first line and then nothing more: a guest that costs no processor time while
 * its daemon or its controller is killed. Entered as a PVH guest, in 32-bit mode without paging.
 * Source: include/xen/interface/elfnote.h, XEN_ELFNOTE_PHYS32_ENTRY.
 */
	.section .note.Xen, "a", @note
	.balign 4
	.long 4, 8, 18
	.asciz "Xen"
	.quad _start

	.section .text
	.code32
	.globl _start
_start:
	movl	$words, %esi
	movw	$0x3f8, %dx
1:	lodsb
	testb	%al, %al
	jz	2f
	outb	%al, %dx
	jmp	1b
2:	cli
	hlt
	jmp	2b

words:
	.asciz "Linux version 0.0.0-idle\r\n"

	.section .note.GNU-stack, "", @progbits
