/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jump labels on x86: write the instruction of a site.
 *
 * Xen's .text is never made writable: the pages are written through an alias
 * which exists only while labels change.  Hence neither the permissions of
 * .text nor (with CET-SS) its dirty bits have to be restored, and no other
 * pCPU can have cached relaxed permissions.
 */

#include <xen/errno.h>
#include <xen/jump_label.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/pfn.h>
#include <xen/vmap.h>

#include <asm/page.h>

const uint8_t arch_jump_label_nop[] = { ARCH_JUMP_LABEL_NOP };

/* The alias, and the address in .text of the first page which it maps. */
static void *alias;
static unsigned long alias_of;
static unsigned int alias_pages;

int arch_jump_label_prepare(unsigned long start, unsigned long end)
{
    unsigned long first = start & PAGE_MASK;

    alias_pages = PFN_UP(end - first);
    /* Xen's image is physically contiguous. */
    alias = vmap_contig(_mfn(virt_to_mfn(first)), alias_pages);
    if ( !alias )
        return -ENOMEM;

    alias_of = first;

    return 0;
}

/* What @site is while it is on or off. */
static void get_insn(const struct jump_label_site *site, bool on, uint8_t *buf)
{
    if ( on )
    {
        int32_t disp = jump_label_site_target(site) -
                       (jump_label_site_insn(site) + ARCH_JUMP_LABEL_INSN_LEN);

        buf[0] = 0xe9; /* JMP rel32 */
        memcpy(&buf[1], &disp, sizeof(disp));
    }
    else
        memcpy(buf, arch_jump_label_nop, ARCH_JUMP_LABEL_INSN_LEN);
}

bool arch_jump_label_is(const struct jump_label_site *site, bool on)
{
    uint8_t buf[ARCH_JUMP_LABEL_INSN_LEN];

    get_insn(site, on, buf);

    return !memcmp((const void *)jump_label_site_insn(site), buf, sizeof(buf));
}

void arch_jump_label_write(const struct jump_label_site *site, bool on)
{
    uint8_t buf[ARCH_JUMP_LABEL_INSN_LEN];

    get_insn(site, on, buf);
    memcpy(alias + (jump_label_site_insn(site) - alias_of), buf, sizeof(buf));
}

/*
 * Cross-modifying code: each pCPU has to execute a serialising instruction
 * after the code was written and before it executes it.  As in text_poke(),
 * use one which is unlikely to be intercepted if we are virtualised ourselves.
 */
void arch_jump_label_sync(void)
{
    asm volatile ( "mov %0, %%cr2" :: "r" (0L) : "memory" );
}

void arch_jump_label_finish(void)
{
    /*
     * Destroyed first, which flushes the TLBs of all pCPUs once: vunmap() does
     * so for each page which is still mapped.
     */
    destroy_xen_mappings((unsigned long)alias,
                         (unsigned long)alias + alias_pages * PAGE_SIZE);
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
