/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocates memory of the log facility: single pages, mapped contiguously, most
 * of them shared with privileged domains.
 *
 * Locking: a region which is being filled belongs to its caller.  The lock
 * protects the budget.
 */

#include <xen/errno.h>
#include <xen/event.h>
#include <xen/init.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/param.h>
#include <xen/pfn.h>
#include <xen/softirq.h>
#include <xen/spinlock.h>
#include <xen/vmap.h>
#include <xen/xmalloc.h>

#include <asm/schedlog.h>

#include "region.h"

/* schedlog_max=<size>: the memory that the scheduler can ask for.  0: none. */
#define NOT_GIVEN (~0ULL)
static uint64_t __ro_after_init opt_schedlog_max = NOT_GIVEN;
size_param("schedlog_max", opt_schedlog_max);

static DEFINE_SPINLOCK(lock);
static uint64_t used_bytes;

#ifndef NDEBUG
/*
 * schedlog_fail=<n>, for tests: the n-th allocation from now on fails, and
 * those after it don't.
 */
static unsigned int __read_mostly opt_schedlog_fail;
integer_runtime_param("schedlog_fail", opt_schedlog_fail);

static bool allocation_fails(void)
{
    return opt_schedlog_fail && !--opt_schedlog_fail;
}
#else
static bool allocation_fails(void)
{
    return false;
}
#endif

uint64_t schedlog_max_bytes(void)
{
    return opt_schedlog_max;
}

uint64_t schedlog_used_bytes(void)
{
    uint64_t used;

    spin_lock(&lock);
    used = used_bytes;
    spin_unlock(&lock);

    return used;
}

static bool charge(uint64_t bytes)
{
    bool fits;

    spin_lock(&lock);
    fits = used_bytes + bytes <= opt_schedlog_max;
    if ( fits )
        used_bytes += bytes;
    spin_unlock(&lock);

    return fits;
}

static uint64_t bytes_of(unsigned int nr_pages)
{
    return (uint64_t)nr_pages << PAGE_SHIFT;
}

void schedlog_region_uncharge(const struct schedlog_region *region)
{
    uint64_t bytes = bytes_of(region->nr_wanted);

    spin_lock(&lock);
    ASSERT(used_bytes >= bytes);
    used_bytes -= bytes;
    spin_unlock(&lock);
}

/*
 * Reserves linear addresses, with page tables and without pages.  They are not
 * mapped by superpages, so that no superpage has to be split to unmap a page:
 * unmapping cannot fail.
 */
static void *reserve_va(unsigned int nr_pages)
{
    mfn_t none = INVALID_MFN;

    return allocation_fails() ? NULL
                              : __vmap(&none, nr_pages, 1, 1,
                                       SCHEDLOG_MAP_NOTHING, VMAP_DEFAULT);
}

struct schedlog_region *schedlog_region_new(size_t size,
                                            enum schedlog_access access)
{
    struct schedlog_region *region =
        allocation_fails() ? NULL : xzalloc(struct schedlog_region);

    if ( !region )
        return NULL;

    region->nr_pages = PFN_UP(size);
    region->access = access;
    INIT_LIST_HEAD(&region->dying);

    region->va = reserve_va(region->nr_pages);
    if ( !region->va )
    {
        xfree(region);
        return NULL;
    }

    return region;
}

int schedlog_region_want(struct schedlog_region *region, size_t size)
{
    unsigned int nr = PFN_UP(size);

    ASSERT(nr <= region->nr_pages);
    if ( nr <= region->nr_wanted )
        return 0;
    if ( !charge(bytes_of(nr - region->nr_wanted)) )
        return -E2BIG;

    region->nr_wanted = nr;

    return 0;
}

void *schedlog_region_va(const struct schedlog_region *region,
                         unsigned int page)
{
    return region->va + (size_t)page * PAGE_SIZE;
}

uint64_t schedlog_region_frame(const struct schedlog_region *region,
                               unsigned int page)
{
    return mfn_x(vmap_to_mfn(schedlog_region_va(region, page)));
}

static int add_page(struct schedlog_region *region, unsigned int memflags)
{
    void *page = allocation_fails() ? NULL : alloc_xenheap_pages(0, memflags);
    void *va = schedlog_region_va(region, region->nr_ready);

    if ( !page )
        return -ENOMEM;

    clear_page(page);
    if ( allocation_fails() ||
         map_pages_to_xen((unsigned long)va, _mfn(virt_to_mfn(page)), 1,
                          SCHEDLOG_MAP_PAGE) )
    {
        free_xenheap_page(page);
        return -ENOMEM;
    }

    if ( region->access != SCHEDLOG_PRIVATE )
        share_xen_page_with_privileged_guests(
            virt_to_page(page),
            region->access == SCHEDLOG_WRITABLE ? SHARE_rw : SHARE_ro);
    region->nr_ready++;

    return 0;
}

int schedlog_region_fill(struct schedlog_region *region, unsigned int memflags,
                         bool preempt)
{
    while ( region->nr_ready < region->nr_wanted )
    {
        int rc = add_page(region, memflags);

        if ( rc )
            return rc;

        if ( region->nr_ready % SCHEDLOG_PAGES_PER_STEP )
            continue;
        if ( !preempt )
            process_pending_softirqs();
        else if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

/* The default suffices if all events of each pCPU are logged. */
static int __init cf_check init_budget(void)
{
    if ( opt_schedlog_max == NOT_GIVEN )
        opt_schedlog_max = max(MB(256), MB(2) * num_present_cpus());

    return 0;
}
presmp_initcall(init_budget);

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
