/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocates memory of the log facility: single pages, mapped contiguously, most
 * of them shared with privileged domains.
 *
 * Pages which were shared are freed only when no domain maps them any more.
 *
 * Locking: a region which is being filled belongs to its caller, and a dying
 * region to schedlog_free_dying().  The lock protects what both use: the budget
 * and the list of dying regions.
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

/* Pages that are handled between two checks for preemption. */
#define PAGES_PER_STEP 64U

/* schedlog_max=<size>: the memory that the scheduler can ask for.  0: none. */
#define NOT_GIVEN (~0ULL)
static uint64_t __ro_after_init opt_schedlog_max = NOT_GIVEN;
size_param("schedlog_max", opt_schedlog_max);

static DEFINE_SPINLOCK(lock);
static uint64_t used_bytes;
static LIST_HEAD(dying_regions);

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

static void uncharge(uint64_t bytes)
{
    spin_lock(&lock);
    ASSERT(used_bytes >= bytes);
    used_bytes -= bytes;
    spin_unlock(&lock);
}

static uint64_t bytes_of(unsigned int nr_pages)
{
    return (uint64_t)nr_pages << PAGE_SHIFT;
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

static void *va_of(const struct schedlog_region *region, unsigned int page)
{
    return region->va + (size_t)page * PAGE_SIZE;
}

static struct page_info *page_of(const struct schedlog_region *region,
                                 unsigned int page)
{
    return mfn_to_page(vmap_to_mfn(va_of(region, page)));
}

uint64_t schedlog_region_frame(const struct schedlog_region *region,
                               unsigned int page)
{
    return mfn_x(vmap_to_mfn(va_of(region, page)));
}

static int add_page(struct schedlog_region *region, unsigned int memflags)
{
    void *page = allocation_fails() ? NULL : alloc_xenheap_pages(0, memflags);
    void *va = va_of(region, region->nr_ready);

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

        if ( region->nr_ready % PAGES_PER_STEP )
            continue;
        if ( !preempt )
            process_pending_softirqs();
        else if ( hypercall_preempt_check() )
            return -ERESTART;
    }

    return 0;
}

void schedlog_region_give_up(struct schedlog_region *region)
{
    if ( !region )
        return;

    region->step = 0;
    region->stage = region->access == SCHEDLOG_PRIVATE ? REGION_MAPPED
                                                       : REGION_SHARED;
    spin_lock(&lock);
    list_add_tail(&region->dying, &dying_regions);
    spin_unlock(&lock);
}

/* Drop the reference that sharing took: no domain can map the page again. */
static void drop_reference(struct page_info *pg)
{
    if ( !test_and_clear_bit(_PGC_allocated, &pg->count_info) )
        BUG();
    put_page(pg);
}

/* The last domain to unmap a page leaves it without references, not freed. */
static bool is_mapped(const struct page_info *pg)
{
    return ACCESS_ONCE(pg->count_info) & PGC_count_mask;
}

static void cf_check set_unused(struct rcu_head *rcu)
{
    struct schedlog_region *region =
        container_of(rcu, struct schedlog_region, rcu);

    write_atomic(&region->stage, REGION_UNUSED);
}

/*
 * No domain maps the region any more.  The pCPU that dropped the last reference
 * of a page may still be removing the page from dom_xen's list, which is over
 * after a grace period.
 */
static void wait_until_unused(struct schedlog_region *region)
{
    uncharge(bytes_of(region->nr_wanted));
    region->step = 0;
    region->stage = REGION_WAITING;
    call_rcu(&region->rcu, set_unused);
}

/*
 * Frees up to @most pages.  Their mappings are destroyed together, so that the
 * TLBs of all pCPUs are flushed once, and not for each page.
 */
static unsigned int free_last_pages(struct schedlog_region *region,
                                    unsigned int most)
{
    void *page[PAGES_PER_STEP];
    unsigned int i, nr = min(region->nr_ready, min(most, PAGES_PER_STEP));

    if ( !nr )
        return 0;

    region->nr_ready -= nr;
    for ( i = 0; i < nr; i++ )
        page[i] = mfn_to_virt(schedlog_region_frame(region,
                                                    region->nr_ready + i));

    /* This fails only if it has to split a superpage, and there is none. */
    if ( destroy_xen_mappings(
             (unsigned long)va_of(region, region->nr_ready),
             (unsigned long)va_of(region, region->nr_ready + nr)) )
        BUG();
    for ( i = 0; i < nr; i++ )
        free_xenheap_page(page[i]);

    return nr;
}

/*
 * Each stage has a function that handles some pages of a region and returns how
 * many; 0 if the stage cannot continue now.  The end of a stage counts as one.
 */

static unsigned int drop_next_reference(struct schedlog_region *region)
{
    if ( region->step < region->nr_ready )
        drop_reference(page_of(region, region->step++));
    else
    {
        region->step = 0;
        region->stage = REGION_MAPPED;
    }

    return 1;
}

static unsigned int check_next_mapping(struct schedlog_region *region)
{
    if ( region->access == SCHEDLOG_PRIVATE ||
         region->step == region->nr_ready )
        wait_until_unused(region);
    else if ( is_mapped(page_of(region, region->step)) )
        return 0;
    else
        region->step++;

    return 1;
}

static unsigned int do_stage(struct schedlog_region *region, unsigned int most)
{
    switch ( read_atomic(&region->stage) )
    {
    case REGION_SHARED:
        return drop_next_reference(region);

    case REGION_MAPPED:
        return check_next_mapping(region);

    case REGION_WAITING:
        return 0;

    case REGION_UNUSED:
        return free_last_pages(region, most);
    }

    ASSERT_UNREACHABLE();

    return 0;
}

static bool is_freed(const struct schedlog_region *region)
{
    return read_atomic(&region->stage) == REGION_UNUSED && !region->nr_ready;
}

/* Removes the first region from the list.  Returns NULL if there is none. */
static struct schedlog_region *remove_first_dying(void)
{
    struct schedlog_region *region;

    spin_lock(&lock);
    region = list_first_entry_or_null(&dying_regions, struct schedlog_region,
                                      dying);
    if ( region )
        list_del(&region->dying);
    spin_unlock(&lock);

    return region;
}

static void append_dying(struct schedlog_region *region,
                         struct list_head *list)
{
    spin_lock(&lock);
    list_add_tail(&region->dying, list);
    spin_unlock(&lock);
}

/* Regions whose stage cannot continue now are kept aside meanwhile. */
bool schedlog_free_dying(void)
{
    struct schedlog_region *region = NULL;
    unsigned int pages = PAGES_PER_STEP;
    LIST_HEAD(waiting);

    while ( pages && (region = remove_first_dying()) )
    {
        unsigned int nr;

        while ( pages && (nr = do_stage(region, pages)) )
            pages -= nr;

        if ( is_freed(region) )
        {
            vunmap(region->va);
            xfree(region);
        }
        else
            append_dying(region, pages ? &waiting : &dying_regions);
    }

    spin_lock(&lock);
    list_splice(&waiting, &dying_regions);
    spin_unlock(&lock);

    return !pages;
}

bool schedlog_has_dying(void)
{
    bool has;

    spin_lock(&lock);
    has = !list_empty(&dying_regions);
    spin_unlock(&lock);

    return has;
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
