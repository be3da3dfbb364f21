/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads from Xen how the TSC of a domain's vCPUs relates to the host's.
 *
 * A vCPU has the host's TSC, or one with an offset and perhaps another rate (PVH and HVM), or one
 * that Xen emulates from its system time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <xensched/clock.h>

#include "lib/area/hypercall.h"

/*
 * Bound of the difference between the system times of two pCPUs: an emulated TSC follows the system
 * time of the pCPU on which it is read.
 */
#define SYSTEM_TIME_ERROR_NS 5000U

/* The caller is dom0. */
#define ANY_DOMAIN 0
#define NS_KHZ     1000000U

static int ask_xen(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                   struct xensched_clock *clock)
{
    struct xen_domctl_schedlog_clock got;

    if (hypercall_clock(xch, domid, vcpu, &got))
        return errno;
    *clock = (struct xensched_clock){
        .vcpu = vcpu,
        .host_tsc = got.host_tsc,
        .guest_tsc = got.guest_tsc,
        .host_khz = got.host_khz,
        .guest_khz = got.guest_khz,
    };
    if (got.flags & XEN_DOMCTL_SCHEDLOG_CLOCK_EMULATED) {
        clock->flags = XENSCHED_CLOCK_EMULATED;
        clock->error = (uint64_t)SYSTEM_TIME_ERROR_NS * got.host_khz / 1000000;
    }

    return 0;
}

static const char *reason_text(int code)
{
    switch (code) {
    case EOPNOTSUPP:
    case ENOSYS:
        return "its patches are older than this program";
    case ENODATA:
        return "it is emulated, and stands still while a vCPU does not run";
    default:
        return strerror(code);
    }
}

int xensched_clocks_of_domain(uint32_t domid, uint32_t nr,
                              struct xensched_clock *clocks,
                              struct xensched_error *err)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    uint32_t vcpu;
    int code = 0;

    if (!xch)
        return xensched_fail(err, errno, "cannot ask Xen for the clock of "
                             "domain %u: %s", domid, strerror(errno));
    for (vcpu = 0; !code && vcpu < nr; vcpu++) {
        code = ask_xen(xch, domid, vcpu, &clocks[vcpu]);
        if (code != EINVAL || !vcpu)
            continue;
        code = 0;
        clocks[vcpu] = clocks[0];
        clocks[vcpu].vcpu = vcpu;
    }
    xc_interface_close(xch);
    if (code)
        return xensched_fail(err, code, "Xen does not report the clock of domain %u: %s",
                             domid, reason_text(code));

    return 0;
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

/* The range in which Xen's leaves of CPUID begin, as in its public/arch-x86/cpuid.h. */
#define FIRST_BASE 0x40000000U
#define LAST_BASE  0x40010000U
#define BASE_STEP  0x100U

/* The offset of the leaf about time, and its bit of EAX. */
#define LEAF_TIME    3U
#define TIME_ONE_TSC (1U << 1)

static bool is_pv(void)
{
    FILE *file = fopen("/sys/hypervisor/guest_type", "re");
    char type[8] = "";
    bool pv = file && fgets(type, sizeof(type), file) && !strcmp(type, "PV\n");

    if (file)
        fclose(file);

    return pv;
}

/* In a PV domain, Xen answers a CPUID with the prefix instead of the processor. */
static void ask_cpuid(bool pv, uint32_t leaf, uint32_t regs[4])
{
    memset(regs, 0, 4 * sizeof(*regs));
    if (pv)
        __asm__ volatile("ud2; .ascii \"xen\"; cpuid"
                         : "=a" (regs[0]), "=b" (regs[1]), "=c" (regs[2]),
                           "=d" (regs[3])
                         : "0" (leaf), "2" (0));
    else
        __cpuid_count(leaf, 0, regs[0], regs[1], regs[2], regs[3]);
}

/* At boot Xen compares the TSCs, if the processor reports them as constant. */
static bool has_one_tsc(void)
{
    bool pv = is_pv();
    uint32_t base, regs[4];

    for (base = FIRST_BASE; base < LAST_BASE; base += BASE_STEP) {
        ask_cpuid(pv, base, regs);
        if (memcmp(&regs[1], "XenVMMXenVMM", 12))
            continue;
        ask_cpuid(pv, base + LEAF_TIME, regs);
        return regs[0] & TIME_ONE_TSC;
    }

    return false;
}

#else

/* Arm's generic counter is the same for all pCPUs by its architecture. */
static bool has_one_tsc(void)
{
    return true;
}

#endif

int xensched_system_time(struct xensched_clock *clock,
                         struct xensched_error *err)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    struct xen_domctl_schedlog_clock got = { 0 };
    int code = 0;

    if (!xch || hypercall_clock(xch, ANY_DOMAIN, 0, &got))
        code = errno;
    if (xch)
        xc_interface_close(xch);
    if (code)
        return xensched_fail(err, code, "Xen does not report its system time: %s",
                             strerror(code));
    *clock = (struct xensched_clock){
        .flags = has_one_tsc() ? XENSCHED_CLOCK_ONE_TSC : 0,
        .host_tsc = got.host_tsc,
        .guest_tsc = got.system_ns,
        .host_khz = got.host_khz,
        .guest_khz = NS_KHZ,
    };

    return 0;
}
