/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jump labels on arm64: write the instruction of a site.
 *
 * Xen's .text is never made writable: the pages are written through an alias
 * which exists only while labels change.
 */

#include <xen/errno.h>
#include <xen/jump_label.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/pfn.h>
#include <xen/vmap.h>
#include <xen/xmalloc.h>

#include <asm/atomic.h>
#include <asm/insn.h>
#include <asm/page.h>

/* Override macros from asm/page.h to make them work with mfn_t */
#undef virt_to_mfn
#define virt_to_mfn(va) _mfn(__virt_to_mfn(va))

const uint8_t arch_jump_label_nop[] = { ARCH_JUMP_LABEL_NOP };

/* The alias, and the address in .text of the first page which it maps. */
static void *alias;
static unsigned long alias_of;

int arch_jump_label_prepare(unsigned long start, unsigned long end)
{
    unsigned int i, nr;
    mfn_t *mfns;

    alias_of = start & PAGE_MASK;
    nr = PFN_UP(end - alias_of);

    /* Xen's image is not physically contiguous if its cache is coloured. */
    mfns = xmalloc_array(mfn_t, nr);
    if ( !mfns )
        return -ENOMEM;
    for ( i = 0; i < nr; i++ )
        mfns[i] = virt_to_mfn(alias_of + i * PAGE_SIZE);

    alias = vmap(mfns, nr);
    xfree(mfns);

    return alias ? 0 : -ENOMEM;
}

/* What @site is while it is on or off. */
static uint32_t get_insn(const struct jump_label_site *site, bool on)
{
    return cpu_to_le32(on ? aarch64_insn_gen_branch_imm(
                                jump_label_site_insn(site),
                                jump_label_site_target(site),
                                AARCH64_INSN_BRANCH_NOLINK)
                          : aarch64_insn_gen_nop());
}

bool arch_jump_label_is(const struct jump_label_site *site, bool on)
{
    return *(const uint32_t *)jump_label_site_insn(site) == get_insn(site, on);
}

/*
 * The instruction is cleaned to memory, from where instruction caches fetch it.
 */
void arch_jump_label_write(const struct jump_label_site *site, bool on)
{
    uint32_t *insn = alias + (jump_label_site_insn(site) - alias_of);

    write_atomic(insn, get_insn(site, on));
    clean_and_invalidate_dcache_va_range(insn, sizeof(*insn));
}

/* Each pCPU drops what it has fetched already. */
void arch_jump_label_sync(void)
{
    invalidate_icache_local();
}

void arch_jump_label_finish(void)
{
    vunmap(alias);
    alias = NULL;
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
