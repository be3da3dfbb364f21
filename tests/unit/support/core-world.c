/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the daemon's core on a scripted host and clock. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "core-world.h"
#include "harness.h"

struct fake_host host;
struct core core;
struct core_settings settings;
uint64_t now;

void start(enum mode mode)
{
    struct xensched_error err;

    settings.mode = mode;
    assert_int_equal(core_start(&core, &settings, &host.host, now, &err), 0);
    assert_int_equal(core_run(&core, now, &err), 0);
    assert_int_equal(core_log(&core, now, &err), 0);
}

int setup(void **state)
{
    (void)state;
    unlink(state_path);
    unlink(journal_path);
    fake_host_init(&host);
    fake_domain_new(&host, DISK, "disk", 1);
    fake_domain_new(&host, SPIN, "spin", 2);
    settings = (struct core_settings){
        .half_life_ns = SECOND,
        .policy_settings = policy_defaults,
        .lease_ms = LEASE / 1000000,
        .state_path = state_path,
        .journal_path = journal_path,
    };
    policies_parse(&settings.policies, "placement");
    settings.policy_settings.least_gain_ns = 10000;
    now = 1000 * SECOND;

    return 0;
}

int teardown(void **state)
{
    (void)state;
    core_stop(&core);
    core_free(&core);
    fake_host_free(&host);
    unlink(state_path);
    unlink(journal_path);

    return 0;
}

void hear(const char *pairs)
{
    struct xensched_source *source;
    struct xensched_error err;
    char spec[500];

    snprintf(spec, sizeof(spec), "synthetic:seed=%llu,rows=100,%s",
             (unsigned long long)now, pairs);
    assert_int_equal(xensched_source_open(spec, NULL, &source, &err), 0);
    now += SECOND / 10;
    assert_int_equal(core_read(&core, source, now, &err), 0);
    xensched_source_close(source);
}

void run(unsigned int seconds, const char *pairs)
{
    struct xensched_error err;
    unsigned int tenth;

    for (; seconds; seconds--) {
        for (tenth = 0; tenth < 10; tenth++)
            hear(pairs);
        assert_int_equal(core_run(&core, now, &err), 0);
    }
}

struct fake_domain *domain(uint32_t domid)
{
    return &host.world->domains[domid];
}

unsigned int count_in_journal(const char *words)
{
    return lines_with(journal_path, words);
}
