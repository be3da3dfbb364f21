/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64 sites of jump labels: a NOP, or a B in its place.
 */
#ifndef ARM_JUMP_LABEL_H
#define ARM_JUMP_LABEL_H

#define ARCH_JUMP_LABEL_INSN_LEN 4

#define ARCH_JUMP_LABEL_NOP 0x1f, 0x20, 0x03, 0xd5

static always_inline bool arch_jump_label_site(const struct jump_label *label)
{
    asm goto ( "1: nop\n\t"
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

/*
 * A function may change x0 to x18 and, as it is called, x30.  All of them are
 * saved here, out of line: with x30 among the clobbers, functions which call
 * nothing else would need a stack frame.  The arguments can be in any register,
 * so they reach x0 to x2 through the stack, which has no red zone.
 */
#define JUMP_LABEL_CALL(fn, a, b, c) \
    asm_inline volatile ( \
        "stp x0, x1, [sp, #-192]!\n\t" \
        "stp x2, x3, [sp, #16]\n\t" \
        "stp x4, x5, [sp, #32]\n\t" \
        "stp x6, x7, [sp, #48]\n\t" \
        "stp x8, x9, [sp, #64]\n\t" \
        "stp x10, x11, [sp, #80]\n\t" \
        "stp x12, x13, [sp, #96]\n\t" \
        "stp x14, x15, [sp, #112]\n\t" \
        "stp x16, x17, [sp, #128]\n\t" \
        "stp x18, x30, [sp, #144]\n\t" \
        "stp %x[arg0], %x[arg1], [sp, #160]\n\t" \
        "str %x[arg2], [sp, #176]\n\t" \
        "ldp x0, x1, [sp, #160]\n\t" \
        "ldr x2, [sp, #176]\n\t" \
        "bl %c[f]\n\t" \
        "ldp x18, x30, [sp, #144]\n\t" \
        "ldp x16, x17, [sp, #128]\n\t" \
        "ldp x14, x15, [sp, #112]\n\t" \
        "ldp x12, x13, [sp, #96]\n\t" \
        "ldp x10, x11, [sp, #80]\n\t" \
        "ldp x8, x9, [sp, #64]\n\t" \
        "ldp x6, x7, [sp, #48]\n\t" \
        "ldp x4, x5, [sp, #32]\n\t" \
        "ldp x2, x3, [sp, #16]\n\t" \
        "ldp x0, x1, [sp], #192" \
        :: [f] "i" (fn), [arg0] "rZ" ((unsigned long)(a)), \
           [arg1] "rZ" ((unsigned long)(b)), [arg2] "rZ" ((unsigned long)(c)) \
        : "memory", "cc" )

#define JUMP_LABEL_CALL1(fn, a) JUMP_LABEL_CALL(fn, a, 0, 0)
#define JUMP_LABEL_CALL2(fn, a, b) JUMP_LABEL_CALL(fn, a, b, 0)
#define JUMP_LABEL_CALL3(fn, a, b, c) JUMP_LABEL_CALL(fn, a, b, c)

/* Pick the macro for the number of arguments. */
#define JUMP_LABEL_CALLN(a, b, c, call, ...) call
#define arch_jump_label_call(fn, args...)                          \
    JUMP_LABEL_CALLN(args, JUMP_LABEL_CALL3, JUMP_LABEL_CALL2,     \
                     JUMP_LABEL_CALL1,)(fn, args)

#endif /* ARM_JUMP_LABEL_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
