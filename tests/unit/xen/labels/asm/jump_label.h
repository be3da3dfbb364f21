/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for x86's header in test-xen-labels: the same, but for code. */
#define ARCH_JUMP_LABEL_INSN_LEN 5
#define ARCH_JUMP_LABEL_NOP 0x0f, 0x1f, 0x44, 0x00, 0x00
static inline bool arch_jump_label_site(const struct jump_label *label)
{
    return label->on;
}
