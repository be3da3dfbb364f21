/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pCPU maps and places: sets of ids as they are on hosts with gaps in their
 * ids, threads, and sockets which are no NUMA nodes.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "harness.h"

#include "model/cpumap.h"
#include "model/topology.h"

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
    };

    return run_tap_tests(tests);
}
