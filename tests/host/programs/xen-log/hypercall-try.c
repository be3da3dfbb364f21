/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tries every operation of the log facility once and prints Xen's answer, one "NAME ANSWER" per
 * line; ANSWER is ok or the name of an errno.  For tests with a caller without permission, or with
 * a Xen without the facility.
 *
 *   hypercall-try DOMID [FRAME]
 *
 * bind, binding, times, clock and allow are tried on domain DOMID.  "map" and "map-writable" are
 * tried on a page of the log: one of control registers that Xen names in answer to "frames", or
 * else FRAME.  "mark" is a guest's operation, after "allow" for its DOMID.
 *
 * If everything is allowed, the log is released at the end, and the domain is as before.
 *
 * Exit code: 0 when everything was refused, 1 when anything was allowed.
 */

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xencall.h>
#include <xenctrl.h>
#include <xenforeignmemory.h>
#include <xen/sched.h>
#include <xensched/abi.h>

static int allowed;

static int show(const char *name, int result)
{
    if (result >= 0)
        allowed = 1;
    printf("%s %s\n", name, result >= 0 ? "ok" : strerrorname_np(errno));

    return result;
}

static int map(uint64_t frame, int protection)
{
    xenforeignmemory_handle *fmem = xenforeignmemory_open(NULL, 0);
    xen_pfn_t pfn = frame;
    void *page;
    int error;

    if (!fmem)
        err(2, "cannot map memory");
    page = xenforeignmemory_map(fmem, DOMID_XEN, protection, 1, &pfn, NULL);
    error = errno;
    if (page)
        xenforeignmemory_unmap(fmem, page, 1);
    xenforeignmemory_close(fmem);
    errno = error;

    return page ? 0 : -1;
}

static int mark(void)
{
    xencall_handle *xcall = xencall_open(NULL, 0);
    struct sched_schedlog_mark *mark;
    int result, error;

    mark = xcall ? xencall_alloc_buffer(xcall, sizeof(*mark)) : NULL;
    if (!mark)
        err(2, "cannot make hypercalls");
    memset(mark, 0, sizeof(*mark));
    result = xencall2(xcall, __HYPERVISOR_sched_op, SCHEDOP_schedlog_mark,
                      (uintptr_t)mark);
    error = errno;
    xencall_free_buffer(xcall, mark);
    xencall_close(xcall);
    errno = error;

    return result;
}

static void try_area(xc_interface *xch, uint64_t frame)
{
    const uint32_t size = XC_PAGE_SIZE;
    xc_schedlog_info_t info;
    xen_schedlog_file_t file;
    uint64_t own;

    show("info", xc_schedlog_info(xch, &info));
    show("setup", xc_schedlog_setup(xch, 16, 1, &size, NULL));
    show("files", xc_schedlog_files(xch, 0, 1, &file));
    if (show("frames", xc_schedlog_frames(xch, XEN_SCHEDLOG_REGION_CONTROL, 0,
                                          0, 1, &own)) > 0)
        frame = own;
    if (frame) {
        show("map", map(frame, PROT_READ));
        show("map-writable", map(frame, PROT_READ | PROT_WRITE));
    }
    show("events", xc_schedlog_events(xch, 1U << XEN_SCHEDLOG_EV_SERVICE_NS,
                                      0, 0));
}

static void try_domain(xc_interface *xch, uint32_t domid)
{
    uint16_t acct = XEN_SCHEDLOG_ACCT_FIRST;
    struct xen_domctl_schedlog_clock clock;
    uint64_t times[1][4];
    bool may;

    show("binding", xc_schedlog_binding(xch, domid,
                                        XEN_DOMCTL_SCHEDLOG_ALL_VCPUS, &acct));
    show("bind", xc_schedlog_bind(xch, domid, XEN_DOMCTL_SCHEDLOG_ALL_VCPUS,
                                  acct, 0));
    show("times", xc_schedlog_times(xch, domid, 0, 1, times));
    show("clock", xc_schedlog_clock(xch, domid, 0, &clock));
    may = show("allow", xc_schedlog_mark(xch, domid, true, 0)) >= 0;
    show("mark", mark());
    if (may && xc_schedlog_mark(xch, domid, false, 0))
        err(2, "domain %u is still allowed to log marks", domid);
}

/* libxenctrl has no function for this one. */
static int ask_caches(xc_interface *xch)
{
    struct xen_sysctl sysctl = {
        .cmd = XEN_SYSCTL_schedlog,
        .u.schedlog.cmd = XEN_SYSCTL_SCHEDLOG_caches,
    };

    return xc_sysctl(xch, &sysctl);
}

int main(int argc, char **argv)
{
    const uint64_t select = 0x3003c; /* cycles */
    uint64_t at = 0;
    uint32_t owner;
    xc_interface *xch;
    uint32_t domid;

    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: hypercall-try DOMID [FRAME]\n");
        return 2;
    }
    domid = strtoul(argv[1], NULL, 0);

    xch = xc_interface_open(NULL, NULL, 0);
    if (!xch)
        err(2, "cannot make hypercalls");
    try_area(xch, argc == 3 ? strtoull(argv[2], NULL, 0) : 0);
    show("pmc", xc_schedlog_pmc(xch, 0, 1, &select));
    show("owners", xc_schedlog_owners(xch, &at, 1, 1, &owner));
    show("caches", ask_caches(xch));
    try_domain(xch, domid);
    show("release", xc_schedlog_release(xch, 0));
    xc_interface_close(xch);

    return allowed;
}
