/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns all of this Xen's events on and off again, many times; first alone, then with a rival that
 * releases the area, makes another one, maps it and turns events on and off, all at the same time
 * on another vCPU.
 *
 * Usage: schedlog-soak CYCLES-ALONE CYCLES-WITH-RIVAL
 *
 * The test decides what else happens on the host (pCPUs and guests that come and go).  EBUSY is
 * always a legal result, and tried again; with the rival, so are EEXIST (it holds the log) and
 * ENOENT (there is no area).  No other result is legal.  At the end the area is released and none
 * of its memory may be left.  Prints how often each happened; exit code 1 if anything else did.
 */
#include <err.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>
#include <xensched/abi.h>

#define MAX_PAGES 1024
#define LEASE_MS 1000
#define OUR_COOKIE 1
#define RIVAL_COOKIE 2
#define USED_SECONDS 10

/* Things happen with the events on, and with them off. */
#define MAX_PAUSE_US 10000

/* What the rival makes in turn. */
static const struct {
    uint32_t nr_acct, nr_files, size;
} geometries[] = {
    { 2, 1, 4096 }, { 64, 8, 65536 }, { 1024, 32, 16 }, { 16, 4, 1 << 20 },
};

#define NR_GEOMETRIES (sizeof(geometries) / sizeof(geometries[0]))
#define MAX_FILES 32
#define MAX_MAPPINGS 64

/* Counted by two processes, each for itself. */
struct shared {
    bool stop;
    unsigned int busy, no_area, held;             /* this process */
    unsigned int resized, rival_failed, rival_on; /* the rival */
};

static struct shared *shared;
static xc_interface *xch;
static uint32_t all_events;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);

    return t.tv_sec + t.tv_nsec / 1e9;
}

static void open_xen(void)
{
    xch = xc_interface_open(NULL, NULL, 0);
    if (!xch)
        err(1, "cannot talk to Xen");
}

static void run_on(unsigned int vcpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(vcpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set))
        err(1, "cannot run on vCPU %u", vcpu);
}

static void set_up(unsigned int i)
{
    uint32_t sizes[MAX_FILES];

    for (uint32_t file = 0; file < geometries[i].nr_files; file++)
        sizes[file] = geometries[i].size;
    while (xc_schedlog_setup(xch, geometries[i].nr_acct,
                             geometries[i].nr_files, sizes, NULL))
        if (errno != EBUSY)
            err(1, "set-up failed");
}

static void release(uint64_t cookie)
{
    while (xc_schedlog_release(xch, cookie))
        if (errno != EBUSY)
            err(1, "cannot give the area up");
}

static uint32_t events_that_are_on(void)
{
    xc_schedlog_info_t info;

    if (xc_schedlog_info(xch, &info))
        err(1, "cannot ask Xen");

    return info.events_enabled;
}

/* Returns false if it is legally impossible just now. */
static bool change(uint32_t events, uint32_t lease_ms, bool rival)
{
    for (;;) {
        if (!xc_schedlog_events(xch, events, lease_ms, OUR_COOKIE))
            return true;
        if (errno == EBUSY) {
            shared->busy++;
        } else if (rival && (errno == ENOENT || errno == EEXIST)) {
            *(errno == ENOENT ? &shared->no_area : &shared->held) += 1;
            usleep(1000);
            return false;
        } else {
            err(1, "cannot make the events %#x", events);
        }
    }
}

/* Whether the events were on in between. */
static bool cycle(bool rival, double *longest)
{
    uint32_t lease_ms = rival && rand() % 2 ? LEASE_MS : 0;
    double begin = now(), middle, end;
    bool done;

    done = change(all_events, lease_ms, rival);
    middle = now();
    if (!rival && events_that_are_on() != all_events)
        errx(1, "not all events are on");
    usleep(rand() % MAX_PAUSE_US);
    begin += now() - middle;
    middle = now();
    change(0, 0, rival);
    end = now();
    if (!rival && events_that_are_on())
        errx(1, "not all events are off");
    if (middle - begin > *longest)
        *longest = middle - begin;
    if (end - middle > *longest)
        *longest = end - middle;
    usleep(rand() % MAX_PAUSE_US);

    return done;
}

static void cycles(int nr, bool rival)
{
    double begin = now(), longest = 0;
    int done = 0, attempts;

    for (attempts = 0; done < nr; attempts++) {
        done += cycle(rival, &longest);
        if (rival && waitpid(-1, NULL, WNOHANG))
            errx(1, "the rival died");
    }
    printf("%s: %d cycles in %.1f s, longest change %.1f ms",
           rival ? "with a rival" : "alone", done, now() - begin,
           longest * 1000);
    printf(", %d attempts, busy %u, no area %u, held by the rival %u\n",
           attempts, shared->busy, shared->no_area, shared->held);
    fflush(stdout);
}

struct mapping {
    void *va;
    size_t pages;
};

/* Returns false if there is no such region now. */
static bool map(xenforeignmemory_handle *fmem, uint32_t region, uint32_t cpu,
                int prot, struct mapping *m)
{
    static uint64_t frames[MAX_PAGES];
    static xen_pfn_t pfns[MAX_PAGES];
    int nr = xc_schedlog_frames(xch, region, cpu, 0, MAX_PAGES, frames);

    if (nr < 0 && errno == ENODEV)
        return false;
    if (nr <= 0)
        err(1, "rival: cannot get the frames of region %u", region);
    for (int i = 0; i < nr; i++)
        pfns[i] = frames[i];
    m->va = xenforeignmemory_map(fmem, DOMID_XEN, prot, nr, pfns, NULL);
    if (!m->va)
        err(1, "rival: cannot map region %u of pCPU %u", region, cpu);
    m->pages = nr;

    return true;
}

/* Writes all routes and registers, so that Xen writes rows. */
static unsigned int map_all(xenforeignmemory_handle *fmem, struct mapping *m)
{
    unsigned int nr = 0;
    xc_schedlog_info_t info;

    if (xc_schedlog_info(xch, &info))
        err(1, "rival: cannot ask Xen");
    for (uint32_t cpu = 0; cpu < info.nr_cpus && nr + 4 < MAX_MAPPINGS; cpu++) {
        if (map(fmem, XEN_SCHEDLOG_REGION_CONTROL, cpu,
                PROT_READ | PROT_WRITE, &m[nr]))
            memset(m[nr++].va, 0x7f, info.nr_files * sizeof(uint32_t));
        nr += map(fmem, XEN_SCHEDLOG_REGION_STATE, cpu, PROT_READ, &m[nr]);
        nr += map(fmem, XEN_SCHEDLOG_REGION_DATA, cpu, PROT_READ, &m[nr]);
    }
    if (map(fmem, XEN_SCHEDLOG_REGION_GLOBAL, 0, PROT_READ | PROT_WRITE,
            &m[nr])) {
        volatile uint64_t *route =
            (void *)((uint8_t *)m[nr].va + XEN_SCHEDLOG_ROUTES_OFFSET);

        for (uint32_t i = 0; i < info.nr_acct * XEN_SCHEDLOG_NR_EVENTS; i++)
            route[i] = XEN_SCHEDLOG_ROUTE_VALID |
                       (uint64_t)i << XEN_SCHEDLOG_ROUTE_FILE_SHIFT;
        nr++;
    }

    return nr;
}

static void unmap_all(xenforeignmemory_handle *fmem, struct mapping *m,
                      unsigned int nr)
{
    while (nr--)
        xenforeignmemory_unmap(fmem, m[nr].va, m[nr].pages);
}

/* The old area is still mapped while the next one is made. */
static void rival_step(xenforeignmemory_handle *fmem, unsigned int i)
{
    static struct mapping mappings[2][MAX_MAPPINGS];
    static unsigned int nr[2];
    unsigned int this = i % 2, events = all_events & (all_events - 1);

    if (xc_schedlog_release(xch, RIVAL_COOKIE)) {
        if (errno != EBUSY && errno != EEXIST)
            err(1, "rival: cannot give the area up");
        shared->rival_failed++;
        return;
    }
    set_up(i % NR_GEOMETRIES);
    shared->resized++;
    unmap_all(fmem, mappings[this], nr[this]);
    nr[this] = map_all(fmem, mappings[this]);
    if (!xc_schedlog_events(xch, events, i % 3 ? 0 : LEASE_MS, RIVAL_COOKIE))
        shared->rival_on++;
    else if (errno != EBUSY && errno != EEXIST)
        err(1, "rival: cannot turn events on");
}

static void be_rival(void)
{
    xenforeignmemory_handle *fmem = xenforeignmemory_open(NULL, 0);

    if (!fmem)
        err(1, "cannot map foreign memory");
    open_xen();
    run_on(1);
    for (unsigned int i = 0; !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
         i++) {
        rival_step(fmem, i);
        usleep(10000);
    }
    /* No later test has to wait for the end of a lease. */
    xc_schedlog_events(xch, 0, 0, RIVAL_COOKIE);
}

static void with_rival(int nr)
{
    pid_t rival = fork();
    int status;

    if (rival < 0)
        err(1, "cannot fork");
    if (!rival) {
        be_rival();
        exit(0);
    }
    run_on(0);
    cycles(nr, true);
    __atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
    if (waitpid(rival, &status, 0) != rival || status)
        errx(1, "the rival died");
    printf("rival: %u areas, %u refused, %u times events\n", shared->resized,
           shared->rival_failed, shared->rival_on);
}

/* Unmapped pages are freed after a moment. */
static void check_used(void)
{
    double end = now() + USED_SECONDS;
    xc_schedlog_info_t info;

    do {
        usleep(10000);
        if (xc_schedlog_info(xch, &info))
            err(1, "cannot ask Xen");
    } while (info.used_bytes && now() < end);
    if (info.used_bytes)
        errx(1, "%llu bytes are left", (unsigned long long)info.used_bytes);
    if (info.events_enabled)
        errx(1, "events are on: %#x", info.events_enabled);
}

int main(int argc, char **argv)
{
    xc_schedlog_info_t info;

    if (argc != 3 || atoi(argv[1]) < 1 || atoi(argv[2]) < 1)
        errx(2, "usage: schedlog-soak CYCLES-ALONE CYCLES-WITH-RIVAL");

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        err(1, "no memory");
    open_xen();
    if (xc_schedlog_info(xch, &info))
        err(1, "cannot ask Xen");
    all_events = info.events_built;

    release(OUR_COOKIE);
    set_up(0);
    cycles(atoi(argv[1]), false);
    with_rival(atoi(argv[2]));
    release(OUR_COOKIE);
    check_used();

    return 0;
}
