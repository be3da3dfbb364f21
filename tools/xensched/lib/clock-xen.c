/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock-xen.c - what Xen says of the TSC of a domain.
 *
 * A PV domain has either the host's TSC or, when that is not reliable or the
 * domain came from elsewhere, one which Xen emulates from its system time.
 * Then Xen tells the ns since that was 0.  It says the same of the host's TSC
 * otherwise, so which of both it is follows from what it says.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <x86intrin.h>

#include <xenctrl.h>

#include <xensched/clock.h>

/* The quickest of so many answers has the smallest error. */
#define TRIES 3

/* As libxl has them. */
#define TSC_ALWAYS_EMULATED 1
#define TSC_NEVER_EMULATED  2

/* Two TSCs that differ by less than this are one. */
#define SAME_NS 10000000ULL

struct tsc_answer {
    uint32_t mode, khz, incarnation;
    uint64_t elapsed_ns;
    uint64_t before, after; /* TSC */
};

static int ask(xc_interface *xch, uint32_t domid, struct tsc_answer *best)
{
    struct tsc_answer a;
    unsigned int i;

    for (i = 0; i < TRIES; i++) {
        a.before = __rdtsc();
        if (xc_domain_get_tsc_info(xch, domid, &a.mode, &a.elapsed_ns, &a.khz,
                                   &a.incarnation))
            return errno;
        a.after = __rdtsc();
        if (!i || a.after - a.before < best->after - best->before)
            *best = a;
    }

    return 0;
}

static bool is_emulated(const struct tsc_answer *a, uint64_t host_khz)
{
    uint64_t begin = xensched_cycles_to_ns(a->before, host_khz);
    uint64_t end = xensched_cycles_to_ns(a->after, host_khz);

    if (a->mode == TSC_ALWAYS_EMULATED || a->mode == TSC_NEVER_EMULATED)
        return a->mode == TSC_ALWAYS_EMULATED;

    return a->elapsed_ns + SAME_NS < begin || a->elapsed_ns > end + SAME_NS;
}

static void make_clock(const struct tsc_answer *a, uint64_t host_khz,
                       struct xensched_clock *clock)
{
    memset(clock, 0, sizeof(*clock));
    clock->host_tsc = clock->guest_tsc = a->before;
    clock->host_khz = clock->guest_khz = host_khz;
    if (!is_emulated(a, host_khz))
        return;
    clock->flags = XENSCHED_CLOCK_EMULATED;
    clock->host_tsc = a->before + (a->after - a->before) / 2;
    clock->guest_tsc = (unsigned __int128)a->elapsed_ns * a->khz / 1000000;
    clock->guest_khz = a->khz;
    clock->error = (a->after - a->before) / 2 + 1;
}

int xensched_clock_of_domain(uint32_t domid, uint64_t host_khz,
                             struct xensched_clock *clock,
                             struct xensched_error *err)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    xc_domaininfo_t info;
    struct tsc_answer answer = { 0 };
    int code;

    if (!xch)
        return xensched_fail(err, errno, "cannot ask Xen for the clock of "
                             "domain %u: %s", domid, strerror(errno));
    code = xc_domain_getinfo_single(xch, domid, &info) ? errno : 0;
    if (!code && info.flags & XEN_DOMINF_hvm_guest)
        code = EOPNOTSUPP;
    if (!code)
        code = ask(xch, domid, &answer);
    xc_interface_close(xch);
    if (code == EOPNOTSUPP)
        return xensched_fail(err, code, "domain %u is PVH or HVM, and Xen does "
                             "not say what its clock is: it cannot be "
                             "recorded with others", domid);
    if (code)
        return xensched_fail(err, code, "Xen does not say what the clock of "
                             "domain %u is: %s", domid, strerror(code));
    make_clock(&answer, host_khz, clock);

    return 0;
}
