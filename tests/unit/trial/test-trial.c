/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks a trial on a synthetic host, on which the test knows the costs with and without placement:
 * the trial's result contains the true difference.
 *
 * Fails if an interval misses the truth in more than 2 of 20 trials, if harm does not end a trial
 * or a guest's part in it, if a change of load or a restart is taken for an effect, or if a trial
 * reports an effect of nothing, or of moves after which guests ran where they had run before.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include <xensched/abi.h>

#include "trial/trial.h"

#define SECOND 1000000000ULL
#define BLOCK  (30 * SECOND)
#define GUESTS 4U

/* pCPUs: the guests' target, and one elsewhere. */
#define NR_CPUS 8U
#define NEAR    1U
#define FAR     6U

/* Accounting domains: dom0 2, guests from 3. */
#define DOM0   2U
#define FIRST  3U

struct load {
    double pages;          /* per second */
    double notifications;  /* per second */
    double own_ns, served_ns; /* per page, not placed */
    double waits;          /* per second, not placed */
    double cost;           /* factor when it is placed */
    double more_waits;     /* ns per second when it is placed */
};

static struct {
    struct trial trial;
    struct matrix *matrix;
    struct domain domain[1 + GUESTS];
    struct domain_vcpu vcpu[1 + GUESTS];
    struct domains domains;
    struct load load[GUESTS];
    double noise;          /* of the cost of a block */
    double mix;            /* factor of pages when placed */
    double cold;           /* factor of the cost while caches are cold, when placed */
    double near[2];        /* [placed]: share of their time that guests run at NEAR */
    bool none_moved;
    double block_noise[GUESTS];
    unsigned short seed[3];
    uint64_t now;
    bool acts;
} w;

static double normal(void)
{
    double u = erand48(w.seed), v = erand48(w.seed);

    return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

static int setup(void **state)
{
    unsigned int i;

    (void)state;
    memset(&w, 0, sizeof(w));
    w.matrix = matrix_new(SECOND);
    w.now = 1000 * SECOND;
    w.acts = true;
    w.noise = 0.03;
    w.mix = w.cold = 1;
    w.seed[0] = 7;
    w.near[true] = 1;
    w.domains = (struct domains){ 1 + GUESTS, w.domain };
    for (i = 0; i <= GUESTS; i++) {
        w.domain[i] = (struct domain){
            .domid = i, .driver = !i, .acct = DOM0 + i, .since_ns = SECOND,
            .nr_vcpus = 1, .vcpus = &w.vcpu[i], .affinity = AFFINITY_OURS,
        };
        strcpy(w.domain[i].name, (const char *[]){ "Domain-0", "web1", "db2",
                                                   "mail", "idle" }[i]);
        w.vcpu[i].times.known = true;
        cpumap_init(&w.domain[i].pool_cpus, NR_CPUS);
        cpumap_init(&w.domain[i].ours, NR_CPUS);
        cpumap_set(&w.domain[i].ours, NEAR);
    }
    for (i = 0; i < GUESTS; i++)
        w.load[i] = (struct load){ 1000 * (i + 1), 100, 20000, 10000, 1e6, 1, 0 };

    return 0;
}

static int teardown(void **state)
{
    unsigned int i;

    (void)state;
    trial_free(&w.trial);
    matrix_free(w.matrix);
    for (i = 0; i <= GUESTS; i++) {
        cpumap_free(&w.domain[i].pool_cpus);
        cpumap_free(&w.domain[i].ours);
    }

    return 0;
}

static void row_on(unsigned int cpu, unsigned int event, uint16_t current,
                   uint16_t correspondent, double amount)
{
    const struct xensched_row row = {
        .cpu = cpu,
        .counter = amount, .event = event, .current = current,
        .correspondent = correspondent,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    matrix_add(w.matrix, &row, w.now);
}

static void row(unsigned int event, uint16_t current, uint16_t correspondent,
                double amount)
{
    row_on(0, event, current, correspondent, amount);
}

static void run_guest(uint16_t acct, bool placed, double ns)
{
    row_on(NEAR, XEN_SCHEDLOG_EV_SERVICE_NS, acct, XEN_SCHEDLOG_ACCT_XEN,
           w.near[placed] * ns);
    row_on(FAR, XEN_SCHEDLOG_EV_SERVICE_NS, acct, XEN_SCHEDLOG_ACCT_XEN,
           (1 - w.near[placed]) * ns);
}

/* Adds the rows of guest @i for one second. */
static void live(unsigned int i)
{
    const struct load *l = &w.load[i];
    bool placed = !trial_aside(&w.trial, &w.domain[1 + i]);
    double cost = (placed ? l->cost : 1) * exp(w.block_noise[i]);
    double pages = l->pages * (placed ? w.mix : 1);
    uint16_t acct = FIRST + i;

    if (placed && w.now < w.trial.began_ns + 9 * SECOND)
        cost *= w.cold;
    row(XEN_SCHEDLOG_EV_RING_PAGES, DOM0, acct, pages);
    row(XEN_SCHEDLOG_EV_EVTCHN_SEND, acct, DOM0, l->notifications);
    run_guest(acct, placed, pages ? pages * l->own_ns * cost : 1e8);
    row(XEN_SCHEDLOG_EV_SERVICE_NS, DOM0, XEN_SCHEDLOG_ACCT_XEN,
        pages * l->served_ns * cost);
    w.vcpu[1 + i].times.waited_ns += l->waits + (placed ? l->more_waits : 0);
    w.domain[1 + i].affinity = placed && !w.none_moved ? AFFINITY_OURS
                                                       : AFFINITY_DEFAULT;
}

static void draw_noise(void)
{
    unsigned int i;

    for (i = 0; i < GUESTS; i++)
        w.block_noise[i] = w.noise * normal();
}

/* Lets a second pass.  Returns true if the trial has ended. */
static bool second(void)
{
    enum trial_news news;
    unsigned int i;

    for (i = 0; i < GUESTS; i++)
        live(i);
    w.now += SECOND;
    news = trial_step(&w.trial, w.matrix, &w.domains, w.acts, w.now, 1);
    if (news != TRIAL_GOES_ON)
        draw_noise();

    return news == TRIAL_ENDED;
}

static void seconds(unsigned int nr)
{
    while (nr--)
        second();
}

static void begin(unsigned int pairs, bool dry_run)
{
    const struct trial_settings settings = {
        .block_ns = BLOCK, .pairs = pairs, .seed = w.seed[1] + 1,
        .dry_run = dry_run,
    };

    trial_start(&w.trial, &settings, 1);
    draw_noise();
}

static void run_trial(unsigned int pairs)
{
    unsigned int limit = pairs * 2 * (BLOCK / SECOND + 2);

    begin(pairs, false);
    while (!second())
        assert_true(limit--);
}

static struct trial_guest *guest(const char *name)
{
    unsigned int i;

    for (i = 0; i < w.trial.nr; i++)
        if (!strcmp(w.trial.guests[i].name, name))
            return &w.trial.guests[i];
    fail_msg("the trial has no guest %s", name);

    return NULL;
}

static void verdict_says(const char *words)
{
    char text[TRIAL_VERDICT];

    trial_verdict(&w.trial, text);
    if (!strstr(text, words))
        fail_msg("no \"%s\" in: %s", words, text);
}

static bool contains(const struct evidence *e, double change)
{
    double low, high;

    assert_true(evidence_interval(e, TRIAL_ALPHA, &low, &high));

    return trial_change(low) <= change && change <= trial_change(high);
}

/* The trials run one after the other, each on a host of its own. */
static void the_interval_contains_the_truth_in_18_of_20(void **state)
{
    unsigned int right = 0, i, k;

    for (i = 0; i < 20; i++) {
        double change = -0.30 + 0.02 * i; /* no harm, which would end the trial early */

        teardown(state);
        setup(state);
        w.seed[1] = i;
        for (k = 0; k < GUESTS; k++)
            w.load[k].cost = 1 + change;
        run_trial(20);
        right += contains(&w.trial.cost, change);
    }
    print_message("# the true change is in the interval in %u of 20\n", right);
    assert_true(right >= 18);
}

static void the_saving_has_its_interval(void **state)
{
    unsigned int k;

    (void)state;
    for (k = 0; k < GUESTS; k++)
        w.load[k].cost = 0.8;
    w.load[1].cost = 0.6;
    run_trial(20);
    assert_int_equal(w.trial.state, TRIAL_COMPLETE);
    verdict_says("placement saves 2");
    verdict_says("of pCPU time per page on this host (95 % interval");
    verdict_says("40 blocks");
    verdict_says("db2 gains most (3");
}

/* The guests' work is 1, 2, 3 and 4 parts.  The back end's time is shared by pages. */
static void guests_count_by_their_work(void **state)
{
    (void)state;
    w.noise = 0.001;
    w.load[3].cost = 0.5;
    run_trial(10);
    assert_true(contains(&w.trial.cost, -0.2));
}

/* Half of the notifications for twice the pages: the cost of a page is the same. */
static void more_work_is_no_cost(void **state)
{
    (void)state;
    w.mix = 2;
    run_trial(20);
    assert_true(contains(&w.trial.cost, 0));
    verdict_says("no difference is shown");
}

/* After a move each page costs more for some seconds. */
static void the_first_third_of_a_block_is_not_measured(void **state)
{
    (void)state;
    w.cold = 5;
    run_trial(20);
    assert_int_equal(w.trial.state, TRIAL_COMPLETE);
    assert_true(contains(&w.trial.cost, 0));
}

static void harm_ends_the_trial_early(void **state)
{
    unsigned int k;

    (void)state;
    for (k = 0; k < GUESTS; k++)
        w.load[k].cost = 1.2;
    run_trial(100);
    assert_int_equal(w.trial.state, TRIAL_HARMFUL);
    assert_true(w.trial.done <= 20);
    verdict_says("placement costs");
    assert_null(trial_aside(&w.trial, &w.domain[4]) &&
                !guest("idle")->left_alone ? "aside" : NULL);
}

static void a_guest_that_loses_is_left_alone_and_the_others_go_on(void **state)
{
    unsigned int k;

    (void)state;
    for (k = 0; k < GUESTS; k++)
        w.load[k].cost = 0.8;
    w.load[1].cost = 1.2;
    run_trial(30);
    assert_int_equal(w.trial.state, TRIAL_COMPLETE);
    assert_true(guest("db2")->left_alone);
    assert_false(guest("web1")->left_alone);
    assert_non_null(trial_aside(&w.trial, &w.domain[2]));
    assert_null(trial_aside(&w.trial, &w.domain[1]));
    verdict_says("db2 is left alone (cost +");
    assert_true(trial_release(&w.trial, "db2"));
    assert_null(trial_aside(&w.trial, &w.domain[2]));
}

/* The guest only computes, so it has no work to compare, but it can wait. */
static void waiting_alone_is_harm(void **state)
{
    unsigned int k;

    (void)state;
    for (k = 0; k < GUESTS; k++)
        w.load[k].cost = 0.7;
    w.load[3] = (struct load){ .waits = 1e6, .more_waits = 2e7, .cost = 1 };
    run_trial(30);
    assert_true(guest("idle")->left_alone);
    assert_int_equal(guest("idle")->cost.n, 0);
    assert_int_equal(guest("idle")->unit, WORK_TIME);
}

/* 1 % more waiting for 20 % less cost is a gain. */
static void waiting_that_pays_is_no_harm(void **state)
{
    unsigned int k;

    (void)state;
    for (k = 0; k < GUESTS; k++) {
        w.load[k].cost = 0.8;
        w.load[k].more_waits = 3e5 * (k + 1);
    }
    run_trial(30);
    assert_int_equal(w.trial.state, TRIAL_COMPLETE);
    for (k = 0; k < w.trial.nr; k++)
        assert_false(w.trial.guests[k].left_alone);
    assert_true(w.trial.waiting.mean > 0);
}

/* Placement has no effect on these 20 hosts. */
static void nothing_is_found_where_nothing_happens(void **state)
{
    unsigned int harmed = 0, i, k;

    for (i = 0; i < 20; i++) {
        teardown(state);
        setup(state);
        w.seed[1] = 100 + i;
        run_trial(20);
        harmed += w.trial.state == TRIAL_HARMFUL;
        for (k = 0; k < w.trial.nr; k++)
            harmed += w.trial.guests[k].left_alone;
    }
    assert_true(harmed <= 1);
}

static void a_dry_run_changes_nothing_and_says_how_long_it_takes(void **state)
{
    unsigned int i, k;

    (void)state;
    w.acts = false;
    begin(10, true);
    for (i = 0; i < 9 * 2 * BLOCK / SECOND; i++) {
        second();
        for (k = 0; k <= GUESTS; k++)
            assert_null(trial_aside(&w.trial, &w.domain[k]));
    }
    assert_true(w.trial.done >= 8);
    verdict_says("dry run: blocks of 30 s differ by ");
    verdict_says("1 % takes ");
}

static void both_kinds_of_block_come_first_by_chance(void **state)
{
    unsigned int placed = 0, pairs = 0, done = ~0U;

    (void)state;
    begin(40, false);
    while (w.trial.state == TRIAL_RUNNING) {
        if (w.trial.done != done && !w.trial.second) {
            done = w.trial.done;
            placed += w.trial.placed;
            pairs++;
        }
        second();
    }
    assert_in_range(placed, pairs / 4, 3 * pairs / 4);
}

static void a_pair_that_was_interrupted_is_discarded(void **state)
{
    (void)state;
    begin(10, false);
    seconds(BLOCK / SECOND + 5);
    w.acts = false;
    seconds(100);
    assert_true(w.trial.paused);
    assert_null(trial_aside(&w.trial, &w.domain[1]));
    assert_int_equal(w.trial.discarded, 1);
    assert_int_equal(w.trial.done, 0);
    w.acts = true;
    seconds(2 * BLOCK / SECOND + 5);
    assert_int_equal(w.trial.done, 1);

    /* The host is suspended. */
    w.now += 3600 * SECOND;
    seconds(2);
    assert_int_equal(w.trial.discarded, 2);
    trial_resume(&w.trial);
    assert_int_equal(w.trial.discarded, 3);
    assert_int_equal(w.trial.done, 1);
}

/* The guest's counters restart, which is not work. */
static void a_guest_that_reboots_is_not_compared_in_that_pair(void **state)
{
    (void)state;
    begin(10, false);
    seconds(BLOCK / SECOND * 3 / 2);
    w.domain[1].since_ns = w.now;
    matrix_forget(w.matrix, FIRST);
    w.vcpu[1].times.waited_ns = 0;
    seconds(BLOCK / SECOND);
    assert_int_equal(w.trial.done, 1);
    assert_int_equal(guest("db2")->cost.n, 1);
    seconds(2 * BLOCK / SECOND + 2);
    assert_int_equal(guest("web1")->cost.n, 1);
    assert_int_equal(guest("db2")->cost.n, 2);
}

static void only_chosen_guests_are_set_aside(void **state)
{
    struct trial_settings settings = {
        .block_ns = BLOCK, .pairs = 10, .seed = 1, .nr_names = 1,
        .names = malloc(sizeof(*settings.names)),
    };
    bool aside = false;
    unsigned int i;

    (void)state;
    strcpy(settings.names[0], "mail");
    trial_start(&w.trial, &settings, 1);
    for (i = 0; i < 2 * BLOCK / SECOND; i++) {
        second();
        assert_null(trial_aside(&w.trial, &w.domain[0]));
        assert_null(trial_aside(&w.trial, &w.domain[1]));
        aside |= trial_aside(&w.trial, &w.domain[3]) != NULL;
    }
    assert_true(aside);
    assert_int_equal(w.trial.nr, 1);
}

static void save(unsigned int pairs, double cost)
{
    unsigned int k;

    for (k = 0; k < GUESTS; k++)
        w.load[k].cost = cost;
    run_trial(pairs);
}

static void it_says_where_guests_ran_in_both_kinds_of_block(void **state)
{
    (void)state;
    w.near[true] = 0.9;
    w.near[false] = 0.25;
    save(20, 0.8);
    verdict_says("placement saves 2");
    verdict_says("guests spent 90 % of their time at their targets, and 25 % without "
                 "placement");
    assert_true(fabs(guest("db2")->share[true] - 0.9) < 1e-6);
    assert_true(fabs(guest("db2")->share[false] - 0.25) < 1e-6);
}

/* Affinities are set, but guests run where they ran: changes of the cost are chance. */
static void settings_without_effect_are_no_placement(void **state)
{
    (void)state;
    w.near[true] = 0.52;
    w.near[false] = 0.5;
    save(20, 0.8);
    verdict_says("placement did not change where guests ran");
    verdict_says("52 % of their time at their targets in placed blocks and 50 %");
    assert_int_equal(w.trial.state, TRIAL_COMPLETE);
}

static void a_trial_that_moved_no_guest_has_nothing_to_compare(void **state)
{
    (void)state;
    w.none_moved = true;
    save(10, 0.8);
    verdict_says("no guest was moved in 20 blocks");
}

/* Time in pairs that were not complete does not count. */
static void residency_is_that_of_complete_pairs(void **state)
{
    (void)state;
    w.near[false] = 0.25;
    begin(10, false);
    seconds(BLOCK / SECOND * 3 / 2);
    w.now += 3600 * SECOND;
    w.near[true] = 0.75;
    seconds(1);
    assert_true(trial_residency(&w.trial, true) < 0);
    seconds(2 * BLOCK / SECOND + 3);
    assert_int_equal(w.trial.done, 1);
    assert_true(fabs(trial_residency(&w.trial, true) - 0.75) < 1e-6);
    assert_true(fabs(trial_residency(&w.trial, false) - 0.25) < 1e-6);
}

static void without_a_trial_nothing_is_claimed(void **state)
{
    (void)state;
    seconds(100);
    verdict_says("there was no trial on this host");
    assert_null(trial_aside(&w.trial, &w.domain[1]));
    begin(10, false);
    seconds(3);
    verdict_says("no pair of blocks is complete yet");
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_interval_contains_the_truth_in_18_of_20),
        test(the_saving_has_its_interval),
        test(guests_count_by_their_work),
        test(more_work_is_no_cost),
        test(the_first_third_of_a_block_is_not_measured),
        test(harm_ends_the_trial_early),
        test(a_guest_that_loses_is_left_alone_and_the_others_go_on),
        test(waiting_alone_is_harm),
        test(waiting_that_pays_is_no_harm),
        test(nothing_is_found_where_nothing_happens),
        test(a_dry_run_changes_nothing_and_says_how_long_it_takes),
        test(both_kinds_of_block_come_first_by_chance),
        test(a_pair_that_was_interrupted_is_discarded),
        test(a_guest_that_reboots_is_not_compared_in_that_pair),
        test(only_chosen_guests_are_set_aside),
        test(it_says_where_guests_ran_in_both_kinds_of_block),
        test(settings_without_effect_are_no_placement),
        test(a_trial_that_moved_no_guest_has_nothing_to_compare),
        test(residency_is_that_of_complete_pairs),
        test(without_a_trial_nothing_is_claimed),
    };

    return run_tap_tests(tests);
}
