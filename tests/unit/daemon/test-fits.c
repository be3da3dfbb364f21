/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks settings that have no meaning on this host.  Fails if the daemon accepts such a setting
 * without a warning, or warns about a setting that fits.
 */
#include <stdio.h>
#include <string.h>

#include "cmocka-tap.h"

#include "daemon/fits.h"

static struct topology t;
static struct domains domains;
static struct options options;
static char told[2000];
static unsigned int nr_reported;

/* The host has two cpupools. */
bool host_xen_has_pool(struct host_xen *hx, const char *name)
{
    (void)hx;

    return !strcmp(name, "Pool-0") || !strcmp(name, "batch");
}

static void tell(void *arg, const char *text)
{
    assert_ptr_equal(arg, &options);
    strcat(strcat(told, text), "\n");
    nr_reported++;
}

static void check(const char *rules)
{
    const struct fits fits = {
        .options = &options, .topology = &t, .domains = &domains,
        .tell = tell, .arg = &options,
    };

    told[0] = '\0';
    nr_reported = 0;
    assert_true(rules_parse(&options.core.policy_settings.rules, rules));
    fits_check(&fits);
}

static void says(const char *text)
{
    if (!strstr(told, text))
        fail_msg("no '%s' in '%s'", text, told);
}

/* Nodes 0 and 2 with 2 cores each, and a domain. */
static int setup(void **state)
{
    unsigned int i;

    (void)state;
    memset(&options, 0, sizeof(options));
    topology_init(&t, 4);
    for (i = 0; i < 4; i++) {
        t.cpus[i].online = true;
        t.cpus[i].core = i % 2;
        t.cpus[i].socket = i / 2;
        t.cpus[i].node = i / 2 * 2;
    }
    strcpy(domains_add(&domains)->name, "web1");

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    topology_free(&t);
    domains_free(&domains);

    return 0;
}

static void settings_that_fit_are_not_mentioned(void **state)
{
    (void)state;
    check("");
    assert_int_equal(nr_reported, 0);
    options.llc = "0-1/2-3";
    options.soft_pools = "batch,Pool-0";
    check("name=web*: nodes=0,2/name=web1: hold");
    assert_string_equal(told, "");
}

static void a_node_that_is_not_there_is_named(void **state)
{
    (void)state;
    check("name=web1: nodes=1-2");
    assert_int_equal(nr_reported, 1);
    says("'name=web1' names node 1, and this host has pCPUs on node 0,2 only");
}

static void a_rule_that_fits_no_guest_is_named(void **state)
{
    (void)state;
    check("name=web1: hold/name=B\xc3\xbcro: hold/group=web1: hold");
    assert_int_equal(nr_reported, 2);
    says("'name=B\xc3\xbcro' matches no domain");
    says("'group=web1' matches no domain");
}

static void a_pool_that_is_not_there_is_named(void **state)
{
    (void)state;
    options.soft_pools = "batch,bach";
    check("");
    assert_int_equal(nr_reported, 1);
    says("cpupool 'bach'");
}

static void a_cache_in_linux_numbers_is_named(void **state)
{
    (void)state;
    options.llc = "0,2/1,3";
    check("");
    assert_int_equal(nr_reported, 1);
    says("'0,2' of llc");
}

#define fits_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        fits_test(settings_that_fit_are_not_mentioned),
        fits_test(a_node_that_is_not_there_is_named),
        fits_test(a_rule_that_fits_no_guest_is_named),
        fits_test(a_pool_that_is_not_there_is_named),
        fits_test(a_cache_in_linux_numbers_is_named),
    };

    return run_tap_tests(tests);
}
