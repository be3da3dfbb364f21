/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks how the daemon asks Xen which pCPUs share a last-level cache.  Xen is synthetic: a leaf of
 * CPUID, and each pCPU's APIC id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include <xenctrl.h>
#include <xen/platform.h>

#include "host/llc-xen.h"

#define NR 8U
#define SHARED_BY_4 (3U | 3U << 5 | 3U << 14)

static struct {
    uint32_t llc;        /* EAX of the leaf that describes it */
    bool no_cpuinfo;
    unsigned int missing; /* this pCPU is not present */
    unsigned int asked;
} xen;

static char something;

xencall_handle *xencall_open(xentoollog_logger *logger, unsigned int flags)
{
    (void)logger;
    (void)flags;

    return (xencall_handle *)&something;
}

int xencall_close(xencall_handle *xcall)
{
    assert_ptr_equal(xcall, &something);

    return 0;
}

void *xencall_alloc_buffer(xencall_handle *xcall, size_t size)
{
    (void)xcall;

    return malloc(size);
}

void xencall_free_buffer(xencall_handle *xcall, void *buffer)
{
    (void)xcall;
    free(buffer);
}

int xencall1(xencall_handle *xcall, unsigned int number, uint64_t arg)
{
    struct xen_platform_op *op = (void *)(uintptr_t)arg;
    struct xenpf_pcpuinfo *info = &op->u.pcpu_info;

    (void)xcall;
    assert_int_equal(number, __HYPERVISOR_platform_op);
    assert_int_equal(op->cmd, XENPF_get_cpuinfo);
    assert_int_equal(op->interface_version, XENPF_INTERFACE_VERSION);
    assert_true(info->xen_cpuid < NR);
    xen.asked++;
    if (xen.no_cpuinfo) {
        errno = EPERM;
        return -1;
    }
    info->flags = info->xen_cpuid == xen.missing ? XEN_PCPU_FLAGS_INVALID
                                                 : XEN_PCPU_FLAGS_ONLINE;
    info->apic_id = info->xen_cpuid;

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

static bool look(struct topology *t)
{
    struct llc_xen x = { 0 };
    bool known;

    make(t);
    llc_xen_open(&x, xen.llc, NULL);
    known = llc_xen_fill_in(&x, t);
    llc_xen_close(&x);

    return known;
}

static int setup(void **state)
{
    (void)state;
    memset(&xen, 0, sizeof(xen));
    xen.llc = SHARED_BY_4;
    xen.missing = NR;

    return 0;
}

static void leaf_4_and_apic_ids_are_put_together(void **state)
{
    struct topology t;

    (void)state;
    assert_true(look(&t));
    assert_int_equal(xen.asked, NR - 1);
    assert_int_equal(t.cpus[3].llc, 0);
    assert_int_equal(t.cpus[4].llc, 1);
    assert_int_equal(t.cpus[NR - 1].llc, TOPOLOGY_UNKNOWN);
    topology_free(&t);
}

/* The daemon asks before each plan. */
static void only_a_pcpu_that_has_come_is_asked_for(void **state)
{
    struct llc_xen x = { 0 };
    struct topology t;

    (void)state;
    make(&t);
    llc_xen_open(&x, xen.llc, NULL);
    assert_true(llc_xen_fill_in(&x, &t));
    xen.asked = 0;
    assert_true(llc_xen_fill_in(&x, &t));
    assert_int_equal(t.cpus[4].llc, 1);
    assert_int_equal(xen.asked, 0);
    t.cpus[4].online = false;
    assert_true(llc_xen_fill_in(&x, &t));
    t.cpus[4].online = true;
    assert_true(llc_xen_fill_in(&x, &t));
    assert_int_equal(t.cpus[4].llc, 1);
    assert_int_equal(xen.asked, 1);
    llc_xen_close(&x);
    topology_free(&t);
}

static void a_xen_which_does_not_say_is_no_failure(void **state)
{
    struct topology t;
    unsigned int what;

    (void)state;
    for (what = 0; what < 3; what++) {
        setup(NULL);
        xen.no_cpuinfo = what == 0;
        xen.missing = what == 1 ? 5 : NR;
        xen.llc = what == 2 ? 0 : SHARED_BY_4;
        assert_false(look(&t));
        assert_int_equal(t.cpus[0].llc, TOPOLOGY_UNKNOWN);
        assert_int_equal(t.llc, LLC_NOT_SAID);
        /* Without a leaf, APIC ids are not read. */
        assert_true(xen.asked == 0 || what < 2);
        topology_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(leaf_4_and_apic_ids_are_put_together, setup),
        cmocka_unit_test_setup(only_a_pcpu_that_has_come_is_asked_for, setup),
        cmocka_unit_test_setup(a_xen_which_does_not_say_is_no_failure, setup),
    };

    return run_tap_tests(tests);
}
