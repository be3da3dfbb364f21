/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The constraints: which guest is moved, which is not, and that no guest is moved back and
 * forth.
 *
 * Each rule here was broken by some scheduler in the field: thrashing between
 * nodes, fighting with the operator, crossing pools, taking threads for cores,
 * chasing idle guests.
 */
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "planner-world.h"

#include "policy/talk.h"

static void a_guest_that_talks_to_dom0_goes_to_its_node(void **state)
{
    (void)state;
    run(5, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 1);
    assert_string_equal(t.soft[GUEST], "0-1");
    assert_int_equal(t.verb[GUEST], KEEP);
    assert_int_equal(t.moves[DOM0] + t.moves[OTHER], 0);
}

static void the_reason_is_in_words_and_numbers(void **state)
{
    (void)state;
    run(1, DOM0, 1000);
    t.now += SECOND;
    talk(GUEST, DOM0, 400);
    talk(DOM0, GUEST, 400);
    plan(false);
    assert_int_equal(t.verb[GUEST], MOVE);
    assert_non_null(strstr(t.reason[GUEST], "to node 0 (pCPUs 0-1): saves "));
    assert_non_null(strstr(t.reason[GUEST], " notifications/s with Domain-0 cross nodes"));
}

static const char *name_of(enum reason_code code, enum grounds grounds)
{
    const struct decision decision = {
        .reason.code = code, .opinion = { .fact = grounds, .lack = grounds },
    };

    return reason_name(&decision);
}

/* A program that reads JSON distinguishes all reasons by their codes. */
static void each_reason_has_a_code_of_its_own(void **state)
{
    const char *names[REASON_NO_ROOM + GROUNDS_BACK_ENDS_EVEN + 2];
    unsigned int nr = 0, i, k;

    (void)state;
    for (i = REASON_NONE + 1; i <= REASON_NO_ROOM; i++)
        if (i != REASON_OPINION && i != REASON_LACK)
            names[nr++] = name_of(i, GROUNDS_NONE);
    for (i = GROUNDS_NONE + 1; i <= GROUNDS_BACK_ENDS_EVEN; i++) {
        assert_string_equal(name_of(REASON_OPINION, i), name_of(REASON_LACK, i));
        names[nr++] = name_of(REASON_LACK, i);
    }
    for (i = 0; i < nr; i++)
        for (k = 0; k < i; k++)
            assert_string_not_equal(names[i], names[k]);
}

static void a_driver_domain_other_than_dom0_counts_too(void **state)
{
    struct fake_domain *driver = &t.host.world->domains[OTHER];

    (void)state;
    driver->driver = true;
    driver->vcpus[0].hard = driver->vcpus[1].hard = FAKE_NODE_1;
    run(5, OTHER, 1000);
    assert_int_equal(t.moves[GUEST], 1);
    assert_string_equal(t.soft[GUEST], "2-3");
    assert_int_equal(t.moves[OTHER], 0);
}

static double talk_of_guest(void)
{
    struct guarded guarded[FAKE_DOMAINS] = { 0 };
    struct policy_input input = {
        .matrix = t.matrix,
        .topology = &t.topology,
        .now_ns = t.now,
        .guarded = guarded,
    };
    double total[FAKE_DOMAINS], rate;
    struct domains domains;
    struct talk_pair *pairs;
    unsigned int nr;

    fake_domains(&t.host, &domains);
    annotate(&domains);
    input.domains = &domains;
    pairs = talk_pairs(&input, &nr, total);
    assert_int_equal(nr, 1);
    rate = pairs[0].rate;
    /* Sorted by domid. */
    assert_true(total[GUEST] == rate);
    free(pairs);
    domains_free(&domains);

    return rate;
}

/* With persistent grants a ring's pages are seen on the ring alone. */
static void a_page_on_a_ring_that_was_mapped_counts_once(void **state)
{
    double ring, both, more, copied;

    (void)state;
    happen(XEN_SCHEDLOG_EV_RING_PAGES, DOM0, GUEST, 1000);
    ring = talk_of_guest();
    assert_true(ring > 0);
    happen(XEN_SCHEDLOG_EV_GRANT_MAP, DOM0, GUEST, 1000);
    both = talk_of_guest();
    assert_float_equal(both, ring, 1e-6);
    happen(XEN_SCHEDLOG_EV_GRANT_MAP, DOM0, GUEST, 1000);
    more = talk_of_guest();
    assert_float_equal(more, 2 * ring, 1e-6);
    happen(XEN_SCHEDLOG_EV_GRANT_COPY, DOM0, GUEST, 1000);
    copied = talk_of_guest();
    assert_float_equal(copied, 3 * ring, 1e-6);
}

static void idle_and_quiet_guests_are_left_alone(void **state)
{
    (void)state;
    run(10, DOM0, 0);
    run(10, DOM0, 40);
    assert_int_equal(t.moves[GUEST], 0);
    assert_non_null(strstr(t.reason[GUEST], "least gain"));
}

static void a_new_guest_is_left_alone_for_a_while(void **state)
{
    (void)state;
    t.since[GUEST] = t.now;
    run(4, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
    run(4, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 1);
}

static void a_single_burst_moves_no_guest(void **state)
{
    (void)state;
    run(1, DOM0, 0);
    t.now += SECOND;
    talk(GUEST, DOM0, 100);
    plan(true);
    run(10, DOM0, 0);
    assert_int_equal(t.moves[GUEST], 0);
}

/* It is remembered for long after it ceased, and well above all thresholds. */
static void a_large_burst_moves_no_guest_either(void **state)
{
    (void)state;
    run(1, DOM0, 0);
    t.now += SECOND;
    talk(GUEST, DOM0, 10000);
    plan(true);
    run(10, DOM0, 0);
    assert_int_equal(t.moves[GUEST], 0);
    run(5, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 1);
}

static void what_an_operator_set_is_left_alone(void **state)
{
    (void)state;
    t.operators[GUEST] = true;
    run(10, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
    assert_non_null(strstr(t.reason[GUEST], "operator"));
}

static void cpupools_are_not_crossed(void **state)
{
    (void)state;
    t.host.world->domains[GUEST].pool_cpus = FAKE_NODE_1;
    run(10, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
    /* With one pCPU of the node in its pool, it gets that one. */
    t.host.world->domains[GUEST].pool_cpus = FAKE_NODE_1 | 0x2;
    run(5, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 1);
    assert_string_equal(t.soft[GUEST], "1");
}

static void a_guest_needs_a_core_for_each_vcpu(void **state)
{
    (void)state;
    fake_domain_new(&t.host, GUEST, "guest", 3);
    run(10, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
    fake_domain_new(&t.host, GUEST, "guest", 2);
    run(5, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 1);
}

static void threads_do_not_count_as_cores(void **state)
{
    struct xensched_error err;

    (void)state;
    t.host.world->threads = true;
    topology_free(&t.topology);
    t.host.host.topology(&t.host, &t.topology, &err);
    fake_domain_new(&t.host, GUEST, "guest", 2);
    run(10, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
    assert_non_null(strstr(t.reason[GUEST], "cores"));
}

static void a_driver_domain_that_is_spread_attracts_no_guest(void **state)
{
    struct fake_domain *dom0 = &t.host.world->domains[DOM0];

    (void)state;
    dom0->vcpus[0] = (struct fake_vcpu){ 0, FAKE_ALL, FAKE_ALL };
    dom0->vcpus[1] = (struct fake_vcpu){ 3, FAKE_ALL, FAKE_ALL };
    dom0_on[1] = 3;
    run(10, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
}

/* A host whose dom0 is pinned nowhere: each plan sees it at one place. */
static void where_it_is_at_the_moment_is_no_place(void **state)
{
    struct fake_domain *dom0 = &t.host.world->domains[DOM0];
    unsigned int i;

    (void)state;
    dom0_on[1] = 3;
    for (i = 0; i < 40; i++) {
        uint32_t cpu = i / 4 % 2 ? 3 : 0;

        dom0->vcpus[0] = (struct fake_vcpu){ cpu, FAKE_ALL, FAKE_ALL };
        dom0->vcpus[1] = (struct fake_vcpu){ cpu, FAKE_ALL, FAKE_ALL };
        run(1, DOM0, 1000);
    }
    assert_int_equal(t.moves[GUEST], 0);
}

static void without_rows_the_place_of_a_driver_domain_is_unknown(void **state)
{
    struct fake_domain *dom0 = &t.host.world->domains[DOM0];
    unsigned int i;

    (void)state;
    for (i = 0; i < 2; i++)
        dom0->vcpus[i] = (struct fake_vcpu){ 0, FAKE_ALL, FAKE_ALL };
    for (i = 0; i < 10; i++) {
        t.now += SECOND;
        talk(GUEST, DOM0, 1000);
        plan(true);
    }
    assert_int_equal(t.moves[GUEST], 0);
}

/* A guest that ran on the other node for a moment keeps its place. */
static void a_guest_that_lives_at_a_place_need_not_be_there_always(void **state)
{
    struct fake_domain *dom0 = &t.host.world->domains[DOM0];
    unsigned int i;

    (void)state;
    for (i = 0; i < 2; i++)
        dom0->vcpus[i] = (struct fake_vcpu){ 3, FAKE_ALL, FAKE_ALL };
    for (i = 0; i < 30; i++) {
        dom0_on[0] = dom0_on[1] = i % 8 == 4 ? 3 : 0;
        run(1, DOM0, 1000);
    }
    assert_int_equal(t.moves[GUEST], 1);
    assert_string_equal(t.soft[GUEST], "0-1");
    assert_int_equal(t.verb[GUEST], KEEP);
}

static void where_a_driver_domain_runs_is_seen_in_three_ways(void **state)
{
    static const struct fake_vcpu found_on_1[] = {
        { 0, FAKE_NODE_1, FAKE_ALL }, /* bound */
        { 0, FAKE_ALL, FAKE_NODE_1 }, /* prefers */
        { 0, FAKE_ALL, FAKE_ALL },    /* lives, by its rows */
    };
    size_t i;

    for (i = 0; i < 3; i++) {
        struct fake_domain *dom0;

        teardown(state);
        setup(state);
        dom0 = &t.host.world->domains[DOM0];
        dom0->vcpus[0] = dom0->vcpus[1] = found_on_1[i];
        dom0_on[0] = dom0_on[1] = 2;
        run(10, DOM0, 1000);
        assert_int_equal(t.moves[GUEST], 1);
        assert_string_equal(t.soft[GUEST], "2-3");
    }
}

static void one_place_is_no_choice(void **state)
{
    unsigned int cpu;

    (void)state;
    topology_free(&t.topology);
    topology_init(&t.topology, FAKE_CPUS);
    for (cpu = 0; cpu < FAKE_CPUS; cpu++)
        t.topology.cpus[cpu] = (struct topology_cpu){
            .online = true, .core = cpu,
        };
    topology_make_places(&t.topology);
    run(5, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
}

static void a_guest_that_is_there_already_is_not_moved(void **state)
{
    (void)state;
    t.host.world->domains[GUEST].vcpus[0].soft = FAKE_NODE_0;
    run(5, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
}

static void load_around_the_threshold_moves_once(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 100; i++)
        run(1, DOM0, i & 1 ? 80 : 40);
    assert_true(t.moves[GUEST] <= 1);
    run(5, DOM0, 200);
    for (i = 0; i < 100; i++)
        run(2, DOM0, i & 1 ? 80 : 40);
    assert_int_equal(t.moves[GUEST], 1);
}

static void phases_make_few_moves_and_no_ping_pong(void **state)
{
    struct fake_domain *driver = &t.host.world->domains[OTHER];
    unsigned int i;

    (void)state;
    driver->driver = true;
    driver->vcpus[0].hard = driver->vcpus[1].hard = FAKE_NODE_1;
    /* Changes faster than the stay: at most one move in 10 s. */
    for (i = 0; i < 40; i++)
        run(3, i & 1 ? OTHER : DOM0, 1000);
    assert_in_range(t.moves[GUEST], 1, 12);
    /* Changes slower than the stay are followed, each with one move. */
    run(30, DOM0, 1000);
    t.moves[GUEST] = 0;
    for (i = 0; i < 6; i++) {
        run(30, i & 1 ? DOM0 : OTHER, 1000);
        assert_int_equal(t.moves[GUEST], i + 1);
        assert_string_equal(t.soft[GUEST], i & 1 ? "0-1" : "2-3");
    }
}

static void a_place_without_reason_is_given_back_after_a_while(void **state)
{
    (void)state;
    run(5, DOM0, 1000);
    assert_true(t.ours[GUEST]);
    run(50, DOM0, 0);
    assert_true(t.ours[GUEST]);
    run(30, DOM0, 0);
    assert_false(t.ours[GUEST]);
    assert_int_equal(t.moves[GUEST], 2);
    run(30, DOM0, 0);
    assert_int_equal(t.moves[GUEST], 2);
}

static void a_pause_does_not_cost_a_guest_its_place(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 10; i++) {
        run(10, DOM0, 1000);
        run(40, DOM0, 0);
    }
    assert_int_equal(t.moves[GUEST], 1);
}

static void a_new_domain_with_an_old_number_is_new(void **state)
{
    (void)state;
    run(5, DOM0, 1000);
    assert_true(t.ours[GUEST]);
    t.ours[GUEST] = false;
    fake_domain_new(&t.host, GUEST, "again", 1);
    t.since[GUEST] = t.now;
    t.moves[GUEST] = 0;
    run(4, DOM0, 1000);
    assert_int_equal(t.moves[GUEST], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        policy_test(a_guest_that_talks_to_dom0_goes_to_its_node),
        policy_test(the_reason_is_in_words_and_numbers),
        policy_test(each_reason_has_a_code_of_its_own),
        policy_test(a_driver_domain_other_than_dom0_counts_too),
        policy_test(a_page_on_a_ring_that_was_mapped_counts_once),
        policy_test(idle_and_quiet_guests_are_left_alone),
        policy_test(a_new_guest_is_left_alone_for_a_while),
        policy_test(a_single_burst_moves_no_guest),
        policy_test(a_large_burst_moves_no_guest_either),
        policy_test(what_an_operator_set_is_left_alone),
        policy_test(cpupools_are_not_crossed),
        policy_test(a_guest_needs_a_core_for_each_vcpu),
        policy_test(threads_do_not_count_as_cores),
        policy_test(a_driver_domain_that_is_spread_attracts_no_guest),
        policy_test(where_it_is_at_the_moment_is_no_place),
        policy_test(without_rows_the_place_of_a_driver_domain_is_unknown),
        policy_test(a_guest_that_lives_at_a_place_need_not_be_there_always),
        policy_test(where_a_driver_domain_runs_is_seen_in_three_ways),
        policy_test(one_place_is_no_choice),
        policy_test(a_guest_that_is_there_already_is_not_moved),
        policy_test(load_around_the_threshold_moves_once),
        policy_test(phases_make_few_moves_and_no_ping_pong),
        policy_test(a_place_without_reason_is_given_back_after_a_while),
        policy_test(a_pause_does_not_cost_a_guest_its_place),
        policy_test(a_new_domain_with_an_old_number_is_new),
    };

    return run_tap_tests(tests);
}
