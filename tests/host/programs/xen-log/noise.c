/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scheduler that writes random words over everything that a scheduler may write, at full speed,
 * while all events are on.
 *
 * Usage: noise SECONDS SECONDS DOMID...
 *
 * For the first time, registers and routes get any bits except one: the lowest bit of the log
 * buffer's number in routes is 0, and registers of log buffers with odd numbers stay.  So the odd
 * log buffers, each of which lies between two even ones, have to keep their contents and their
 * state; they were filled correctly before.  For the second time nothing is left out, the header
 * and the unused end of the pages included.
 *
 * Always: no position decreases, and pages are zero after their end.
 *
 * DOMID... are the domains whose events are logged, besides dom0's own.  Prints how much was
 * written and logged.  Exit code 1 if a promise of public/schedlog.h was broken; the message names
 * it.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>
#include <xensched/abi.h>

#define NR_ACCT 16
#define NR_ROUTES (NR_ACCT * XEN_SCHEDLOG_NR_EVENTS)
#define MAX_PAGES 256
#define LOOK_US 5000
#define FILL_SECONDS 60

/* Together no multiple of a page, so that a rest is left after them. */
static const uint32_t sizes[] = {
    16, 1024, 64, 256, 4096, 64, 32, 4096, 65536, 512, 128, 128, 16384, 2048,
    64, 1024,
};

#define NR_FILES (sizeof(sizes) / sizeof(sizes[0]))

struct region {
    void *va;
    size_t bytes; /* whole pages */
};

struct cpu {
    struct region control, state, data;
    /* Their state when the odd log buffers were filled. */
    struct xen_schedlog_state kept_state[NR_FILES];
    uint8_t *kept_data;
    uint64_t last_pos[NR_FILES];
};

static xc_interface *xch;
static xenforeignmemory_handle *fmem;
static struct cpu *cpus;
static uint32_t nr_cpus;
static struct region global;
static struct xen_schedlog_file files[NR_FILES];
static uint32_t events;

static bool unrestricted;
static bool stop;
static uint64_t words;

/* -ENODEV leaves @region empty: the pCPU has no area. */
static void map(uint32_t type, uint32_t cpu, int prot, struct region *region)
{
    uint64_t frames[MAX_PAGES];
    xen_pfn_t pfns[MAX_PAGES];
    int nr = xc_schedlog_frames(xch, type, cpu, 0, MAX_PAGES, frames);

    if (nr < 0 && errno == ENODEV)
        return;
    if (nr < 0)
        err(2, "cannot get the frames of region %u", type);
    for (int i = 0; i < nr; i++)
        pfns[i] = frames[i];
    region->bytes = (size_t)nr * XC_PAGE_SIZE;
    region->va = xenforeignmemory_map(fmem, DOMID_XEN, prot, nr, pfns, NULL);
    if (!region->va)
        err(2, "cannot map region %u of pCPU %u", type, cpu);
}

static void map_all(void)
{
    map(XEN_SCHEDLOG_REGION_GLOBAL, 0, PROT_READ | PROT_WRITE, &global);
    cpus = calloc(nr_cpus, sizeof(*cpus));
    for (uint32_t i = 0; i < nr_cpus; i++) {
        map(XEN_SCHEDLOG_REGION_CONTROL, i, PROT_READ | PROT_WRITE,
            &cpus[i].control);
        map(XEN_SCHEDLOG_REGION_STATE, i, PROT_READ, &cpus[i].state);
        map(XEN_SCHEDLOG_REGION_DATA, i, PROT_READ, &cpus[i].data);
        cpus[i].kept_data = malloc(cpus[i].data.bytes);
    }
}

static void set_up(void)
{
    xc_schedlog_info_t info;

    if (xc_schedlog_release(xch, 0) ||
        xc_schedlog_setup(xch, NR_ACCT, NR_FILES, sizes, NULL) ||
        xc_schedlog_info(xch, &info) ||
        xc_schedlog_files(xch, 0, NR_FILES, files) != (int)NR_FILES)
        err(2, "cannot set the area up");
    nr_cpus = info.nr_cpus;
    events = info.events_built;
    map_all();
}

static void bind_domain(uint32_t domid, uint16_t acct)
{
    if (xc_schedlog_bind(xch, domid, XEN_DOMCTL_SCHEDLOG_ALL_VCPUS, acct, 0))
        err(2, "cannot bind domain %u", domid);
}

static void turn(uint32_t mask)
{
    while (xc_schedlog_events(xch, mask, 0, 0))
        if (errno != EBUSY)
            err(2, "cannot make the events %#x", mask);
}

static volatile uint64_t *routes(void)
{
    return (void *)((uint8_t *)global.va + XEN_SCHEDLOG_ROUTES_OFFSET);
}

static volatile uint32_t *registers(const struct cpu *cpu)
{
    return cpu->control.va;
}

static const volatile struct xen_schedlog_state *
state(const struct cpu *cpu, uint32_t file)
{
    return (const struct xen_schedlog_state *)cpu->state.va + file;
}

static const uint8_t *rows(const struct cpu *cpu, uint32_t file)
{
    return (const uint8_t *)cpu->data.va + files[file].offset;
}

/* Checks to the end, or far enough to notice any change. */
static bool is_filled_everywhere(uint32_t file)
{
    uint32_t enough = files[file].size < 1024 ? files[file].size : 1024;

    for (uint32_t i = 0; i < nr_cpus; i++)
        if (cpus[i].state.va && state(&cpus[i], file)->pos < enough)
            return false;

    return true;
}

/* Routes all events to this log buffer until it is full on each pCPU. */
static void fill(uint32_t file)
{
    for (uint32_t i = 0; i < nr_cpus; i++)
        if (cpus[i].control.va)
            registers(&cpus[i])[file] =
                XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER;
    for (uint32_t i = 0; i < NR_ROUTES; i++)
        routes()[i] = XEN_SCHEDLOG_ROUTE_VALID |
                      (uint64_t)file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT;
    for (int i = 0; !is_filled_everywhere(file); i++) {
        if (i == FILL_SECONDS * 1000000 / LOOK_US)
            errx(2, "too few events on some pCPU to fill log buffer %u", file);
        usleep(LOOK_US);
    }
}

static void fill_odd_files(void)
{
    turn(events);
    for (uint32_t file = 1; file < NR_FILES; file += 2)
        fill(file);
    turn(0);
    /* From now on no route leads to them. */
    for (uint32_t i = 0; i < NR_ROUTES; i++)
        routes()[i] = 0;
    for (uint32_t i = 0; i < nr_cpus; i++) {
        if (!cpus[i].state.va)
            continue;
        memcpy(cpus[i].kept_state, cpus[i].state.va,
               sizeof(cpus[i].kept_state));
        memcpy(cpus[i].kept_data, cpus[i].data.va, cpus[i].data.bytes);
    }
}

/* xorshift64*, S. Vigna, ACM TOMS 42(4), 2016 */
static uint64_t random64(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;

    return *seed * 0x2545f4914f6cdd1dULL;
}

/* With thresholds of any size hardly any event would make a row. */
static uint64_t random_route(uint64_t *seed)
{
    uint64_t route = random64(seed);

    if (random64(seed) >> 62)
        route &= ~0xfffffffcULL;
    if (!unrestricted)
        route &= ~(1ULL << XEN_SCHEDLOG_ROUTE_FILE_SHIFT);

    return route;
}

static void write_register(uint64_t *seed)
{
    const struct cpu *cpu = &cpus[random64(seed) % nr_cpus];
    uint32_t file = random64(seed) % NR_FILES;

    if (cpu->control.va)
        registers(cpu)[unrestricted ? file : file & ~1U] = random64(seed);
}

/* The header of the area, and all memory that no register describes. */
static void write_elsewhere(uint64_t *seed)
{
    const struct cpu *cpu = &cpus[random64(seed) % nr_cpus];
    volatile uint64_t *header = global.va;
    uint32_t nr = XC_PAGE_SIZE / sizeof(uint32_t);

    header[random64(seed) % (XEN_SCHEDLOG_ROUTES_OFFSET / sizeof(*header))] =
        random64(seed);
    if (cpu->control.va)
        registers(cpu)[random64(seed) % nr] = random64(seed);
}

static void *write_noise(void *arg)
{
    uint64_t seed = 20050324;

    (void)arg;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 1000; i++) {
            routes()[random64(&seed) % NR_ROUTES] = random_route(&seed);
            write_register(&seed);
            if (unrestricted)
                write_elsewhere(&seed);
        }
        words += 2000 + 2000 * unrestricted;
    }

    return NULL;
}

static void check_positions(struct cpu *cpu, uint32_t nr)
{
    for (uint32_t file = 0; file < NR_FILES; file++) {
        uint64_t pos = state(cpu, file)->pos;

        if (pos < cpu->last_pos[file])
            errx(1, "pCPU %u, log buffer %u: the position decreased from %llu "
                 "to %llu", nr, file, (unsigned long long)cpu->last_pos[file],
                 (unsigned long long)pos);
        cpu->last_pos[file] = pos;
    }
}

static void check_kept(const struct cpu *cpu, uint32_t nr)
{
    for (uint32_t file = 1; file < NR_FILES; file += 2) {
        if (memcmp((const void *)state(cpu, file), &cpu->kept_state[file],
                   sizeof(cpu->kept_state[file])))
            errx(1, "pCPU %u, log buffer %u: the state was changed", nr, file);
        if (memcmp(rows(cpu, file), cpu->kept_data + files[file].offset,
                   files[file].size))
            errx(1, "pCPU %u, log buffer %u: rows were changed", nr, file);
    }
}

static void check_zero(const struct region *region, size_t from,
                       const char *name, uint32_t nr)
{
    const uint8_t *bytes = region->va;

    for (size_t i = from; i < region->bytes; i++)
        if (bytes[i])
            errx(1, "pCPU %u: byte %zu of %s, behind its end, is %#x", nr, i,
                 name, bytes[i]);
}

static void check(void)
{
    const struct xen_schedlog_file *last = &files[NR_FILES - 1];

    for (uint32_t i = 0; i < nr_cpus; i++) {
        struct cpu *cpu = &cpus[i];

        if (!cpu->state.va)
            continue;
        check_positions(cpu, i);
        check_zero(&cpu->state, NR_FILES * sizeof(struct xen_schedlog_state),
                   "STATE", i);
        check_zero(&cpu->data, last->offset + last->size, "DATA", i);
        if (unrestricted)
            continue;
        check_kept(cpu, i);
        check_zero(&cpu->control, NR_FILES * sizeof(uint32_t), "CONTROL", i);
    }
}

static uint64_t bytes_logged(void)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < nr_cpus; i++)
        for (uint32_t file = 0; cpus[i].state.va && file < NR_FILES; file++)
            bytes += state(&cpus[i], file)->pos;

    return bytes;
}

static void make_noise(const char *name, int seconds)
{
    uint64_t bytes = bytes_logged();
    time_t end = time(NULL) + seconds;
    pthread_t writer;

    words = 0;
    stop = false;
    turn(events);
    if (pthread_create(&writer, NULL, write_noise, NULL))
        errx(2, "cannot make a thread");
    while (time(NULL) < end) {
        check();
        usleep(LOOK_US);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(writer, NULL);
    turn(0);
    check();
    printf("%s: %llu words of noise, %llu bytes of rows in %d s\n", name,
           (unsigned long long)words,
           (unsigned long long)(bytes_logged() - bytes), seconds);
}

int main(int argc, char **argv)
{
    if (argc < 3 || atoi(argv[1]) < 1 || atoi(argv[2]) < 1)
        errx(2, "usage: noise SECONDS SECONDS DOMID...");

    xch = xc_interface_open(NULL, NULL, 0);
    fmem = xenforeignmemory_open(NULL, 0);
    if (!xch || !fmem)
        err(2, "cannot talk to Xen");
    set_up();
    /* An accounting domain for each of them, so that no event is internal. */
    bind_domain(0, XEN_SCHEDLOG_ACCT_FIRST);
    for (int i = 3; i < argc; i++)
        bind_domain(atoi(argv[i]), XEN_SCHEDLOG_ACCT_FIRST + i - 2);

    fill_odd_files();
    make_noise("half", atoi(argv[1]));
    unrestricted = true;
    make_noise("all", atoi(argv[2]));

    bind_domain(0, XEN_SCHEDLOG_ACCT_REST);
    if (xc_schedlog_release(xch, 0))
        err(2, "cannot give the area up");

    return 0;
}
