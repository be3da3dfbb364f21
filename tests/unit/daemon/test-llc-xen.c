/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks how the daemon asks a synthetic Xen which pCPUs share a last-level cache. */
#include <errno.h>
#include <string.h>

#include "cmocka-tap.h"

#include <xenctrl.h>

#include "host/llc-xen.h"

#define NR 8U

static struct {
    uint32_t caches[NR];
    unsigned int nr; /* pCPUs that Xen has */
    int error;
} xen;

xc_hypercall_buffer_t XC__HYPERCALL_BUFFER_NAME(HYPERCALL_BUFFER_NULL);

int xc_sysctl(xc_interface *xch, struct xen_sysctl *sysctl)
{
    struct xen_sysctl_schedlog_caches *op = &sysctl->u.schedlog.u.caches;

    (void)xch;
    assert_int_equal(sysctl->cmd, XEN_SYSCTL_schedlog);
    assert_int_equal(sysctl->u.schedlog.cmd, XEN_SYSCTL_SCHEDLOG_caches);
    assert_int_equal(sysctl->u.schedlog.pad, 0);
    assert_int_equal(op->first, 0);
    if (xen.error) {
        errno = xen.error;
        return -1;
    }
    if (op->nr > xen.nr)
        op->nr = xen.nr;
    if (op->nr)
        memcpy(op->caches.p, xen.caches, op->nr * sizeof(xen.caches[0]));

    return 0;
}

/* One socket; the last of its pCPUs is offline. */
static void make(struct topology *t)
{
    unsigned int i;

    topology_init(t, NR);
    for (i = 0; i < NR - 1; i++) {
        t->cpus[i].online = true;
        t->cpus[i].socket = 0;
        t->cpus[i].core = i;
    }
}

static int setup(void **state)
{
    unsigned int i;

    (void)state;
    xen.nr = NR;
    xen.error = 0;
    for (i = 0; i < NR; i++)
        xen.caches[i] = 7 + i / 4;
    xen.caches[NR - 1] = XEN_SCHEDLOG_NO_CACHE;

    return 0;
}

static void pcpus_with_equal_numbers_share_a_cache(void **state)
{
    struct topology t;

    (void)state;
    make(&t);
    assert_false(llc_xen_is_missing(NULL));
    assert_true(llc_xen_fill_in(NULL, &t));
    assert_int_equal(t.llc, LLC_OF_HOST);
    assert_int_equal(t.cpus[3].llc, 0);
    assert_int_equal(t.cpus[4].llc, 1);
    assert_int_equal(t.cpus[NR - 1].llc, TOPOLOGY_UNKNOWN);
    topology_free(&t);
}

/* The daemon asks before each plan: a pCPU may have come. */
static void a_pcpu_that_has_come_has_a_cache(void **state)
{
    struct topology t;

    (void)state;
    make(&t);
    assert_true(llc_xen_fill_in(NULL, &t));
    t.cpus[NR - 1] = (struct topology_cpu){ .online = true, .core = NR - 1 };
    xen.caches[NR - 1] = xen.caches[NR - 2];
    assert_true(llc_xen_fill_in(NULL, &t));
    assert_int_equal(t.cpus[NR - 1].llc, 1);
    topology_free(&t);
}

static void a_xen_which_does_not_say_is_no_failure(void **state)
{
    struct topology t;
    unsigned int what;

    (void)state;
    for (what = 0; what < 4; what++) {
        setup(NULL);
        xen.error = what == 0 ? EOPNOTSUPP : what == 1 ? EPERM : 0;
        if (what == 2)
            xen.caches[5] = XEN_SCHEDLOG_NO_CACHE;
        if (what == 3)
            xen.nr = NR - 2;
        make(&t);
        assert_false(llc_xen_fill_in(NULL, &t));
        assert_int_equal(t.cpus[0].llc, TOPOLOGY_UNKNOWN);
        assert_int_equal(t.llc, LLC_NOT_SAID);
        assert_int_equal(llc_xen_is_missing(NULL), what == 0);
        topology_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pcpus_with_equal_numbers_share_a_cache, setup),
        cmocka_unit_test_setup(a_pcpu_that_has_come_has_a_cache, setup),
        cmocka_unit_test_setup(a_xen_which_does_not_say_is_no_failure, setup),
    };

    return run_tap_tests(tests);
}
