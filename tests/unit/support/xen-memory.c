/* SPDX-License-Identifier: GPL-2.0-only */
/* Fakes the hypervisor's memory, mappings and RCU. */
#include "cmocka-tap.h"
#include "world.h"
#include "xen-memory.h"

unsigned int nr_cpu_ids;
bool fake_online[256];

struct page_info pages[NR_PAGES];
static unsigned int next_page;
unsigned int nr_used;
unsigned int nr_blocks;
unsigned int nr_shared;
unsigned int nr_flushes;
bool preempting;
unsigned int steps;
void (*while_unmapping)(void);
static struct rcu_head *waiting; /* for a grace period */

/* Linear addresses, and the frames behind them. */
static struct range {
    uint8_t *va;
    unsigned int nr;
    unsigned long *mfn;
} ranges[4096];

void *alloc_xenheap_pages(unsigned int order, unsigned int memflags)
{
    unsigned int i;

    assert_int_equal(order, 0);
    for (i = 0; i < NR_PAGES; i++, next_page++)
        if (!pages[next_page % NR_PAGES].there)
            break;
    if (i == NR_PAGES)
        return NULL;
    i = next_page++ % NR_PAGES;
    pages[i] = (struct page_info){ .there = true, .node = memflags };
    nr_used++;

    return PAGE(i);
}

void free_xenheap_page(void *page)
{
    struct page_info *pg = virt_to_page(page);

    assert_true(pg->there);
    assert_int_equal(pg->count_info, 0);
    pg->there = false;
    nr_used--;
}

void clear_page(void *page)
{
    assert_true(virt_to_page(page)->there);
}

unsigned long virt_to_mfn(const void *page)
{
    return ((unsigned long)page >> PAGE_SHIFT) - 1;
}

void *mfn_to_virt(unsigned long mfn)
{
    return PAGE(mfn);
}

struct page_info *mfn_to_page(mfn_t mfn)
{
    return &pages[mfn_x(mfn)];
}

struct page_info *virt_to_page(const void *page)
{
    return &pages[virt_to_mfn(page)];
}

void share_xen_page_with_privileged_guests(struct page_info *pg,
                                           enum XENSHARE_flags flags)
{
    pg->shared = true;
    pg->writable = flags == SHARE_rw;
    pg->count_info = 1UL << _PGC_allocated | 1;
    nr_shared++;
}

bool test_and_clear_bit(unsigned int bit, unsigned long *word)
{
    bool was = *word & 1UL << bit;

    *word &= ~(1UL << bit);

    return was;
}

void put_page(struct page_info *pg)
{
    assert_true(pg->count_info & PGC_count_mask);
    pg->count_info--;
}

static struct range *range_of(const void *va)
{
    const uint8_t *p = va;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(ranges); i++)
        if (ranges[i].va && p >= ranges[i].va &&
            p < ranges[i].va + ranges[i].nr * PAGE_SIZE)
            return &ranges[i];
    fail();

    return NULL;
}

unsigned long *frame_at(const void *va)
{
    struct range *range = range_of(va);

    return &range->mfn[((const uint8_t *)va - range->va) >> PAGE_SHIFT];
}

void *__vmap(const mfn_t *mfn, unsigned int granularity, unsigned int nr,
             unsigned int align, unsigned int flags, int type)
{
    struct range *range = ranges;
    unsigned int i;

    (void)align;
    (void)type;
    assert_true(mfn_x(*mfn) == ~0UL && nr == 1 && flags == SCHEDLOG_MAP_NOTHING);
    while (range->va)
        range++;
    assert_true(range < ranges + ARRAY_SIZE(ranges));
    range->nr = granularity;
    range->va = calloc(granularity, PAGE_SIZE);
    range->mfn = malloc(granularity * sizeof(*range->mfn));
    for (i = 0; i < granularity; i++)
        range->mfn[i] = ~0UL;

    return range->va;
}

int map_pages_to_xen(unsigned long va, mfn_t mfn, unsigned long nr,
                     unsigned int flags)
{
    assert_true(nr == 1 || flags == _PAGE_NONE);
    assert_int_equal(flags == _PAGE_NONE, mfn_x(mfn) == ~0UL);
    for (unsigned long i = 0; i < nr; i++) {
        unsigned long *frame = frame_at((char *)va + i * PAGE_SIZE);

        /* Counts as x86 does: for each page that was mapped. */
        nr_flushes += *frame != ~0UL;
        *frame = mfn_x(mfn);
    }

    return 0;
}

/* Flushes once for all of them, and again if a page table has become empty. */
int destroy_xen_mappings(unsigned long start, unsigned long end)
{
    if (while_unmapping)
        while_unmapping();
    for (; start < end; start += PAGE_SIZE)
        *frame_at((char *)start) = ~0UL;
    nr_flushes += 2;

    return 0;
}

mfn_t vmap_to_mfn(const void *va)
{
    assert_true(*frame_at(va) != ~0UL);

    return _mfn(*frame_at(va));
}

/* Fails if something is still mapped, because unmapping takes long. */
void vunmap(const void *va)
{
    struct range *range = range_of(va);
    unsigned int i;

    for (i = 0; i < range->nr; i++)
        assert_true(range->mfn[i] == ~0UL);
    free(range->va);
    free(range->mfn);
    memset(range, 0, sizeof(*range));
}

void *fake_alloc(size_t size)
{
    nr_blocks++;

    return calloc(1, size);
}

void fake_free(void *p)
{
    nr_blocks -= !!p;
    free(p);
}

nodeid_t cpu_to_node(unsigned int cpu)
{
    return cpu % 2;
}

unsigned int num_online_cpus(void)
{
    unsigned int cpu, nr = 0;

    for_each_online_cpu (cpu)
        nr++;

    return nr;
}

unsigned int num_present_cpus(void)
{
    return nr_cpu_ids;
}

bool fake_preempt(void)
{
    return preempting;
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
    head->func = func;
    head->next = waiting;
    waiting = head;
}

void grace_period(void)
{
    while (waiting) {
        struct rcu_head *head = waiting;

        waiting = head->next;
        head->func(head);
    }
}
