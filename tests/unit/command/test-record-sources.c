/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks which logs xensched record reads, and for how long.
 *
 * The guest is the domain with memory of log-sources-world.h.  The hypervisor has a log area
 * without pCPUs, so all rows are the guest's.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xenctrl.h>

#include <xensched/recording.h>

#include "cmocka-tap.h"
#include "fake-xenstore.h"
#include "log-sources-world.h"

#include "base/blocking-call.h"
#include "command/command.h"
#include "command/rows/record-sources.h"
#include "lib/area/hypercall.h"

#define GUEST DRIVER
#define PATH  "test-record-sources.recording"

#define HOST_KHZ  2445433U
#define LINUX_KHZ 2969534U /* measured by a Linux */

#define LEASE_NS (5 * SECOND)

static struct filter filter;
static struct recorded_sources *recorded;
static struct xensched_recorder *recorder;
static char complaints[4096];

void __wrap_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

void __wrap_complain(const char *format, ...)
{
    size_t length = strlen(complaints);
    va_list args;

    va_start(args, format);
    vsnprintf(complaints + length, sizeof(complaints) - length, format, args);
    va_end(args);
}

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (clock != CLOCK_MONOTONIC)
        return __real_clock_gettime(clock, t);
    t->tv_sec = now / SECOND;
    t->tv_nsec = now % SECOND;

    return 0;
}

/* The hypervisor. */

int hypercall_info(xc_interface *xch, struct xen_sysctl_schedlog_info *info)
{
    (void)xch;
    *info = (struct xen_sysctl_schedlog_info){
        .abi_version = XEN_SCHEDLOG_ABI_VERSION, .tsc_khz = HOST_KHZ,
        .nr_cpus = 1, .nr_acct = FAKE_ACCTS, .nr_files = 1,
        .events_enabled = 1,
    };

    return 0;
}

int hypercall_files(xc_interface *xch, uint32_t first, uint32_t nr,
                    xen_schedlog_file_t *files)
{
    (void)xch;
    (void)first;
    (void)nr;
    files[0] = (xen_schedlog_file_t){ .size = FILE_SIZE };

    return 1;
}

int hypercall_frames(xc_interface *xch, uint32_t region, uint32_t cpu,
                     uint32_t first, uint32_t nr, uint64_t *frames)
{
    uint32_t i;

    (void)xch;
    (void)cpu;
    if (region != XEN_SCHEDLOG_REGION_GLOBAL) {
        errno = ENODEV;
        return -1;
    }
    for (i = 0; i < nr; i++)
        frames[i] = FRAMES - 1 - first - i;

    return nr;
}

int hypercall_mark(xc_interface *xch, uint32_t domid, bool allow,
                   uint64_t cookie)
{
    (void)xch;
    (void)domid;
    (void)allow;
    (void)cookie;

    return 0;
}

/* Each domain has the host's TSC. */
int hypercall_clock(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                    struct xen_domctl_schedlog_clock *clock)
{
    (void)xch;
    (void)domid;
    *clock = (struct xen_domctl_schedlog_clock){
        .vcpu = vcpu, .host_khz = HOST_KHZ, .guest_khz = HOST_KHZ,
    };

    return 0;
}

/* The guest's module. */

static struct {
    bool logs;
    uint64_t lease, renewed_ns;
} guest;

/* A request turns events on, and a lease begins. */
static void hear_request(void)
{
    const char *events = request("events");

    guest.logs = events && strcmp(events, "0");
    guest.renewed_ns = now;
}

/* The guest checks for a sign of life more often than a lease ends. */
static void check_lease(void)
{
    const struct xen_schedlog_header *header = (const void *)page(GLOBAL);

    if (header->lease != guest.lease)
        guest.renewed_ns = now;
    guest.lease = header->lease;
    if (now - guest.renewed_ns >= LEASE_NS)
        guest.logs = false;
}

/* The guest logs a row, unless its lease has ended. */
static void run_guest(void)
{
    check_lease();
    if (guest.logs)
        emit(0, EV(GUEST_RUNQ), GUEST, 0, 1);
}

static void allow_log(uint32_t domid)
{
    char name[24];

    snprintf(name, sizeof(name), "guest-%u", domid);
    fake_xs_put("1", "/local/domain/%u/platform/vm-affinity-log", domid);
    fake_xs_put(name, "/local/domain/%u/name", domid);
}

/* The recorder. */

static void look_for_sources(void)
{
    struct xensched_error err;

    if (recorded_sources_look(recorded, recorder, now, &err))
        fail_msg("%s", err.text);
}

static uint64_t recorded_rows(void)
{
    struct recorded_sources_numbers numbers;
    struct xensched_error err;

    if (recorded_sources_read(recorded, recorder, &err))
        fail_msg("%s", err.text);
    recorded_sources_numbers(recorded, &numbers);

    return numbers.rows;
}

static unsigned int nr_sources(void)
{
    struct recorded_sources_numbers numbers;

    recorded_sources_numbers(recorded, &numbers);

    return numbers.nr;
}

static int begin(void **state)
{
    struct xensched_error err;

    if (setup(state))
        return -1;
    /* No daemon reads here. */
    blocking_call_init(NULL, NULL);
    cpu_pages = 1 + 1 + 256;
    first_size = 1U << 20;
    events_built = "4294967295";
    memset(&guest, 0, sizeof(guest));
    complaints[0] = '\0';
    fake_xs.changed = hear_request;
    if (recorded_sources_open(NULL, &filter, &recorded, &err) ||
        xensched_recorder_open(PATH, HOST_KHZ, 1, &recorder, &err)) {
        print_message("# %s\n", err.text);
        return -1;
    }

    return 0;
}

static int end(void **state)
{
    if (recorder)
        xensched_recorder_close(recorder, NULL);
    recorder = NULL;
    recorded_sources_close(recorded);
    unlink(PATH);

    return teardown(state);
}

/* Returns when the guest's log is read. */
static void record_guest(void)
{
    allow_log(GUEST);
    look_for_sources();
    answer();
    look_for_sources();
    answer();
    assert_true(guest.logs);
    run_guest();
    assert_int_equal(recorded_rows(), 1);
    check_lease();
}

/* Neither time nor the lease of a guest stands still while SIGSTOP stops the recorder. */
static void a_recorder_that_was_stopped_gets_its_guests_back(void **state)
{
    (void)state;
    record_guest();
    now += 6 * SECOND;
    run_guest();
    assert_false(guest.logs);
    look_for_sources();
    assert_int_equal(recorded_rows(), 1);
    run_guest();
    assert_int_equal(recorded_rows(), 2);
    assert_non_null(strstr(complaints, "was not read for 6.0 s"));
}

static void a_lease_is_renewed_while_the_recorder_reads(void **state)
{
    unsigned int i;

    (void)state;
    record_guest();
    for (i = 2; i < 12; i++) {
        now += 2 * SECOND;
        look_for_sources();
        run_guest();
        assert_int_equal(recorded_rows(), i);
    }
    assert_string_equal(complaints, "");
}

/* A new source does not get the id of one that is gone. */
static void sources_beyond_those_of_a_recording_are_named(void **state)
{
    uint32_t domid, first = GUEST + 1, last = GUEST + XENSCHED_MAX_SOURCES;

    (void)state;
    for (domid = first; domid <= last; domid++) {
        allow_log(domid);
        if ((domid - first) % 100 != 99 && domid != last)
            continue;
        assert_null(strstr(complaints, "not recorded"));
        look_for_sources();
        if (domid != last)
            assert_int_equal(nr_sources(), 101);
        for (; first <= domid; first++)
            fake_xs_remove("/local/domain/%u", first);
        if (domid != last)
            complaints[0] = '\0';
    }
    assert_non_null(strstr(complaints, "guest 'guest-1027' and later ones are not recorded: "
                           "a recording holds at most 1024 sources"));
}

/* A Linux measures its frequency; Xen's is that of the host's clock. */
static void a_source_has_the_frequency_of_its_clock(void **state)
{
    uint64_t khz[3] = { 0 };
    unsigned int clocks = 0;
    struct xensched_recording *recording;
    struct xensched_record record;
    struct xensched_error err;

    (void)state;
    device.there = true;
    device.nr_acct = FAKE_ACCTS;
    device.nr_files = 1;
    device.size = FILE_SIZE;
    device.tsc_khz = LINUX_KHZ;
    record_guest();
    assert_int_equal(xensched_recorder_close(recorder, &err), 0);
    recorder = NULL;
    assert_int_equal(xensched_recording_open(PATH, &recording, &err), 0);
    while (xensched_recording_read(recording, &record, &err) == 1) {
        if (record.what == XENSCHED_RECORDED_SOURCE)
            khz[record.source] = record.info.tsc_khz;
        if (record.what != XENSCHED_RECORDED_CLOCK)
            continue;
        assert_int_equal(record.clock.guest_khz, khz[record.source]);
        clocks |= 1U << record.source;
    }
    xensched_recording_close(recording);
    /* 1 is dom0's Linux, 2 the guest. */
    assert_int_equal(clocks, 1U << 1 | 1U << 2);
}

#define record_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        record_test(a_recorder_that_was_stopped_gets_its_guests_back),
        record_test(a_lease_is_renewed_while_the_recorder_reads),
        record_test(sources_beyond_those_of_a_recording_are_named),
        record_test(a_source_has_the_frequency_of_its_clock),
    };

    return run_tap_tests(tests);
}
