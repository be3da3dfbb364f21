/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks which pCPUs share a last-level cache, by any numbers of Xen's, and by an
 * operator's list.
 */
#include <errno.h>
#include <string.h>

#include "cmocka-tap.h"

#include "host/llc.h"

#define NR 32U

static struct topology t;
static uint32_t caches[NR];

/* 2 sockets of 8 cores of 2 threads; 4 cores share an LLC. */
static int setup(void **state)
{
    unsigned int i;

    (void)state;
    topology_init(&t, NR);
    for (i = 0; i < NR; i++) {
        t.cpus[i].online = true;
        t.cpus[i].socket = t.cpus[i].node = i / 16;
        t.cpus[i].core = i / 2 % 8;
        caches[i] = i / 8;
    }

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    topology_free(&t);

    return 0;
}

static void pcpus_of(unsigned int llc, const char *expected)
{
    struct cpumap map;
    char text[CPUMAP_TEXT];
    unsigned int i;

    cpumap_init(&map, NR);
    for (i = 0; i < NR; i++)
        if (t.cpus[i].llc == llc)
            cpumap_set(&map, i);
    cpumap_format(&map, text, sizeof(text));
    cpumap_free(&map);
    assert_string_equal(text, expected);
}

static void nothing_is_known(void)
{
    unsigned int i;

    assert_int_equal(t.llc, LLC_NOT_SAID);
    for (i = 0; i < NR; i++)
        assert_int_equal(t.cpus[i].llc, TOPOLOGY_UNKNOWN);
}

static void equal_numbers_share_one(void **state)
{
    (void)state;
    assert_true(llc_of_host(&t, caches, NR));
    assert_int_equal(t.llc, LLC_OF_HOST);
    pcpus_of(0, "0-7");
    pcpus_of(1, "8-15");
    pcpus_of(3, "24-31");
    topology_make_places(&t);
    assert_int_equal(t.nr_places, 2);
    assert_int_equal(t.nr_caches, 4);
}

/* Phandles are in any order, and some caches have fewer pCPUs. */
static void numbers_need_not_be_dense(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < NR; i++)
        caches[i] = 0xfffffffeU - (i / 16 << 20 | i / 6 % 8 << 3);
    assert_true(llc_of_host(&t, caches, NR));
    pcpus_of(0, "0-5");
    pcpus_of(1, "6-11");
    pcpus_of(2, "12-15");
    pcpus_of(3, "16-17");
}

static void an_llc_ends_with_its_socket(void **state)
{
    (void)state;
    memset(caches, 0, sizeof(caches));
    assert_true(llc_of_host(&t, caches, NR));
    pcpus_of(0, "0-15");
    pcpus_of(1, "16-31");
    topology_make_places(&t);
    assert_int_equal(t.nr_caches, 2);
    assert_string_equal(t.caches[0].kind, "node");
}

static void impossible_numbers_are_ignored(void **state)
{
    unsigned int i;

    (void)state;
    /* A cache of one thread or one core is no LLC. */
    for (i = 0; i < NR; i++)
        caches[i] = i;
    assert_false(llc_of_host(&t, caches, NR));
    nothing_is_known();
    for (i = 0; i < NR; i++)
        caches[i] = i / 2;
    assert_false(llc_of_host(&t, caches, NR));
    nothing_is_known();
    /* One thread of a core has another cache. */
    for (i = 0; i < NR; i++)
        caches[i] = i / 8;
    caches[9] = 0;
    assert_false(llc_of_host(&t, caches, NR));
    nothing_is_known();
    /* Two pCPUs are unknown. */
    caches[8] = caches[9] = LLC_UNKNOWN;
    assert_false(llc_of_host(&t, caches, NR));
    nothing_is_known();
    /* An offline pCPU has none. */
    t.cpus[8].online = t.cpus[9].online = false;
    assert_true(llc_of_host(&t, caches, NR));
    pcpus_of(1, "10-15");
    /* pCPUs that Xen does not report are unknown, too. */
    assert_false(llc_of_host(&t, caches, NR - 1));
    nothing_is_known();
    t.cpus[NR - 1].online = false;
    assert_true(llc_of_host(&t, caches, NR - 1));
}

static void name(const char *text)
{
    struct xensched_error err;

    if (llc_named(&t, text, &err))
        fail_msg("%s", err.text);
}

static void an_operators_list_comes_first(void **state)
{
    (void)state;
    name("0-3,8-11/4-7,12-15");
    assert_int_equal(t.llc, LLC_NAMED);
    pcpus_of(0, "0-3,8-11");
    pcpus_of(1, "4-7,12-15");
    pcpus_of(TOPOLOGY_UNKNOWN, "16-31");
    topology_make_places(&t);
    assert_int_equal(t.nr_caches, 3);
}

static void a_pcpu_that_is_not_named_is_where_the_host_says(void **state)
{
    (void)state;
    assert_true(llc_of_host(&t, caches, NR));
    name("0-3/24-27");
    pcpus_of(0, "0-3");
    pcpus_of(1, "4-7");
    pcpus_of(2, "8-15");
    pcpus_of(3, "16-23");
    pcpus_of(4, "24-27");
    pcpus_of(5, "28-31");
}

static void an_impossible_list_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "0-7/8-23", "'8-23' of llc (--llc) cannot share a cache: they are "
                      "on sockets 0 and 1" },
        { "0-7/30-32", "'30-32' of llc (--llc) are no pCPUs of this host, "
                       "which has 0-31" },
        { "0-6", "a thread of a core and not all others" },
        { "0-2/3-7", "a thread of a core and not all others" },
    };
    struct xensched_error err;
    unsigned int i;

    (void)state;
    assert_true(llc_of_host(&t, caches, NR));
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(llc_named(&t, wrong[i].text, &err), -EINVAL);
        if (!strstr(err.text, wrong[i].message))
            fail_msg("'%s' instead of '%s'", err.text, wrong[i].message);
        assert_int_equal(t.llc, LLC_OF_HOST);
        pcpus_of(0, "0-7");
        pcpus_of(2, "16-23");
    }
}

/* lscpu's list for 16 cores of 2 threads, of which 8 share an L3. */
static void a_cache_that_is_no_block_is_odd(void **state)
{
    static const char *const blocks[] = {
        "0-7/8-15", "0-15/16-31", "0-7", "8-15/0-7", "0-5,6,7",
    };
    struct xensched_error odd;
    unsigned int i;

    (void)state;
    assert_true(llc_is_odd(&t, "0-7/8-11,24-27", &odd));
    assert_non_null(strstr(odd.text, "'8-11,24-27' of llc"));
    assert_non_null(strstr(odd.text, "'xl info -n'"));
    for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        assert_false(llc_is_odd(&t, blocks[i], &odd));
    /* smt=off: every second id is offline. */
    for (i = 1; i < NR; i += 2)
        t.cpus[i].online = false;
    assert_false(llc_is_odd(&t, "0,2,4,6/8,10,12,14", &odd));
    assert_true(llc_is_odd(&t, "0,4,8", &odd));
}

static void a_list_names_each_pcpu_once(void **state)
{
    static const char *const wrong[] = {
        "", "/", "0-3/", "/0-3", "0-3//4", "0-3/3-5", "x", "3-1",
        "0-3/4-", "0-4096", "0 - 3",
    };
    unsigned int i;

    (void)state;
    assert_true(llc_is_list("0-3"));
    assert_true(llc_is_list("0-3,8-11/4-7,12-15/4095"));
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (llc_is_list(wrong[i]))
            fail_msg("'%s' is none", wrong[i]);
}

#define llc_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        llc_test(equal_numbers_share_one),
        llc_test(numbers_need_not_be_dense),
        llc_test(an_llc_ends_with_its_socket),
        llc_test(impossible_numbers_are_ignored),
        llc_test(an_operators_list_comes_first),
        llc_test(a_pcpu_that_is_not_named_is_where_the_host_says),
        llc_test(an_impossible_list_is_refused),
        llc_test(a_cache_that_is_no_block_is_odd),
        cmocka_unit_test(a_list_names_each_pcpu_once),
    };

    return run_tap_tests(tests);
}
