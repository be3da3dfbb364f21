/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The price of queueing below saturation: it is near the exact number for vCPUs that are
 * runnable independently, scaled by what is counted, and 0 if each vCPU has a core.
 */
#include <math.h>

#include "cmocka-tap.h"
#include "placement/placement.h"
#include "placement/term.h"
#include "policy/queueing.h"

#define CORES 8

static struct placement p;

static double price(unsigned int spot)
{
    return terms[TERM_QUEUEING]->price(&p, 0, spot);
}

/* Guests at place 0 that are runnable for a @part of the time each, and a guest at place 1. */
static void make_host(unsigned int guests, double part)
{
    unsigned int i;

    placement_init(&p, 2, 2, 0, 1 + guests, 0);
    for (i = 0; i < 2; i++) {
        p.spots[i].place = i;
        p.cores[i] = CORES;
    }
    for (i = 0; i <= guests; i++)
        p.units[i] = (struct unit){
            .movable = !i, .origin = !i, .demand = { .vcpus = 1, .need = part },
        };
    placement_measure(&p);
    placement_ready(&p);
    p.queueing = 1;
}

/* The mean number of @n vCPUs that wait; each is runnable for a @part of the time. */
static double exact(unsigned int n, double part)
{
    double waiting = 0;
    unsigned int k;

    for (k = CORES + 1; k <= n; k++)
        waiting += (k - CORES) * exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
                                     k * log(part) + (n - k) * log(1 - part));

    return waiting;
}

/* From 40 to 90 % of the cores are demanded. */
static void the_price_is_near_the_exact_one(void **state)
{
    unsigned int guests;
    double load;

    (void)state;
    for (guests = 12; guests <= 48; guests += 6)
        for (load = 0.4; load < 0.95; load += 0.1) {
            double part = load * CORES / (guests + 1), ns;

            make_host(guests, part);
            ns = 1e9 * (exact(guests + 1, part) - exact(guests, part));
            assert_float_equal(price(0), ns, 0.25 * ns + 2e6);
            assert_float_equal(price(1), 0, 1);
            placement_free(&p);
        }
}

static void a_core_for_each_vcpu_costs_nothing(void **state)
{
    (void)state;
    make_host(CORES - 1, 0.95);
    assert_float_equal(price(0), 0, 1);
    placement_free(&p);
}

/* Half of the waits by chance cost half; none cost nothing. */
static void the_price_is_what_is_counted(void **state)
{
    double all;

    (void)state;
    make_host(12, 0.5);
    all = price(0);
    assert_true(all > 1e6);
    p.queueing = 0.5;
    assert_float_equal(price(0), all / 2, 1);
    p.queueing = 0;
    assert_float_equal(price(0), 0, 1e-9);
    placement_free(&p);
}

/* Xen counts @sum vCPUs that wait at place 0, as many for each guest there. */
static void set_waits(double sum)
{
    unsigned int i;

    for (i = 1; i <= 24; i++)
        p.units[i].queued = sum / 24;
}

/* Learns for a minute, while a part of the waits by chance is counted at place 0. */
static double learned(double load, double counted)
{
    struct queueing q = { 0 };
    double queue;
    unsigned int i;

    make_host(24, load * CORES / 24);
    queue = crowd_queue(&p.crowd[0], CORES);
    assert_true(queue > 0);
    set_waits(counted * queue);
    for (i = 0; i <= 60; i++)
        queueing_learn(&q, &p, (1 + i) * 1000000000ULL);
    placement_free(&p);

    return queueing_part(&q);
}

static void the_counted_part_is_learned(void **state)
{
    (void)state;
    assert_float_equal(learned(0.8, 0), 0, 1e-9);
    assert_float_equal(learned(0.8, 0.5), 0.5, 0.05);
    /* Waits beyond chance have another cause, and so have those of a saturated place. */
    assert_float_equal(learned(0.8, 3), 1, 1e-9);
    assert_float_equal(learned(0.95, 1), 0, 1e-9);
}

/* After a change, the counted part follows within some half-lives. */
static void old_waits_are_forgotten(void **state)
{
    struct queueing q = { 0 };
    double queue;
    unsigned int s;

    (void)state;
    make_host(24, 0.8 * CORES / 24);
    queue = crowd_queue(&p.crowd[0], CORES);
    for (s = 1; s <= 1200; s++) {
        set_waits(s <= 300 ? queue : 0);
        queueing_learn(&q, &p, s * 1000000000ULL);
    }
    assert_in_range(100 * queueing_part(&q), 1, 20);
    placement_free(&p);
}

/* A plan after a pause counts for a few seconds, not for the whole pause. */
static void a_pause_outweighs_no_other_plans(void **state)
{
    struct queueing q = { 0 };
    double queue;
    unsigned int s;

    (void)state;
    make_host(24, 0.8 * CORES / 24);
    queue = crowd_queue(&p.crowd[0], CORES);
    for (s = 1; s <= 100; s++)
        queueing_learn(&q, &p, s * 1000000000ULL);
    set_waits(queue);
    queueing_learn(&q, &p, (100 + 100) * 1000000000ULL);
    assert_in_range(100 * queueing_part(&q), 5, 20);
    placement_free(&p);
}

/* Two cpupools have 4 cores each at one place; the first one is saturated, by 5 guests. */
static void waits_of_a_saturated_cpupool_do_not_count_for_another(void **state)
{
    struct queueing q = { 0 };
    unsigned int i;

    (void)state;
    placement_init(&p, 1, 1, 0, 13, 0);
    p.nr_pools = 2;
    p.cores[0] = CORES;
    for (i = 0; i < 13; i++)
        p.units[i] = (struct unit){
            .pool = i >= 5, .queued = 0.01, .demand = { .vcpus = 1, .need = i < 5 ? 0.95 : 0.35 },
        };
    placement_measure(&p);
    p.place_cores[0] = p.place_cores[1] = CORES / 2;
    placement_ready(&p);
    for (i = 1; i <= 60; i++)
        queueing_learn(&q, &p, i * 1000000000ULL);
    assert_float_equal(queueing_part(&q), 0, 1e-9);
    placement_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_price_is_near_the_exact_one),
        cmocka_unit_test(a_core_for_each_vcpu_costs_nothing),
        cmocka_unit_test(the_price_is_what_is_counted),
        cmocka_unit_test(the_counted_part_is_learned),
        cmocka_unit_test(old_waits_are_forgotten),
        cmocka_unit_test(a_pause_outweighs_no_other_plans),
        cmocka_unit_test(waits_of_a_saturated_cpupool_do_not_count_for_another),
    };

    return run_tap_tests(tests);
}
