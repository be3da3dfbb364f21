/* SPDX-License-Identifier: GPL-2.0-only */
/* Fakes the hypervisor's area behind libxenctrl. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include "area-world.h"
#include "cmocka-tap.h"
#include "fake-domctl.h"

#include "lib/area/hypercall.h"

const uint32_t our_sizes[2] = { 4096, 8192 };
const struct xensched_geometry ours = { 16, 2, our_sizes };

struct area_xen xen;

uint8_t *pages[4 << 16];

/* All mappings of the region GLOBAL share it with the hypervisor. */
#define GLOBAL_BYTES (16 * XC_PAGE_SIZE)
static int global_fd = -1;
static struct xen_schedlog_header *header;

static int refuse(int code)
{
    errno = code;

    return -1;
}

static void set_lease(uint32_t lease_ms, uint64_t cookie)
{
    xen.lease_ms = lease_ms;
    xen.cookie = lease_ms ? cookie : 0;
    xen.renewed_ms = xen.now_ms;
    if (lease_ms)
        xen.counter = header->lease;
}

void pass(unsigned int ms)
{
    for (; ms; ms--) {
        xen.now_ms++;
        if (!xen.lease_ms)
            continue;
        if (header->lease != xen.counter) {
            xen.counter = header->lease;
            xen.renewed_ms = xen.now_ms;
        }
        if (xen.now_ms - xen.renewed_ms >= xen.lease_ms) {
            xen.events = 0;
            set_lease(0, 0);
        }
    }
}

/* Returns the result for a caller with @cookie that changes something. */
static int may_not(uint64_t cookie)
{
    if (xen.busy) {
        xen.busy--;
        return EBUSY;
    }

    return xen.lease_ms && xen.cookie != cookie ? EEXIST : 0;
}

xc_interface *xc_interface_open(xentoollog_logger *logger,
                                xentoollog_logger *dombuild, unsigned flags)
{
    (void)logger;
    (void)dombuild;
    (void)flags;
    if (xen.no_privcmd) {
        errno = xen.no_privcmd;
        return NULL;
    }
    xen.handles++;

    return calloc(1, 1);
}

int xc_interface_close(xc_interface *xch)
{
    xen.handles--;
    free(xch);

    return 0;
}

xenforeignmemory_handle *
xenforeignmemory_open(struct xentoollog_logger *logger, unsigned flags)
{
    (void)logger;
    (void)flags;
    xen.handles++;

    return calloc(1, 1);
}

int xenforeignmemory_close(xenforeignmemory_handle *fmem)
{
    xen.handles--;
    free(fmem);

    return 0;
}

int hypercall_info(xc_interface *xch, struct xen_sysctl_schedlog_info *info)
{
    (void)xch;
    if (xen.error)
        return refuse(xen.error);
    memset(info, 0, sizeof(*info));
    info->abi_version = xen.abi;
    info->nr_cpus = xen.nr_acct ? xen.nr_cpus : 0;
    info->nr_acct = xen.nr_acct;
    info->nr_files = xen.nr_files;
    info->events_built = BUILT;
    info->events_enabled = xen.events;
    info->tsc_khz = 1000;
    info->nr_pmcs = xen.nr_pmcs;
    info->doorbell_virq = xen.doorbell_virq;
    info->lease_ms = xen.lease_ms;
    if (xen.lease_ms)
        info->lease_left_ms = xen.renewed_ms + xen.lease_ms - xen.now_ms;

    return 0;
}

int hypercall_setup(xc_interface *xch, uint32_t nr_acct, uint32_t nr_files,
                    const uint32_t *sizes, uint64_t *need_bytes)
{
    (void)xch;
    if (xen.busy) {
        xen.busy--;
        return refuse(EBUSY);
    }
    if (xen.need) {
        *need_bytes = xen.need;
        return refuse(E2BIG);
    }
    if (xen.nr_acct) {
        bool same = xen.nr_acct == nr_acct && xen.nr_files == nr_files &&
                    !memcmp(xen.sizes, sizes, nr_files * sizeof(*sizes));

        return same ? 0 : refuse(EBUSY);
    }
    xen.nr_acct = nr_acct;
    xen.nr_files = nr_files;
    memcpy(xen.sizes, sizes, nr_files * sizeof(*sizes));

    return 0;
}

int hypercall_files(xc_interface *xch, uint32_t first, uint32_t nr,
                    xen_schedlog_file_t *files)
{
    uint32_t i, offset = 0;

    (void)xch;
    for (i = 0; i < first; i++)
        offset += xen.sizes[i];
    /* Answers one entry at a time, which is allowed. */
    files[0].offset = offset;
    files[0].size = xen.sizes[first];

    return nr ? 1 : 0;
}

int hypercall_frames(xc_interface *xch, uint32_t region, uint32_t cpu,
                     uint32_t first, uint32_t nr, uint64_t *frames)
{
    uint32_t i;

    (void)xch;
    if (region != XEN_SCHEDLOG_REGION_GLOBAL && cpu == NO_CPU &&
        !xen.all_cpus)
        return refuse(ENODEV);
    for (i = 0; i < nr && i < 3; i++)
        frames[i] = region << 16 | cpu << 8 | (first + i);

    return i;
}

/* Maps pages one after the other, as privcmd's mmap() does. */
void *xenforeignmemory_map(xenforeignmemory_handle *fmem, uint32_t dom,
                           int prot, size_t nr, const xen_pfn_t *frames,
                           int *err)
{
    bool global = frames[0] >> 16 == XEN_SCHEDLOG_REGION_GLOBAL;
    uint8_t *base;
    size_t i;

    (void)fmem;
    assert_int_equal(dom, DOMID_XEN);
    assert_null(err);
    if ((prot & PROT_WRITE) && (frames[0] >> 16 == XEN_SCHEDLOG_REGION_STATE ||
                                frames[0] >> 16 == XEN_SCHEDLOG_REGION_DATA)) {
        errno = EPERM;
        return NULL;
    }
    base = mmap(NULL, nr * XC_PAGE_SIZE, PROT_READ | PROT_WRITE,
                global ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                global ? global_fd : -1, 0);
    for (i = 0; i < nr; i++)
        pages[frames[i]] = base + i * XC_PAGE_SIZE;
    if (!(prot & PROT_WRITE))
        mprotect(base, nr * XC_PAGE_SIZE, PROT_READ);
    xen.mapped += nr;

    return base;
}

int xenforeignmemory_unmap(xenforeignmemory_handle *fmem, void *base,
                           size_t nr)
{
    (void)fmem;
    xen.mapped -= nr;

    return munmap(base, nr * XC_PAGE_SIZE);
}

int hypercall_events(xc_interface *xch, uint32_t events, uint32_t lease_ms,
                     uint64_t cookie)
{
    int no = may_not(cookie);

    (void)xch;
    if (lease_ms && (!cookie || lease_ms < XEN_SCHEDLOG_MIN_LEASE_MS))
        return refuse(EINVAL);
    if (!xen.nr_acct)
        return refuse(ENOENT);
    if (no)
        return refuse(no);
    xen.events = events;
    set_lease(events ? lease_ms : 0, cookie);

    return 0;
}

int hypercall_release(xc_interface *xch, uint64_t cookie)
{
    int no = may_not(cookie);

    (void)xch;
    if (no)
        return refuse(no);
    xen.releases++;
    xen.nr_acct = xen.nr_files = xen.events = 0;
    set_lease(0, 0);

    return 0;
}

int hypercall_pmc(xc_interface *xch, uint64_t cookie, uint32_t nr,
                  const uint64_t *select)
{
    int no = may_not(cookie);

    (void)xch;
    (void)select;
    if (no)
        return refuse(no);
    if (!xen.nr_pmcs)
        return refuse(ENODEV);
    if (nr > xen.nr_pmcs)
        return refuse(EINVAL);
    if (xen.events & 1U << XEN_SCHEDLOG_EV_PMC0)
        return refuse(EBUSY);
    xen.pmcs = nr;

    return 0;
}

int hypercall_mark(xc_interface *xch, uint32_t domid, bool allow,
                   uint64_t cookie)
{
    (void)xch;
    if (xen.lease_ms && xen.cookie != cookie)
        return refuse(EEXIST);
    if (domid >= 8)
        return refuse(ESRCH);
    xen.marks[domid] = allow;

    return 0;
}

int hypercall_bind(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                   uint16_t acct, uint64_t cookie)
{
    (void)xch;
    if (xen.lease_ms && xen.cookie != cookie)
        return refuse(EEXIST);
    assert_int_equal(vcpu, XEN_DOMCTL_SCHEDLOG_ALL_VCPUS);
    if (domid >= 8)
        return refuse(ESRCH);
    xen.bound[domid] = acct;

    return 0;
}

int setup(void **state)
{
    (void)state;
    memset(&xen, 0, sizeof(xen));
    xen.abi = XEN_SCHEDLOG_ABI_VERSION;
    xen.nr_cpus = NR_CPUS;
    global_fd = memfd_create("global", 0);
    if (ftruncate(global_fd, GLOBAL_BYTES))
        return -1;
    header = mmap(NULL, GLOBAL_BYTES, PROT_READ, MAP_SHARED, global_fd, 0);

    return header == MAP_FAILED;
}

int teardown(void **state)
{
    (void)state;
    munmap(header, GLOBAL_BYTES);
    close(global_fd);

    return xen.mapped || xen.handles || fake_loggers;
}

struct xensched_area *make(void)
{
    struct xensched_area *area = NULL;

    assert_int_equal(xensched_area_setup(&ours, false, COOKIE, &area, NULL),
                     0);

    return area;
}
