/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks exit events: rows about run intervals of accounting domains have what these used, whenever
 * logging was turned on, and whatever the counter does; and the counter is read only if necessary.
 *
 * The test compiles the hypervisor's own stay.h and record handler, and controls the resource's
 * counter.
 */
#include <stdlib.h>
#include <string.h>

/* The value of an epoch, stored before its number, becomes visible when loads are ordered. */
static void loads_are_ordered(void);
#define smp_rmb() loads_are_ordered()

#include "cmocka-tap.h"
#include "harness.h"

#include "common/schedlog/stay.h"

#define EVENT XEN_SCHEDLOG_EV_PMC1
#define NONE XEN_SCHEDLOG_ACCT_NONE

#define NR_ACCT 8
#define NR_ROWS 64
#define MASK ((1ULL << 48) - 1) /* of a counter with 48 bits */

/* A row with all numbers and a counter of 64 bits. */
#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_COUNTER64)

struct row {
    uint16_t event;
    uint16_t current;
    uint16_t correspondent;
    uint16_t pad;
    uint64_t used;
};

/* A pCPU on which the test observes one kind of resource. */
struct pcpu {
    struct harness *h;
    struct schedlog_epoch epoch;
    struct schedlog_stay stay;
    uint64_t counter;
    uint64_t mask;
    unsigned int reads;
    size_t seen; /* rows */
};

/* Another pCPU has written this, and it is not visible yet. */
static struct {
    struct schedlog_epoch *epoch;
    uint64_t value;
    bool known;
} late;

static void loads_are_ordered(void)
{
    if (!late.epoch)
        return;
    late.epoch->value = late.value;
    late.epoch->known = late.known;
    late.epoch = NULL;
}

static uint64_t read_counter(struct pcpu *p)
{
    p->reads++;
    return p->counter;
}

static int set_up(void **state)
{
    struct pcpu *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->h = harness_new(NR_ACCT, 1, NR_ROWS * sizeof(struct row));
    harness_route_all(p->h, 0, LCR);
    p->mask = MASK;
    *state = p;

    return 0;
}

static int tear_down(void **state)
{
    struct pcpu *p = *state;

    harness_free(p->h);
    free(p);

    return 0;
}

/* Turns the event on as the hypervisor does. */
static void turn_on(struct pcpu *p, bool known)
{
    p->epoch.value = p->counter;
    p->epoch.known = known;
    p->epoch.nr++;
}

static void use(struct pcpu *p, uint64_t amount)
{
    p->counter = (p->counter + amount) & p->mask;
}

static void switch_to(struct pcpu *p, uint16_t prev, uint16_t next)
{
    schedlog_stay_epoch(&p->stay, &p->epoch);
    if (schedlog_stay_next(p->h->cpu, &p->stay, EVENT, next))
        schedlog_stay_switch(p->h->cpu, &p->stay, EVENT, prev, next, read_counter(p),
                             p->mask);
}

static void tick(struct pcpu *p, uint16_t acct)
{
    schedlog_stay_epoch(&p->stay, &p->epoch);
    if (p->stay.logged)
        schedlog_stay_report(p->h->cpu, &p->stay, EVENT, acct, read_counter(p),
                             p->mask);
}

static size_t nr_new_rows(const struct pcpu *p)
{
    return p->h->state[0].pos / sizeof(struct row) - p->seen;
}

static struct row next_row(struct pcpu *p)
{
    struct row row;

    assert_true(nr_new_rows(p) > 0);
    memcpy(&row, p->h->data[0] + p->seen++ % NR_ROWS * sizeof(row),
           sizeof(row));

    return row;
}

static void assert_row(struct pcpu *p, uint16_t current,
                       uint16_t correspondent, uint64_t used)
{
    struct row row = next_row(p);

    assert_int_equal(row.event, EVENT);
    assert_int_equal(row.current, current);
    assert_int_equal(row.correspondent, correspondent);
    assert_int_equal(row.used, used);
}

static void assert_no_row(struct pcpu *p)
{
    assert_int_equal(nr_new_rows(p), 0);
}

static void set_threshold(struct pcpu *p, uint16_t acct, uint32_t threshold)
{
    uint64_t *route = &p->h->route[acct * XEN_SCHEDLOG_NR_EVENTS + EVENT];

    *route = (*route & ~(uint64_t)UINT32_MAX) | threshold;
}

static void usage_is_logged_on_exit(void **state)
{
    struct pcpu *p = *state;

    p->counter = 1000;
    turn_on(p, true);
    use(p, 5);
    switch_to(p, 2, 3);
    use(p, 70);
    switch_to(p, 3, 4);
    switch_to(p, 4, 2);
    assert_row(p, 2, 3, 5);
    assert_row(p, 3, 4, 70);
    assert_row(p, 4, 2, 0);
    assert_no_row(p);
}

static void one_look_at_the_counter_serves_exit_and_entry(void **state)
{
    struct pcpu *p = *state;

    turn_on(p, true);
    switch_to(p, 2, 3);
    switch_to(p, 3, 2);
    assert_int_equal(p->reads, 2);
}

static void every_nth_stay_is_measured(void **state)
{
    struct pcpu *p = *state;
    unsigned int i;

    turn_on(p, false);
    set_threshold(p, 2, 3);
    set_threshold(p, 3, UINT32_MAX);
    for (i = 1; i <= 12; i++) {
        switch_to(p, 3, 2);
        use(p, i);
        switch_to(p, 2, 3);
        use(p, 1000);
    }
    for (i = 3; i <= 12; i += 3)
        assert_row(p, 2, 3, i);
    assert_no_row(p);
    /* A read at both ends of each of the four run intervals. */
    assert_int_equal(p->reads, 8);
}

static void a_stay_which_is_skipped_costs_no_look(void **state)
{
    struct pcpu *p = *state;
    unsigned int i;

    turn_on(p, false);
    set_threshold(p, 2, 1000);
    set_threshold(p, 3, 1000);
    for (i = 0; i < 400; i++) {
        switch_to(p, 3, 2);
        tick(p, 2);
        switch_to(p, 2, 3);
    }
    assert_int_equal(p->reads, 0);
    assert_no_row(p);
}

static void thresholds_of_domains_are_apart(void **state)
{
    struct pcpu *p = *state;
    unsigned int i, of[NR_ACCT] = { 0 };

    turn_on(p, false);
    set_threshold(p, 2, 2);
    set_threshold(p, 3, 5);
    for (i = 0; i < 20; i++) {
        switch_to(p, 3, 2);
        switch_to(p, 2, 3);
    }
    switch_to(p, 3, 4);
    while (nr_new_rows(p))
        of[next_row(p).current]++;
    assert_int_equal(of[2], 10);
    assert_int_equal(of[3], 4);
}

static void a_domain_which_is_not_routed_leaves_nothing(void **state)
{
    struct pcpu *p = *state;

    p->h->route[3 * XEN_SCHEDLOG_NR_EVENTS + EVENT] = 0;
    turn_on(p, false);
    switch_to(p, 4, 3);
    use(p, 10);
    tick(p, 3);
    switch_to(p, 3, 2);
    use(p, 20);
    switch_to(p, 2, 3);
    assert_row(p, 2, 3, 20);
    assert_no_row(p);
}

/* The scheduler may change the route, so it is read again at the exit. */
static void a_route_which_is_taken_away_during_a_stay(void **state)
{
    struct pcpu *p = *state;

    turn_on(p, true);
    switch_to(p, 2, 3);
    assert_row(p, 2, 3, 0);
    p->h->route[3 * XEN_SCHEDLOG_NR_EVENTS + EVENT] = 0;
    use(p, 10);
    switch_to(p, 3, 4);
    assert_no_row(p);
    use(p, 30);
    switch_to(p, 4, 3);
    assert_row(p, 4, 3, 30);
}

static void turned_on_in_a_stay_whose_start_is_known(void **state)
{
    struct pcpu *p = *state;

    p->counter = 12345;
    turn_on(p, true);
    use(p, 100);
    switch_to(p, 2, 3);
    assert_row(p, 2, 3, 100);
}

static void turned_on_in_a_stay_whose_start_is_not_known(void **state)
{
    struct pcpu *p = *state;

    p->counter = 12345;
    turn_on(p, false);
    use(p, 100);
    tick(p, 2);
    switch_to(p, 2, 3);
    assert_no_row(p);
    use(p, 50);
    switch_to(p, 3, 2);
    assert_row(p, 3, 2, 50);
}

/* A pCPU may see the number of an epoch before the epoch's value. */
static void the_value_of_an_epoch_is_read_after_its_number(void **state)
{
    struct pcpu *p = *state;

    use(p, 1000);
    late.epoch = &p->epoch;
    late.value = p->counter;
    late.known = true;
    p->epoch.nr++;
    use(p, 70);
    switch_to(p, 2, 3);
    assert_row(p, 2, 3, 70);
}

/* The run interval during which the event was turned off is forgotten. */
static void turned_off_and_on_again(void **state)
{
    struct pcpu *p = *state;

    turn_on(p, true);
    switch_to(p, 2, 3);
    assert_row(p, 2, 3, 0);
    use(p, 1000); /* not read */
    turn_on(p, true);
    use(p, 7);
    switch_to(p, 4, 2);
    assert_row(p, 4, 2, 7);

    use(p, 1000);
    turn_on(p, false);
    switch_to(p, 3, 4);
    assert_no_row(p);
}

static void the_counter_wraps_at_its_width(void **state)
{
    static const uint64_t masks[] = {
        (1ULL << 32) - 1, (1ULL << 40) - 1, MASK, UINT64_MAX,
    };
    struct pcpu *p = *state;
    size_t i;

    for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        p->mask = masks[i];
        p->counter = p->mask - 9;
        turn_on(p, true);
        use(p, 25);
        assert_int_equal(p->counter, 15);
        switch_to(p, 2, 3);
        assert_row(p, 2, 3, 25);

        use(p, p->mask / 2);
        switch_to(p, 3, 2);
        assert_row(p, 3, 2, p->mask / 2);
    }
}

static void a_clock_which_goes_back_used_nothing(void **state)
{
    struct pcpu *p = *state;

    p->mask = UINT64_MAX;
    p->counter = 5000;
    turn_on(p, true);
    p->counter = 4990; /* another pCPU's clock was ahead */
    switch_to(p, 2, 3);
    assert_row(p, 2, 3, 0);
    /* The next run interval begins at that time, not earlier. */
    use(p, 30);
    switch_to(p, 3, 2);
    assert_row(p, 3, 2, 30);
}

static void ticks_report_parts_and_the_exit_the_rest(void **state)
{
    struct pcpu *p = *state;

    turn_on(p, true);
    switch_to(p, 3, 2);
    use(p, 10);
    tick(p, 2);
    use(p, 20);
    tick(p, 2);
    use(p, 5);
    switch_to(p, 2, 3);
    assert_row(p, 3, 2, 0);
    assert_row(p, 2, NONE, 10);
    assert_row(p, 2, NONE, 20);
    assert_row(p, 2, 3, 5);
    assert_no_row(p);
}

/* This also holds if nothing was switched since the event was turned on. */
static void the_first_tick_reports_since_turned_on(void **state)
{
    struct pcpu *p = *state;

    p->counter = 99;
    turn_on(p, true);
    use(p, 40);
    tick(p, 5);
    assert_row(p, 5, NONE, 40);
}

static void a_new_pcpu_has_no_stay(void **state)
{
    struct pcpu *p = *state;

    turn_on(p, true);
    schedlog_stay_init(&p->stay, &p->epoch);
    use(p, 1000);
    tick(p, 2);
    assert_no_row(p);
    switch_to(p, 2, 3);
    assert_no_row(p);
    use(p, 8);
    switch_to(p, 3, 2);
    assert_row(p, 3, 2, 8);

    /* A pCPU that comes back has forgotten its count. */
    use(p, 1000);
    schedlog_stay_init(&p->stay, &p->epoch);
    switch_to(p, 2, 3);
    assert_no_row(p);
}

/* Adds up the rows. */
static void take_rows(struct pcpu *p, uint64_t *logged)
{
    while (nr_new_rows(p)) {
        struct row row = next_row(p);

        logged[row.current] += row.used;
    }
}

static void logged_usage_adds_up(void **state)
{
    struct pcpu *p = *state;
    uint64_t seed = 4, used[NR_ACCT] = { 0 }, logged[NR_ACCT] = { 0 };
    uint16_t on = 2, next;
    unsigned int i, acct;

    p->mask = (1ULL << 40) - 1;
    p->counter = harness_random_below(&seed, p->mask);
    turn_on(p, true);
    for (i = 0; i < 100000; i++) {
        uint64_t amount = harness_random_below(&seed, p->mask / 4);

        use(p, amount);
        used[on] += amount;
        next = harness_random_below(&seed, NR_ACCT);
        if (next == on) {
            tick(p, on);
        } else {
            switch_to(p, on, next);
            on = next;
        }
        take_rows(p, logged);
    }
    tick(p, on);
    take_rows(p, logged);
    for (acct = 0; acct < NR_ACCT; acct++)
        assert_int_equal(logged[acct], used[acct]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(usage_is_logged_on_exit),
        TEST(one_look_at_the_counter_serves_exit_and_entry),
        TEST(every_nth_stay_is_measured),
        TEST(a_stay_which_is_skipped_costs_no_look),
        TEST(thresholds_of_domains_are_apart),
        TEST(a_domain_which_is_not_routed_leaves_nothing),
        TEST(a_route_which_is_taken_away_during_a_stay),
        TEST(turned_on_in_a_stay_whose_start_is_known),
        TEST(turned_on_in_a_stay_whose_start_is_not_known),
        TEST(the_value_of_an_epoch_is_read_after_its_number),
        TEST(turned_off_and_on_again),
        TEST(the_counter_wraps_at_its_width),
        TEST(a_clock_which_goes_back_used_nothing),
        TEST(ticks_report_parts_and_the_exit_the_rest),
        TEST(the_first_tick_reports_since_turned_on),
        TEST(a_new_pcpu_has_no_stay),
        TEST(logged_usage_adds_up),
    };

    return run_tap_tests(tests);
}
