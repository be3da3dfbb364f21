/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that a look-up by domid finds the stored value, however domains come and go.  The daemon's
 * tables of domains rest on that.
 */
#include <stdio.h>

#include "cmocka-tap.h"
#include "fake-host.h"
#include "harness.h"

#include "daemon/core/accounting.h"
#include "model/domids.h"

#define NR_DOMIDS 300

static void an_empty_table_has_no_domain(void **state)
{
    struct domids t = { 0 };

    (void)state;
    assert_int_equal(domids_find(&t, 0), DOMIDS_NONE);
    assert_int_equal(domids_find(&t, UINT32_MAX), DOMIDS_NONE);
    domids_remove(&t, 7);
    domids_put(&t, 7, 0);
    assert_int_equal(domids_find(&t, 7), 0);
    assert_int_equal(domids_find(&t, 6), DOMIDS_NONE);
    assert_int_equal(domids_find(&t, 8), DOMIDS_NONE);
    domids_free(&t);
}

static struct domain with_domid(uint32_t domid, unsigned int generation)
{
    struct domain d = { .domid = domid };

    snprintf(d.uuid, sizeof(d.uuid), "%u of %u", generation, domid);

    return d;
}

/* Compares with a list of each domid's generation; 0: no domain. */
static void members_are_found_as_domains_come_and_go(void **state)
{
    unsigned int there[NR_DOMIDS] = { 0 }, i, step;
    struct accounting a;
    uint64_t seed = 1;

    (void)state;
    accounting_init(&a, 1024);
    for (step = 0; step < 20000; step++) {
        uint32_t domid = harness_random_below(&seed, NR_DOMIDS);
        struct domain d = with_domid(domid, there[domid] ? there[domid]
                                                         : step + 1);
        struct member *member = accounting_find(&a, &d);
        struct account *account;

        assert_int_equal(!!member, !!there[domid]);
        if (member) {
            account = member->account;
            assert_int_equal(member->domid, domid);
            accounting_leave(&a, member, step);
            accounting_close(account);
            there[domid] = 0;
        } else {
            account = accounting_open(&a, &d);
            assert_non_null(account);
            accounting_join(&a, account, &d, step);
            there[domid] = step + 1;
        }
    }
    for (i = 0; i < NR_DOMIDS; i++) {
        struct domain d = with_domid(i, there[i]), other = with_domid(i, 99999);

        assert_int_equal(!!accounting_find(&a, &d), !!there[i]);
        assert_null(accounting_find(&a, &other));
    }
    accounting_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_has_no_domain),
        cmocka_unit_test(members_are_found_as_domains_come_and_go),
    };

    return run_tap_tests(tests);
}
