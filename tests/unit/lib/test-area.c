/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the area: programs make, find, map and control it as xensched/area.h promises, and errors
 * contain the remedy.
 *
 * Operators mostly see this code's errors: about a hypervisor without the patches, another version,
 * or an area of another program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cmocka-tap.h"
#include "area-world.h"
#include "harness.h"

#include <xenctrl.h>

#include <xensched/area.h>
#include <xensched/source.h>

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
    /* Log buffer 1 begins after the 4 KiB of log buffer 0. */
    assert_ptr_equal(xensched_area_data(area, 3, 1, &size),
                     pages[XEN_SCHEDLOG_REGION_DATA << 16 | 3 << 8 | 1]);
    assert_int_equal(size, 8192);
    xensched_area_close(area);
    assert_int_equal(xen.nr_acct, 16);
}

static void control_words_get_to_their_places(void **state)
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

static void a_reader_sets_no_mark(void **state)
{
    struct xensched_area *area = make(), *other = NULL;

    (void)state;
    xensched_area_close(area);
    assert_int_equal(xensched_area_attach(&other, NULL), 0);
    xensched_area_set_mark(other, 3, 1, 7);
    assert_true(marks_of(3)[1] == 0);
    xensched_area_close(other);
}

/* Writes rows of 16 bytes up to @pos. */
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
    marks_of(3)[1] = 1; /* without new rows the mark stays */
    read_all(source);
    assert_true(marks_of(3)[1] == 1);
    write_log(3, 1, 160000); /* many rows are lost */
    read_all(source);
    assert_true(marks_of(3)[1] == 160000 + our_sizes[1] / 2);
    xensched_source_close(source);
    xensched_area_close(area);
}

static void a_reader_cannot_control(void **state)
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

/* Replaces libc's function. */
static int page_bytes = 4096;

int getpagesize(void)
{
    return page_bytes;
}

static void a_linux_with_large_pages_is_refused(void **state)
{
    (void)state;
    page_bytes = 65536;
    expect_error(EOPNOTSUPP, "pages of 64 KiB");
    page_bytes = 4096;
    xensched_area_close(make());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        area_test(an_area_has_the_logs_of_all_pcpus_there_are),
        area_test(too_large_an_area_says_what_would_do),
        area_test(control_words_get_to_their_places),
        area_test(pcpus_that_come_later_are_mapped_and_set_up),
        area_test(marks_get_to_their_place),
        area_test(a_reader_sets_no_mark),
        area_test(a_log_rings_when_it_is_half_full_since_it_was_read),
        area_test(a_reader_cannot_control),
        area_test(events_are_switched_and_the_area_given_up),
        area_test(performance_counters_are_chosen_or_it_is_said_why_not),
        area_test(domains_may_log_marks_if_allowed),
        area_test(an_area_of_the_same_geometry_is_taken_over),
        area_test(an_area_of_another_geometry_is_not_touched),
        area_test(pcpus_that_come_and_go_are_waited_for),
        area_test(each_error_says_what_to_do),
        area_test(a_linux_with_large_pages_is_refused),
    };

    return run_tap_tests(tests);
}
