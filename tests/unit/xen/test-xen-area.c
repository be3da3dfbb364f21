/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the hypervisor's area: it exists whole or not at all, Xen makes and frees it in steps,
 * within its budget, and frees no page that a domain still maps.
 *
 * The test compiles the hypervisor's own area.c, area-cpu.c, region.c and region-free.c, with any
 * number of pCPUs and little memory.
 */
#include "cmocka-tap.h"

#include "world.h"
#include "xen-memory.h"

#include "mispredict.h"
#include "common/schedlog/area.c"
#undef if
#include "common/schedlog/area-cpu.c"
#define lock region_lock
#include "common/schedlog/region.c"
#undef lock
#include "common/schedlog/region-free.c"

static unsigned int nr_ticking;
static struct domain guest;
struct domain *domain_list = &guest;

/* Stand-ins for variables and functions of the hypervisor's other files. */
DEFINE_PER_CPU_READ_MOSTLY(struct schedlog_pcpu *, schedlog_pcpu);

void schedlog_stay_init_cpu(struct schedlog_pcpu *pcpu)
{
    assert_non_null(pcpu->cpu.skipped);
}

/* While the pCPU finds the area, only its own sites may change its sums. */
void schedlog_work_start(struct schedlog_pcpu *pcpu)
{
    for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
        assert_ptr_not_equal(per_cpu(schedlog_pcpu, cpu), pcpu);
    pcpu->work.depth = 0;
}

void schedlog_init_tick(struct schedlog_pcpu *pcpu)
{
    assert_non_null(pcpu->cpu.lcr);
}

void schedlog_start_tick(unsigned int cpu)
{
    assert_non_null(per_cpu(schedlog_pcpu, cpu));
    nr_ticking++;
}

static struct xen_schedlog_file files[64];

static struct schedlog_geometry layout(unsigned int nr_acct,
                                       unsigned int nr_files, uint32_t size)
{
    struct schedlog_geometry g = { nr_acct, nr_files, nr_files * size, files };
    unsigned int i;

    for (i = 0; i < nr_files; i++)
        files[i] = (struct xen_schedlog_file){ i * size, size };

    return g;
}

static void start(unsigned int cpus)
{
    nr_cpu_ids = cpus;
    memset(fake_online, 1, cpus);
    memset(fake_online + cpus, 0, sizeof(fake_online) - cpus);
    opt_schedlog_max = NOT_GIVEN;
    assert_int_equal(fake_start(), 0);
}

/* Calls it until it is complete. */
static int make(const struct schedlog_geometry *g, uint64_t *need)
{
    int rc;

    for (steps = 0;; steps++) {
        rc = schedlog_make_area(g, need);
        if (rc != -ERESTART)
            return rc;
    }
}

/* Makes a binding to @acct after the preparation. */
static int prepare(uint16_t acct)
{
    int rc;

    do
        rc = schedlog_prepare_acct(acct);
    while (rc == -ERESTART);
    if (!rc)
        guest.schedlog_acct = max(guest.schedlog_acct, acct);

    return rc;
}

static bool is_prepared(uint16_t acct)
{
    return acct < nr_prepared;
}

/* Returns whether this pCPU counts thresholds of @acct. */
static bool has_counters(unsigned int cpu, uint16_t acct)
{
    const uint32_t *skipped = per_cpu(schedlog_pcpu, cpu)->cpu.skipped;

    return *frame_at(skipped + acct * XEN_SCHEDLOG_NR_EVENTS) != ~0UL;
}

static void reap(void)
{
    while (schedlog_free_all_dying() == -ERESTART)
        ;
}

static void assert_nothing_is_left(void)
{
    unsigned int cpu;

    reap();
    assert_int_equal(schedlog_used_bytes(), 0);
    grace_period();
    reap();
    assert_false(schedlog_has_dying());
    assert_int_equal(nr_used, 0);
    assert_int_equal(nr_blocks, 0);
    assert_int_equal(schedlog_nr_cpus(), 0);
    assert_int_equal(schedlog_geometry()->nr_acct, 0);
    for (cpu = 0; cpu < nr_cpu_ids; cpu++)
        assert_null(per_cpu(schedlog_pcpu, cpu));
}

static int set_up(void **state)
{
    (void)state;
    *fake_fail = 0;
    preempting = false;
    while_unmapping = NULL;
    nr_prepared = schedlog_nr_wanted = XEN_SCHEDLOG_ACCT_FIRST;
    guest = (struct domain){ .max_vcpus = 2 };
    memset(fake_schedlog_pcpu, 0, sizeof(fake_schedlog_pcpu));
    start(4);

    return 0;
}

static void an_area_is_there_and_goes(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 65536);
    const struct schedlog_region *data;
    unsigned int cpu;
    uint64_t need;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    assert_int_equal(schedlog_nr_cpus(), 4);
    assert_int_equal(schedlog_used_bytes(), nr_used * PAGE_SIZE);
    for (cpu = 0; cpu < 4; cpu++) {
        data = schedlog_find_region(XEN_SCHEDLOG_REGION_DATA, cpu);
        assert_int_equal(data->nr_pages, 64);
        assert_true(page_of(data, 63)->shared);
        assert_false(page_of(data, 63)->writable);
        assert_int_equal(page_of(data, 63)->node, MEMF_node(cpu % 2));
        assert_true(per_cpu(schedlog_pcpu, cpu)->cpu.file[1].data ==
                    (uint8_t *)data->va + 65536);
    }
    assert_true(page_of(schedlog_find_region(XEN_SCHEDLOG_REGION_CONTROL, 3),
                        0)->writable);
    assert_null(schedlog_find_region(XEN_SCHEDLOG_REGION_DATA, 4));
    assert_null(schedlog_find_region(77, 0));
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void each_allocation_that_fails_leaves_nothing(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 65536);
    unsigned int n;
    uint64_t need;
    int rc;

    (void)state;
    for (n = 1;; n++) {
        *fake_fail = n;
        preempting = n & 1;
        rc = make(&g, &need);
        if (!rc)
            break;
        assert_int_equal(rc, -ENOMEM);
        assert_nothing_is_left();
    }
    assert_true(*fake_fail);
    assert_true(n > 500);
    *fake_fail = 0;
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void too_much_is_refused_before_anything_is_made(void **state)
{
    struct schedlog_geometry g = layout(1024, 8, 1 << 20);
    uint64_t need = 0;

    (void)state;
    start(64); /* 64 times 8 MiB */
    nr_shared = 0;
    opt_schedlog_max = MB(256);
    assert_int_equal(make(&g, &need), -E2BIG);
    assert_int_equal(nr_shared, 0);
    assert_true(need > MB(512) && need < MB(544));
    assert_nothing_is_left();
    opt_schedlog_max = need;
    assert_int_equal(make(&g, &need), 0);
    assert_int_equal(schedlog_used_bytes(), need);
    schedlog_give_up_area();
    g = layout(1024, 8, 4096);
    reap();
    assert_int_equal(make(&g, &need), 0);
    schedlog_give_up_area();
    assert_nothing_is_left();
}

/*
 * The size that balance requests: 928 KiB of logs, and 1024 accounting domains, which are reached
 * only with this many domains.
 */
static void the_default_is_enough_for_256_pcpus(void **state)
{
    struct schedlog_geometry g = layout(1024, 32, 32768);
    uint64_t need;

    (void)state;
    start(256);
    assert_int_equal(make(&g, &need), 0);
    assert_int_equal(schedlog_nr_cpus(), 256);
    assert_int_equal(prepare(1023), 0);
    schedlog_give_up_area();
    assert_nothing_is_left();
}

/* A page has 32 accounting domains. */
static void only_numbers_that_may_be_bound_have_counters(void **state)
{
    struct schedlog_geometry g = layout(1024, 4, 65536);
    unsigned int cpu, before;
    uint64_t need;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    before = nr_used;
    assert_true(is_prepared(XEN_SCHEDLOG_ACCT_XEN));
    assert_false(is_prepared(XEN_SCHEDLOG_ACCT_FIRST));
    assert_int_equal(prepare(31), 0);
    assert_int_equal(nr_used, before);
    preempting = true;
    assert_int_equal(prepare(100), 0);
    assert_true(is_prepared(100));
    assert_false(is_prepared(101));
    assert_int_equal(nr_used, before + 4 * 3);
    assert_int_equal(schedlog_used_bytes(), nr_used * PAGE_SIZE);
    for (cpu = 0; cpu < 4; cpu++) {
        assert_true(has_counters(cpu, 1) && has_counters(cpu, 100));
        assert_false(has_counters(cpu, 128));
    }
    /* Bindings outlive areas. */
    schedlog_give_up_area();
    reap();
    assert_int_equal(make(&g, &need), 0);
    assert_true(has_counters(3, 100));
    schedlog_give_up_area();
    g = layout(16, 4, 65536); /* the domains are now charged to numbers below 16 */
    reap();
    assert_int_equal(make(&g, &need), 0);
    assert_true(has_counters(3, 15));
    schedlog_give_up_area();
    assert_nothing_is_left();
}

/* Bound domains have counters when an area is made. */
static void counters_follow_the_bindings(void **state)
{
    struct schedlog_geometry g = layout(1024, 4, 65536);
    uint64_t need, before;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    before = schedlog_used_bytes();
    assert_int_equal(prepare(1000), 0);
    assert_true(schedlog_used_bytes() > before);
    schedlog_give_up_area();
    reap();
    assert_int_equal(make(&g, &need), 0);
    assert_true(has_counters(3, 1000));
    schedlog_give_up_area();
    reap();
    guest.schedlog_acct = 5;
    guest.vcpu[1].schedlog_acct = 900;
    assert_int_equal(make(&g, &need), 0);
    assert_true(has_counters(3, 900));
    assert_true(schedlog_used_bytes() > before);
    schedlog_give_up_area();
    reap();
    guest.vcpu[1].schedlog_acct = 5;
    assert_int_equal(make(&g, &need), 0);
    assert_int_equal(schedlog_used_bytes(), before);
    assert_false(has_counters(3, 1000));
    assert_int_equal(prepare(1000), 0);
    assert_true(has_counters(3, 1000));
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void a_set_up_whose_layout_changes_leaves_nothing(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 1 << 20), other;
    uint64_t need;

    (void)state;
    preempting = true;
    assert_int_equal(schedlog_make_area(&g, &need), -ERESTART);
    other = layout(16, 4, 1 << 19);
    assert_int_equal(schedlog_make_area(&other, &need), -EBUSY);
    assert_nothing_is_left();
    assert_int_equal(make(&other, &need), 0);
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void no_memory_is_allowed_at_all(void **state)
{
    struct schedlog_geometry g = layout(16, 1, 4096);
    uint64_t need = 0;

    (void)state;
    opt_schedlog_max = 0; /* schedlog_max=0 */
    assert_int_equal(fake_start(), 0);
    assert_int_equal(schedlog_max_bytes(), 0);
    assert_int_equal(make(&g, &need), -E2BIG);
    assert_true(need > 0);
    assert_nothing_is_left();
}

/* 256 MiB are 65,536 pages, each of which would stop all pCPUs for a moment. */
static void freeing_flushes_tlbs_for_many_pages_at_once(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 16 << 20);
    unsigned int pages;
    uint64_t need;

    (void)state;
    opt_schedlog_max = MB(512);
    assert_int_equal(make(&g, &need), 0);
    pages = nr_used;
    assert_true(pages > 65536);
    nr_flushes = 0;
    schedlog_give_up_area();
    assert_nothing_is_left();
    assert_in_range(nr_flushes, 1, pages / 16);
}

/* Code after a mispredicted check uses no index out of range. */
static void speculation_stays_within_regions_and_pcpus(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 65536);
    unsigned int branch;
    uint64_t need;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    assert_null(schedlog_find_region(XEN_SCHEDLOG_REGION_DATA, nr_cpu_ids));
    assert_null(schedlog_find_region(XEN_SCHEDLOG_REGION_DATA + 1, 0));
    for (branch = 1; branch <= 4; branch++) {
        mispredict_in = branch;
        schedlog_find_region(XEN_SCHEDLOG_REGION_DATA, nr_cpu_ids);
        mispredict_in = branch;
        schedlog_find_region(XEN_SCHEDLOG_REGION_DATA + 1, 0);
    }
    mispredict_in = 0;
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void without_memory_for_counters_no_domain_is_bound(void **state)
{
    struct schedlog_geometry g = layout(1024, 4, 65536);
    uint64_t need;
    unsigned int n;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    opt_schedlog_max = schedlog_used_bytes() + 10 * PAGE_SIZE;
    assert_int_equal(prepare(1023), -E2BIG);
    assert_false(is_prepared(100));
    opt_schedlog_max = MB(256);
    for (n = 1;; n++) {
        *fake_fail = n;
        if (!prepare(1000))
            break;
        assert_false(is_prepared(XEN_SCHEDLOG_ACCT_FIRST));
    }
    assert_true(n > 4);
    assert_true(has_counters(3, 1000));
    *fake_fail = 0;
    schedlog_give_up_area();
    assert_nothing_is_left();
}

/* This includes a pending area, and offline pCPUs. */
static void counters_are_nowhere_forgotten(void **state)
{
    struct schedlog_geometry g = layout(1024, 4, 1 << 20);
    unsigned int cpu;
    uint64_t need;

    (void)state;
    preempting = true;
    for (cpu = 0; cpu < 50; cpu++) /* one and a half pCPUs */
        assert_int_equal(schedlog_make_area(&g, &need), -ERESTART);
    assert_int_equal(prepare(100), 0);
    assert_int_equal(make(&g, &need), 0);
    for (cpu = 0; cpu < 4; cpu++)
        assert_true(has_counters(cpu, 100));
    fake_online[2] = false;
    assert_int_equal(prepare(500), 0);
    assert_true(schedlog_prepare_cpu(2));
    fake_online[2] = true;
    assert_true(has_counters(2, 500));
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void an_incomplete_area_is_not_visible(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 1 << 20), other = g;
    unsigned int cpu, nr;
    uint64_t need;

    (void)state;
    other.nr_acct = 32;
    preempting = true;
    for (nr = 0; schedlog_make_area(&g, &need) == -ERESTART; nr++) {
        assert_int_equal(schedlog_nr_cpus(), 0);
        assert_null(schedlog_find_region(XEN_SCHEDLOG_REGION_GLOBAL, 0));
        for (cpu = 0; cpu < 4; cpu++)
            assert_null(per_cpu(schedlog_pcpu, cpu));
        if (nr == 20)
            assert_int_equal(schedlog_make_area(&other, &need), -EBUSY);
    }
    assert_true(nr >= 64); /* 16 MiB, 64 pages each */
    assert_int_equal(schedlog_nr_cpus(), 4);
    assert_int_equal(make(&other, &need), -EBUSY);
    assert_int_equal(make(&g, &need), 0);
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void an_abandoned_area_can_be_given_up(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 1 << 20);
    uint64_t need;

    (void)state;
    preempting = true;
    assert_int_equal(schedlog_make_area(&g, &need), -ERESTART);
    schedlog_give_up_area();
    assert_nothing_is_left();

    assert_int_equal(schedlog_make_area(&g, &need), -ERESTART);
    schedlog_give_up_pending();
    assert_nothing_is_left();
}

static void freeing_is_in_steps_too(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 1 << 20);
    unsigned int before, nr = 0;
    uint64_t need;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    schedlog_give_up_area();
    reap();
    grace_period();
    do {
        before = nr_used;
        nr++;
    } while (schedlog_free_dying() && before - nr_used <= SCHEDLOG_PAGES_PER_STEP);
    assert_int_equal(nr_used, 0);
    assert_true(nr >= 64);
    assert_nothing_is_left();
}

/* A caller without control_lock sets no timer if it finds nothing that dies. */
static void find_dying(void)
{
    assert_true(schedlog_has_dying());
}

static void regions_die_until_they_are_freed(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 1 << 20);
    uint64_t need;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    schedlog_give_up_area();
    while_unmapping = find_dying;
    assert_nothing_is_left();
}

static void mapped_pages_are_freed_after_the_last_unmapping(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 65536);
    const struct schedlog_region *data;
    struct page_info *pg;
    uint64_t need;

    (void)state;
    assert_int_equal(make(&g, &need), 0);
    data = schedlog_find_region(XEN_SCHEDLOG_REGION_DATA, 2);
    pg = page_of(data, 5);
    pg->count_info++;
    schedlog_give_up_area();
    reap();
    grace_period();
    reap();
    assert_true(pg->there);
    assert_int_equal(schedlog_used_bytes(), 64 * PAGE_SIZE);
    assert_int_equal(nr_used, 64);
    assert_int_equal(make(&g, &need), 0); /* another area is possible */
    schedlog_give_up_area();
    put_page(pg);
    assert_nothing_is_left();
}

static void a_pcpu_that_comes_gets_an_area_or_none(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 65536);
    unsigned int n, before, ticking = nr_ticking;
    uint32_t *lcr;
    uint64_t need;

    (void)state;
    fake_online[1] = false;
    assert_int_equal(make(&g, &need), 0);
    lcr = schedlog_find_region(XEN_SCHEDLOG_REGION_CONTROL, 0)->va;
    lcr[3] = 0x1234;
    before = nr_used;
    for (n = 1;; n++) {
        *fake_fail = n;
        if (schedlog_prepare_cpu(1))
            break;
        assert_null(per_cpu(schedlog_pcpu, 1));
        assert_null(schedlog_find_region(XEN_SCHEDLOG_REGION_DATA, 1));
        reap();
        grace_period();
        reap();
        assert_int_equal(nr_used, before);
    }
    assert_true(n > 64 && *fake_fail);
    assert_int_equal(per_cpu(schedlog_pcpu, 1)->cpu.lcr[3], 0x1234);
    *fake_fail = 0;

    /* It was offline, and its sums begin again. */
    per_cpu(schedlog_pcpu, 1)->work.depth = 1;
    assert_true(schedlog_prepare_cpu(1));
    assert_int_equal(per_cpu(schedlog_pcpu, 1)->work.depth, 0);

    /* Without an area, the same set-up makes one. */
    schedlog_give_up_area();
    assert_int_equal(make(&g, &need), 0);
    *fake_fail = 3;
    assert_false(schedlog_prepare_cpu(1));
    fake_online[1] = true;
    assert_int_equal(make(&g, &need), 0);
    assert_non_null(per_cpu(schedlog_pcpu, 1));
    assert_int_equal(nr_ticking, ticking + 1);

    /* A pCPU that leaves and returns keeps its settings. */
    lcr = schedlog_find_region(XEN_SCHEDLOG_REGION_CONTROL, 1)->va;
    lcr[3] = 0x5678;
    assert_true(schedlog_prepare_cpu(1));
    assert_int_equal(per_cpu(schedlog_pcpu, 1)->cpu.lcr[3], 0x5678);
    schedlog_give_up_area();
    assert_nothing_is_left();
}

static void a_pcpu_that_comes_meanwhile_has_an_area(void **state)
{
    struct schedlog_geometry g = layout(16, 4, 1 << 20);
    uint64_t need;

    (void)state;
    fake_online[2] = false;
    preempting = true;
    assert_int_equal(schedlog_make_area(&g, &need), -ERESTART);
    assert_true(schedlog_prepare_cpu(2));
    fake_online[2] = true;
    assert_int_equal(make(&g, &need), 0);
    assert_non_null(per_cpu(schedlog_pcpu, 2));
    schedlog_give_up_area();
    assert_nothing_is_left();
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_area_is_there_and_goes),
        TEST(each_allocation_that_fails_leaves_nothing),
        TEST(too_much_is_refused_before_anything_is_made),
        TEST(the_default_is_enough_for_256_pcpus),
        TEST(only_numbers_that_may_be_bound_have_counters),
        TEST(counters_follow_the_bindings),
        TEST(a_set_up_whose_layout_changes_leaves_nothing),
        TEST(no_memory_is_allowed_at_all),
        TEST(freeing_flushes_tlbs_for_many_pages_at_once),
        TEST(speculation_stays_within_regions_and_pcpus),
        TEST(without_memory_for_counters_no_domain_is_bound),
        TEST(counters_are_nowhere_forgotten),
        TEST(an_incomplete_area_is_not_visible),
        TEST(an_abandoned_area_can_be_given_up),
        TEST(freeing_is_in_steps_too),
        TEST(regions_die_until_they_are_freed),
        TEST(mapped_pages_are_freed_after_the_last_unmapping),
        TEST(a_pcpu_that_comes_gets_an_area_or_none),
        TEST(a_pcpu_that_comes_meanwhile_has_an_area),
    };

    return run_tap_tests(tests);
}
