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

#include "cmocka-tap.h"
#include "harness.h"

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include <xensched/area.h>

#define NR_CPUS 4U
#define NO_CPU  2U /* an id without a pCPU, at first */
#define BUILT   (1U << XEN_SCHEDLOG_EV_SERVICE_NS | \
                 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND)

static const uint32_t our_sizes[2] = { 4096, 8192 };
static const struct xensched_geometry ours = { 16, 2, our_sizes };

/* The hypervisor. */
static struct {
    int no_privcmd;
    int error; /* of each operation */
    uint32_t abi;
    uint32_t nr_acct, nr_files;
    uint32_t sizes[8];
    uint32_t events;
    uint32_t nr_cpus;
    bool all_cpus; /* NO_CPU has come */
    unsigned int busy; /* so many operations say EBUSY first */
    unsigned int mapped, handles, releases;
    uint16_t bound[8];
} xen;

/* Pages by frame number: region << 16 | cpu << 8 | index. */
static uint8_t *pages[4 << 16];

static int refuse(int code)
{
    errno = code;

    return -1;
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

int xc_schedlog_info(xc_interface *xch, xc_schedlog_info_t *info)
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

    return 0;
}

int xc_schedlog_setup(xc_interface *xch, uint32_t nr_acct, uint32_t nr_files,
                      const uint32_t *sizes)
{
    (void)xch;
    if (xen.busy) {
        xen.busy--;
        return refuse(EBUSY);
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

int xc_schedlog_files(xc_interface *xch, uint32_t first, uint32_t nr,
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

int xc_schedlog_frames(xc_interface *xch, uint32_t region, uint32_t cpu,
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
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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

int xc_schedlog_events(xc_interface *xch, uint32_t events)
{
    (void)xch;
    if (xen.busy) {
        xen.busy--;
        return refuse(EBUSY);
    }
    xen.events = events;

    return 0;
}

int xc_schedlog_release(xc_interface *xch)
{
    (void)xch;
    if (xen.busy) {
        xen.busy--;
        return refuse(EBUSY);
    }
    xen.releases++;
    xen.nr_acct = xen.nr_files = xen.events = 0;

    return 0;
}

int xc_schedlog_bind(xc_interface *xch, uint32_t domid, uint32_t vcpu,
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

    return 0;
}

/* Each test leaves nothing mapped and nothing open. */
static int teardown(void **state)
{
    (void)state;

    return xen.mapped || xen.handles;
}

static struct xensched_area *make(void)
{
    struct xensched_area *area = NULL;

    assert_int_equal(xensched_area_setup(&ours, false, &area, NULL), 0);

    return area;
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
    assert_int_equal(xensched_area_events(area, BUILT, NULL), 0);
    assert_int_equal(xen.events, BUILT);
    assert_int_equal(xensched_area_events(area, BUILT |
                                          1U << XEN_SCHEDLOG_EV_RUNQ, &err),
                     -EOPNOTSUPP);
    assert_non_null(strstr(err.text, "runq"));
    xen.busy = 3;
    assert_int_equal(xensched_area_release(area, NULL), 0);
    assert_int_equal(xen.nr_acct, 0);
    assert_int_equal(xen.events, 0);
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
    assert_int_equal(xensched_area_setup(&ours, false, &area, &err), -EBUSY);
    assert_non_null(strstr(err.text, "--replace-area"));
    assert_int_equal(xen.releases, 0);

    assert_int_equal(xensched_area_setup(&ours, true, &area, &err), 0);
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

    assert_int_equal(xensched_area_setup(&ours, false, &area, &err), -code);
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
    expect_error(EPROTO, "ABI version 2");
    expect_error(EPROTO, "version 1");
    xen.abi = XEN_SCHEDLOG_ABI_VERSION;
    assert_int_equal(xensched_area_attach(&area, &err), -ENODATA);
    assert_non_null(strstr(err.text, "xenschedd"));
}

#define area_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        area_test(an_area_has_the_logs_of_all_pcpus_there_are),
        area_test(what_the_scheduler_controls_gets_to_its_place),
        area_test(pcpus_that_come_later_are_mapped_and_set_up),
        area_test(who_only_looks_cannot_control),
        area_test(events_are_switched_and_the_area_given_up),
        area_test(an_area_of_the_same_geometry_is_taken_over),
        area_test(an_area_of_another_geometry_is_not_touched),
        area_test(pcpus_that_come_and_go_are_waited_for),
        area_test(each_error_says_what_to_do),
    };

    return run_tap_tests(tests);
}
