/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that a domain stops at a mark: first its other vCPUs, then the row is written, then the
 * whole domain stops, once.  Every pause ends.
 *
 * The test compiles the hypervisor's own stop.c.
 */
#include "cmocka-tap.h"

#include "world.h"

#include "common/schedlog/stop.c"

static struct domain d, dom0;
static struct vcpu of_d = { &d }, of_dom0 = { &dom0 };
struct vcpu *current;
static uint32_t events;
static uint64_t holder;
static unsigned int rings;
static bool busy;
static void (*meanwhile)(void);

uint32_t schedlog_events_on(void)
{
    return events;
}

/* Pauses all other vCPUs, as mark.c does. */
static int stop_at(uint32_t code)
{
    int rc = schedlog_begin_stop();

    if (rc)
        return rc;
    assert_int_equal(d.others, 1);
    assert_int_equal(d.controller, 0);
    schedlog_end_stop(code);

    return 0;
}

int domain_pause_except_self(struct domain *domain)
{
    assert_ptr_equal(domain, &d);
    if (busy)
        return -ERESTART;
    if (meanwhile)
        meanwhile();
    d.others++;

    return 0;
}

void domain_unpause_except_self(struct domain *domain)
{
    assert_ptr_equal(domain, &d);
    d.others--;
}

int domain_pause_by_systemcontroller(struct domain *domain)
{
    domain->controller++;

    return 0;
}

/* The current vCPU cannot wait for itself. */
void domain_pause_nosync(struct domain *domain)
{
    assert_ptr_equal(domain, current->domain);
    domain->paused++;
}

bool schedlog_may_control(uint64_t cookie)
{
    return !holder || cookie == holder;
}

int domain_unpause_by_systemcontroller(struct domain *domain)
{
    if (!domain->controller)
        return -EINVAL;
    domain->controller--;

    return 0;
}

void domain_pause(struct domain *domain)
{
    assert_ptr_not_equal(domain, current->domain);
    domain->paused++;
}

void domain_unpause(struct domain *domain)
{
    domain->paused--;
}

void send_global_virq(unsigned int virq)
{
    assert_int_equal(virq, VIRQ_SCHEDLOG);
    rings++;
}

static bool runs(void)
{
    return !d.paused && !d.controller && !d.others;
}

static int change_as(uint64_t cookie, uint32_t op)
{
    struct xen_domctl_schedlog_stop stop = {
        .op = op, .code = 0x70, .mask = 0xf0, .cookie = cookie,
    };
    int rc;

    current = &of_dom0;
    rc = schedlog_change_stop(&d, &stop);
    assert_int_equal(d.paused, d.schedlog_stop.state == XEN_SCHEDLOG_STOP_STOPPED);
    if (!rc)
        assert_int_equal(stop.state, d.schedlog_stop.state);
    current = &of_d;

    return rc;
}

static int change_it(uint32_t op)
{
    return change_as(0, op);
}

static int setup(void **state)
{
    (void)state;
    d = (struct domain){ .others = 0 };
    dom0 = (struct domain){ .hardware = true };
    events = 1U << XEN_SCHEDLOG_EV_MARK;
    rings = 0;
    holder = 0;
    busy = false;
    meanwhile = NULL;
    current = &of_d;

    return 0;
}

static void stops_once(void **state)
{
    (void)state;
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_arm), 0);
    assert_false(schedlog_stops_at(&d, 0x81));
    assert_true(schedlog_stops_at(&d, 0x7f));
    assert_int_equal(stop_at(0x7f), 0);
    assert_int_equal(rings, 1);
    assert_int_equal(d.paused, 1);
    assert_int_equal(d.others, 0);
    assert_int_equal(d.schedlog_stop.code, 0x7f);
    assert_false(schedlog_stops_at(&d, 0x7f));
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_resume), 0);
    assert_true(runs());
    assert_false(schedlog_stops_at(&d, 0x7f));
}

static void only_while_marks_are_logged(void **state)
{
    (void)state;
    change_it(XEN_SCHEDLOG_STOP_arm);
    events = 0;
    assert_false(schedlog_stops_at(&d, 0x70));
}

static void a_pause_of_another_caller_comes_first(void **state)
{
    (void)state;
    change_it(XEN_SCHEDLOG_STOP_arm);
    busy = true;
    assert_int_equal(stop_at(0x70), -ERESTART);
    assert_int_equal(d.others, 0);
    assert_true(schedlog_stops_at(&d, 0x70));
}

static void be_stopped(void)
{
    d.schedlog_stop.state = XEN_SCHEDLOG_STOP_STOPPED;
    meanwhile = NULL;
}

static void one_of_two_vcpus_stops_it(void **state)
{
    (void)state;
    change_it(XEN_SCHEDLOG_STOP_arm);
    meanwhile = be_stopped;
    assert_int_equal(stop_at(0x70), 0);
    assert_int_equal(d.paused, 0);
    assert_int_equal(d.others, 0);
}

static void pauses_and_lets_go_in_pairs(void **state)
{
    (void)state;
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_pause), 0);
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_pause), -EBUSY);
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_arm), -EBUSY);
    assert_false(runs());
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_resume), 0);
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_resume), 0);
    assert_true(runs());
    /* The hypervisor does not undo an operator's pause. */
    d.controller = 1;
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_resume), 0);
    assert_int_equal(d.controller, 1);
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_pause), 0);
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_forget), 0);
    assert_int_equal(d.controller, 2);
    assert_int_equal(change_it(77), -EOPNOTSUPP);
}

/* "xl pause" and "xl unpause" count apart from stops. */
static void pauses_of_the_toolstack_count_apart(void **state)
{
    (void)state;
    change_it(XEN_SCHEDLOG_STOP_pause);
    assert_int_equal(domain_unpause_by_systemcontroller(&d), -EINVAL);
    assert_false(runs());
    assert_int_equal(domain_pause_by_systemcontroller(&d), 0);
    change_it(XEN_SCHEDLOG_STOP_resume);
    assert_false(runs());
    assert_int_equal(domain_unpause_by_systemcontroller(&d), 0);
    assert_true(runs());
    /* A forgotten pause belongs to the toolstack. */
    change_it(XEN_SCHEDLOG_STOP_pause);
    change_it(XEN_SCHEDLOG_STOP_forget);
    assert_false(runs());
    assert_int_equal(domain_unpause_by_systemcontroller(&d), 0);
    assert_true(runs());
}

static void the_holder_alone_stops(void **state)
{
    (void)state;
    holder = 7;
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_arm), -EEXIST);
    assert_int_equal(change_as(8, XEN_SCHEDLOG_STOP_pause), -EEXIST);
    assert_int_equal(d.schedlog_stop.state, XEN_SCHEDLOG_STOP_OFF);
    assert_true(runs());
    assert_int_equal(change_as(7, XEN_SCHEDLOG_STOP_pause), 0);
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_resume), -EEXIST);
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_query), 0);
    assert_false(runs());
    holder = 0; /* the lease has ended */
    assert_int_equal(change_it(XEN_SCHEDLOG_STOP_resume), 0);
    assert_true(runs());
}

static void not_dom0_nor_oneself(void **state)
{
    struct xen_domctl_schedlog_stop stop = { .op = XEN_SCHEDLOG_STOP_pause };

    (void)state;
    current = &of_d;
    assert_int_equal(schedlog_change_stop(&d, &stop), -EINVAL);
    assert_int_equal(schedlog_change_stop(&dom0, &stop), -EINVAL);
    stop.op = XEN_SCHEDLOG_STOP_query;
    assert_int_equal(schedlog_change_stop(&d, &stop), 0);
    assert_int_equal(stop.state, XEN_SCHEDLOG_STOP_OFF);
}

#define stop_test(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        stop_test(stops_once),
        stop_test(only_while_marks_are_logged),
        stop_test(a_pause_of_another_caller_comes_first),
        stop_test(one_of_two_vcpus_stops_it),
        stop_test(pauses_and_lets_go_in_pairs),
        stop_test(pauses_of_the_toolstack_count_apart),
        stop_test(the_holder_alone_stops),
        stop_test(not_dom0_nor_oneself),
    };

    return run_tap_tests(tests);
}
