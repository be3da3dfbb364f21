/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The area: made, found, mapped and controlled as xensched/area.h promises,
 * with errors which say what to do.
 *
 * The libxenctrl below is a hypervisor in a few variables.  Most of what an
 * operator ever sees of this code is its errors: a hypervisor without the
 * patches, another version, somebody else's area.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "harness.h"

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include <xensched/area.h>
#include <xensched/source.h>

#define NR_CPUS 4U
#define NO_CPU  2U /* an id without a pCPU, at first */
#define BUILT   (1U << XEN_SCHEDLOG_EV_SERVICE_NS | \
                 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND | \
                 1U << XEN_SCHEDLOG_EV_PMC0)

#define LEASE_MS 2000U
#define COOKIE   0x1234567890abcdefULL /* ours */
#define OTHER    7ULL                  /* somebody else's */

static const uint32_t our_sizes[2] = { 4096, 8192 };
static const struct xensched_geometry ours = { 16, 2, our_sizes };

/* The hypervisor. */
static struct {
    int no_privcmd;
    int error; /* of each operation */
    uint32_t abi;
    uint32_t nr_acct, nr_files;
    uint32_t sizes[8];
    uint64_t need; /* what schedlog_max= has to be; 0: it is enough */
    uint32_t events;
    uint32_t nr_cpus;
    bool all_cpus; /* NO_CPU has come */
    unsigned int busy; /* so many operations say EBUSY first */
    unsigned int mapped, handles, releases;
    uint16_t bound[8];
    bool marks[8];
    uint32_t nr_pmcs, pmcs; /* there are; are chosen */
    uint32_t doorbell_virq;
    /* The lease, and the clock it goes by. */
    uint64_t now_ms, renewed_ms, counter, cookie;
    uint32_t lease_ms;
} xen;

/* Pages by frame number: region << 16 | cpu << 8 | index. */
static uint8_t *pages[4 << 16];

/* The region GLOBAL is shared by all who map it, and by the hypervisor. */
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

/* Time goes by, and the hypervisor looks at the lease meanwhile. */
static void pass(unsigned int ms)
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

/* The answer to whoever shows @cookie and wants to change something. */
static int may_not(uint64_t cookie)
{
    if (xen.busy) {
        xen.busy--;
        return EBUSY;
    }

    return xen.lease_ms && xen.cookie != cookie ? EEXIST : 0;
}

struct xentoollog_logger_tostream {
    int nothing;
};

xentoollog_logger_stdiostream *
xtl_createlogger_stdiostream(FILE *f, xentoollog_level level, unsigned flags)
{
    (void)f;
    (void)level;
    (void)flags;
    xen.handles++;

    return calloc(1, 1);
}

void xtl_logger_destroy(struct xentoollog_logger *logger)
{
    xen.handles -= !!logger;
    free(logger);
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
    /* One at a time, which is allowed. */
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

/* Maps pages one after the other, as mmap() of privcmd does. */
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

int hypercall_mark(xc_interface *xch, uint32_t domid, bool allow)
{
    (void)xch;
    if (domid >= 8)
        return refuse(ESRCH);
    xen.marks[domid] = allow;

    return 0;
}

int hypercall_bind(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                   uint16_t acct)
{
    (void)xch;
    assert_int_equal(vcpu, XEN_DOMCTL_SCHEDLOG_ALL_VCPUS);
    if (domid >= 8)
        return refuse(ESRCH);
    xen.bound[domid] = acct;

    return 0;
}

static int setup(void **state)
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

/* Each test leaves nothing mapped and nothing open. */
static int teardown(void **state)
{
    (void)state;
    munmap(header, GLOBAL_BYTES);
    close(global_fd);

    return xen.mapped || xen.handles;
}

static struct xensched_area *make(void)
{
    struct xensched_area *area = NULL;

    assert_int_equal(xensched_area_setup(&ours, false, COOKIE, &area, NULL),
                     0);

    return area;
}

static void too_large_an_area_says_what_would_do(void **state)
{
    struct xensched_area *area = NULL;
    struct xensched_error err;

    (void)state;
    xen.need = (266ULL << 20) + 1;
    assert_int_equal(xensched_area_setup(&ours, false, COOKIE, &area, &err),
                     -E2BIG);
    assert_non_null(strstr(err.text, "schedlog_max=267M"));
}

static void an_area_has_the_logs_of_all_pcpus_there_are(void **state)
{
    struct xensched_area *area = make();
    uint32_t size, cpu;

    (void)state;
    assert_int_equal(xensched_area_cpus(area), NR_CPUS);
    assert_int_equal(xensched_area_files(area), 2);
    for (cpu = 0; cpu < NR_CPUS + 2; cpu++) {
        bool there = cpu < NR_CPUS && cpu != NO_CPU;

        assert_int_equal(xensched_area_has_cpu(area, cpu), there);
        assert_int_equal(!!xensched_area_state(area, cpu, 1), there);
        assert_int_equal(!!xensched_area_data(area, cpu, 1, &size), there);
        assert_null(xensched_area_state(area, cpu, 2));
    }
    /* File 1 begins behind the 4 KiB of file 0. */
    assert_ptr_equal(xensched_area_data(area, 3, 1, &size),
                     pages[XEN_SCHEDLOG_REGION_DATA << 16 | 3 << 8 | 1]);
    assert_int_equal(size, 8192);
    xensched_area_close(area);
    assert_int_equal(xen.nr_acct, 16);
}

static void what_the_scheduler_controls_gets_to_its_place(void **state)
{
    struct xensched_area *area = make();
    uint8_t *global = pages[XEN_SCHEDLOG_REGION_GLOBAL << 16];
    uint64_t *routes = (uint64_t *)pages[XEN_SCHEDLOG_REGION_GLOBAL << 16 | 1];
    uint32_t *lcr = (uint32_t *)pages[XEN_SCHEDLOG_REGION_CONTROL << 16 |
                                      3 << 8];

    (void)state;
    assert_int_equal(xensched_area_set_lcr(area, 1, 0x1234), 0);
    assert_int_equal(lcr[1], 0x1234);
    assert_int_equal(xensched_area_set_lcr(area, 2, 0), -EINVAL);

    assert_int_equal(xensched_area_set_route(area, 3, 2, 1, 77), 0);
    assert_true(routes[3 * XEN_SCHEDLOG_NR_EVENTS + 2] ==
                (XEN_SCHEDLOG_ROUTE_VALID | 1ULL << 32 | 77));
    assert_int_equal(xensched_area_clear_route(area, 3, 2), 0);
    assert_true(routes[3 * XEN_SCHEDLOG_NR_EVENTS + 2] == 0);
    assert_int_equal(xensched_area_set_route(area, 16, 2, 1, 0), -EINVAL);
    assert_int_equal(xensched_area_set_route(area, 3, 32, 1, 0), -EINVAL);
    assert_int_equal(xensched_area_set_route(area, 3, 2, 2, 0), -EINVAL);

    xensched_area_renew_lease(area);
    xensched_area_renew_lease(area);
    assert_int_equal(((struct xen_schedlog_header *)global)->lease, 2);

    assert_int_equal(xensched_area_bind(area, 5, 9, NULL), 0);
    assert_int_equal(xen.bound[5], 9);
    assert_int_equal(xensched_area_bind(area, 50, 9, NULL), -ESRCH);
    xensched_area_close(area);
}

static void pcpus_that_come_later_are_mapped_and_set_up(void **state)
{
    struct xensched_area *area = make();
    uint32_t *lcr;

    (void)state;
    xensched_area_set_lcr(area, 1, 0x1234);
    assert_int_equal(xensched_area_refresh(area, NULL), 0);
    xen.all_cpus = true;
    xen.nr_cpus = NR_CPUS + 1;
    assert_int_equal(xensched_area_refresh(area, NULL), 2);
    assert_true(xensched_area_has_cpu(area, NO_CPU));
    assert_true(xensched_area_has_cpu(area, NR_CPUS));
    lcr = (uint32_t *)pages[XEN_SCHEDLOG_REGION_CONTROL << 16 | NO_CPU << 8];
    assert_int_equal(lcr[1], 0x1234);
    xensched_area_close(area);
}

static uint64_t *marks_of(uint32_t cpu)
{
    uint8_t *control = pages[XEN_SCHEDLOG_REGION_CONTROL << 16 | cpu << 8];

    return (uint64_t *)(control + XEN_SCHEDLOG_MARKS_OFFSET(2));
}

static void marks_get_to_their_place(void **state)
{
    struct xensched_area *area;
    uint32_t *lcr;

    (void)state;
    xen.doorbell_virq = 14;
    area = make();
    xensched_area_set_lcr(area, 1, 0x1234);
    xensched_area_set_mark(area, 3, 1, 5ULL << 32 | 6);
    assert_true(marks_of(3)[1] == (5ULL << 32 | 6));
    assert_true(marks_of(3)[0] == 0 && marks_of(1)[1] == 0);
    lcr = (uint32_t *)pages[XEN_SCHEDLOG_REGION_CONTROL << 16 | 3 << 8];
    assert_int_equal(lcr[1], 0x1234);
    xensched_area_set_mark(area, 3, 2, 1);
    xensched_area_set_mark(area, NO_CPU, 0, 1);
    xensched_area_close(area);
}

/* Where they would be is nobody's, or not even there. */
static void without_a_doorbell_there_are_no_marks(void **state)
{
    struct xensched_area *area = make(), *other = NULL;

    (void)state;
    xensched_area_set_mark(area, 3, 1, 7);
    assert_true(marks_of(3)[1] == 0);
    xensched_area_close(area);
    xen.doorbell_virq = 14;
    assert_int_equal(xensched_area_attach(&other, NULL), 0);
    xensched_area_set_mark(other, 3, 1, 7); /* mapped to be read */
    xensched_area_close(other);
}

/* Rows of 16 bytes have been written up to @pos. */
static void write_log(uint32_t cpu, uint32_t file, uint64_t pos)
{
    void *page = pages[XEN_SCHEDLOG_REGION_STATE << 16 | cpu << 8];
    struct xen_schedlog_state *s = (struct xen_schedlog_state *)page + file;

    assert_int_equal(mprotect(page, XC_PAGE_SIZE, PROT_READ | PROT_WRITE), 0);
    s->lcr = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_COUNTER |
             4U << XEN_SCHEDLOG_LCR_PAD_SHIFT;
    s->row_size = 16;
    s->layout_seq = 2;
    s->pos = pos;
}

static void read_all(struct xensched_source *source)
{
    struct xensched_batch batch;
    int rc;

    do {
        rc = xensched_source_next(source, &batch, NULL);
    } while (rc == XENSCHED_BATCH);
    assert_int_equal(rc, XENSCHED_IDLE);
}

static void a_log_rings_when_it_is_half_full_since_it_was_read(void **state)
{
    struct xensched_source *source;
    struct xensched_area *area;

    (void)state;
    xen.doorbell_virq = 14;
    area = make();
    assert_int_equal(xensched_source_open("hypervisor", area, &source, NULL),
                     0);
    assert_true(marks_of(3)[0] == our_sizes[0] / 2);
    assert_true(marks_of(3)[1] == our_sizes[1] / 2);
    write_log(3, 1, 1600);
    read_all(source);
    assert_true(marks_of(3)[0] == our_sizes[0] / 2);
    assert_true(marks_of(3)[1] == 1600 + our_sizes[1] / 2);
    marks_of(3)[1] = 1; /* nothing came: it is not touched */
    read_all(source);
    assert_true(marks_of(3)[1] == 1);
    write_log(3, 1, 160000); /* much was lost */
    read_all(source);
    assert_true(marks_of(3)[1] == 160000 + our_sizes[1] / 2);
    xensched_source_close(source);
    xensched_area_close(area);
}

static void who_only_looks_cannot_control(void **state)
{
    struct xensched_area *area = make(), *other = NULL;

    (void)state;
    assert_int_equal(xensched_area_attach(&other, NULL), 0);
    assert_non_null(xensched_area_state(other, 0, 0));
    assert_int_equal(xensched_area_set_lcr(other, 0, 1), -EINVAL);
    assert_int_equal(xensched_area_set_route(other, 3, 2, 1, 0), -EINVAL);
    xensched_area_renew_lease(other);
    xensched_area_close(other);
    xensched_area_close(area);
}

static void events_are_switched_and_the_area_given_up(void **state)
{
    struct xensched_area *area = make();
    struct xensched_error err;

    (void)state;
    xen.busy = 3;
    assert_int_equal(xensched_area_events(area, BUILT, 0, NULL), 0);
    assert_int_equal(xen.events, BUILT);
    assert_int_equal(xensched_area_events(area, BUILT |
                                          1U << XEN_SCHEDLOG_EV_RUNQ, 0, &err),
                     -EOPNOTSUPP);
    assert_non_null(strstr(err.text, "runq"));
    xen.busy = 3;
    assert_int_equal(xensched_area_release(area, NULL), 0);
    assert_int_equal(xen.nr_acct, 0);
    assert_int_equal(xen.events, 0);
}

/* The area of somebody else, who holds the log. */
static struct xensched_area *make_other(void)
{
    struct xensched_area *area = NULL;

    assert_int_equal(xensched_area_setup(&ours, false, OTHER, &area, NULL), 0);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);

    return area;
}

static uint32_t left_ms(void)
{
    struct xensched_area_info info;

    assert_int_equal(xensched_area_ask(&info, NULL), 0);

    return info.lease_left_ms;
}

static void a_lease_lasts_as_long_as_it_is_renewed(void **state)
{
    struct xensched_area *area = make();
    struct xensched_area_info info;
    unsigned int i;

    (void)state;
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    for (i = 0; i < 10; i++) {
        pass(LEASE_MS / 2);
        xensched_area_renew_lease(area);
        assert_int_equal(xen.events, BUILT);
    }
    pass(LEASE_MS / 2);
    assert_int_equal(xensched_area_info(area, &info, NULL), 0);
    assert_int_equal(info.lease_ms, LEASE_MS);
    assert_in_range(info.lease_left_ms, LEASE_MS / 2, LEASE_MS / 2 + 1);
    pass(LEASE_MS);
    assert_int_equal(xen.events, 0);
    assert_int_equal(left_ms(), 0);
    /* Too late. */
    xensched_area_renew_lease(area);
    pass(10);
    assert_int_equal(xensched_area_info(area, &info, NULL), 0);
    assert_int_equal(info.lease_ms, 0);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    assert_int_equal(xensched_area_release(area, NULL), 0);
    assert_int_equal(xen.lease_ms, 0);
}

static void expect_held(int rc, const struct xensched_error *err)
{
    assert_int_equal(rc, -EEXIST);
    assert_non_null(strstr(err->text, "another scheduler holds the log"));
    assert_non_null(strstr(err->text, "ends in 1500 ms"));
}

static void who_does_not_hold_the_log_changes_nothing(void **state)
{
    struct xensched_area *other = make_other(), *area = make(), *none;
    struct xensched_error err;
    uint64_t select = 0x30076;

    (void)state;
    xen.nr_pmcs = 4;
    pass(500);
    expect_held(xensched_area_events(area, 0, 0, &err), &err);
    expect_held(xensched_area_events(area, BUILT, LEASE_MS, &err), &err);
    expect_held(xensched_area_pmc(area, 1, &select, &err), &err);
    expect_held(xensched_area_release(area, &err), &err);
    xen.sizes[1] *= 2; /* not ours */
    expect_held(xensched_area_setup(&ours, false, COOKIE, &none, &err), &err);
    expect_held(xensched_area_setup(&ours, true, COOKIE, &none, &err), &err);
    assert_int_equal(xen.events, BUILT);
    assert_int_equal(xen.releases, 0);
    xensched_area_close(other);
}

static void when_its_lease_has_ended_the_next_one_takes_over(void **state)
{
    struct xensched_area *area;

    (void)state;
    xensched_area_close(make_other());
    area = make();
    assert_int_equal(xensched_area_events(area, 0, 0, NULL), -EEXIST);
    pass(LEASE_MS);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    xensched_area_close(area);
    /* Somebody with another layout, as well. */
    pass(LEASE_MS);
    xen.sizes[1] *= 2;
    assert_int_equal(xensched_area_setup(&ours, true, COOKIE, &area, NULL), 0);
    xensched_area_close(area);
}

static void a_successor_with_the_same_cookie_needs_not_wait(void **state)
{
    struct xensched_area *area = make();

    (void)state;
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    xensched_area_close(area);
    area = make();
    assert_int_equal(xensched_area_events(area, 0, 0, NULL), 0);
    assert_int_equal(left_ms(), 0);
    assert_int_equal(xensched_area_events(area, BUILT, LEASE_MS, NULL), 0);
    assert_int_equal(xensched_area_release(area, NULL), 0);
}

static void a_lease_that_cannot_be_is_refused_in_words(void **state)
{
    struct xensched_area *area = make();
    struct xensched_error err;

    (void)state;
    assert_int_equal(xensched_area_events(area, BUILT, 5, &err), -EINVAL);
    assert_non_null(strstr(err.text, "lease of 5 ms (100 to 3600000"));
    xen.nr_acct = 0; /* by somebody else */
    assert_int_equal(xensched_area_events(area, BUILT, 0, &err), -ENOENT);
    assert_non_null(strstr(err.text, "given it up"));
    xensched_area_close(area);
}

static void performance_counters_are_chosen_or_it_is_said_why_not(void **state)
{
    const uint64_t select[5] = { 0x300c0, 0x3003c, 1, 1, 1 };
    struct xensched_area *area = make();
    struct xensched_error err;

    (void)state;
    assert_int_equal(xensched_area_pmc(area, 2, select, &err), -ENODEV);
    assert_non_null(strstr(err.text, "no performance counters which Xen can"));
    xen.nr_pmcs = 4;
    xen.busy = 3;
    assert_int_equal(xensched_area_pmc(area, 2, select, &err), 0);
    assert_int_equal(xen.pmcs, 2);
    assert_int_equal(xensched_area_pmc(area, 5, select, &err), -EINVAL);
    assert_int_equal(xensched_area_events(area, BUILT, 0, NULL), 0);
    assert_int_equal(xensched_area_pmc(area, 1, select, &err), -EBUSY);
    assert_non_null(strstr(err.text, "in use"));
    xensched_area_close(area);
}

static void domains_may_log_marks_if_allowed(void **state)
{
    struct xensched_error err;

    (void)state;
    assert_int_equal(xensched_allow_marks(3, true, &err), 0);
    assert_true(xen.marks[3]);
    assert_int_equal(xensched_allow_marks(3, false, &err), 0);
    assert_false(xen.marks[3]);
    assert_int_equal(xensched_allow_marks(9, true, &err), -ESRCH);
    assert_non_null(strstr(err.text, "no domain 9"));
    xen.no_privcmd = ENOENT;
    assert_int_equal(xensched_allow_marks(3, true, &err), -ENOENT);
}

static void an_area_of_the_same_geometry_is_taken_over(void **state)
{
    (void)state;
    xensched_area_close(make());
    xensched_area_close(make());
    assert_int_equal(xen.releases, 0);
}

static void an_area_of_another_geometry_is_not_touched(void **state)
{
    struct xensched_area *area;
    struct xensched_error err;

    (void)state;
    xensched_area_close(make());
    xen.sizes[1] *= 2;
    assert_int_equal(xensched_area_setup(&ours, false, 0, &area, &err),
                     -EBUSY);
    assert_non_null(strstr(err.text, "--replace-area"));
    assert_int_equal(xen.releases, 0);

    assert_int_equal(xensched_area_setup(&ours, true, 0, &area, &err), 0);
    assert_int_equal(xen.releases, 1);
    xensched_area_close(area);
}

static void pcpus_that_come_and_go_are_waited_for(void **state)
{
    (void)state;
    xen.busy = 5;
    xensched_area_close(make());
}

static void expect_error(int code, const char *words)
{
    struct xensched_area *area;
    struct xensched_error err;

    assert_int_equal(xensched_area_setup(&ours, false, 0, &area, &err), -code);
    assert_int_equal(err.code, -code);
    assert_non_null(strstr(err.text, words));
    assert_int_equal(xensched_area_attach(&area, &err), -code);
    assert_non_null(strstr(err.text, words));
}

static void each_error_says_what_to_do(void **state)
{
    struct xensched_area *area;
    struct xensched_error err;

    (void)state;
    xen.no_privcmd = ENOENT;
    expect_error(ENOENT, "/dev/xen/privcmd");
    xen.no_privcmd = EACCES;
    expect_error(EACCES, "root");
    xen.no_privcmd = 0;
    xen.error = ENOSYS;
    expect_error(ENOSYS, "CONFIG_SCHEDLOG");
    xen.error = EOPNOTSUPP;
    expect_error(EOPNOTSUPP, "CONFIG_SCHEDLOG");
    xen.error = EPERM;
    expect_error(EPERM, "root");
    xen.error = 0;
    xen.abi = XEN_SCHEDLOG_ABI_VERSION + 1;
    expect_error(EPROTO, "ABI version 3");
    expect_error(EPROTO, "version 2");
    xen.abi = XEN_SCHEDLOG_ABI_VERSION;
    assert_int_equal(xensched_area_attach(&area, &err), -ENODATA);
    assert_non_null(strstr(err.text, "xenschedd"));
}

#define area_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        area_test(an_area_has_the_logs_of_all_pcpus_there_are),
        area_test(too_large_an_area_says_what_would_do),
        area_test(what_the_scheduler_controls_gets_to_its_place),
        area_test(pcpus_that_come_later_are_mapped_and_set_up),
        area_test(marks_get_to_their_place),
        area_test(without_a_doorbell_there_are_no_marks),
        area_test(a_log_rings_when_it_is_half_full_since_it_was_read),
        area_test(who_only_looks_cannot_control),
        area_test(events_are_switched_and_the_area_given_up),
        area_test(a_lease_lasts_as_long_as_it_is_renewed),
        area_test(who_does_not_hold_the_log_changes_nothing),
        area_test(when_its_lease_has_ended_the_next_one_takes_over),
        area_test(a_successor_with_the_same_cookie_needs_not_wait),
        area_test(a_lease_that_cannot_be_is_refused_in_words),
        area_test(performance_counters_are_chosen_or_it_is_said_why_not),
        area_test(domains_may_log_marks_if_allowed),
        area_test(an_area_of_the_same_geometry_is_taken_over),
        area_test(an_area_of_another_geometry_is_not_touched),
        area_test(pcpus_that_come_and_go_are_waited_for),
        area_test(each_error_says_what_to_do),
    };

    return run_tap_tests(tests);
}
