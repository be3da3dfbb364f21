/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks pCPU maps and places, on hosts with gaps in their ids, with threads, with sockets that are
 * no NUMA nodes, and with several last-level caches per socket.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "harness.h"

#include "base/cpumap.h"
#include "model/topology/topology.h"

static void maps_come_back_from_their_text(void **state)
{
    uint64_t seed = 3;
    unsigned int i, cpu;

    (void)state;
    for (i = 0; i < 500; i++) {
        unsigned int nr = 1 + harness_random_below(&seed, 200);
        struct cpumap a, b;
        char text[CPUMAP_TEXT];

        cpumap_init(&a, nr);
        cpumap_init(&b, nr);
        for (cpu = 0; cpu < nr; cpu++)
            if (harness_random_below(&seed, 1 + i % 4))
                cpumap_set(&a, cpu);
        assert_true(cpumap_format(&a, text, sizeof(text)));
        assert_true(cpumap_parse(&b, text));
        assert_true(cpumap_equal(&a, &b));
        cpumap_free(&a);
        cpumap_free(&b);
    }
}

static void texts_are_the_usual_ones(void **state)
{
    struct cpumap map;
    char text[CPUMAP_TEXT];

    (void)state;
    cpumap_init(&map, 70);
    cpumap_format(&map, text, sizeof(text));
    assert_string_equal(text, "");
    assert_true(cpumap_parse(&map, "0-2,5,63-64,69"));
    cpumap_format(&map, text, sizeof(text));
    assert_string_equal(text, "0-2,5,63-64,69");
    assert_int_equal(cpumap_count(&map), 7);
    assert_false(cpumap_format(&map, text, 9));
    cpumap_free(&map);
}

static void wrong_texts_are_refused(void **state)
{
    static const char *const wrong[] = {
        "70", "x", "1,", ",1", "1-", "-1", "3-2", "1 ", "1,,2", "0-70",
        "99999999999999999999", "1-2-3", "0x1",
    };
    struct cpumap map;
    size_t i;

    (void)state;
    cpumap_init(&map, 70);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(cpumap_parse(&map, wrong[i]));
    cpumap_free(&map);
}

static void subsets_and_ids_out_of_range(void **state)
{
    struct cpumap a, b;

    (void)state;
    cpumap_init(&a, 100);
    cpumap_init(&b, 100);
    cpumap_parse(&a, "3,99");
    cpumap_parse(&b, "0-99");
    assert_true(cpumap_subset(&a, &b));
    assert_false(cpumap_subset(&b, &a));
    cpumap_set(&a, 100);
    assert_false(cpumap_test(&a, 100));
    assert_int_equal(cpumap_count(&a), 2);
    cpumap_and(&b, &a);
    assert_true(cpumap_equal(&a, &b));
    cpumap_free(&a);
    cpumap_free(&b);
}

/* Ids 0, 1, 4, 5 on socket 0 and 2, 3, 6 on socket 1; 7 is offline. */
static void make(struct topology *t, bool numa, bool threads)
{
    static const unsigned int socket[8] = { 0, 0, 1, 1, 0, 0, 1, ~0U };
    unsigned int i;

    topology_init(t, 8);
    for (i = 0; i < 7; i++) {
        t->cpus[i].online = true;
        t->cpus[i].socket = socket[i];
        t->cpus[i].node = numa ? socket[i] : 0;
        t->cpus[i].core = threads ? i / 4 : i;
    }
    topology_make_places(t);
}

static void places_are_nodes_or_else_sockets(void **state)
{
    struct topology t;
    char text[CPUMAP_TEXT];
    int numa;

    (void)state;
    for (numa = 0; numa < 2; numa++) {
        make(&t, numa, false);
        assert_int_equal(t.nr_places, 2);
        assert_string_equal(t.places[0].kind, numa ? "node" : "socket");
        cpumap_format(&t.places[0].cpus, text, sizeof(text));
        assert_string_equal(text, "0-1,4-5");
        assert_int_equal(topology_place_of(&t, 6), 1);
        assert_int_equal(topology_place_of(&t, 7), TOPOLOGY_UNKNOWN);
        assert_int_equal(topology_place_of(&t, 800), TOPOLOGY_UNKNOWN);
        topology_free(&t);
    }
}

static void a_map_is_in_a_place_if_all_of_it_is(void **state)
{
    struct topology t;
    struct cpumap map;

    (void)state;
    make(&t, true, false);
    cpumap_init(&map, 8);
    assert_int_equal(topology_place_of_all(&t, &map), TOPOLOGY_UNKNOWN);
    cpumap_parse(&map, "2,6");
    assert_int_equal(topology_place_of_all(&t, &map), 1);
    cpumap_parse(&map, "2,4");
    assert_int_equal(topology_place_of_all(&t, &map), TOPOLOGY_UNKNOWN);
    cpumap_free(&map);
    topology_free(&t);
}

static void threads_are_not_cores(void **state)
{
    struct topology_summary s;
    struct topology t;

    (void)state;
    make(&t, true, true);
    topology_summarise(&t, &s);
    assert_int_equal(s.cpus, 7);
    assert_int_equal(s.cores, 4);
    assert_int_equal(s.sockets, 2);
    assert_int_equal(s.nodes, 2);
    assert_int_equal(topology_cores(&t, &t.places[0].cpus), 2);
    topology_free(&t);
}

static unsigned int core_of(const struct topology *t, const char *cpus)
{
    struct cpumap map;
    unsigned int core;

    cpumap_init(&map, t->nr_cpus);
    cpumap_parse(&map, cpus);
    core = topology_core_of_all(t, &map);
    cpumap_free(&map);

    return core;
}

static void a_core_is_a_part_of_a_cache(void **state)
{
    struct topology t;

    (void)state;
    make(&t, true, true);
    assert_int_equal(t.nr_cores, 4);
    assert_int_equal(core_of(&t, "4-5"), 2);
    assert_int_equal(core_of(&t, "5"), 2);
    assert_int_equal(core_of(&t, "0,4"), TOPOLOGY_UNKNOWN);
    assert_int_equal(t.cores[2].within, 0);
    assert_string_equal(t.cores[2].kind, "core");
    assert_int_equal(t.cores[2].id, 2);
    assert_string_equal(t.cores[3].kind, "pCPU");
    assert_int_equal(t.cores[3].id, 6);
    assert_ptr_equal(topology_at(&t, (struct spot){ 0, 0, 3 }), &t.cores[2]);
    assert_ptr_equal(topology_at(&t, spot_of_place(1)), &t.places[1]);
    topology_free(&t);
}

static void a_core_that_is_all_of_a_cache_is_none(void **state)
{
    struct topology t;
    unsigned int i;

    (void)state;
    topology_init(&t, 4);
    for (i = 0; i < 4; i++)
        t.cpus[i] = (struct topology_cpu){
            .online = true, .socket = i / 2, .place = TOPOLOGY_UNKNOWN,
        };
    topology_make_places(&t);
    assert_int_equal(t.nr_cores, 2);
    assert_int_equal(core_of(&t, "2"), TOPOLOGY_UNKNOWN);
    topology_free(&t);
}

/* 2 sockets x 2 LLCs x 4 cores x 2 threads; LLCs have no number yet. */
static void make_32(struct topology *t)
{
    unsigned int i;

    topology_init(t, 32);
    for (i = 0; i < 32; i++) {
        t->cpus[i].online = true;
        t->cpus[i].socket = i / 16;
        t->cpus[i].node = i / 16;
        t->cpus[i].core = i / 2 % 8;
    }
}

static void pcpus_are(const struct cpumap *map, const char *expected)
{
    char text[CPUMAP_TEXT];

    cpumap_format(map, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void llcs_of_a_socket_are_parts_of_its_place(void **state)
{
    static const char *const llcs[] = { "0-7", "8-15", "16-23", "24-31" };
    struct topology_summary s;
    struct topology t;
    unsigned int i;

    (void)state;
    make_32(&t);
    for (i = 0; i < 32; i++)
        t.cpus[i].llc = i / 8 % 2; /* unique within its socket */
    topology_make_places(&t);
    assert_int_equal(t.nr_places, 2);
    pcpus_are(&t.places[1].cpus, "16-31");
    assert_int_equal(t.nr_caches, 4);
    for (i = 0; i < 4; i++) {
        pcpus_are(&t.caches[i].cpus, llcs[i]);
        assert_string_equal(t.caches[i].kind, "LLC");
        assert_int_equal(t.caches[i].id, i);
        assert_int_equal(t.caches[i].within, i / 2);
        assert_int_equal(topology_cores(&t, &t.caches[i].cpus), 4);
        assert_int_equal(topology_cache_of_all(&t, &t.caches[i].cpus), i);
        assert_int_equal(t.cpus[8 * i].cache, i);
    }
    assert_int_equal(topology_cache_of_all(&t, &t.places[0].cpus),
                     TOPOLOGY_UNKNOWN);
    assert_int_equal(topology_only_cache(&t, 0), TOPOLOGY_UNKNOWN);
    topology_summarise(&t, &s);
    assert_int_equal(s.llcs, 4);
    assert_int_equal(s.sockets, 2);
    assert_false(topology_llc_splits_core(&t));
    t.cpus[1].llc = 1;
    assert_true(topology_llc_splits_core(&t));
    topology_free(&t);
}

/* One LLC per socket, with or without a number, changes nothing. */
static void an_llc_which_is_not_known_is_the_sockets(void **state)
{
    struct topology_summary s;
    struct topology t;
    unsigned int i, known;

    (void)state;
    for (known = 0; known < 2; known++) {
        make_32(&t);
        for (i = 0; known && i < 32; i++)
            t.cpus[i].llc = 5 + i / 16;
        topology_make_places(&t);
        assert_int_equal(t.nr_caches, 2);
        for (i = 0; i < 2; i++) {
            assert_string_equal(t.caches[i].kind, "node");
            assert_int_equal(t.caches[i].id, i);
            assert_int_equal(topology_only_cache(&t, i), i);
            assert_true(cpumap_equal(&t.caches[i].cpus, &t.places[i].cpus));
        }
        topology_summarise(&t, &s);
        assert_int_equal(s.llcs, 2);
        topology_free(&t);
    }
}

/* The pCPUs of a socket that are in no list share a cache as well. */
static void the_rest_of_a_socket_shares_one(void **state)
{
    struct topology t;
    unsigned int i;

    (void)state;
    make_32(&t);
    for (i = 0; i < 4; i++)
        t.cpus[i].llc = 0;
    topology_make_places(&t);
    assert_int_equal(t.nr_caches, 3);
    pcpus_are(&t.caches[0].cpus, "0-3");
    pcpus_are(&t.caches[1].cpus, "4-15");
    pcpus_are(&t.caches[2].cpus, "16-31");
    assert_int_equal(topology_only_cache(&t, 1), 2);
    topology_free(&t);
}

/* A node can be a part of a socket, or several sockets. */
static void an_llc_is_never_more_than_a_node(void **state)
{
    struct topology t;
    unsigned int i;

    (void)state;
    make_32(&t);
    for (i = 0; i < 32; i++) {
        t.cpus[i].node = i / 8;
        t.cpus[i].llc = 0;
    }
    topology_make_places(&t);
    assert_int_equal(t.nr_places, 4);
    assert_int_equal(t.nr_caches, 4);
    assert_string_equal(t.caches[3].kind, "node");
    topology_free(&t);

    make_32(&t);
    t.cpus[31].node = 7;
    for (i = 0; i < 31; i++)
        t.cpus[i].node = 0;
    topology_make_places(&t);
    /* Two sockets are not two LLCs of one socket. */
    assert_int_equal(t.nr_caches, 2);
    pcpus_are(&t.caches[0].cpus, "0-30");
    topology_free(&t);
}

static void a_pcpu_which_is_offline_has_no_llc(void **state)
{
    struct topology t;
    unsigned int i;

    (void)state;
    make_32(&t);
    for (i = 0; i < 32; i++)
        t.cpus[i].llc = i / 8;
    for (i = 8; i < 17; i++)
        t.cpus[i].online = false;
    topology_make_places(&t);
    assert_int_equal(t.nr_caches, 3);
    assert_int_equal(t.cpus[8].cache, TOPOLOGY_UNKNOWN);
    pcpus_are(&t.caches[1].cpus, "17-23");
    assert_int_equal(t.caches[1].within, 1);
    topology_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_come_back_from_their_text),
        cmocka_unit_test(texts_are_the_usual_ones),
        cmocka_unit_test(wrong_texts_are_refused),
        cmocka_unit_test(subsets_and_ids_out_of_range),
        cmocka_unit_test(places_are_nodes_or_else_sockets),
        cmocka_unit_test(a_map_is_in_a_place_if_all_of_it_is),
        cmocka_unit_test(threads_are_not_cores),
        cmocka_unit_test(a_core_is_a_part_of_a_cache),
        cmocka_unit_test(a_core_that_is_all_of_a_cache_is_none),
        cmocka_unit_test(llcs_of_a_socket_are_parts_of_its_place),
        cmocka_unit_test(an_llc_which_is_not_known_is_the_sockets),
        cmocka_unit_test(the_rest_of_a_socket_shares_one),
        cmocka_unit_test(an_llc_is_never_more_than_a_node),
        cmocka_unit_test(a_pcpu_which_is_offline_has_no_llc),
    };

    return run_tap_tests(tests);
}
