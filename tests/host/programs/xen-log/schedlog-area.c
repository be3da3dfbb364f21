/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The controls of the log, one per call, for test scripts that choose step by step what is logged,
 * make events, and read the rows.
 *
 *   schedlog-area setup NR-ACCT SIZE[xN]...   log buffers of SIZE bytes
 *   schedlog-area release
 *   schedlog-area info                        all numbers, one "NAME N" a line
 *   schedlog-area register FILE ENTRY...      what rows have, on all pCPUs
 *   schedlog-area route ACCT EVENT FILE [THRESHOLD]
 *   schedlog-area bind DOMID VCPU ACCT
 *   schedlog-area unbind                      all domains
 *   schedlog-area mark DOMID 0|1              whether it may log marks
 *   schedlog-area pmc SELECT...
 *   schedlog-area events [EVENT...]           exactly these are on
 *   schedlog-area rows FILE                   all rows of the present layout
 *   schedlog-area former FILE ENTRY...        rows of the former layout, which had these entries
 *   schedlog-area frames CPU                  frames that a pCPU writes to
 *   schedlog-area owners STEP                 "DOMID NODE FRAMES", of each STEP-th
 *   schedlog-area times DOMID                 of each vCPU, ms in each state
 *   schedlog-area clock DOMID VCPU            TSCs, rates, emulated, system time
 *
 * Several in one call, separated by ",", take one process instead of many; the first that Xen
 * refuses ends the call.  What one of them has mapped stays mapped, so release comes first.
 *
 * FILE, EVENT and VCPU can be "all".  ENTRY is event, current, correspondent,
 * counter, counter64, virtual, tick, tsc, time64, add, pad=N, shift=N, or full
 * for all three numbers, a counter and a TSC of 64 bits each.
 *
 * Rows are printed as "CPU EVENT CURRENT CORRESPONDENT COUNTER TIME", in the order of each pCPU,
 * with "-" for missing fields.  Turn the events off before, or only count rows: a row can be
 * overwritten while it is printed.
 *
 * Exit code: 1 with the name of the errno when Xen refuses, 2 for wrong use, 3
 * if rows were overwritten (but not with add, whose point it is).
 */

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xenctrl.h>
#include <xen/vcpu.h>

#include "log-memory.h"

#define CPU_OFFLINE NULL
#define MAX_DOMAINS 64
#define MAX_NODES 256

static xc_interface *xch;

/* Ends the program if Xen has refused. */
static void need(const char *what, int result)
{
    if (result >= 0)
        return;
    printf("%s: %s\n", what, strerrorname_np(errno));
    exit(1);
}

static unsigned long number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);

    if (end == text || *end)
        errx(2, "'%s' has to be a number", text);

    return value;
}

/* SIZE or SIZExN: appends N sizes. */
static uint32_t add_sizes(uint32_t *sizes, uint32_t nr, const char *text)
{
    char *end;
    uint32_t size = strtoul(text, &end, 0);
    uint32_t times = *end == 'x' ? number(end + 1) : 1;

    if (nr + times > XEN_SCHEDLOG_MAX_FILES)
        errx(2, "more than %u log buffers", XEN_SCHEDLOG_MAX_FILES);
    for (uint32_t i = 0; i < times; i++)
        sizes[nr + i] = size;

    return nr + times;
}

static void set_up(char **args)
{
    uint32_t sizes[XEN_SCHEDLOG_MAX_FILES], nr = 0;

    for (int i = 1; args[i]; i++)
        nr = add_sizes(sizes, nr, args[i]);
    need("setup", xc_schedlog_setup(xch, number(args[0]), nr, sizes, NULL));
}

static void release(char **args)
{
    (void)args;
    need("release", xc_schedlog_release(xch, 0));
}

static void show_info(char **args)
{
    xc_schedlog_info_t info;

    (void)args;
    need("info", xc_schedlog_info(xch, &info));
#define SHOW(name) printf(#name " %llu\n", (unsigned long long)info.name)
    SHOW(nr_cpus);
    SHOW(nr_acct);
    SHOW(nr_files);
    SHOW(data_size);
    SHOW(events_built);
    SHOW(events_enabled);
    SHOW(tsc_khz);
    SHOW(max_bytes);
    SHOW(used_bytes);
    SHOW(nr_pmcs);
}

static const struct entry {
    const char *name;
    uint32_t bits;
} entries[] = {
    { "event", XEN_SCHEDLOG_LCR_EVENT },
    { "current", XEN_SCHEDLOG_LCR_CURRENT },
    { "correspondent", XEN_SCHEDLOG_LCR_CORRESPONDENT },
    { "counter", XEN_SCHEDLOG_LCR_COUNTER },
    { "counter64", XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_COUNTER64 },
    { "virtual", XEN_SCHEDLOG_LCR_TIME_VIRTUAL },
    { "tick", XEN_SCHEDLOG_LCR_TIME_TICK },
    { "tsc", XEN_SCHEDLOG_LCR_TIME_TSC },
    { "time64", XEN_SCHEDLOG_LCR_TIME64 },
    { "add", XEN_SCHEDLOG_LCR_ADD },
    { "full", XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
              XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
              XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_TIME_TSC |
              XEN_SCHEDLOG_LCR_TIME64 },
};

static uint32_t entry_bits(const char *text)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (!strcmp(text, entries[i].name))
            return entries[i].bits;
    if (!strncmp(text, "pad=", 4))
        return number(text + 4) << XEN_SCHEDLOG_LCR_PAD_SHIFT;
    if (!strncmp(text, "shift=", 6))
        return number(text + 6) << XEN_SCHEDLOG_LCR_TSC_SHIFT;
    errx(2, "%s: no such entry", text);
}

static uint32_t register_of(char **args)
{
    uint32_t lcr = 0;

    for (int i = 0; args[i]; i++)
        lcr |= entry_bits(args[i]);

    return lcr;
}

static void set_register(char **args)
{
    bool all = !strcmp(args[0], "all");
    uint32_t lcr = register_of(args + 1);
    xc_schedlog_info_t info;

    need("info", xc_schedlog_info(xch, &info));
    for (uint32_t cpu = 0; cpu < info.nr_cpus; cpu++) {
        volatile uint32_t *lcrs = log_map(XEN_SCHEDLOG_REGION_CONTROL, cpu,
                                          PROT_READ | PROT_WRITE);

        if (lcrs == CPU_OFFLINE)
            continue;
        for (uint32_t i = 0; i < info.nr_files; i++)
            if (all || i == number(args[0]))
                lcrs[i] = lcr;
    }
}

static void set_route(char **args)
{
    volatile uint64_t *routes = log_routes(number(args[0]));
    int event = strcmp(args[1], "all") ? log_event(args[1]) : -1;
    uint64_t route = XEN_SCHEDLOG_ROUTE_VALID |
                     number(args[2]) << XEN_SCHEDLOG_ROUTE_FILE_SHIFT |
                     (args[3] ? (uint32_t)number(args[3]) : 0);

    for (int i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (event < 0 || event == i)
            routes[i] = route;
}

static void bind_vcpu(char **args)
{
    uint32_t vcpu = strcmp(args[1], "all") ? number(args[1])
                                           : XEN_DOMCTL_SCHEDLOG_ALL_VCPUS;

    need("bind", xc_schedlog_bind(xch, number(args[0]), vcpu,
                                  number(args[2]), 0));
}

/* A domain that has ended meanwhile needs nothing. */
static void unbind_all(char **args)
{
    xc_domaininfo_t domains[MAX_DOMAINS];
    int nr = xc_domain_getinfolist(xch, 0, MAX_DOMAINS, domains);

    (void)args;
    need("domains", nr);
    for (int i = 0; i < nr; i++)
        if (xc_schedlog_bind(xch, domains[i].domain,
                             XEN_DOMCTL_SCHEDLOG_ALL_VCPUS,
                             XEN_SCHEDLOG_ACCT_REST, 0) && errno != ESRCH)
            need("bind", -1);
}

static void allow_mark(char **args)
{
    need("mark", xc_schedlog_mark(xch, number(args[0]), number(args[1]), 0));
}

static void select_pmcs(char **args)
{
    uint64_t selects[XEN_SCHEDLOG_MAX_PMCS] = { 0 };
    uint32_t nr = 0;

    for (; args[nr]; nr++)
        selects[nr] = number(args[nr]);
    need("pmc", xc_schedlog_pmc(xch, 0, nr, selects));
}

/* pCPUs that come or go meanwhile are no error. */
static void set_events(char **args)
{
    uint32_t events = 0;
    int result;

    for (int i = 0; args[i]; i++)
        events |= 1U << log_event(args[i]);
    do
        result = xc_schedlog_events(xch, events, 0, 0);
    while (result < 0 && errno == EBUSY);
    need("events", result);
}

/* Reads an entry of @size bytes from the row. */
static uint64_t take(const uint8_t *row, uint32_t *offset, uint32_t size)
{
    uint64_t value = 0;

    *offset = (*offset + size - 1) & ~(size - 1);
    memcpy(&value, row + *offset, size);
    *offset += size;

    return value;
}

static void print_acct(uint64_t acct)
{
    if (acct == XEN_SCHEDLOG_ACCT_NONE)
        printf(" none");
    else
        printf(" %llu", (unsigned long long)acct);
}

static void print_row(uint32_t cpu, uint32_t lcr, const uint8_t *row)
{
    uint32_t offset = 0;

    printf("%u", cpu);
    if (lcr & XEN_SCHEDLOG_LCR_EVENT)
        printf(" %s", log_event_name(take(row, &offset, 2)));
    else
        printf(" -");
    for (uint32_t bit = XEN_SCHEDLOG_LCR_CURRENT;
         bit <= XEN_SCHEDLOG_LCR_CORRESPONDENT; bit <<= 1)
        if (lcr & bit)
            print_acct(take(row, &offset, 2));
        else
            printf(" -");
    if (lcr & XEN_SCHEDLOG_LCR_COUNTER)
        printf(" %llu", (unsigned long long)take(row, &offset,
                        lcr & XEN_SCHEDLOG_LCR_COUNTER64 ? 8 : 4));
    else
        printf(" -");
    if (lcr & XEN_SCHEDLOG_LCR_TIME_MASK)
        printf(" %llu\n", (unsigned long long)take(row, &offset,
                          lcr & XEN_SCHEDLOG_LCR_TIME64 ? 8 : 4));
    else
        printf(" -\n");
}

/* Computed here once more, independently of Xen's state. */
static uint32_t row_size(uint32_t lcr)
{
    static const uint8_t none[XEN_SCHEDLOG_MAX_ROW_SIZE];
    uint32_t end = 0, pad, size;

    for (uint32_t bit = 1; bit <= XEN_SCHEDLOG_LCR_CORRESPONDENT; bit <<= 1)
        if (lcr & bit)
            take(none, &end, 2);
    if (lcr & XEN_SCHEDLOG_LCR_COUNTER)
        take(none, &end, lcr & XEN_SCHEDLOG_LCR_COUNTER64 ? 8 : 4);
    if (lcr & XEN_SCHEDLOG_LCR_TIME_MASK)
        take(none, &end, lcr & XEN_SCHEDLOG_LCR_TIME64 ? 8 : 4);

    pad = (lcr & XEN_SCHEDLOG_LCR_PAD_MASK) >> XEN_SCHEDLOG_LCR_PAD_SHIFT;
    for (size = 1U << pad; size < end; size <<= 1)
        ;

    return size;
}

/* Prints the rows in [begin, end) of a cyclic log buffer. */
static void print_rows(uint32_t cpu, const uint8_t *data, uint32_t file_size,
                       uint32_t lcr, uint64_t begin, uint64_t end)
{
    uint32_t size = row_size(lcr);
    bool adds = lcr & XEN_SCHEDLOG_LCR_ADD;

    if (end - begin > file_size && !adds) {
        warnx("%llu rows of pCPU %u were overwritten",
              (unsigned long long)((end - begin - file_size) / size), cpu);
        exit(3);
    }
    if (end - begin > file_size)
        begin = end - file_size;
    for (; begin < end; begin += size)
        print_row(cpu, lcr, data + begin % file_size);
}

/* Prints rows of the present layout, or, with a register, of the former one. */
static void show_rows(uint32_t nr, const uint32_t *former)
{
    xen_schedlog_file_t file = log_file(nr);
    uint32_t nr_cpus = log_nr_cpus();

    for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
        const struct xen_schedlog_state *state =
            log_map(XEN_SCHEDLOG_REGION_STATE, cpu, PROT_READ);
        const uint8_t *data = log_map(XEN_SCHEDLOG_REGION_DATA, cpu,
                                      PROT_READ);

        if (state == CPU_OFFLINE)
            continue;
        state += nr;
        if (state->pos > state->layout_pos &&
            state->row_size != row_size(state->lcr))
            errx(1, "pCPU %u: rows of %u bytes with register %#x", cpu,
                 state->row_size, state->lcr);
        if (former)
            print_rows(cpu, data + file.offset, file.size, *former, 0,
                       state->layout_pos - state->layout_gap);
        else
            print_rows(cpu, data + file.offset, file.size, state->lcr,
                       state->layout_pos, state->pos);
    }
}

static void rows(char **args)
{
    show_rows(number(args[0]), NULL);
}

static void former_rows(char **args)
{
    uint32_t lcr = register_of(args + 1);

    show_rows(number(args[0]), &lcr);
}

/* Prints the machine frames of the regions STATE and DATA, one per line. */
static void show_frames(char **args)
{
    uint32_t cpu = number(args[0]);

    for (uint32_t region = XEN_SCHEDLOG_REGION_STATE;
         region <= XEN_SCHEDLOG_REGION_DATA; region++) {
        uint64_t frames[1024];
        int nr = xc_schedlog_frames(xch, region, cpu, 0, 1024, frames);

        need("frames", nr);
        for (int i = 0; i < nr; i++)
            printf("%llu\n", (unsigned long long)frames[i]);
    }
}

/* Prints frames by domain and node, and "- - CALLS" at the end. */
static void show_owners(char **args)
{
    static uint32_t frames[XEN_SCHEDLOG_OWNER_DOMAIN_MASK][MAX_NODES];
    uint32_t owners[4096], calls = 0;
    uint64_t at = 0;

    do {
        int nr = xc_schedlog_owners(xch, &at, number(args[0]), 4096, owners);

        need("owners", nr);
        for (int i = 0; i < nr; i++)
            frames[owners[i] & XEN_SCHEDLOG_OWNER_DOMAIN_MASK]
                  [owners[i] >> XEN_SCHEDLOG_OWNER_NODE_SHIFT]++;
        calls++;
    } while (at);
    for (uint32_t d = 0; d < XEN_SCHEDLOG_OWNER_DOMAIN_MASK; d++)
        for (uint32_t node = 0; node < MAX_NODES; node++)
            if (frames[d][node])
                printf("%u %u %u\n", d, node, frames[d][node]);
    printf("- - %u\n", calls);
}

static void show_times(char **args)
{
    uint64_t times[64][4];
    int nr = xc_schedlog_times(xch, number(args[0]), 0, 64, times);

    need("times", nr);
    for (int i = 0; i < nr; i++)
        printf("%d %llu %llu %llu %llu\n", i,
               (unsigned long long)times[i][RUNSTATE_running] / 1000000,
               (unsigned long long)times[i][RUNSTATE_runnable] / 1000000,
               (unsigned long long)times[i][RUNSTATE_blocked] / 1000000,
               (unsigned long long)times[i][RUNSTATE_offline] / 1000000);
}

/* Prints for VCPU: host's TSC, its own, both in kHz, emulated, system time. */
static void show_clock(char **args)
{
    struct xen_domctl_schedlog_clock c;

    need("clock", xc_schedlog_clock(xch, number(args[0]), number(args[1]), &c));
    printf("%llu %llu %u %u %u %llu\n", (unsigned long long)c.host_tsc,
           (unsigned long long)c.guest_tsc, c.host_khz, c.guest_khz,
           c.flags & XEN_DOMCTL_SCHEDLOG_CLOCK_EMULATED,
           (unsigned long long)c.system_ns);
}

static const struct {
    const char *name;
    int min, max;
    void (*run)(char **args);
} commands[] = {
    { "setup", 2, 1 + XEN_SCHEDLOG_MAX_FILES, set_up },
    { "release", 0, 0, release },
    { "info", 0, 0, show_info },
    { "register", 1, 20, set_register },
    { "route", 3, 4, set_route },
    { "bind", 3, 3, bind_vcpu },
    { "unbind", 0, 0, unbind_all },
    { "mark", 2, 2, allow_mark },
    { "pmc", 0, XEN_SCHEDLOG_MAX_PMCS, select_pmcs },
    { "events", 0, XEN_SCHEDLOG_NR_EVENTS, set_events },
    { "rows", 1, 1, rows },
    { "former", 2, 20, former_rows },
    { "frames", 1, 1, show_frames },
    { "owners", 1, 1, show_owners },
    { "times", 1, 1, show_times },
    { "clock", 2, 2, show_clock },
};

static void run(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (argc && !strcmp(argv[0], commands[i].name) &&
            argc - 1 >= commands[i].min && argc - 1 <= commands[i].max) {
            commands[i].run(argv + 1);
            return;
        }
    errx(2, "wrong use: see the beginning of schedlog-area.c");
}

int main(int argc, char **argv)
{
    int first = 1;

    xch = log_open();
    for (int i = 1; i <= argc; i++)
        if (i == argc || !strcmp(argv[i], ",")) {
            argv[i] = NULL;
            run(i - first, argv + first);
            first = i + 1;
        }

    return 0;
}
