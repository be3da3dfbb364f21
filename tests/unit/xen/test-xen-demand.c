/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks where memory is, and how long vCPUs waited: calls are bounded, all frames appear once, and
 * an owner counts only if the page belonged to it during the whole read.
 *
 * The test compiles the hypervisor's own demand.c, with a frame table whose pages can change
 * between any two reads.
 */
#include "cmocka-tap.h"

#include "world.h"

#include "common/schedlog/demand.c"

#define NR_FRAMES 20000U
#define NO_MEMORY 7000U /* a hole of HOLE frames begins here... */
#define HOLE 1000U
#define NODE_1 12000U   /* those above are on node 1 */

struct page_info frame_table[NR_FRAMES];
unsigned long max_page;
unsigned int domlist_read_lock;

static struct domain domains[3];
static uint32_t got[NR_FRAMES];
static void (*change)(void);
static unsigned int nr_looks, fails_from;

void fake_between_reads(void)
{
    assert_int_equal(domlist_read_lock, 1);
    if (change)
        change();
}

void *pdx_to_virt(unsigned long pdx)
{
    assert_int_equal(domlist_read_lock, 1);
    assert_in_range(pdx, 1, 3);

    return &domains[pdx - 1];
}

bool mfn_valid(mfn_t mfn)
{
    assert_true(mfn.m < max_page);
    nr_looks++;

    return mfn.m < NO_MEMORY || mfn.m >= NO_MEMORY + HOLE;
}

unsigned int mfn_to_nid(mfn_t mfn)
{
    assert_true(mfn_valid(mfn));
    nr_looks--;

    return mfn.m >= NODE_1;
}

int fake_copy(void *to, const void *from, size_t bytes)
{
    assert_int_equal(domlist_read_lock, 0);
    if (fails_from && !--fails_from)
        return -1;
    memcpy(to, from, bytes);

    return 0;
}

static void give(unsigned int frame, unsigned int domain)
{
    frame_table[frame].count_info = PGC_allocated | PGC_state_inuse;
    frame_table[frame].v.inuse._domain = domain + 1;
}

static int set_up(void **state)
{
    unsigned int i;

    (void)state;
    max_page = NR_FRAMES;
    memset(got, 0xff, sizeof(got));
    memset(domains, 0, sizeof(domains));
    domains[0].domain_id = 0;
    domains[1].domain_id = 5;
    domains[2].domain_id = DOMID_FIRST_RESERVED;
    for (i = 0; i < NR_FRAMES; i++) {
        frame_table[i].count_info = PGC_state_free;
        frame_table[i].v.inuse._domain = 77; /* an order, for example */
    }
    change = NULL;
    nr_looks = fails_from = 0;

    return 0;
}

static int ask(uint64_t *at, uint32_t step, uint32_t nr, uint32_t *owners)
{
    struct xen_sysctl_schedlog_owners op = {
        .at = *at, .step = step, .nr = nr, .owners = owners,
    };
    int rc = schedlog_owners(&op);

    *at = op.at;

    return rc ? rc : (int)op.nr;
}

static void each_frame_comes_up_once(void **state)
{
    unsigned int i, all = 0, calls = 0;
    uint64_t at = 0;

    (void)state;
    for (i = 0; i < NR_FRAMES; i++)
        give(i, i % 2);
    do {
        int nr = ask(&at, 1, NR_FRAMES, got + all);

        assert_in_range(nr, 0, MAX_FRAMES_PER_CALL);
        all += nr;
        calls++;
    } while (at);
    assert_int_equal(all, NR_FRAMES - HOLE);
    assert_int_equal(calls, 5);
    assert_int_equal(nr_looks, NR_FRAMES);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 5);
    assert_int_equal(got[all - 1], 5 | 1 << 16);
    assert_int_equal(got[NODE_1 - HOLE - 1], 5);
    assert_int_equal(got[NODE_1 - HOLE], 1 << 16);
}

static void a_sample_takes_as_long(void **state)
{
    uint64_t at = 3;
    unsigned int i;

    (void)state;
    for (i = 0; i < NR_FRAMES; i++)
        give(i, 1);
    assert_int_equal(ask(&at, 1000, 4, got), 4);
    assert_int_equal(at, 4003);
    assert_int_equal(nr_looks, 4);
    assert_int_equal(ask(&at, 1000, 100, got), 15); /* one is in the hole */
    assert_int_equal(at, 0);
}

static void frames_of_no_domain_have_no_entry(void **state)
{
    uint64_t at = 0;

    (void)state;
    max_page = 8;
    give(0, 0);
    frame_table[0].count_info |= PGC_xen_heap;
    give(1, 0);
    frame_table[1].count_info |= PGC_extra;
    give(2, 0);
    frame_table[2].count_info = 0; /* a shadow */
    give(3, 2);                    /* Xen's own */
    give(4, 0);
    frame_table[4].v.inuse._domain = 0;
    give(5, 1);
    frame_table[5].count_info |= PGC_state_offlining;
    give(6, 0);
    frame_table[6].count_info = PGC_state_free | PGC_allocated; /* to scrub */
    assert_int_equal(ask(&at, 1, 8, got), 1);
    assert_int_equal(got[0], 5);
}

static void free_it(void)
{
    frame_table[0].count_info = PGC_state_free;
    frame_table[0].v.inuse._domain = 9;
}

static void hand_over(void)
{
    frame_table[0].v.inuse._domain ^= 3; /* 1 and 2 */
}

static void one_that_changes_is_not_believed(void **state)
{
    uint64_t at = 0;

    (void)state;
    max_page = 2;
    give(0, 0);
    give(1, 1);
    change = free_it;
    assert_int_equal(ask(&at, 1, 8, got), 1);
    assert_int_equal(got[0], 5);
    give(0, 0);
    change = hand_over;
    assert_int_equal(ask(&at, 1, 8, got), 1);
    assert_int_equal(got[0], 5);
    assert_int_equal(domlist_read_lock, 0);
}

static void bad_questions_are_refused(void **state)
{
    uint64_t at = 0;

    (void)state;
    give(0, 0);
    assert_int_equal(ask(&at, 0, 8, got), -EINVAL);
    assert_int_equal(ask(&at, 1, 0, got), -EINVAL);
    at = UINT64_MAX;
    assert_int_equal(ask(&at, UINT32_MAX, 8, got), 0);
    assert_int_equal(at, 0);
    fails_from = 1;
    assert_int_equal(ask(&at, 1, 8, got), -EFAULT);
}

static void times_are_those_of_the_vcpus(void **state)
{
    struct vcpu v = { .runstate = { .time = { 1, 2, 3, 4 } } };
    uint64_t times[100][4] = { { 0 } };
    struct xen_domctl_schedlog_times op = {
        .first = 1, .nr = 100, .times = times[0],
    };

    (void)state;
    domains[0].max_vcpus = 100;
    domains[0].vcpu[2] = &v;
    times[0][0] = 9;
    assert_int_equal(schedlog_times(&domains[0], &op), 0);
    assert_int_equal(op.nr, MAX_VCPUS_PER_CALL);
    assert_int_equal(times[0][0], 0); /* there is no vCPU 1 */
    assert_int_equal(times[1][0], 1);
    assert_int_equal(times[1][3], 4);
    op.first = 99;
    assert_int_equal(schedlog_times(&domains[0], &op), 0);
    assert_int_equal(op.nr, 1);
    op.first = 100;
    assert_int_equal(schedlog_times(&domains[0], &op), 0);
    assert_int_equal(op.nr, 0);
    op.first = 101;
    assert_int_equal(schedlog_times(&domains[0], &op), -EINVAL);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_frame_comes_up_once),
        TEST(a_sample_takes_as_long),
        TEST(frames_of_no_domain_have_no_entry),
        TEST(one_that_changes_is_not_believed),
        TEST(bad_questions_are_refused),
        TEST(times_are_those_of_the_vcpus),
    };

    return run_tap_tests(tests);
}
