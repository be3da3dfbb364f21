/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jump labels: find the sites and rewrite them while all pCPUs are stopped.
 *
 * See xen/jump_label.h for what they are.  How an instruction is written is up
 * to the architecture.
 */

#include <xen/errno.h>
#include <xen/init.h>
#include <xen/jump_label.h>
#include <xen/kernel.h>
#include <xen/lib.h>
#include <xen/smp.h>
#include <xen/stop_machine.h>

#include <asm/atomic.h>
#include <asm/processor.h>
#include <asm/system.h>

extern const struct jump_label_site __start_jump_labels[],
                                    __stop_jump_labels[];

/* Different objects to a compiler, which are compared by their addresses. */
#define for_each_site(s)                                              \
    for ( (s) = __start_jump_labels;                                  \
          (unsigned long)(s) < (unsigned long)__stop_jump_labels; (s)++ )

unsigned int jump_label_sites(const struct jump_label *label)
{
    const struct jump_label_site *s;
    unsigned int nr = 0;

    for_each_site ( s )
        if ( jump_label_site_label(s) == label )
            nr++;

    return nr;
}

static unsigned int sites_within(const void *start, size_t len)
{
    const unsigned long first = (unsigned long)start;
    const struct jump_label_site *s;
    unsigned int nr = 0;

    for_each_site ( s )
    {
        unsigned long insn = jump_label_site_insn(s);

        if ( insn < first + len && first < insn + ARCH_JUMP_LABEL_INSN_LEN )
            nr++;
    }

    return nr;
}

bool jump_label_overlaps(const void *start, size_t len)
{
    return sites_within(start, len);
}

/* Changed while all pCPUs but one are stopped. */
static unsigned int lost_sites;

unsigned int jump_label_lost_sites(void)
{
    return lost_sites;
}

void jump_label_replace(const void *start, size_t len, bool replaced)
{
    unsigned int nr = sites_within(start, len);

    if ( !nr )
        return;

    if ( !replaced )
    {
        lost_sites -= nr;
        return;
    }

    lost_sites += nr;
    printk(XENLOG_WARNING
           "%u jump label sites are lost: %ps was replaced\n", nr, start);
}

/* The pCPU which called stop_machine_run() writes, the others wait for it. */
struct apply {
    unsigned int cpu;
    bool done;
};

static void write_sites(void)
{
    const struct jump_label_site *s;

    for_each_site ( s )
    {
        const struct jump_label *label = jump_label_site_label(s);

        if ( label->on != label->request )
            arch_jump_label_write(s, label->request);
    }

    for_each_site ( s )
    {
        struct jump_label *label = jump_label_site_label(s);

        label->on = label->request;
    }
}

static int cf_check apply_stopped(void *data)
{
    struct apply *apply = data;

    if ( smp_processor_id() == apply->cpu )
    {
        write_sites();
        smp_wmb();
        write_atomic(&apply->done, true);
    }
    else
        while ( !read_atomic(&apply->done) )
            cpu_relax();

    arch_jump_label_sync();

    return 0;
}

int jump_label_apply(void)
{
    struct apply apply = { .cpu = smp_processor_id() };
    unsigned long start = ~0UL, end = 0;
    const struct jump_label_site *s;
    int rc;

    ASSERT(!apply.cpu);

    for_each_site ( s )
    {
        unsigned long insn = jump_label_site_insn(s);
        const struct jump_label *label = jump_label_site_label(s);

        if ( label->on == label->request )
            continue;

        if ( !arch_jump_label_is(s, label->on) )
        {
            printk(XENLOG_ERR "Jump label site %ps (%lx) was overwritten\n",
                   (void *)insn, insn);
            return -ENOEXEC;
        }

        start = min(start, insn);
        end = max(end, insn + ARCH_JUMP_LABEL_INSN_LEN);
    }

    if ( !end )
        return 0;

    /* All that can fail comes before the first pCPU is stopped. */
    rc = arch_jump_label_prepare(start, end);
    if ( rc )
        return rc;

    rc = stop_machine_run(apply_stopped, &apply, NR_CPUS);

    arch_jump_label_finish();

    return rc;
}

/*
 * Stops the boot if a site is not a NOP, before any site is patched.  Callers
 * that turn labels on while Xen boots do so after this.
 */
static int __init cf_check check_sites(void)
{
    const struct jump_label_site *s;

    for_each_site ( s )
    {
        const void *insn = (const void *)jump_label_site_insn(s);

        if ( !is_kernel_text(insn) ||
             memcmp(insn, arch_jump_label_nop, ARCH_JUMP_LABEL_INSN_LEN) )
            panic("Jump label site %ps (%p) is not a NOP in .text\n",
                  insn, insn);
    }

    return 0;
}
presmp_initcall(check_sites);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
