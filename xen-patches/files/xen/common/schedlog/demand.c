/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers two questions of a scheduler that no event answers: on which nodes a
 * domain's memory is, and how long its vCPUs have waited for a pCPU.  Both are
 * read without a lock of the domain, and are not stored.
 */

#include <xen/domain.h>
#include <xen/guest_access.h>
#include <xen/mm.h>
#include <xen/numa.h>
#include <xen/pdx.h>
#include <xen/rcupdate.h>
#include <xen/sched.h>
#include <xen/schedlog.h>

#include <asm/schedlog.h>

/*
 * A call is not preempted, so the work of one call is bounded: each frame costs
 * a cache miss at worst.
 */
#define MAX_FRAMES_PER_CALL 4096U
#define MAX_VCPUS_PER_CALL 64U

#define NO_OWNER (~0U)

static bool is_of_domain(unsigned long count_info)
{
    return (count_info & (PGC_allocated | PGC_xen_heap | PGC_extra)) ==
           PGC_allocated &&
           ((count_info & PGC_state) == PGC_state_inuse ||
            (count_info & PGC_state) == PGC_state_offlining);
}

/*
 * Pages may be freed meanwhile, and a reference would delay that.  So the owner
 * is valid only if the page belonged to a domain before and after it was read:
 * then the domain still existed at the begin, and RCU keeps it until the end.
 */
static const struct domain *owner_of(const struct page_info *pg)
{
    unsigned long before = ACCESS_ONCE(pg->count_info);
    unsigned long owner;

    if ( !is_of_domain(before) )
        return NULL;
    smp_rmb();
    owner = schedlog_owner_word(pg);
    smp_rmb();
    if ( !owner || !is_of_domain(ACCESS_ONCE(pg->count_info)) ||
         owner != schedlog_owner_word(pg) )
        return NULL;

    return schedlog_owner(owner);
}

static uint32_t owner_at(unsigned long pdx)
{
    mfn_t mfn = pdx_to_mfn(pdx);
    const struct domain *d;
    uint32_t owner = NO_OWNER;

    if ( !mfn_valid(mfn) )
        return NO_OWNER;

    rcu_read_lock(&domlist_read_lock);
    d = owner_of(mfn_to_page(mfn)); /* pdx_to_page() is x86's */
    if ( d && d->domain_id < DOMID_FIRST_RESERVED )
        owner = d->domain_id |
                mfn_to_nid(mfn) << XEN_SCHEDLOG_OWNER_NODE_SHIFT;
    rcu_read_unlock(&domlist_read_lock);

    return owner;
}

int schedlog_owners(struct xen_sysctl_schedlog_owners *op)
{
    unsigned int frames = min(op->nr, MAX_FRAMES_PER_CALL), nr = 0;
    /* Arm leaves max_pdx 0. */
    unsigned long end = mfn_to_pdx(_mfn(max_page - 1)) + 1;
    uint64_t pdx = op->at;

    if ( !op->step || !op->nr )
        return -EINVAL;

    for ( ; frames && pdx < end; frames--, pdx += op->step )
    {
        uint32_t owner = owner_at(pdx);

        if ( owner == NO_OWNER )
            continue;
        if ( copy_to_guest_offset(op->owners, nr, &owner, 1) )
            return -EFAULT;
        nr++;
    }

    op->nr = nr;
    op->at = pdx < end ? pdx : 0;

    return 0;
}

int schedlog_times(const struct domain *d,
                   struct xen_domctl_schedlog_times *op)
{
    unsigned int i;

    if ( op->first > d->max_vcpus )
        return -EINVAL;

    op->nr = min(op->nr, d->max_vcpus - op->first);
    op->nr = min(op->nr, MAX_VCPUS_PER_CALL);

    for ( i = 0; i < op->nr; i++ )
    {
        const struct vcpu *v = domain_vcpu(d, op->first + i);
        struct vcpu_runstate_info info = {};

        if ( v )
            vcpu_runstate_get(v, &info);
        if ( copy_to_guest_offset(op->times, i * ARRAY_SIZE(info.time),
                                  info.time, ARRAY_SIZE(info.time)) )
            return -EFAULT;
    }

    return 0;
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
