/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-xen.c - a libxenctrl, libxenforeignmemory and libxentoollog whose hypervisor is in this
 * process: the real record handler, and a thread that makes events.
 *
 * It serves tests of programs that read an area from outside.  The environment variable FAKE_XEN
 * selects the hypervisor:
 *
 *   (not set)     no Xen
 *   unprivileged  a Xen that refuses
 *   unpatched     a Xen without schedlog
 *   other-abi     a Xen with another version of the ABI
 *   no-area       a Xen without a log area
 *   quiet         an area whose events are off
 *   busy          an area with rows: pCPUs 0 and 2 (1 is missing), counters
 *                 of each go 1, 2, 3, ...
 *   flood         the same, with more rows than a reader can read
 *   given-up      as busy, but the area is given up after a second
 *   held          as busy, and a scheduler has a lease; 4 performance counters
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"

#include <xenctrl.h>
#include <xenforeignmemory.h>

#define NR_CPUS 3U
#define NO_CPU 1U
/* Bytes of a log buffer; "busy" has seconds of rows, so that a slow machine loses none. */
#define FILE_SIZE (1U << 20)
#define TSC_KHZ 1000     /* each reading of the clock advances it by 1 us */
#define EVENTS (1U << XEN_SCHEDLOG_EV_EVTCHN_SEND | \
                1U << XEN_SCHEDLOG_EV_GRANT_MAP)
#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |        \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_TIME_TSC)
/* pCPU 2 has whole time stamps; those of the others wrap soon. */
#define LCR_32 (LCR | TSC_SHIFT << XEN_SCHEDLOG_LCR_TSC_SHIFT)
#define LCR_64 (LCR | XEN_SCHEDLOG_LCR_TIME64)
#define TSC_SHIFT 4U
/*
 * Time stamps of 32 bits wrap after 2000 rows of each pCPU, which take a quarter of a second at
 * least.  A reader that begins later sees no wrap.
 */
#define FIRST_TSC (5ULL * (1ULL << (32 + TSC_SHIFT)) - 4000)

static struct harness *cpus[NR_CPUS];
static char global[2 * XC_PAGE_SIZE];
static struct timespec opened;

static int is(const char *what)
{
    const char *mode = getenv("FAKE_XEN");

    return mode && !strcmp(mode, what);
}

static double seconds_since_opening(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec - opened.tv_sec + (now.tv_nsec - opened.tv_nsec) / 1e9;
}

static void make_event(void)
{
    static uint64_t count;
    unsigned int event = count % 4 ? XEN_SCHEDLOG_EV_EVTCHN_SEND
                                              : XEN_SCHEDLOG_EV_GRANT_MAP;

    count++;
    schedlog_record(cpus[0]->cpu, event, 2, 3, count);
    schedlog_record(cpus[2]->cpu, event, XEN_SCHEDLOG_ACCT_XEN,
                    XEN_SCHEDLOG_ACCT_NONE, count);
}

static void *make_events(void *arg)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    unsigned int i;

    (void)arg;
    for (;;) {
        unsigned int burst = is("flood") ? 100000 : 8;

        for (i = 0; i < burst; i++)
            make_event();
        nanosleep(&pause, NULL);
    }

    return NULL;
}

static void make_area(void)
{
    pthread_t thread;
    unsigned int i;

    /* All handles share one hypervisor. */
    if (cpus[0])
        return;
    clock_gettime(CLOCK_MONOTONIC, &opened);
    harness_tsc = FIRST_TSC;
    for (i = 0; i < NR_CPUS; i++) {
        if (i == NO_CPU)
            continue;
        cpus[i] = harness_new(4, 1, FILE_SIZE);
        harness_route_all(cpus[i], 0, i == 2 ? LCR_64 : LCR_32);
    }
    /* Events happen before the first read as well. */
    make_event();
    if (!is("quiet"))
        pthread_create(&thread, NULL, make_events, NULL);
}

xc_interface *xc_interface_open(xentoollog_logger *logger,
                                xentoollog_logger *dombuild_logger,
                                unsigned int open_flags)
{
    (void)logger;
    (void)dombuild_logger;
    (void)open_flags;
    if (!getenv("FAKE_XEN")) {
        errno = ENOENT;
        return NULL;
    }
    make_area();

    return (xc_interface *)global;
}

int xc_interface_close(xc_interface *xch)
{
    (void)xch;

    return 0;
}

static int fail(int code)
{
    errno = code;

    return -1;
}

int hypercall_info(xc_interface *xch, struct xen_sysctl_schedlog_info *info)
{
    (void)xch;
    if (is("unprivileged"))
        return fail(EPERM);
    if (is("unpatched"))
        return fail(ENOSYS);
    memset(info, 0, sizeof(*info));
    info->abi_version = XEN_SCHEDLOG_ABI_VERSION + is("other-abi");
    info->events_built = EVENTS;
    info->nr_sites = 2;
    info->tsc_khz = TSC_KHZ;
    info->max_bytes = 4 << 20;
    if (is("no-area") || (is("given-up") && seconds_since_opening() > 1))
        return 0;
    info->nr_cpus = NR_CPUS;
    info->nr_acct = 4;
    info->nr_files = 1;
    info->data_size = FILE_SIZE;
    info->events_enabled = is("quiet") ? 0 : EVENTS;
    info->used_bytes = 2 * FILE_SIZE;
    if (is("held")) {
        info->lease_ms = 10000;
        info->lease_left_ms = 9876;
        info->nr_pmcs = 4;
    }

    return 0;
}

int hypercall_files(xc_interface *xch, uint32_t first, uint32_t nr,
                    xen_schedlog_file_t *files)
{
    (void)xch;
    if (first || !nr)
        return 0;
    files[0] = (xen_schedlog_file_t){ .offset = 0, .size = FILE_SIZE };

    return 1;
}

/* A frame's number encodes region, pCPU and page. */
int hypercall_frames(xc_interface *xch, uint32_t region, uint32_t cpu,
                     uint32_t first, uint32_t nr, uint64_t *mfns)
{
    uint32_t i;

    (void)xch;
    if (region != XEN_SCHEDLOG_REGION_GLOBAL &&
        (cpu >= NR_CPUS || cpu == NO_CPU))
        return fail(ENODEV);
    for (i = 0; i < nr; i++)
        mfns[i] = region << 24 | cpu << 16 | (first + i);

    return nr;
}

xenforeignmemory_handle *xenforeignmemory_open(xentoollog_logger *logger,
                                               unsigned int open_flags)
{
    (void)logger;
    (void)open_flags;

    return (xenforeignmemory_handle *)global;
}

int xenforeignmemory_close(xenforeignmemory_handle *fmem)
{
    (void)fmem;

    return 0;
}

void *xenforeignmemory_map(xenforeignmemory_handle *fmem, uint32_t dom,
                           int prot, size_t pages, const xen_pfn_t arr[],
                           int err[])
{
    struct harness *h = cpus[arr[0] >> 16 & 0xff];

    (void)fmem;
    (void)dom;
    (void)prot;
    (void)pages;
    (void)err;
    switch (arr[0] >> 24) {
    case XEN_SCHEDLOG_REGION_CONTROL:
        return h->lcr;
    case XEN_SCHEDLOG_REGION_STATE:
        return h->state;
    case XEN_SCHEDLOG_REGION_DATA:
        return h->data[0];
    default:
        return global;
    }
}

int xenforeignmemory_unmap(xenforeignmemory_handle *fmem, void *addr,
                           size_t pages)
{
    (void)fmem;
    (void)addr;
    (void)pages;

    return 0;
}

/* Domains 0 and 1 exist.  Permissions are not checked. */
int hypercall_mark(xc_interface *xch, uint32_t domid, bool allow,
                   uint64_t cookie)
{
    (void)xch;
    (void)allow;
    (void)cookie;
    if (is("unprivileged"))
        return fail(EPERM);
    if (is("unpatched"))
        return fail(ENOSYS);

    return domid < 2 ? 0 : fail(ESRCH);
}

/* Domain 1 can be stopped. */
static uint32_t stop_state, stop_code;

uint32_t fake_xen_stop(void)
{
    return stop_state;
}

void fake_xen_reach(uint32_t code)
{
    if (stop_state == XEN_SCHEDLOG_STOP_ARMED && code == stop_code)
        stop_state = XEN_SCHEDLOG_STOP_STOPPED;
}

int hypercall_stop(xc_interface *xch, uint32_t domid,
                   struct xen_domctl_schedlog_stop *op)
{
    (void)xch;
    if (domid != 1)
        return fail(domid ? ESRCH : EINVAL);
    switch (op->op) {
    case XEN_SCHEDLOG_STOP_arm:
        if (stop_state)
            return fail(EBUSY);
        stop_state = XEN_SCHEDLOG_STOP_ARMED;
        stop_code = op->code;
        break;
    case XEN_SCHEDLOG_STOP_pause:
        if (stop_state == XEN_SCHEDLOG_STOP_STOPPED)
            return fail(EBUSY);
        stop_state = XEN_SCHEDLOG_STOP_STOPPED;
        break;
    case XEN_SCHEDLOG_STOP_resume:
    case XEN_SCHEDLOG_STOP_forget:
        stop_state = XEN_SCHEDLOG_STOP_OFF;
        break;
    }
    op->state = stop_state;
    op->code = stop_code;

    return 0;
}

/* Calls that a program that only reads must not make. */

int hypercall_setup(xc_interface *xch, uint32_t nr_acct, uint32_t nr_files,
                    const uint32_t *sizes, uint64_t *need_bytes)
{
    (void)xch;
    (void)nr_acct;
    (void)nr_files;
    (void)sizes;
    (void)need_bytes;
    abort();
}

int hypercall_events(xc_interface *xch, uint32_t events, uint32_t lease_ms,
                     uint64_t cookie)
{
    (void)xch;
    (void)events;
    (void)lease_ms;
    (void)cookie;
    abort();
}

int hypercall_release(xc_interface *xch, uint64_t cookie)
{
    (void)xch;
    (void)cookie;
    abort();
}

int hypercall_pmc(xc_interface *xch, uint64_t cookie, uint32_t nr,
                  const uint64_t *select)
{
    (void)xch;
    (void)cookie;
    (void)nr;
    (void)select;
    abort();
}


int hypercall_bind(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                   uint16_t acct, uint64_t cookie)
{
    (void)xch;
    (void)domid;
    (void)vcpu;
    (void)acct;
    (void)cookie;
    abort();
}

/* Domains have the host's TSC. */
int hypercall_clock(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                    struct xen_domctl_schedlog_clock *clock)
{
    (void)xch;
    (void)domid;
    *clock = (struct xen_domctl_schedlog_clock){
        .vcpu = vcpu,
        .host_khz = TSC_KHZ,
        .guest_khz = TSC_KHZ,
    };

    return 0;
}
