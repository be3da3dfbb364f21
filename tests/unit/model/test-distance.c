/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks distances between nodes.  Fails if a farther node costs less, if a host with different
 * distances has one price for all, if the division of a socket into nodes changes the price of
 * another socket, or if the source of a number is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include "model/topology/distance.h"

static struct topology t;
static struct distances d;

/* 3 nodes of 2 last-level caches of 2 cores of 2 threads. */
static int setup(void **state)
{
    unsigned int cpu;

    (void)state;
    topology_init(&t, 24);
    for (cpu = 0; cpu < 24; cpu++) {
        t.cpus[cpu].online = true;
        t.cpus[cpu].core = cpu / 2 % 4;
        t.cpus[cpu].llc = cpu / 4 % 2;
        t.cpus[cpu].socket = t.cpus[cpu].node = cpu / 8;
    }
    topology_make_places(&t);
    distances_init(&d, 3);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    topology_free(&t);
    distances_free(&d);

    return 0;
}

static void relations_are_what_pcpus_share(void **state)
{
    (void)state;
    assert_int_equal(distance_relation(&t, 3, 3), RELATION_PCPU);
    assert_int_equal(distance_relation(&t, 2, 3), RELATION_CORE);
    assert_int_equal(distance_relation(&t, 1, 3), RELATION_LLC);
    assert_int_equal(distance_relation(&t, 3, 4), RELATION_NODE);
    assert_int_equal(distance_relation(&t, 7, 8), RELATION_REMOTE);
    assert_int_equal(distance_relation(&t, 0, 99), RELATION_REMOTE);
}

static void a_larger_distance_never_costs_less(void **state)
{
    unsigned int kind, i;

    (void)state;
    for (kind = 0; kind < NR_DISTANCES; kind++)
        for (i = RELATION_CORE; i < NR_RELATIONS; i++)
            assert_true(d.ns[kind][i - 1] <= d.ns[kind][i]);
    assert_true(d.ns[DISTANCE_LINE][RELATION_REMOTE] >
                d.ns[DISTANCE_LINE][RELATION_LLC]);
    assert_true(distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 1, NULL) >
                distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 0, NULL));
}

static void an_unmeasured_host_says_so(void **state)
{
    enum distance_source source = DISTANCE_MEASURED;

    (void)state;
    distance_nodes_ns(&d, DISTANCE_LINE, 0, 1, &source);
    assert_int_equal(source, DISTANCE_ASSUMED);
    source = DISTANCE_MEASURED;
    distance_nodes_ns(&d, DISTANCE_LINE, 0, 0, &source);
    assert_int_equal(source, DISTANCE_ASSUMED);
}

/* 0 and 1 are neighbours; 2 is twice as far from 0. */
static void slit_stretches_what_is_assumed(void **state)
{
    static const uint32_t slit[] = { 10, 16, 32, 16, 10, 20, 32, 20, 10 };
    enum distance_source source;
    double near;

    (void)state;
    near = distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 1, NULL);
    memcpy(d.slit, slit, sizeof(slit));
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 1, &source),
                       near, 1e-9);
    assert_int_equal(source, DISTANCE_SLIT);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 2, NULL),
                       2 * near, 1e-9);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 2, 1, NULL),
                       near * 20 / 16, 1e-9);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 1, 1, &source),
                       d.ns[DISTANCE_MEMORY][RELATION_LLC], 1e-9);
    assert_int_equal(source, DISTANCE_ASSUMED);
}

static void measured_distances_come_first(void **state)
{
    enum distance_source source;

    (void)state;
    d.slit[1] = 16;
    d.between[DISTANCE_LINE][1] = 90;
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_LINE, 0, 1, &source), 90,
                       1e-9);
    assert_int_equal(source, DISTANCE_MEASURED);
    distance_nodes_ns(&d, DISTANCE_LINE, 1, 0, &source);
    assert_int_equal(source, DISTANCE_ASSUMED);
    distance_nodes_ns(&d, DISTANCE_NOTIFICATION, 0, 1, &source);
    assert_int_equal(source, DISTANCE_SLIT);
    d.ns[DISTANCE_LINE][RELATION_LLC] = 33;
    d.measured[DISTANCE_LINE][RELATION_LLC] = true;
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_LINE, 0, 0, &source), 33,
                       1e-9);
    assert_int_equal(source, DISTANCE_MEASURED);
}

/* Nodes of a host with two sockets of 8 cores, by the firmware's setting. */

struct cut {
    unsigned int nodes_per_socket;
    uint32_t within, across; /* distances of the SLIT */
};

/* Sockets of 2 LLCs, as those of an EPYC, or of 1, as those of a Xeon. */
static void cut_host(struct cut cut, unsigned int llcs)
{
    unsigned int per = cut.nodes_per_socket, nr = 2 * per, i;

    topology_free(&t);
    distances_free(&d);
    topology_init(&t, 16);
    for (i = 0; i < 16; i++) {
        t.cpus[i].online = true;
        t.cpus[i].core = i % 8;
        t.cpus[i].socket = i / 8;
        t.cpus[i].llc = i * llcs / 8;
        t.cpus[i].node = i * per / 8;
    }
    topology_make_places(&t);
    distances_init(&d, nr);
    for (i = 0; i < nr * nr; i++)
        d.slit[i] = i / nr == i % nr ? 10
                    : i / nr / per == i % nr / per ? cut.within : cut.across;
    distances_relate(&d, &t);
}

/* EPYC with NPS1, NPS2 and NPS4; Xeon undivided and with SNC2. */
static void a_cut_of_sockets_changes_no_price_of_the_other_socket(void **state)
{
    static const struct cut epyc[] = { { 1, 0, 32 }, { 2, 12, 32 },
                                       { 4, 12, 32 } };
    static const struct cut xeon[] = { { 1, 0, 21 }, { 2, 11, 21 } };
    unsigned int kind, i;
    double other;

    (void)state;
    for (kind = 0; kind < NR_DISTANCES; kind++) {
        other = d.ns[kind][RELATION_REMOTE];
        for (i = 0; i < 3; i++) {
            cut_host(epyc[i], 2);
            assert_float_equal(distance_nodes_ns(&d, kind, 0, d.nr_nodes - 1,
                                                 NULL), other, 1e-9);
        }
        for (i = 0; i < 2; i++) {
            cut_host(xeon[i], 1);
            assert_float_equal(distance_nodes_ns(&d, kind, 0, d.nr_nodes - 1,
                                                 NULL), other, 1e-9);
        }
    }
}

static void lines_of_a_socket_cost_what_its_caches_do(void **state)
{
    enum distance_source source;

    (void)state;
    cut_host((struct cut){ 4, 12, 32 }, 2);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_LINE, 0, 1, NULL),
                       d.ns[DISTANCE_LINE][RELATION_LLC], 1e-9);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_LINE, 0, 2, &source),
                       d.ns[DISTANCE_LINE][RELATION_NODE], 1e-9);
    assert_int_equal(source, DISTANCE_ASSUMED);
}

static void memory_of_the_same_socket_is_between_the_two(void **state)
{
    double own, socket, other;

    (void)state;
    cut_host((struct cut){ 4, 12, 32 }, 2);
    own = distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 0, NULL);
    socket = distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 1, NULL);
    other = distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 4, NULL);
    assert_float_equal(socket, 1.2 * own, 1e-9);
    assert_true(socket < other);
    /* The firmware exaggerates. */
    cut_host((struct cut){ 4, 30, 32 }, 2);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 1, NULL),
                       other, 1e-9);
}

/* Node 1 has memory only; its distance in the SLIT is less than the other socket's. */
static void a_node_without_pcpus_is_no_socket(void **state)
{
    unsigned int i;
    double other;

    (void)state;
    cut_host((struct cut){ 2, 14, 32 }, 1);
    other = d.ns[DISTANCE_MEMORY][RELATION_REMOTE];
    for (i = 4; i < 8; i++)
        t.cpus[i].online = false;
    distances_relate(&d, &t);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 2, NULL),
                       other, 1e-9);
}

#define distance_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* The file of measurements. */

#define FILE_NAME "test-distance.json"

static void write_text(const char *text)
{
    FILE *file = fopen(FILE_NAME, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void measure_some(void)
{
    unsigned int kind, from, to;

    for (kind = 0; kind < NR_DISTANCES; kind++)
        for (from = 0; from < 3; from++)
            for (to = 0; to < 3; to++)
                if (from != to || kind == DISTANCE_MEMORY)
                    d.between[kind][from * 3 + to] =
                        100 * (kind + 1) + 10 * from + to;
    d.ns[DISTANCE_LINE][RELATION_LLC] = 33.5;
    d.measured[DISTANCE_LINE][RELATION_LLC] = true;
}

static void measured_distances_are_read_back(void **state)
{
    enum distance_source source;
    struct distances back;
    struct xensched_error err;
    char *text;

    (void)state;
    measure_some();
    text = distances_text(&d, 24);
    write_text(text);
    free(text);
    distances_init(&back, 3);
    assert_int_equal(distances_read(&back, FILE_NAME, 24, &err), 0);
    assert_float_equal(distance_nodes_ns(&back, DISTANCE_LINE, 0, 2, &source),
                       102, 0.05);
    assert_int_equal(source, DISTANCE_MEASURED);
    assert_float_equal(distance_nodes_ns(&back, DISTANCE_MEMORY, 2, 1, &source),
                       321, 0.05);
    assert_int_equal(source, DISTANCE_MEASURED);
    assert_float_equal(back.ns[DISTANCE_LINE][RELATION_LLC], 33.5, 0.05);
    /*
     * Distances without a measurement are that of the next relation, or of the nearest two nodes.
     */
    assert_float_equal(back.ns[DISTANCE_LINE][RELATION_NODE], 33.5, 0.05);
    assert_float_equal(back.ns[DISTANCE_LINE][RELATION_REMOTE], 101, 0.05);
    assert_float_equal(back.ns[DISTANCE_MEMORY][RELATION_NODE], 300, 0.05);
    assert_float_equal(back.ns[DISTANCE_MEMORY][RELATION_REMOTE], 301, 0.05);
    distances_free(&back);
}

/* A measurement of two nodes of a socket does not apply to another socket. */
static void a_measured_socket_says_nothing_of_another(void **state)
{
    struct xensched_error err;
    char *text;

    (void)state;
    cut_host((struct cut){ 2, 12, 32 }, 1);
    d.between[DISTANCE_LINE][0 * 4 + 1] = d.between[DISTANCE_LINE][4] = 55;
    d.between[DISTANCE_LINE][0 * 4 + 2] = 215;
    d.between[DISTANCE_LINE][0 * 4 + 3] = 222;
    text = distances_text(&d, 16);
    write_text(text);
    free(text);
    assert_int_equal(distances_read(&d, FILE_NAME, 16, &err), 0);
    assert_float_equal(d.ns[DISTANCE_LINE][RELATION_REMOTE], 215, 0.05);
}

static void a_file_of_another_machine_changes_nothing(void **state)
{
    static const char *const wrong[] = {
        "", "[]", "{}", "{\"pcpus\": 24, \"nodes\": 2}",
        "{\"pcpus\": 24, \"nodes\": 3}",
        "{\"pcpus\": 24, \"nodes\": 3, \"line\": {\"between\": [[1, 2], [3, 4]]}}",
        "{\"pcpus\": 24, \"nodes\": 3, \"line\": {\"between\": "
        "[[0, -1, 1], [1, 0, 1], [1, 1, 0]]}}",
        "{\"pcpus\": 24, \"nodes\": 3, \"line\": {\"between\": "
        "[[0, 1e300, 1], [1, 0, 1], [1, 1, 0]]}}",
    };
    struct xensched_error err;
    struct distances as_ever;
    char *text;
    size_t i;

    (void)state;
    distances_init(&as_ever, 3);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        write_text(wrong[i]);
        assert_int_equal(distances_read(&d, FILE_NAME, 24, &err), -EINVAL);
        assert_non_null(strstr(err.text, "xensched calibrate"));
    }
    remove(FILE_NAME);
    assert_int_equal(distances_read(&d, FILE_NAME, 24, &err), -ENOENT);
    assert_memory_equal(d.ns, as_ever.ns, sizeof(d.ns));
    assert_float_equal(d.between[DISTANCE_LINE][1], 0, 0);
    measure_some();
    text = distances_text(&d, 23);
    write_text(text);
    free(text);
    assert_int_equal(distances_read(&d, FILE_NAME, 24, &err), -EINVAL);
    assert_non_null(strstr(err.text, "23 pCPUs"));
    distances_free(&as_ever);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        distance_test(relations_are_what_pcpus_share),
        distance_test(a_larger_distance_never_costs_less),
        distance_test(an_unmeasured_host_says_so),
        distance_test(slit_stretches_what_is_assumed),
        distance_test(measured_distances_come_first),
        distance_test(a_cut_of_sockets_changes_no_price_of_the_other_socket),
        distance_test(lines_of_a_socket_cost_what_its_caches_do),
        distance_test(memory_of_the_same_socket_is_between_the_two),
        distance_test(a_node_without_pcpus_is_no_socket),
        distance_test(measured_distances_are_read_back),
        distance_test(a_measured_socket_says_nothing_of_another),
        distance_test(a_file_of_another_machine_changes_nothing),
    };

    return run_tap_tests(tests);
}
