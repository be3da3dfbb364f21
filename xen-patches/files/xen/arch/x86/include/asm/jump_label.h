/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86 sites of jump labels: a 5-byte NOP, or a JMP rel32 in its place.
 */
#ifndef X86_JUMP_LABEL_H
#define X86_JUMP_LABEL_H

#define ARCH_JUMP_LABEL_INSN_LEN 5

/* NOPL 0(%rax,%rax,1), the 5-byte NOP which both vendors recommend. */
#define ARCH_JUMP_LABEL_NOP 0x0f, 0x1f, 0x44, 0x00, 0x00

#define ARCH_JUMP_LABEL_NOP_STR "0x0f, 0x1f, 0x44, 0x00, 0x00"

static always_inline bool arch_jump_label_site(const struct jump_label *label)
{
    asm goto ( "1: .byte " ARCH_JUMP_LABEL_NOP_STR "\n\t"
               ".pushsection .jump_labels, \"a\", @progbits\n\t"
               ".p2align 2\n\t"
               ".long 1b - .\n\t"
               ".long %l[on] - .\n\t"
               ".long %c[label] - .\n\t"
               ".popsection"
               :: [label] "i" (label) :: on );

    return false;

 on:
    return true;
}

/* As ASM_CALL_CONSTRAINT, which cannot be the only output. */
#ifdef CONFIG_FRAME_POINTER
#define JUMP_LABEL_CALL_OUTPUT "+r" (current_stack_pointer)
#else
#define JUMP_LABEL_CALL_OUTPUT
#endif

#define JUMP_LABEL_KEEP(reg, insn) \
    "push %%" #reg "\n\t" insn "\n\t" "pop %%" #reg

/*
 * A function may change nine registers.  Sites are where functions begin or
 * end, or just before calls, where arguments are all that is in these: so
 * registers of arguments are saved here, out of line, and the compiler is told
 * of the others.
 */
#define JUMP_LABEL_CALL_CHANGES \
    "rax", "r8", "r9", "r10", "r11", "memory", "cc"
#define JUMP_LABEL_CALL_KEEPING_3 \
    JUMP_LABEL_KEEP(rdi, \
                    JUMP_LABEL_KEEP(rsi, \
                                    JUMP_LABEL_KEEP(rdx, "call %c[f]")))

#define JUMP_LABEL_CALL1(fn, a) \
    asm_inline volatile ( \
        JUMP_LABEL_CALL_KEEPING_3 \
        : JUMP_LABEL_CALL_OUTPUT \
        : [f] "i" (fn), "D" (a) \
        : "rcx", JUMP_LABEL_CALL_CHANGES )
#define JUMP_LABEL_CALL2(fn, a, b) \
    asm_inline volatile ( \
        JUMP_LABEL_CALL_KEEPING_3 \
        : JUMP_LABEL_CALL_OUTPUT \
        : [f] "i" (fn), "D" (a), "S" (b) \
        : "rcx", JUMP_LABEL_CALL_CHANGES )
#define JUMP_LABEL_CALL3(fn, a, b, c) \
    asm_inline volatile ( \
        JUMP_LABEL_KEEP(rcx, JUMP_LABEL_CALL_KEEPING_3) \
        : JUMP_LABEL_CALL_OUTPUT \
        : [f] "i" (fn), "D" (a), "S" (b), "d" (c) \
        : JUMP_LABEL_CALL_CHANGES )

/* Pick the macro for the number of arguments. */
#define JUMP_LABEL_CALLN(a, b, c, call, ...) call
#define arch_jump_label_call(fn, args...)                          \
    JUMP_LABEL_CALLN(args, JUMP_LABEL_CALL3, JUMP_LABEL_CALL2,     \
                     JUMP_LABEL_CALL1,)(fn, args)

#endif /* X86_JUMP_LABEL_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
