/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the timeline derives from rows what each vCPU did, and no more than the rows show, on
 * a synthetic host that knows the truth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xensched/recording.h>

#include "cmocka-tap.h"
#include "timeline-world.h"
#include "model/waits/waits.h"
#include "timeline/chain.h"
#include "timeline/latency.h"
#include "timeline/rows/row-order.h"

#define PATH "test-timeline.tmp"
#define NR_SEEDS 20U
#define STEPS 3000U
#define SECOND 1000000000ULL

static const enum vcpu_state as_known[WORLD_STATES] = {
    [WORLD_RUNNING] = VCPU_RUNNING,
    [WORLD_RUNNABLE] = VCPU_RUNNABLE,
    [WORLD_BLOCKED] = VCPU_BLOCKED,
};

static void open_world(struct timeline *t, const struct world_options *options,
                       struct world_numbers *n)
{
    struct xensched_error err;

    world_record(PATH, options, n);
    if (timeline_open(t, PATH, &err))
        fail_msg("%s", err.text);
    assert_string_equal(t->rows.defect, "");
    unlink(PATH);
}

static void check_near(uint64_t got, uint64_t wanted, uint64_t error,
                       const char *what)
{
    uint64_t by = got > wanted ? got - wanted : wanted - got;

    if (by > error)
        fail_msg("%s: %llu instead of %llu", what, (unsigned long long)got,
                 (unsigned long long)wanted);
}

/* The states of each vCPU add up to the whole time, with any rows. */
static void check_conserved(const struct timeline *t)
{
    unsigned int i, state;
    size_t j;

    for (i = 0; i < t->stays.nr; i++)
        for (j = 0; j < t->stays.cpu[i].nr; j++) {
            const struct stay *s = &t->stays.cpu[i].stay[j];

            assert_true(s->begin <= s->end);
            assert_true(!j || s[-1].end <= s->begin);
        }
    for (i = 0; i < t->vcpus.nr; i++) {
        const struct vcpu *v = &t->vcpus.vcpu[i];
        uint64_t sum = 0;

        for (state = 0; state < VCPU_STATES; state++)
            sum += v->ns[state];
        assert_int_equal(sum, t->rows.end_ns);
        assert_int_equal(v->span[0].begin, 0);
        for (j = 1; j < v->nr; j++)
            assert_true(v->span[j - 1].begin <= v->span[j].begin);
    }
}

static void check_vcpu(const struct vcpu *v, unsigned int acct,
                       const struct world_vcpu *truth, uint64_t error)
{
    unsigned int state;

    assert_int_equal(v->acct, acct);
    assert_int_equal(v->runs, truth->runs);
    for (state = 0; state < WORLD_STATES; state++)
        check_near(v->ns[as_known[state]], truth->known[state], error,
                   vcpu_state_name[as_known[state]]);
    assert_int_equal(v->ns[VCPU_LOST], 0);
}

/* Rows do not always show which of two vCPUs ran, so the test compares their sum. */
static void check_two(const struct vcpu *v, const struct world_vcpu *truth,
                      uint64_t error)
{
    assert_int_equal(v[0].acct, 2);
    assert_int_equal(v[1].acct, 2);
    assert_int_equal(v[0].runs + v[1].runs, truth[0].runs + truth[1].runs);
    check_near(v[0].ns[VCPU_RUNNING] + v[1].ns[VCPU_RUNNING],
               truth[0].known[WORLD_RUNNING] + truth[1].known[WORLD_RUNNING],
               error, "both ran");
}

static void check_known(const struct timeline *t,
                        const struct world_numbers *n, uint64_t error)
{
    const unsigned int *first = t->vcpus.first;
    unsigned int d;

    assert_int_equal(t->vcpus.nr, WORLD_VCPUS);
    check_two(&t->vcpus.vcpu[first[2]], n->vcpu, error);
    for (d = 1; d < WORLD_DOMAINS; d++)
        check_vcpu(&t->vcpus.vcpu[first[WORLD_ACCT(d)]], WORLD_ACCT(d),
                   &n->vcpu[d + 1], error);
    assert_int_equal(t->vcpus.overlaps, 0);
    assert_int_equal(t->stays.overlaps, 0);
    assert_int_equal(t->stays.unplaced, 0);
}

static void each_vcpu_did_what_it_did(void **state)
{
    struct world_options options = { .steps = STEPS };
    struct world_numbers n;
    struct timeline t;
    unsigned int small;

    (void)state;
    for (small = 0; small < 2; small++)
        for (options.seed = 1; options.seed <= NR_SEEDS; options.seed++) {
            options.small = small;
            open_world(&t, &options, &n);
            check_conserved(&t);
            /* Each run may be off by a granule, and by two at its ends. */
            check_known(&t, &n, small ? STEPS * t.rows.granule_ns : STEPS * 3);
            assert_int_equal(t.rows.nr, n.rows);
            timeline_close(&t);
        }
}

/* The first rows of these runs exist, and their last ones do not. */
static void runs_that_are_not_over_contradict_nothing(void **state)
{
    struct world_options options = { .steps = STEPS, .cut = true };
    struct world_numbers n;
    struct timeline t;

    (void)state;
    for (options.seed = 1; options.seed <= NR_SEEDS; options.seed++) {
        open_world(&t, &options, &n);
        check_conserved(&t);
        assert_int_equal(t.stays.unplaced, 0);
        assert_int_equal(t.vcpus.overlaps, 0);
        timeline_close(&t);
    }
}

/*
 * A vCPU that blocks makes a new run when it returns, and is the same vCPU, however soon that is.
 */
static void a_vcpu_that_sleeps_for_a_moment_is_the_same(void **state)
{
    struct world_options options = { .steps = STEPS, .naps = true };
    struct world_numbers n;
    struct timeline t;

    (void)state;
    for (options.seed = 1; options.seed <= NR_SEEDS; options.seed++) {
        open_world(&t, &options, &n);
        check_conserved(&t);
        check_known(&t, &n, STEPS * 3);
        timeline_close(&t);
    }
}

static void stamps_that_are_late_do_not_matter(void **state)
{
    struct world_options options = { .steps = STEPS, .late = true };
    struct world_numbers n;
    struct timeline t;
    unsigned int i;

    (void)state;
    for (options.seed = 1; options.seed <= NR_SEEDS; options.seed++) {
        uint64_t all = 0, known = 0;

        open_world(&t, &options, &n);
        check_conserved(&t);
        assert_true(t.stays.late > 0);
        for (i = 0; i < WORLD_VCPUS; i++)
            all += n.vcpu[i].ns[WORLD_RUNNING];
        for (i = 0; i < t.vcpus.nr; i++)
            known += t.vcpus.vcpu[i].ns[VCPU_RUNNING];
        check_near(known, all, all / 100, "all that ran");
        timeline_close(&t);
    }
}

static void lost_time_is_not_invented(void **state)
{
    struct world_options options = { .steps = STEPS, .lose = 20 };
    uint64_t all = 0, known = 0, lost = 0;
    struct world_numbers n;
    struct timeline t;
    unsigned int i;

    (void)state;
    for (options.seed = 1; options.seed <= NR_SEEDS; options.seed++) {
        open_world(&t, &options, &n);
        check_conserved(&t);
        assert_true(t.rows.nr_losses > 0);
        for (i = 0; i < WORLD_VCPUS; i++)
            all += n.vcpu[i].ns[WORLD_RUNNING];
        for (i = 0; i < t.vcpus.nr; i++) {
            known += t.vcpus.vcpu[i].ns[VCPU_RUNNING];
            lost += t.vcpus.vcpu[i].ns[VCPU_LOST];
        }
        timeline_close(&t);
    }
    /* A sixth of the rows are missing, and what they showed is unknown. */
    assert_true(known < all);
    assert_true(known > all / 2);
    assert_true(known + lost > all);
}

static void each_wake_up_has_its_notification(void **state)
{
    struct world_options options = { .steps = STEPS };
    struct world_numbers n;
    struct timeline t;

    (void)state;
    for (options.seed = 1; options.seed <= NR_SEEDS; options.seed++) {
        size_t i, ran = 0, others = 0;

        open_world(&t, &options, &n);
        assert_int_equal(t.wakes.nr, n.wakes);
        assert_int_equal(t.wakes.disordered, 0);
        for (i = 0; i < t.wakes.nr; i++) {
            const struct wake *w = &t.wakes.wake[i];

            others += w->receiver != 2;
            /* At the end of the recording a vCPU may not have run yet. */
            if (w->kind == WAKE_UNKNOWN || w->receiver == 2)
                continue;
            assert_int_equal(w->kind, WAKE_WOKEN);
            check_near(w->woken, w->sent, t.rows.granule_ns, "woken");
            assert_ptr_equal(wakes_of(&t.wakes, w->to, w->woken), w);
            assert_true(w->from != STAY_NONE);
            assert_int_equal(t.vcpus.vcpu[w->from].acct, w->sender);
            ran++;
        }
        assert_true(ran + WORLD_VCPUS >= others);
        timeline_close(&t);
    }
}

/* latency and the spans derive the same waits in different ways. */
static void latencies_are_the_waits(void **state)
{
    struct world_options options = { .steps = STEPS, .seed = 7 };
    struct world_numbers n;
    struct latency latency;
    struct timeline t;
    uint64_t waited = 0, held = 0, largest = 0;
    size_t i, j;

    (void)state;
    open_world(&t, &options, &n);
    /* There is one clock here; with an error, shorter lengths would be raised to the error. */
    memset(t.skew.pair_ns, 0, (size_t)t.skew.nr * t.skew.nr *
                              sizeof(*t.skew.pair_ns));
    latency_make(&latency, &t, -1);
    for (i = 0; i < latency.nr; i++) {
        const struct latency_pair *p = &latency.pair[i];

        for (j = 0; j < p->wait.nr; j++)
            waited += p->wait.ns[j];
        for (j = 1; j < p->total.nr; j++)
            assert_true(p->total.ns[j - 1] <= p->total.ns[j]);
        for (j = 0; j < p->nr_holders; j++) {
            held += p->holder[j].ns;
            assert_int_not_equal(p->holder[j].acct, XEN_SCHEDLOG_ACCT_NONE);
            if (p->receiver != 2)
                assert_int_not_equal(p->holder[j].acct, p->receiver);
        }
        assert_int_equal(latency_quantile(&p->total, 1), p->slowest_total_ns);
        if (p->slowest_total_ns > largest)
            largest = p->slowest_total_ns;
    }
    assert_true(waited > 0 && largest > 0);
    /* In each ns of waiting a domain held the pCPU. */
    check_near(held, waited, t.wakes.nr * 4, "held");
    latency_free(&latency);
    latency_make(&latency, &t, 4);
    for (i = 0; i < latency.nr; i++)
        assert_int_equal(latency.pair[i].receiver, 4);
    assert_true(latency.nr > 0);
    latency_free(&latency);
    timeline_close(&t);
}

static void quantiles_are_values_that_there_are(void **state)
{
    uint64_t ns[1000];
    struct latency_values values = { .ns = ns, .nr = 1000 };
    size_t i;

    (void)state;
    for (i = 0; i < 1000; i++)
        ns[i] = i + 1;
    assert_int_equal(latency_quantile(&values, 0.5), 500);
    assert_int_equal(latency_quantile(&values, 0.99), 990);
    assert_int_equal(latency_quantile(&values, 0.999), 999);
    assert_int_equal(latency_quantile(&values, 1), 1000);
    values.nr = 1;
    assert_int_equal(latency_quantile(&values, 0.5), 1);
    values.nr = 0;
    assert_int_equal(latency_quantile(&values, 0.5), 0);
}

static void a_chain_goes_back_from_cause_to_cause(void **state)
{
    struct world_options options = { .steps = STEPS };
    struct world_numbers n;
    struct timeline t;
    unsigned int longest = 0;

    (void)state;
    for (options.seed = 1; options.seed <= NR_SEEDS; options.seed++) {
        struct chain chain;
        uint64_t ns;
        unsigned int i;

        open_world(&t, &options, &n);
        for (ns = 0; ns < t.rows.end_ns; ns += t.rows.end_ns / 97) {
            if (!chain_make(&chain, &t, 4, CHAIN_ANY_VCPU, ns))
                continue;
            assert_int_equal(t.vcpus.vcpu[chain.link[0].vcpu].acct, 4);
            for (i = 0; i < chain.nr; i++) {
                const struct chain_link *link = &chain.link[i];

                assert_true(link->ready <= link->ran);
                if (link->slept != STAY_NEVER)
                    assert_true(link->slept <= link->ready);
                if (!i)
                    continue;
                assert_true(link->ran <= link[-1].wake->sent);
                assert_int_equal(link->vcpu, link[-1].wake->from);
            }
            if (chain.nr > longest)
                longest = chain.nr;
        }
        timeline_close(&t);
    }
    assert_true(longest > 3);
}

/* Recordings are cut anywhere, and any byte is changed. */
static void damaged_ones_do_no_harm(void **state)
{
    struct world_options options = { .steps = 300, .seed = 3 };
    struct world_numbers n;
    struct timeline t;
    static uint8_t bytes[1 << 20];
    size_t size, i;
    FILE *f;

    (void)state;
    world_record(PATH, &options, &n);
    f = fopen(PATH, "r");
    assert_non_null(f);
    size = fread(bytes, 1, sizeof(bytes), f);
    fclose(f);
    for (i = 0; i < size; i += 1 + size / 150) {
        f = fopen(PATH, "w");
        assert_non_null(f);
        fwrite(bytes, 1, i, f);
        fclose(f);
        if (timeline_open(&t, PATH, NULL)) {
            assert_true(i < 64);
            continue;
        }
        assert_string_not_equal(t.rows.defect, "");
        check_conserved(&t);
        timeline_close(&t);
    }
    unlink(PATH);
}

/* Rows have random contents, and times jump. */
static void nonsense_does_no_harm(void **state)
{
    static uint8_t bytes[64 * 32];
    struct xensched_recorder *r;
    struct xensched_batch b = { .rows = bytes };
    struct timeline t;
    struct latency latency;
    unsigned int i, j, seed;

    (void)state;
    for (seed = 1; seed <= 50; seed++) {
        srandom(seed);
        assert_int_equal(xensched_recorder_open(PATH, seed % 3 ? 1000000 : 0, 0,
                                                &r, NULL), 0);
        for (i = 0; i < 40; i++) {
            for (j = 0; j < sizeof(bytes); j++)
                bytes[j] = random() & (seed % 2 ? 0xff : 0x03);
            xensched_layout(random(), &b.layout);
            b.cpu = random() % 4 ? random() % 8 : (uint32_t)random() * 2;
            b.file = random() % 3;
            b.length = b.layout.size ? 16 * b.layout.size : 0;
            b.lost_rows = random() % 3 ? 0 : 1ULL << 32;
            b.lost_bytes = b.lost_rows * 16;
            b.time_ns = random();
            assert_int_equal(xensched_recorder_write(r, &b, NULL), 0);
        }
        assert_int_equal(xensched_recorder_close(r, NULL), 0);
        assert_int_equal(timeline_open(&t, PATH, NULL), 0);
        check_conserved(&t);
        latency_make(&latency, &t, -1);
        latency_free(&latency);
        timeline_close(&t);
    }
    unlink(PATH);
}

static bool is_more(const void *a, const void *b)
{
    return *(const uint32_t *)a >> 8 > *(const uint32_t *)b >> 8;
}

/* Sorts by the upper bits; the lower bits are the original position. */
static void sorting_keeps_the_order_of_equals(void **state)
{
    uint32_t numbers[200];
    unsigned int seed, i, nr;

    (void)state;
    for (seed = 0; seed < 300; seed++) {
        srandom(seed);
        nr = seed % 200;
        for (i = 0; i < nr; i++)
            numbers[i] = (uint32_t)(random() % 20) << 8 | i;
        order_sort(numbers, nr, sizeof(*numbers), is_more);
        for (i = 1; i < nr; i++)
            assert_true(numbers[i - 1] < numbers[i]);
    }
}

/* Adds up the waits of a recording's rows, as the daemon does. */
static struct waits *live_waits(struct matrix *m)
{
    struct waits *w = waits_new(m, 1 << 20);
    struct xensched_source *source;
    struct xensched_batch batch;
    unsigned int d;

    waits_pass(w, SECOND);
    for (d = 0; d < WORLD_DOMAINS; d++)
        waits_name(w, WORLD_ACCT(d), WORLD_ACCT(d), "a domain");
    assert_int_equal(xensched_source_open("recording:" PATH, NULL, &source, NULL), 0);
    while (xensched_source_next(source, &batch, NULL) == XENSCHED_BATCH)
        waits_add_batch(w, &batch, SECOND);
    xensched_source_close(source);
    waits_pass(w, 2 * SECOND);

    return w;
}

static uint64_t waited_live(const struct waits_of *of, uint16_t holder)
{
    uint64_t ns = 0;
    unsigned int i;

    for (i = 0; of && i < of->nr_culprits; i++)
        if (holder == XEN_SCHEDLOG_ACCT_XEN ? of->culprit[i].domain.identity == WAITS_XEN
                                            : of->culprit[i].domain.domid == holder)
            ns += of->culprit[i].all.ns;

    return ns;
}

static uint64_t waited_in(const struct latency *latency, uint16_t receiver, uint16_t holder)
{
    uint64_t ns = 0;
    size_t i, j;

    for (i = 0; i < latency->nr; i++)
        for (j = 0; j < latency->pair[i].nr_holders; j++)
            if (latency->pair[i].receiver == receiver &&
                latency->pair[i].holder[j].acct == holder)
                ns += latency->pair[i].holder[j].ns;

    return ns;
}

/*
 * Xen logs for which domain a vCPU waited; latency derives it from runs.  Every wait here follows a
 * notification, so both sums are about the same.  latency raises quantiles to the error of the
 * clocks, but not the time of each holder.  A notification does not name the vCPU, so latency knows
 * fewer waits of domain 0, which has two vCPUs.
 */
static void latency_and_live_waits_agree(void **state)
{
    struct world_options options = { .steps = STEPS, .seed = 7, .culprits = true };
    struct matrix *matrix = matrix_new(SECOND);
    struct waits_report report;
    struct latency latency;
    struct world_numbers n;
    struct timeline t;
    struct waits *w;
    uint16_t receiver, holder;
    uint64_t all = 0;

    (void)state;
    world_record(PATH, &options, &n);
    w = live_waits(matrix);
    assert_int_equal(timeline_open(&t, PATH, NULL), 0);
    unlink(PATH);
    latency_make(&latency, &t, -1);
    waits_ask(w, 1, 1, &report);
    for (receiver = WORLD_ACCT(1); receiver < WORLD_ACCT(WORLD_DOMAINS); receiver++) {
        const struct waits_of *of = waits_find(w, &report, receiver);

        for (holder = XEN_SCHEDLOG_ACCT_XEN; holder < WORLD_ACCT(WORLD_DOMAINS); holder++) {
            uint64_t live = waited_live(of, holder);

            check_near(waited_in(&latency, receiver, holder), live, live / 50 + 1000,
                       "waited");
            all += live;
        }
    }
    assert_true(all > n.wake_wait_ns / 2);
    waits_report_free(&report);
    waits_free(w);
    matrix_free(matrix);
    latency_free(&latency);
    timeline_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vcpu_did_what_it_did),
        cmocka_unit_test(runs_that_are_not_over_contradict_nothing),
        cmocka_unit_test(a_vcpu_that_sleeps_for_a_moment_is_the_same),
        cmocka_unit_test(stamps_that_are_late_do_not_matter),
        cmocka_unit_test(lost_time_is_not_invented),
        cmocka_unit_test(each_wake_up_has_its_notification),
        cmocka_unit_test(latencies_are_the_waits),
        cmocka_unit_test(latency_and_live_waits_agree),
        cmocka_unit_test(quantiles_are_values_that_there_are),
        cmocka_unit_test(a_chain_goes_back_from_cause_to_cause),
        cmocka_unit_test(damaged_ones_do_no_harm),
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(sorting_keeps_the_order_of_equals),
    };

    return run_tap_tests(tests);
}
