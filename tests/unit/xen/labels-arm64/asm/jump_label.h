/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces the header of arm64 in test-xen-labels-arm64: the same, but for code. */
#define ARCH_JUMP_LABEL_INSN_LEN 4
#define ARCH_JUMP_LABEL_NOP 0x1f, 0x20, 0x03, 0xd5
static inline bool arch_jump_label_site(const struct jump_label *label)
{
    return label->on;
}
