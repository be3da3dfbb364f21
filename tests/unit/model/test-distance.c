/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distances between pCPUs.  Fails if what is farther costs less, if a host
 * whose nodes are differently far has one price for all, or if somebody who asks
 * is not told that a number was assumed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include "model/distance-file.h"

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

static void what_is_farther_never_costs_less(void **state)
{
    static const unsigned int to[] = { 0, 1, 2, 4, 8 };
    unsigned int kind, i;

    (void)state;
    for (kind = 0; kind < NR_DISTANCES; kind++)
        for (i = 1; i < 5; i++)
            assert_true(distance_ns(&d, &t, kind, 0, to[i - 1], NULL) <=
                        distance_ns(&d, &t, kind, 0, to[i], NULL));
    assert_true(distance_ns(&d, &t, DISTANCE_LINE, 0, 8, NULL) >
                distance_ns(&d, &t, DISTANCE_LINE, 0, 2, NULL));
    assert_true(distance_ns(&d, &t, DISTANCE_MEMORY, 0, 8, NULL) >
                distance_ns(&d, &t, DISTANCE_MEMORY, 0, 0, NULL));
}

static void nobody_measured_says_so(void **state)
{
    enum distance_source source = DISTANCE_MEASURED;

    (void)state;
    distance_ns(&d, &t, DISTANCE_LINE, 0, 8, &source);
    assert_int_equal(source, DISTANCE_ASSUMED);
    source = DISTANCE_MEASURED;
    distance_ns(&d, &t, DISTANCE_LINE, 0, 2, &source);
    assert_int_equal(source, DISTANCE_ASSUMED);
}

/* 0 and 1 are neighbours, 2 is twice as far from 0. */
static void slit_stretches_what_is_assumed(void **state)
{
    static const uint32_t slit[] = { 10, 16, 32, 16, 10, 20, 32, 20, 10 };
    enum distance_source source;
    double near;
    unsigned int i;

    (void)state;
    near = distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 1, NULL);
    for (i = 0; i < 9; i++)
        d.slit[i] = slit[i];
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 0, 1, &source),
                       near, 1e-9);
    assert_int_equal(source, DISTANCE_SLIT);
    assert_float_equal(distance_ns(&d, &t, DISTANCE_MEMORY, 0, 23, NULL),
                       2 * near, 1e-9);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 2, 1, NULL),
                       near * 20 / 16, 1e-9);
    assert_float_equal(distance_nodes_ns(&d, DISTANCE_MEMORY, 1, 1, &source),
                       distance_ns(&d, &t, DISTANCE_MEMORY, 0, 0, NULL), 1e-9);
    assert_int_equal(source, DISTANCE_ASSUMED);
}

static void what_was_measured_comes_first(void **state)
{
    enum distance_source source;

    (void)state;
    d.slit[1] = 16;
    d.between[DISTANCE_LINE][1] = 90;
    assert_float_equal(distance_ns(&d, &t, DISTANCE_LINE, 1, 9, &source), 90,
                       1e-9);
    assert_int_equal(source, DISTANCE_MEASURED);
    distance_ns(&d, &t, DISTANCE_LINE, 9, 1, &source);
    assert_int_equal(source, DISTANCE_ASSUMED);
    distance_ns(&d, &t, DISTANCE_NOTIFICATION, 1, 9, &source);
    assert_int_equal(source, DISTANCE_SLIT);
    d.ns[DISTANCE_LINE][RELATION_LLC] = 33;
    d.measured[DISTANCE_LINE][RELATION_LLC] = true;
    assert_float_equal(distance_ns(&d, &t, DISTANCE_LINE, 0, 2, &source), 33,
                       1e-9);
    assert_int_equal(source, DISTANCE_MEASURED);
}

#define distance_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* The file of what was measured. */

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

static void what_was_measured_is_read_back(void **state)
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
    assert_float_equal(distance_ns(&back, &t, DISTANCE_LINE, 0, 16, &source),
                       102, 0.05);
    assert_int_equal(source, DISTANCE_MEASURED);
    assert_float_equal(distance_nodes_ns(&back, DISTANCE_MEMORY, 2, 1, &source),
                       321, 0.05);
    assert_int_equal(source, DISTANCE_MEASURED);
    assert_float_equal(back.ns[DISTANCE_LINE][RELATION_LLC], 33.5, 0.05);
    /* Not measured: as far as what is next to it, or of the nearest two nodes. */
    assert_float_equal(back.ns[DISTANCE_LINE][RELATION_NODE], 33.5, 0.05);
    assert_float_equal(back.ns[DISTANCE_LINE][RELATION_REMOTE], 101, 0.05);
    assert_float_equal(back.ns[DISTANCE_MEMORY][RELATION_NODE], 300, 0.05);
    assert_float_equal(back.ns[DISTANCE_MEMORY][RELATION_REMOTE], 301, 0.05);
    distances_free(&back);
}

static void what_is_no_file_of_this_machine_changes_nothing(void **state)
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
        distance_test(what_is_farther_never_costs_less),
        distance_test(nobody_measured_says_so),
        distance_test(slit_stretches_what_is_assumed),
        distance_test(what_was_measured_comes_first),
        distance_test(what_was_measured_is_read_back),
        distance_test(what_is_no_file_of_this_machine_changes_nothing),
    };

    return run_tap_tests(tests);
}
