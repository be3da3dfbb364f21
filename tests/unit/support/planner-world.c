/* SPDX-License-Identifier: GPL-2.0-only */
/* Feeds rows to placement, and carries its plans out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "planner-world.h"

uint16_t acct_of(uint32_t domid)
{
    return 10 + domid;
}

struct planner_world t;

uint32_t dom0_on[2];

int setup(void **state)
{
    struct xensched_error err;
    struct policies policies;

    (void)state;
    memset(&t, 0, sizeof(t));
    dom0_on[0] = dom0_on[1] = 0;
    fake_host_init(&t.host);
    fake_domain_new(&t.host, GUEST, "guest", 1);
    fake_domain_new(&t.host, OTHER, "other", 2);
    t.host.host.topology(&t.host, &t.topology, &err);
    t.matrix = matrix_new(SECOND);
    assert_true(policies_parse(&policies, "placement"));
    t.planner = planner_new(&policies, &policy_defaults);
    t.now = 100 * SECOND;

    return 0;
}

int teardown(void **state)
{
    (void)state;
    planner_free(t.planner);
    matrix_free(t.matrix);
    topology_free(&t.topology);
    fake_host_free(&t.host);

    return 0;
}

/* Carries a move out as the actuator does, and reports it to the policy as the core does. */
static void carry_out(struct decision *decision, struct domain *now)
{
    struct fake_domain *d = &t.host.world->domains[decision->domid];
    uint32_t soft = 0;
    unsigned int cpu, i;

    if (decision->verb == MOVE)
        for (cpu = 0; cpu < FAKE_CPUS; cpu++)
            soft |= (uint32_t)cpumap_test(&decision->soft, cpu) << cpu;
    else if (decision->verb == GIVE_BACK)
        soft = FAKE_ALL;
    else
        return;
    for (i = 0; i < d->nr_vcpus; i++)
        d->vcpus[i].soft = soft;
    t.ours[decision->domid] = decision->verb == MOVE;
    t.moves[decision->domid]++;
    decision->done = true;
    now->affinity = t.ours[decision->domid] ? AFFINITY_OURS : AFFINITY_DEFAULT;
    cpumap_free(&now->ours);
    if (decision->verb == MOVE)
        cpumap_init_copy(&now->ours, &decision->soft);
}

void annotate(struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        struct domain *d = &domains->domain[i];

        d->acct = acct_of(d->domid);
        d->since_ns = t.since[d->domid];
        d->affinity = t.operators[d->domid] ? AFFINITY_OPERATOR
                    : t.ours[d->domid] ? AFFINITY_OURS : AFFINITY_DEFAULT;
        if (t.ours[d->domid])
            cpumap_init_copy(&d->ours, &d->vcpus[0].soft);
    }
}

void plan(bool act)
{
    struct policy_input input = {
        .matrix = t.matrix,
        .topology = &t.topology,
        .now_ns = t.now,
    };
    struct domains domains;
    struct plan p;
    unsigned int i;

    fake_domains(&t.host, &domains);
    annotate(&domains);
    input.domains = &domains;
    plan_init(&p, &domains);
    plan_make(t.planner, &input, &p);
    assert_int_equal(p.nr, domains.nr);
    for (i = 0; i < p.nr; i++) {
        struct decision *d = &p.decisions[i];

        t.verb[d->domid] = d->verb;
        reason_text(d, &domains.domain[i], &t.topology, t.reason[d->domid]);
        assert_int_not_equal(d->reason.code, REASON_NONE);
        if (d->verb == MOVE)
            cpumap_format(&d->soft, t.soft[d->domid], CPUMAP_TEXT);
        if (act)
            carry_out(d, &domains.domain[i]);
    }
    plan_done(t.planner, &input, &p);
    plan_free(&p);
    domains_free(&domains);
}

void happen_on(uint32_t cpu, unsigned int event, uint32_t from,
               uint32_t to, unsigned int times)
{
    struct xensched_row row = {
        .event = event,
        .cpu = cpu,
        .current = acct_of(from),
        .correspondent = acct_of(to),
        .counter = times,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    matrix_add(t.matrix, &row, t.now);
}

void happen(unsigned int event, uint32_t from, uint32_t to,
            unsigned int times)
{
    happen_on(0, event, from, to, times);
}

void talk(uint32_t from, uint32_t to, unsigned int times)
{
    happen(XEN_SCHEDLOG_EV_EVTCHN_SEND, from, to, times);
}

void run(unsigned int seconds, uint32_t to, unsigned int per_second)
{
    unsigned int tenth;

    for (; seconds; seconds--) {
        for (tenth = 0; tenth < 10; tenth++) {
            t.now += SECOND / 10;
            happen_on(dom0_on[tenth % 2], XEN_SCHEDLOG_EV_SERVICE_NS, DOM0,
                      DOM0, SECOND / 100);
            if (per_second) {
                talk(GUEST, to, per_second / 20);
                talk(to, GUEST, per_second / 20);
            }
        }
        plan(true);
    }
}
