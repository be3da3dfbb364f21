/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How Xen is asked which pCPUs share a last-level cache, by a Xen made up here:
 * leaf 4 of CPUID, and each pCPU's APIC id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include <xenctrl.h>
#include <xenguest.h>
#include <xen/platform.h>

#include "daemon/host/llc-xen.h"

#define NR 8U
#define SHARED_BY_4 (3U | 3U << 5 | 3U << 14)

static struct {
    uint32_t llc;        /* EAX of leaf 4, subleaf 3 */
    bool no_policy, no_cpuinfo;
    unsigned int missing; /* this pCPU is not present */
    unsigned int asked;
} xen;

static char something;

xc_cpu_policy_t *xc_cpu_policy_init(void)
{
    return (xc_cpu_policy_t *)&something;
}

void xc_cpu_policy_destroy(xc_cpu_policy_t *policy)
{
    assert_ptr_equal(policy, &something);
}

int xc_cpu_policy_get_size(xc_interface *xch, uint32_t *nr_leaves,
                           uint32_t *nr_msrs)
{
    (void)xch;
    *nr_leaves = 10;
    *nr_msrs = 1;

    return 0;
}

int xc_cpu_policy_get_system(xc_interface *xch, unsigned int index,
                             xc_cpu_policy_t *policy)
{
    (void)xch;
    (void)policy;
    assert_int_equal(index, XEN_SYSCTL_cpu_policy_raw);

    return xen.no_policy ? -1 : 0;
}

int xc_cpu_policy_serialise(xc_interface *xch, const xc_cpu_policy_t *policy,
                            xen_cpuid_leaf_t *leaves, uint32_t *nr_leaves,
                            xen_msr_entry_t *msrs, uint32_t *nr_msrs)
{
    const xen_cpuid_leaf_t all[] = {
        { .leaf = 0, .subleaf = XEN_CPUID_NO_SUBLEAF, .a = 0x16 },
        { .leaf = 4, .subleaf = 0, .a = 0x121 },
        { .leaf = 4, .subleaf = 3, .a = xen.llc },
        { .leaf = 4, .subleaf = 4, .a = 0 },
        { .leaf = 7, .subleaf = 0, .a = 3U | 7U << 5 },
    };

    (void)xch;
    (void)policy;
    (void)nr_msrs;
    assert_null(msrs);
    assert_true(*nr_leaves >= 5);
    memcpy(leaves, all, sizeof(all));
    *nr_leaves = 5;

    return 0;
}

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
    llc_xen_open(&x, NULL, NULL);
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

/* This is done for each plan. */
static void only_a_pcpu_that_has_come_is_asked_for(void **state)
{
    struct llc_xen x = { 0 };
    struct topology t;

    (void)state;
    make(&t);
    llc_xen_open(&x, NULL, NULL);
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
    for (what = 0; what < 4; what++) {
        setup(NULL);
        xen.no_policy = what == 0;
        xen.no_cpuinfo = what == 1;
        xen.missing = what == 2 ? 5 : NR;
        xen.llc = what == 3 ? 0 : SHARED_BY_4; /* as AMD's */
        assert_false(look(&t));
        assert_int_equal(t.cpus[0].llc, TOPOLOGY_UNKNOWN);
        assert_int_equal(t.llc, LLC_NOT_SAID);
        /* Where there is no leaf nobody is asked for ids. */
        assert_true(xen.asked == 0 || what == 1 || what == 2);
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
