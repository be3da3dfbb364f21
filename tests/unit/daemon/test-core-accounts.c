/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon's core and accounting domains: the number of each domain, which domains keep it
 * through a reboot or within a group, and when a number gets another domain.
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

/* How many pairs the matrix has of it, however long ago they met. */
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
    assert_true(pairs_of(3) > 0); /* it may come back */
    assert_int_equal(core_run(&core, now + 59 * SECOND, &err), 0);
    assert_true(pairs_of(3) > 0);
    assert_int_equal(core_run(&core, now + 61 * SECOND, &err), 0);
    assert_int_equal(pairs_of(3), 0);
    assert_int_equal(domain(5)->acct, acct);
}

/* What xl makes of it: the same UUID, another domid. */
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
    /* No affinity of the guest before the reboot is restored. */
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core.actuator.state.nr, 0);
    run(20, TALK);
    assert_true(fake_has_soft(domain(9), FAKE_NODE_0));
    assert_int_equal(core.moves, 2);
}

/* Also if it is away for a moment. */
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

/* DISK and SPIN have 3 then, and OTHER 4. */
#define OTHER 5U

static void start_with_a_group(void)
{
    fake_domain_new(&host, OTHER, "other", 1);
    put_into("web", DISK);
    put_into("web", SPIN);
    start(MODE_ADVISE);
    run(5, TALK);
}

static void domains_of_a_group_share_a_number(void **state)
{
    (void)state;
    start_with_a_group();
    assert_int_equal(domain(DISK)->acct, 3);
    assert_int_equal(domain(SPIN)->acct, 3);
    assert_int_equal(domain(OTHER)->acct, 4);
    assert_int_equal(core.domains.domain[DISK].acct, 3);
    assert_int_equal(core.domains.domain[SPIN].acct, 3);
    /* One that comes later has it, too, and other groups are other ones. */
    fake_domain_new(&host, 6, "late", 1);
    fake_domain_new(&host, 7, "elsewhere", 1);
    put_into("web", 6);
    put_into("web.2", 7);
    look(now);
    assert_int_equal(domain(6)->acct, 3);
    assert_int_equal(domain(7)->acct, 5);
}

static void a_group_outlives_each_of_its_domains(void **state)
{
    (void)state;
    start_with_a_group();
    domain(DISK)->exists = false;
    look(now);
    look(now + 61 * SECOND);
    assert_int_equal(domain(SPIN)->acct, 3);
    assert_true(host.world->routed & 1U << 3);
    assert_true(pairs_of(3) > 0);
    domain(SPIN)->exists = false;
    look(now + 70 * SECOND);
    assert_false(host.world->routed & 1U << 3);
    look(now + 129 * SECOND);
    assert_true(pairs_of(3) > 0); /* they may come back */
    look(now + 131 * SECOND);
    assert_int_equal(pairs_of(3), 0);
}

static void a_guest_that_returns_to_a_group_has_its_number(void **state)
{
    (void)state;
    start_with_a_group();
    boot_anew(DISK, 8);
    put_into("web", 8);
    look(now);
    assert_int_equal(domain(8)->acct, 3);
    /* Also if the group had no guest meanwhile, and whatever its UUID is. */
    domain(8)->exists = domain(SPIN)->exists = false;
    look(now + SECOND);
    fake_domain_new(&host, 9, "another", 1);
    put_into("web", 9);
    look(now + 2 * SECOND);
    assert_int_equal(domain(9)->acct, 3);
    assert_true(host.world->routed & 1U << 3);
    assert_true(pairs_of(3) > 0);
}

static void a_guest_that_changes_its_group_changes_its_number(void **state)
{
    (void)state;
    start_with_a_group();
    boot_anew(DISK, 8);
    put_into("db", 8);
    look(now);
    assert_int_equal(domain(8)->acct, 5);
    assert_int_equal(domain(SPIN)->acct, 3);
    /* The group is written to xenstore; the domain's history stays. */
    domain(OTHER)->vcpus[0].hard = FAKE_NODE_1;
    run(10, TALK);
    put_into("db", OTHER);
    look(now);
    assert_int_equal(domain(OTHER)->acct, 5);
    assert_false(host.world->routed & 1U << 4);
    domain(OTHER)->vcpus[0].hard = FAKE_ALL;
    look(now);
    assert_int_equal(domains_find(&core.domains, OTHER)->affinity,
                     AFFINITY_OPERATOR);
    put_into("", OTHER);
    look(now);
    assert_int_equal(domain(OTHER)->acct, 4);
}

/* All numbers are used: it is none of the group's any more in any case. */
static void a_guest_that_leaves_a_group_may_get_no_number(void **state)
{
    unsigned int i;

    (void)state;
    start_with_a_group();
    for (i = 0; i < FAKE_DOMAINS; i++)
        if (!domain(i)->exists)
            fake_domain_new(&host, i, "many", 1);
    fake_domain_new(&host, 14, "group", 1);
    put_into("web", 14);
    look(now);
    put_into("none", DISK);
    look(now);
    assert_int_equal(domain(DISK)->acct, XEN_SCHEDLOG_ACCT_REST);
    assert_int_equal(core.domains.domain[DISK].acct, XEN_SCHEDLOG_ACCT_REST);
    put_into("web", DISK);
    look(now);
    assert_int_equal(domain(DISK)->acct, 3);
}

static void a_driver_domain_is_in_no_group(void **state)
{
    (void)state;
    put_into("web", 0);
    start_with_a_group();
    assert_int_equal(domain(0)->acct, 2);
    assert_int_equal(domain(DISK)->acct, 3);
    domain(SPIN)->driver = true;
    look(now);
    assert_int_equal(domain(SPIN)->acct, 5);
    assert_int_equal(domain(DISK)->acct, 3);
    domain(SPIN)->driver = false;
    look(now);
    assert_int_equal(domain(SPIN)->acct, 3);
}

static void the_usage_of_a_group_is_counted_once(void **state)
{
    double disk, spin, all;

    (void)state;
    start_with_a_group();
    run(5, "pair=service-ns/3/1/1/50000");
    all = matrix_service(core.matrix, 3, now);
    assert_true(all > 0.01);
    assert_true(core_service(&core, &core.domains.domain[DISK], now, &disk));
    assert_true(core_service(&core, &core.domains.domain[SPIN], now, &spin));
    assert_float_equal(disk + spin, all, 1e-9);
    assert_float_equal(spin, 2 * disk, 1e-9); /* it has 2 vCPUs */
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
    /* One goes, one of those which were left out gets its number. */
    domain(4)->exists = false;
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core_run(&core, now, &err), 0);
    for (bound = 0, i = 0; i < FAKE_DOMAINS; i++)
        bound += domain(i)->exists && domain(i)->acct != 0;
    assert_int_equal(bound, FAKE_ACCTS - XEN_SCHEDLOG_ACCT_FIRST);
}

/* A guest without a number is not new for ever. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(new_domains_are_bound_and_gone_ones_forgotten),
        core_test(a_guest_that_reboots_keeps_its_history),
        core_test(a_guest_that_returns_later_keeps_its_history),
        core_test(domains_of_a_group_share_a_number),
        core_test(a_group_outlives_each_of_its_domains),
        core_test(a_guest_that_returns_to_a_group_has_its_number),
        core_test(a_guest_that_changes_its_group_changes_its_number),
        core_test(a_guest_that_leaves_a_group_may_get_no_number),
        core_test(a_driver_domain_is_in_no_group),
        core_test(the_usage_of_a_group_is_counted_once),
        core_test(a_number_is_used_again_as_late_as_possible),
        core_test(more_domains_than_numbers_do_no_harm),
        core_test(a_guest_without_a_number_ages_as_others_do),
    };

    return run_tap_tests(tests);
}
