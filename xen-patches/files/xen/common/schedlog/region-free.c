/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frees regions of the log facility, in steps.
 *
 * Pages which were shared are freed only when no domain maps them any more.
 *
 * Locking: a dying region belongs to schedlog_free_dying().  The lock protects
 * the list of dying regions.
 */

#include <xen/errno.h>
#include <xen/event.h>
#include <xen/lib.h>
#include <xen/mm.h>
#include <xen/softirq.h>
#include <xen/spinlock.h>
#include <xen/vmap.h>
#include <xen/xmalloc.h>

#include "region.h"

static DEFINE_SPINLOCK(dying_lock);
static LIST_HEAD(dying_regions);

static struct page_info *page_of(const struct schedlog_region *region,
                                 unsigned int page)
{
    return mfn_to_page(vmap_to_mfn(schedlog_region_va(region, page)));
}

void schedlog_region_give_up(struct schedlog_region *region)
{
    if ( !region )
        return;

    region->step = 0;
    region->stage = region->access == SCHEDLOG_PRIVATE ? REGION_MAPPED
                                                       : REGION_SHARED;
    spin_lock(&dying_lock);
    list_add_tail(&region->dying, &dying_regions);
    spin_unlock(&dying_lock);
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
    schedlog_region_uncharge(region);
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
    void *page[SCHEDLOG_PAGES_PER_STEP];
    unsigned int nr = min(region->nr_ready,
                          min(most, SCHEDLOG_PAGES_PER_STEP));
    unsigned int i;

    if ( !nr )
        return 0;

    region->nr_ready -= nr;
    for ( i = 0; i < nr; i++ )
        page[i] = mfn_to_virt(schedlog_region_frame(region,
                                                    region->nr_ready + i));

    /* This fails only if it has to split a superpage, and there is none. */
    if ( destroy_xen_mappings(
             (unsigned long)schedlog_region_va(region, region->nr_ready),
             (unsigned long)schedlog_region_va(region, region->nr_ready + nr)) )
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

/*
 * Returns the region that follows @pos in the list, or NULL.  Other pCPUs only
 * append to the list.
 */
static struct schedlog_region *dying_after(const struct list_head *pos)
{
    struct schedlog_region *region = NULL;

    spin_lock(&dying_lock);
    if ( pos->next != &dying_regions )
        region = list_entry(pos->next, struct schedlog_region, dying);
    spin_unlock(&dying_lock);

    return region;
}

static void free_region(struct schedlog_region *region)
{
    spin_lock(&dying_lock);
    list_del(&region->dying);
    spin_unlock(&dying_lock);

    vunmap(region->va);
    xfree(region);
}

/* Regions stay in the list meanwhile, where schedlog_has_dying() finds them. */
bool schedlog_free_dying(void)
{
    const struct list_head *pos = &dying_regions;
    unsigned int pages = SCHEDLOG_PAGES_PER_STEP;
    struct schedlog_region *region;

    while ( pages && (region = dying_after(pos)) )
    {
        unsigned int nr;

        while ( pages && (nr = do_stage(region, pages)) )
            pages -= nr;

        if ( is_freed(region) )
            free_region(region);
        else
            pos = &region->dying;
    }

    return !pages;
}

int schedlog_free_all_dying(void)
{
    while ( schedlog_free_dying() )
        if ( hypercall_preempt_check() )
            return -ERESTART;

    return 0;
}

bool schedlog_has_dying(void)
{
    bool has;

    spin_lock(&dying_lock);
    has = !list_empty(&dying_regions);
    spin_unlock(&dying_lock);

    return has;
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
