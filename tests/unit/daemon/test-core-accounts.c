/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon's core and accounting domains: the number of each domain, which domains keep it
 * through a reboot or in a group, and when a number gets another domain.
 */
#include <stdio.h>

#include "cmocka-tap.h"
#include "core-world.h"

const char state_path[] = "test-core-accounts.state";
const char journal_path[] = "test-core-accounts.journal";

struct pairs {
    uint16_t acct;
    unsigned int nr;
};

static void count_pair(const struct matrix_entry *entry, void *arg)
{
    struct pairs *pairs = arg;

    pairs->nr += entry->total && (entry->current == pairs->acct ||
                                  entry->correspondent == pairs->acct);
}

/* Returns the number of pairs that the matrix has of @acct, however old. */
static unsigned int pairs_of(uint16_t acct)
{
    struct pairs pairs = { .acct = acct };

    matrix_visit(core.matrix, now, count_pair, &pairs);

    return pairs.nr;
}

static void new_domains_are_bound_and_gone_ones_forgotten(void **state)
{
    struct domains domains = { 0 };
    struct xensched_error err;
    uint16_t acct;

    (void)state;
    start(MODE_ADVISE);
    run(5, TALK);
    fake_domain_new(&host, 5, "late", 1);
    assert_int_equal(core_bind_new(&core, &domains, now, &err), 0);
    domains_free(&domains);
    acct = domain(5)->acct;
    assert_int_equal(acct, 5);
    assert_true(matrix_rate(core.matrix, XEN_SCHEDLOG_EV_EVTCHN_SEND, 3, 2,
                            now) > 0);
    assert_true(host.world->routed & 1U << 3);
    domain(DISK)->exists = false;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_false(host.world->routed & 1U << 3);
    assert_true(pairs_of(3) > 0); /* the domain may return */
    assert_int_equal(core_run(&core, now + 59 * SECOND, &err), 0);
    assert_true(pairs_of(3) > 0);
    assert_int_equal(core_run(&core, now + 61 * SECOND, &err), 0);
    assert_int_equal(pairs_of(3), 0);
    assert_int_equal(domain(5)->acct, acct);
}

/* Reboots a guest as xl does: with the same UUID and another domid. */
static void boot_anew(uint32_t domid, uint32_t new_domid)
{
    fake_domain_new(&host, new_domid, domain(domid)->name, 1);
    domain(new_domid)->uuid = domain(domid)->uuid;
    domain(domid)->exists = false;
    domain(domid)->acct = 0;
}

static void a_guest_that_reboots_keeps_its_history(void **state)
{
    struct domains domains = { 0 };
    struct xensched_error err;
    unsigned int pairs;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    pairs = pairs_of(3);
    boot_anew(DISK, 9);
    assert_int_equal(core_bind_new(&core, &domains, now, &err), 0);
    domains_free(&domains);
    assert_int_equal(domain(9)->acct, 3);
    assert_int_equal(pairs_of(3), pairs);
    /* The daemon restores no affinity of the guest before the reboot. */
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core.actuator.state.nr, 0);
    run(20, TALK);
    assert_true(fake_has_soft(domain(9), FAKE_NODE_0));
    assert_int_equal(core.moves, 2);
}

/* The guest may be absent for a moment. */
static void a_guest_that_returns_later_keeps_its_history(void **state)
{
    struct xensched_error err;

    (void)state;
    start(MODE_ADVISE);
    run(5, TALK);
    boot_anew(DISK, 9);
    domain(9)->exists = false;
    run(5, SILENCE);
    fake_domain_new(&host, 10, "another", 1);
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_not_equal(domain(10)->acct, 3);
    domain(9)->exists = true;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(domain(9)->acct, 3);
    assert_true(pairs_of(3) > 0);
}

/* Groups. */

static void put_into(const char *group, uint32_t domid)
{
    snprintf(domain(domid)->group, sizeof(domain(domid)->group), "%s", group);
}

static void look(uint64_t at)
{
    struct xensched_error err;

    assert_int_equal(core_run(&core, at, &err), 0);
}

static void each_guest_of_a_group_has_its_own_number(void **state)
{
    (void)state;
    put_into("web", DISK);
    put_into("web", SPIN);
    start(MODE_ADVISE);
    run(5, TALK);
    assert_int_equal(domain(DISK)->acct, 3);
    assert_int_equal(domain(SPIN)->acct, 4);
    assert_int_equal(core.domains.domain[DISK].acct, 3);
    assert_int_equal(core.domains.domain[SPIN].acct, 4);
}

/* A domain that joins a group keeps its number and its history. */
static void a_guest_that_changes_its_group_keeps_its_number(void **state)
{
    (void)state;
    start(MODE_ADVISE);
    run(5, TALK);
    put_into("web", DISK);
    look(now);
    assert_int_equal(domain(DISK)->acct, 3);
    assert_string_equal(core.domains.domain[DISK].group, "web");
    assert_true(pairs_of(3) > 0);
}

static void a_driver_domain_is_in_no_group(void **state)
{
    (void)state;
    put_into("web", 0);
    put_into("web", SPIN);
    start(MODE_ADVISE);
    run(5, TALK);
    assert_string_equal(core.domains.domain[0].group, "");
    domain(SPIN)->driver = true;
    look(now);
    assert_string_equal(core.domains.domain[SPIN].group, "");
    domain(SPIN)->driver = false;
    look(now);
    assert_string_equal(core.domains.domain[SPIN].group, "web");
}

static void the_usage_of_each_guest_of_a_group_is_known(void **state)
{
    double disk, spin;

    (void)state;
    put_into("web", DISK);
    put_into("web", SPIN);
    start(MODE_ADVISE);
    run(5, TALK);
    run(5, "pair=service-ns/3/1/1/50000");
    assert_true(core_service(&core, &core.domains.domain[DISK], now, &disk));
    assert_true(core_service(&core, &core.domains.domain[SPIN], now, &spin));
    assert_float_equal(disk, matrix_service(core.matrix, 3, now), 1e-9);
    assert_true(disk > 0.01);
    assert_true(spin < disk / 10);
}

static void a_number_is_used_again_as_late_as_possible(void **state)
{
    struct xensched_error err;
    uint16_t before = 0;
    unsigned int i;

    (void)state;
    start(MODE_OBSERVE);
    for (i = 0; i < 40; i++) {
        fake_domain_new(&host, 5, "short", 1);
        assert_int_equal(core_run(&core, now, &err), 0);
        assert_true(domain(5)->acct >= XEN_SCHEDLOG_ACCT_FIRST);
        assert_int_not_equal(domain(5)->acct, before);
        before = domain(5)->acct;
        assert_true(before != domain(0)->acct);
        domain(5)->exists = false;
        assert_int_equal(core_run(&core, now, &err), 0);
    }
}

static void more_domains_than_numbers_do_no_harm(void **state)
{
    struct xensched_error err;
    unsigned int i, bound = 0;

    (void)state;
    for (i = 1; i < FAKE_DOMAINS; i++)
        fake_domain_new(&host, i, "many", 1);
    start(MODE_ACT);
    run(10, TALK);
    for (i = 0; i < FAKE_DOMAINS; i++)
        bound += domain(i)->acct != 0;
    assert_int_equal(bound, FAKE_ACCTS - XEN_SCHEDLOG_ACCT_FIRST);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    /* When one ends, a guest without a number gets its number. */
    domain(4)->exists = false;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core_run(&core, now, &err), 0);
    for (bound = 0, i = 0; i < FAKE_DOMAINS; i++)
        bound += domain(i)->exists && domain(i)->acct != 0;
    assert_int_equal(bound, FAKE_ACCTS - XEN_SCHEDLOG_ACCT_FIRST);
}

/* A guest without a number does not stay new for ever. */
static void a_guest_without_a_number_ages_as_others_do(void **state)
{
    unsigned int i, nr = 0;

    (void)state;
    for (i = 1; i < FAKE_DOMAINS; i++)
        fake_domain_new(&host, i, "many", 1);
    start(MODE_ACT);
    run(30, TALK);
    for (i = 0; i < core.domains.nr; i++) {
        const struct domain *d = &core.domains.domain[i];

        nr += d->acct < XEN_SCHEDLOG_ACCT_FIRST;
        assert_true(now - d->since_ns >= 29 * 1000000000ULL);
        assert_int_not_equal(core.plan.decisions[i].reason.code, REASON_NEW);
    }
    assert_int_equal(nr, FAKE_DOMAINS - (FAKE_ACCTS - XEN_SCHEDLOG_ACCT_FIRST));
}

/* Its wake-ups are in the sum of all other domains, so their rate is unknown, not 0. */
static void wake_ups_of_a_guest_without_a_number_are_unknown(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 1; i < FAKE_DOMAINS; i++)
        fake_domain_new(&host, i, "many", 1);
    choice_default(&settings.choice);
    start(MODE_ADVISE);
    run(5, TALK);
    for (i = 0; i < core.domains.nr; i++) {
        const struct domain *d = &core.domains.domain[i];

        assert_int_equal(d->wakes.known, d->acct >= XEN_SCHEDLOG_ACCT_FIRST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(new_domains_are_bound_and_gone_ones_forgotten),
        core_test(a_guest_that_reboots_keeps_its_history),
        core_test(a_guest_that_returns_later_keeps_its_history),
        core_test(each_guest_of_a_group_has_its_own_number),
        core_test(a_guest_that_changes_its_group_keeps_its_number),
        core_test(a_driver_domain_is_in_no_group),
        core_test(the_usage_of_each_guest_of_a_group_is_known),
        core_test(a_number_is_used_again_as_late_as_possible),
        core_test(more_domains_than_numbers_do_no_harm),
        core_test(a_guest_without_a_number_ages_as_others_do),
        core_test(wake_ups_of_a_guest_without_a_number_are_unknown),
    };

    return run_tap_tests(tests);
}
