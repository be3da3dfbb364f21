/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the promises of /dev/xensched-log: it refuses what it must, whatever is written to the
 * shared pages does no harm, and pages outlive the area.
 *
 * Usage: ring-try refusals|mappings|kept|lease|faults|doorbell|unanswered
 *        ring-try noise|locks SECONDS
 *        ring-try used|release|off
 *
 * doorbell needs a guest with a disk that is busy all the time, unanswered a xenstored that hangs.
 * used prints the bytes that the log uses; release releases the area, and off turns all events off,
 * as a process without the cookie.
 *
 * Exit code: 0, or 1 with a message about the broken promise.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <xenctrl.h>
#include <xensched/abi.h>

#include "uapi/xensched_log.h"

#define NR_ACCT 64
#define NR_FILES 2
#define FILE_SIZE 65536U
#define PAGE 4096UL
#define GLOBAL_PAGES \
    ((XEN_SCHEDLOG_ROUTES_OFFSET + NR_ACCT * XEN_SCHEDLOG_NR_EVENTS * 8) / PAGE)
#define RINGS \
    (1U << XEN_SCHEDLOG_EV_RING_PAGES | 1U << XEN_SCHEDLOG_EV_RING_SECTORS)
#define LEASE_MS 800

/* The payloads are those of the hypervisor. */
_Static_assert(sizeof(struct xensched_log_info) ==
               offsetof(struct xen_sysctl_schedlog_info, nr_lost_sites),
               "same payload, but for live patches, which only the hypervisor has");
_Static_assert(sizeof(struct xensched_log_setup) ==
               offsetof(struct xen_sysctl_schedlog_setup, need_bytes),
               "same payload, but for what only the hypervisor says");
_Static_assert(sizeof(struct xensched_log_files) ==
               sizeof(struct xen_sysctl_schedlog_files), "same payload");
_Static_assert(sizeof(struct xensched_log_events) ==
               sizeof(struct xen_sysctl_schedlog_events), "same payload");
_Static_assert(sizeof(struct xensched_log_release) ==
               sizeof(struct xen_sysctl_schedlog_release), "same payload");

static const uint32_t sizes[NR_FILES] = { FILE_SIZE, FILE_SIZE };
static int dev;

/* Returns 0 or the errno value. */
static int setup(uint32_t nr_acct, uint32_t nr_files, const uint32_t *size)
{
    struct xensched_log_setup op = { nr_acct, nr_files, (uintptr_t)size };

    return ioctl(dev, XENSCHED_LOG_SETUP, &op) ? errno : 0;
}

static int events(uint32_t mask, uint32_t lease_ms, uint64_t cookie)
{
    struct xensched_log_events op = { mask, lease_ms, cookie };

    return ioctl(dev, XENSCHED_LOG_EVENTS, &op) ? errno : 0;
}

static int release(uint64_t cookie)
{
    struct xensched_log_release op = { cookie };

    return ioctl(dev, XENSCHED_LOG_RELEASE, &op) ? errno : 0;
}

static struct xensched_log_info info(void)
{
    struct xensched_log_info info;

    if (ioctl(dev, XENSCHED_LOG_INFO, &info))
        err(1, "no info");

    return info;
}

static void is(const char *what, int got, int wanted)
{
    if (got != wanted)
        errx(1, "%s: got %d (%s), wanted %d (%s)", what, got, strerror(got),
             wanted, strerror(wanted));
}

static void *map(uint32_t region, uint32_t cpu, size_t pages, int prot,
                 int flags)
{
    return mmap(NULL, pages * PAGE, prot, flags, dev,
                XENSCHED_LOG_OFFSET(region, cpu));
}

static int try_map(uint32_t region, uint32_t cpu, size_t pages, int prot,
                   int flags)
{
    void *va = map(region, cpu, pages, prot, flags);

    if (va == MAP_FAILED)
        return errno;
    munmap(va, pages * PAGE);

    return 0;
}

static void refusals(void)
{
    const uint32_t odd[NR_FILES] = { FILE_SIZE, 48 };
    const uint32_t small[NR_FILES] = { FILE_SIZE, 8 };
    const uint32_t huge[NR_FILES] = { FILE_SIZE, 32U << 20 };
    const uint32_t other[NR_FILES] = { FILE_SIZE, FILE_SIZE * 2 };
    uint32_t much[64];

    for (int i = 0; i < 64; i++)
        much[i] = XEN_SCHEDLOG_MAX_FILE_SIZE;

    is("accounting domains, no power of two", setup(3, NR_FILES, sizes),
       EINVAL);
    is("too many accounting domains", setup(65536, NR_FILES, sizes), EINVAL);
    is("too many files", setup(NR_ACCT, 2048, sizes), EINVAL);
    is("a size, no power of two", setup(NR_ACCT, NR_FILES, odd), EINVAL);
    is("a small size", setup(NR_ACCT, NR_FILES, small), EINVAL);
    is("a large size", setup(NR_ACCT, NR_FILES, huge), EINVAL);
    is("too much memory", setup(NR_ACCT, 64, much), E2BIG);
    is("sizes nowhere", setup(NR_ACCT, NR_FILES, (void *)8), EFAULT);
    is("events without an area", events(RINGS, 0, 0), ENOENT);
    is("nothing of it was kept", info().used_bytes, 0);

    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    is("the same again", setup(NR_ACCT, NR_FILES, sizes), 0);
    is("another layout", setup(NR_ACCT, NR_FILES, other), EBUSY);
    is("events of Xen", events(1, 0, 0), EOPNOTSUPP);
    is("a lease without a cookie", events(RINGS, LEASE_MS, 0), EINVAL);
    is("a short lease", events(RINGS, 99, 1), EINVAL);
    is("a long lease", events(RINGS, 3600001, 1), EINVAL);
    is("an operation of the future", ioctl(dev, _IO(0xf9, 99)) ? errno : 0,
       ENOTTY);
    is("release", release(0), 0);
}

static void mappings(void)
{
    const int ro = PROT_READ, rw = PROT_READ | PROT_WRITE;
    void *va;

    is("no area", try_map(0, 0, 1, ro, MAP_SHARED), ENODEV);
    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    is("GLOBAL", try_map(0, 0, GLOBAL_PAGES, rw, MAP_SHARED), 0);
    is("GLOBAL and more", try_map(0, 0, GLOBAL_PAGES + 1, rw, MAP_SHARED),
       EINVAL);
    is("CONTROL", try_map(1, 0, 1, rw, MAP_SHARED), 0);
    is("STATE", try_map(2, 0, 1, ro, MAP_SHARED), 0);
    is("DATA", try_map(3, 0, NR_FILES * FILE_SIZE / PAGE, ro, MAP_SHARED), 0);
    is("STATE to write", try_map(2, 0, 1, rw, MAP_SHARED), EACCES);
    is("DATA to write", try_map(3, 0, 1, rw, MAP_SHARED), EACCES);
    is("a private copy", try_map(2, 0, 1, rw, MAP_PRIVATE), EINVAL);
    is("no such region", try_map(4, 0, 1, ro, MAP_SHARED), ENODEV);
    is("no such CPU", try_map(3, 60000, 1, ro, MAP_SHARED), ENODEV);

    va = map(3, 0, 1, ro, MAP_SHARED);
    is("DATA made writable", mprotect(va, PAGE, rw) ? errno : 0, EACCES);
    is("DATA made larger",
       mremap(va, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? errno : 0,
       EFAULT);
    is("release", release(0), 0);
}

static void kept(void)
{
    volatile uint64_t *lease;
    int pages = info().used_bytes / PAGE;

    is("nothing is used", pages, 0);
    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    lease = map(0, 0, GLOBAL_PAGES, PROT_READ | PROT_WRITE, MAP_SHARED);
    if (lease == MAP_FAILED)
        err(1, "cannot map");
    *lease = 42;

    is("release", release(0), 0);
    is("what was written is still there", *lease, 42);
    *lease = 43;
    is("the mapped pages are counted", info().used_bytes / PAGE, GLOBAL_PAGES);
    is("a new area", setup(NR_ACCT, NR_FILES, sizes), 0);
    is("release", release(0), 0);
    munmap((void *)lease, GLOBAL_PAGES * PAGE);
    is("unmapped, nothing is used", info().used_bytes, 0);
}

static void sleep_ms(unsigned int ms)
{
    struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

    nanosleep(&time, NULL);
}

static void lease(void)
{
    volatile uint64_t *counter;

    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    counter = map(0, 0, 1, PROT_READ | PROT_WRITE, MAP_SHARED);
    is("held", events(RINGS, LEASE_MS, 7), 0);
    is("its length", info().lease_ms, LEASE_MS);
    is("another one's events", events(0, 0, 8), EEXIST);
    is("another one's release", release(0), EEXIST);
    for (int i = 0; i < 20; i++) {
        sleep_ms(LEASE_MS / 8);
        ++*counter;
    }
    is("renewed, it lasts", info().events_enabled, RINGS);

    sleep_ms(LEASE_MS * 2);
    is("silent, all is off", info().events_enabled, 0);
    is("and no process holds it", info().lease_ms, 0);
    is("another one's turn", events(RINGS, LEASE_MS, 8), 0);
    is("which gives it up", events(0, 0, 8), 0);
    is("release without a cookie", release(0), 0);
}

/* A page does not exist before a process touches it. */
static void *missing_page(int *faults)
{
    struct uffdio_api api = { .api = UFFD_API };
    struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *faults = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
    range.range.start = (uintptr_t)page;
    range.range.len = PAGE;
    if (*faults < 0 || ioctl(*faults, UFFDIO_API, &api) ||
        ioctl(*faults, UFFDIO_REGISTER, &range))
        err(1, "userfaultfd");

    return page;
}

static void *ask_with(void *argument)
{
    ioctl(dev, XENSCHED_LOG_INFO, argument);

    return NULL;
}

/* Both ways into the module. */
static void *ask_and_map(void *done)
{
    info();
    is("a page, meanwhile", try_map(1, 0, 1, PROT_READ, MAP_SHARED), 0);
    *(volatile bool *)done = true;

    return NULL;
}

/*
 * The module holds no lock while it waits for missing memory.
 */
static void faults(void)
{
    struct uffdio_zeropage make = { .range.len = PAGE };
    struct pollfd pending = { .events = POLLIN };
    volatile bool done = false;
    pthread_t waits, goes_on;
    void *page = missing_page(&pending.fd);

    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    pthread_create(&waits, NULL, ask_with, page);
    is("a process that asks waits for its memory", poll(&pending, 1, 10000), 1);
    pthread_create(&goes_on, NULL, ask_and_map, (void *)&done);
    for (int i = 0; i < 50 && !done; i++)
        sleep_ms(100);
    is("no other process does", done, true);
    make.range.start = (uintptr_t)page;
    if (ioctl(pending.fd, UFFDIO_ZEROPAGE, &make))
        err(1, "UFFDIO_ZEROPAGE");
    pthread_join(waits, NULL);
    pthread_join(goes_on, NULL);
    is("release", release(0), 0);
}

static volatile bool stop_mapping;

static void *map_again(void *rounds)
{
    while (!stop_mapping) {
        is("a page", try_map(1, 0, 1, PROT_READ, MAP_SHARED), 0);
        ++*(unsigned long *)rounds;
    }

    return NULL;
}

/*
 * Maps pages, and turns events on and off meanwhile.  The test moves this process between cpusets
 * and takes CPUs offline: a task that takes two of mmap_lock, cpu_hotplug_lock and the module's own
 * lock takes them in one order.
 */
static void locks(unsigned int seconds)
{
    const time_t end = time(NULL) + seconds;
    unsigned long mapped = 0, turned = 0;
    pthread_t maps;

    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    pthread_create(&maps, NULL, map_again, &mapped);
    while (time(NULL) < end) {
        is("events", events(RINGS, 0, 0), 0);
        is("events off", events(0, 0, 0), 0);
        turned++;
    }
    stop_mapping = true;
    pthread_join(maps, NULL);
    is("release", release(0), 0);
    printf("%lu mapped %lu turned\n", mapped, turned);
}

/* The log buffer of each CPU that doorbell() observes. */
struct log_file {
    const volatile struct xen_schedlog_state *state;
    volatile uint64_t *mark;
};

static struct log_file *map_log_files(uint32_t nr_cpus)
{
    struct log_file *files = calloc(nr_cpus, sizeof(*files));

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        uint8_t *control = map(1, cpu, 1, PROT_READ | PROT_WRITE, MAP_SHARED);

        files[cpu].state = map(2, cpu, 1, PROT_READ, MAP_SHARED);
        if (control == MAP_FAILED || files[cpu].state == MAP_FAILED)
            err(1, "cannot map the log of CPU %u", cpu);
        *(volatile uint32_t *)control = XEN_SCHEDLOG_LCR_EVENT;
        files[cpu].mark = (uint64_t *)(control +
                                       XEN_SCHEDLOG_MARKS_OFFSET(NR_FILES));
    }

    return files;
}

static void route_all(void)
{
    uint64_t *global = map(0, 0, GLOBAL_PAGES, PROT_READ | PROT_WRITE,
                           MAP_SHARED);
    uint64_t *route = global + XEN_SCHEDLOG_ROUTES_OFFSET / sizeof(*route);

    if (global == MAP_FAILED)
        err(1, "cannot map the routes");
    for (int i = 0; i < NR_ACCT * XEN_SCHEDLOG_NR_EVENTS; i++)
        route[i] = XEN_SCHEDLOG_ROUTE_VALID;
}

static void set_marks(struct log_file *files, uint32_t nr_cpus,
                      uint64_t bytes)
{
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        *files[cpu].mark = files[cpu].state->pos + bytes;
}

static bool is_past_mark(const struct log_file *files, uint32_t nr_cpus)
{
    uint32_t cpu = 0;

    while (cpu < nr_cpus && files[cpu].state->pos < *files[cpu].mark)
        cpu++;

    return cpu < nr_cpus;
}

static uint64_t written(const struct log_file *files, uint32_t nr_cpus)
{
    uint64_t sum = 0;

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        sum += files[cpu].state->pos;

    return sum;
}

/* The device is readable when, and as long as, a log buffer is past its watermark. */
static void doorbell(void)
{
    struct pollfd bell = { .fd = dev, .events = POLLIN };
    struct log_file *files;
    uint32_t nr_cpus;
    uint64_t before;

    is("without an area no bell rings", poll(&bell, 1, 0), 0);
    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    is("there is a doorbell", info().doorbell, 1);
    nr_cpus = info().nr_cpus;
    files = map_log_files(nr_cpus);
    route_all();
    is("events", events(RINGS, 0, 0), 0);

    before = written(files, nr_cpus);
    for (int i = 0; i < 50 && written(files, nr_cpus) <= before + 64; i++)
        is("without a mark no bell rings", poll(&bell, 1, 200), 0);
    is("though something is logged", written(files, nr_cpus) > before + 64, 1);
    for (int i = 0; i < 3; i++) {
        const time_t begin = time(NULL);

        set_marks(files, nr_cpus, 1U << 30);
        is("before a mark no bell rings", poll(&bell, 1, 300), 0);
        set_marks(files, nr_cpus, 256);
        is("it is not reached yet", is_past_mark(files, nr_cpus), 0);
        is("it rings", poll(&bell, 1, 20000), 1);
        /* When its time is over, poll() checks without a notification. */
        is("in time", time(NULL) - begin < 15, 1);
        is("when a log buffer is past its mark", is_past_mark(files, nr_cpus), 1);
        is("and goes on to", poll(&bell, 1, 0), 1);
    }
    is("events off", events(0, 0, 0), 0);
    is("release", release(0), 0);
    is("without an area no bell rings again", poll(&bell, 1, 0), 0);
}

/* No process gets rows about domains that it has not numbered yet. */
static void unanswered(void)
{
    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    is("events", events(RINGS, 0, 0), ETIMEDOUT);
    is("they are off", info().events_enabled, 0);
    is("off can be had", events(0, 0, 0), 0);
    is("release", release(0), 0);
}

static void noise(unsigned int seconds)
{
    const time_t end = time(NULL) + seconds;
    uint32_t nr_cpus, i = 0;
    uint64_t *global, **control;

    is("set-up", setup(NR_ACCT, NR_FILES, sizes), 0);
    nr_cpus = info().nr_cpus;
    control = calloc(nr_cpus, sizeof(*control));
    global = map(0, 0, GLOBAL_PAGES, PROT_READ | PROT_WRITE, MAP_SHARED);
    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++)
        control[cpu] = map(1, cpu, 1, PROT_READ | PROT_WRITE, MAP_SHARED);
    is("events", events(RINGS, 0, 0), 0);

    while (time(NULL) < end) {
        for (size_t word = 0; word < GLOBAL_PAGES * PAGE / 8; word++)
            global[word] = (uint64_t)random() << 40 ^ random() << 20 ^ random();
        for (size_t word = 0; word < PAGE / 8; word++, i++)
            if (control[i % nr_cpus] != MAP_FAILED)
                control[i % nr_cpus][word] = (uint64_t)random() << 32 ^ random();
    }
    is("events off", events(0, 0, 0), 0);
    is("release", release(0), 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    dev = open("/dev/xensched-log", O_RDWR | O_CLOEXEC);
    if (dev < 0)
        err(1, "/dev/xensched-log");

    if (!strcmp(what, "refusals"))
        refusals();
    else if (!strcmp(what, "mappings"))
        mappings();
    else if (!strcmp(what, "kept"))
        kept();
    else if (!strcmp(what, "lease"))
        lease();
    else if (!strcmp(what, "faults"))
        faults();
    else if (!strcmp(what, "doorbell"))
        doorbell();
    else if (!strcmp(what, "unanswered"))
        unanswered();
    else if (!strcmp(what, "noise") && argc == 3)
        noise(atoi(argv[2]));
    else if (!strcmp(what, "locks") && argc == 3)
        locks(atoi(argv[2]));
    else if (!strcmp(what, "used"))
        printf("%llu\n", (unsigned long long)info().used_bytes);
    else if (!strcmp(what, "release"))
        is("release", release(0), 0);
    else if (!strcmp(what, "off"))
        is("off", events(0, 0, 0), 0);
    else
        errx(2, "wrong use: see the beginning of ring-try.c");

    return 0;
}
