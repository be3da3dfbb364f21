/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver domain can forge about its log: in the nodes of its answer, in the directory of its
 * frames, and in what the scheduler has mapped.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lie.h"
#include "ticks.h"

#include <xencall.h>

static void fill_noise(void *memory, size_t bytes)
{
    uint64_t *word = memory;

    for (size_t i = 0; i < bytes / sizeof(*word); i++)
        word[i] = (uint64_t)mrand48() << 32 ^ mrand48();
}

/* Forged nodes. */

static void say_error(void)
{
    memset(answer.error, '\1', sizeof(answer.error) - 1);
    memcpy(answer.error, "E%s%n\033[2J\n", 10);
    answer.directory = NULL;
}

static void say_version(void)
{
    strcpy(answer.version, "4294967295");
}

static void say_nr_cpus(void)
{
    strcpy(answer.nr_cpus, "4294967295");
}

static uint64_t spare_frame(uint32_t i)
{
    return area.frames[area_spare() + i];
}

/* The greatest number of CPUs, all with the same frames. */
static void say_cpus(uint64_t (*frame)(uint32_t i))
{
    uint32_t of_cpu = 2 + area.nr_data;
    uint32_t nr_cpus = (MAX_DIRECTORY * ENTRIES - area.nr_global) / of_cpu;
    uint64_t *first = (void *)(area.pages + area_spare() * PAGE), *entry = first;

    for (uint32_t i = 0; i < area.nr_global; i++)
        *entry++ = area.frames[area.nr_directory + i];
    for (uint32_t i = 0; i < nr_cpus * of_cpu; i++)
        *entry++ = frame(i % of_cpu);
    sprintf(answer.nr_cpus, "%u", nr_cpus);
    answer.directory = list(pages((entry - first) * sizeof(*entry)),
                            spare_frame);
}

static uint64_t no_frame(uint32_t i)
{
    (void)i;

    return ~0ULL;
}

static uint64_t log_frame(uint32_t i)
{
    return area.frames[area.nr_directory + area.nr_global + i];
}

/* The description is consistent, but large: no CPU has a log... */
static void say_many_cpus(void)
{
    say_cpus(no_frame);
}

/* ... or all have one, with the same contents a thousand times. */
static void say_many_logs(void)
{
    say_cpus(log_frame);
}

static void say_nr_acct(void)
{
    sprintf(answer.nr_acct, "%u", area.nr_acct * 2);
}

static void say_sizes(void)
{
    answer.sizes = strdup("16777216");
}

static void say_text(void)
{
    answer.directory = strdup("-1 0x12 %s\n../../0");
}

static uint64_t wild_frame(uint32_t i)
{
    static const uint64_t wild[] = { ~0ULL, 1ULL << 52, 1ULL << 40, 0 };

    return wild[i % 4];
}

static void say_numbers(void)
{
    answer.directory = list(area.nr_directory, wild_frame);
}

/* Forged directories. */

static void list_noise(void)
{
    fill_noise(area.pages, area.nr_directory * PAGE);
}

static void list_frame(uint32_t i, uint64_t frame)
{
    ((uint64_t *)area.pages)[i] = frame;
}

/* The FRAMEs, again and again. */
static void list_frames(void)
{
    uint32_t nr = 0;

    while (arguments[nr])
        nr++;
    for (uint32_t i = 0; nr && i < area_spare() - area.nr_directory; i++)
        list_frame(i, strtoull(arguments[i % nr], NULL, 10));
}

/* All but the last page are right. */
static void list_wild(void)
{
    list_frame(area_spare() - area.nr_directory - 1, 1ULL << 39);
}

/* All but the last page are right; the last page is a device's FRAME. */
static void list_device(void)
{
    if (!arguments[0])
        errx(2, "no FRAME of a device");
    list_frame(area_spare() - area.nr_directory - 1,
               strtoull(arguments[0], NULL, 10));
}

/* One frame for all pages. */
static void list_one(void)
{
    for (uint32_t i = 0; i < area_spare() - area.nr_directory; i++)
        list_frame(i, area.frames[area.nr_directory]);
}

/* GLOBAL is a page table, to which no domain may write. */
static void list_page_table(void)
{
    xencall_handle *call = xencall_open(NULL, 0);
    struct mmuext_op *op = call ? xencall_alloc_buffer(call, sizeof(*op)) : NULL;
    xen_pfn_t frame = 0;

    if (!op || xc_domain_increase_reservation_exact(xch, DOMID_SELF, 1, 0, 0,
                                                    &frame))
        err(1, "no frame for a page table");
    op->cmd = MMUEXT_PIN_L1_TABLE;
    op->arg1.mfn = frame;
    if (xencall4(call, __HYPERVISOR_mmuext_op, (unsigned long)op, 1, 0,
                 DOMID_SELF))
        err(1, "cannot make a page table of it");
    list_frame(0, frame);
    xencall_close(call);
}

/* Forged memory.  These functions run all the time. */

/* Returns the log buffer that the scheduler wants for an event. */
static uint32_t file_of(uint32_t current, uint32_t event)
{
    const uint64_t *routes = (void *)(area_global() + XEN_SCHEDLOG_ROUTES_OFFSET);
    uint64_t route = routes[current * XEN_SCHEDLOG_NR_EVENTS + event];

    return (route >> XEN_SCHEDLOG_ROUTE_FILE_SHIFT) % area.nr_files;
}

static uint32_t chosen_file(uint32_t current)
{
    return file_of(current, XEN_SCHEDLOG_EV_RING_PAGES);
}

static void write_row(uint32_t file, uint16_t event, uint16_t current,
                      uint16_t correspondent, uint32_t counter)
{
    volatile struct xen_schedlog_state *state = &area_states()[file];
    struct row row = { event, current, correspondent, counter,
                       ticks() >> ROW_TSC_SHIFT };

    memcpy(area_data() + area.offsets[file] + state->pos % area.sizes[file], &row,
           sizeof(row));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    state->pos += sizeof(row);
}

/* Returns the scheduler's accounting domain of a domain. */
static uint32_t accounting_domain(const char *domid)
{
    uint32_t acct = node_number("schedlog/acct/%s", domid);

    return acct ? acct : strtoul(domid, NULL, 10);
}

static uint32_t own_acct(void)
{
    char domid[16];

    snprintf(domid, sizeof(domid), "%u", node_number("%s", "domid"));

    return accounting_domain(domid);
}

/* Millions of rows of all domains with all domains. */
static void write_forged(void)
{
    static const uint16_t events[] = {
        XEN_SCHEDLOG_EV_RING_PAGES, XEN_SCHEDLOG_EV_EVTCHN_SEND,
        XEN_SCHEDLOG_EV_GRANT_MAP, XEN_SCHEDLOG_EV_SERVICE_NS, 27, 0xffff,
    };
    static uint32_t turn, own;
    uint32_t file;

    /* Only sometimes, because the test does not burden xenstored. */
    if (!own)
        own = own_acct();
    file = chosen_file(own);

    for (uint32_t i = 0; i < 256; i++, turn++) {
        write_row(file, events[turn / 4096 % 6], turn % 64, turn / 64 % 64,
                  1000000);
        write_row(file, XEN_SCHEDLOG_EV_RING_PAGES, own, turn % 64, ~0U);
    }
}

/* Returns one of its clients; 0: it has none. */
static uint32_t client_acct(void)
{
    unsigned int nr = 0;
    char **domids = xs_directory(xs, XBT_NULL, "schedlog/acct", &nr);
    uint32_t own = node_number("%s", "domid"), acct = 0;

    for (unsigned int i = 0; domids && i < nr; i++)
        if (strtoul(domids[i], NULL, 10) != own)
            acct = accounting_domain(domids[i]);
    free(domids);

    return acct;
}

/* In each turn, fills the log with the same row about its client. */
static void write_claims(uint32_t counter)
{
    static uint32_t own, client;
    uint32_t file;

    if (!client) {
        own = own_acct();
        client = client_acct();
    }
    file = chosen_file(own);
    for (uint32_t i = 0; i < area.sizes[file] / sizeof(struct row); i++)
        write_row(file, XEN_SCHEDLOG_EV_RING_PAGES, own, client, counter);
}

/* More pages than any request has. */
static void write_absurd(void)
{
    write_claims(~0U);
}

/* The client has requests, but not as many. */
static void write_flood(void)
{
    write_claims(257);
}

/* Acts as a guest with an agent. */
static void say_guest(void)
{
    sprintf(answer.built, "%u", 7U << XEN_SCHEDLOG_EV_GUEST_NAME);
}

#define WIDE_ROW 32

static void write_wide_row(uint32_t file, uint16_t event, uint16_t current,
                           uint16_t correspondent, uint64_t counter)
{
    volatile struct xen_schedlog_state *state = &area_states()[file];
    struct {
        uint16_t event, current, correspondent;
        uint64_t counter, time, pad;
    } row = { event, current, correspondent, counter, 0, 0 };

    memcpy(area_data() + area.offsets[file] + state->pos % area.sizes[file], &row,
           sizeof(row));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    state->pos += sizeof(row);
}

/* Uses the scheduler's layout, once the scheduler has chosen one. */
static bool follows_register(uint32_t file)
{
    volatile struct xen_schedlog_state *state = &area_states()[file];
    const volatile uint32_t *lcr = (void *)(area_global() +
                                            area.nr_global * PAGE);

    if (lcr[file] && state->lcr != lcr[file]) {
        state->layout_seq++;
        state->layout_pos = state->pos;
        state->lcr = lcr[file];
        state->row_size = WIDE_ROW;
        state->layout_seq++;
    }

    return lcr[file];
}

/*
 * A guest: any number of processes with any names, and those of other guests, request everything
 * from all domains.
 */
static void write_processes(void)
{
    static uint32_t turn, own;
    uint32_t file, other;

    if (!own)
        own = own_acct();
    file = file_of(own, XEN_SCHEDLOG_EV_PROCESS_IO);
    if (!follows_register(file))
        return;
    for (uint32_t i = 0; i < 64; i++, turn++) {
        other = turn % 64;
        write_wide_row(file, XEN_SCHEDLOG_EV_PROCESS_IO, own, other,
                       turn | 1ULL << (XEN_SCHEDLOG_SECTORS_SHIFT + 30));
        write_wide_row(file, XEN_SCHEDLOG_EV_PROCESS_IO, own,
                       XEN_SCHEDLOG_ACCT_NONE, lrand48() | lrand48() << 31);
        write_wide_row(file, XEN_SCHEDLOG_EV_PROCESS_IO, other, own,
                       turn | 1ULL << XEN_SCHEDLOG_SECTORS_SHIFT);
        write_wide_row(file, XEN_SCHEDLOG_EV_PROCESS_IO, own, other, ~0ULL);
        write_wide_row(file, XEN_SCHEDLOG_EV_RING_PAGES, own, other, 257);
        write_wide_row(file, XEN_SCHEDLOG_EV_RING_PAGES, other, own, 257);
    }
}

/* Stays in the middle of a change of the layout. */
static void write_busy(void)
{
    for (uint32_t i = 0; i < area.nr_files; i++)
        area_states()[i].layout_seq = 3;
}

/* Noise in STATE and DATA at first, and in the scheduler's regions at the end. */
static void write_noise(void)
{
    static uint32_t turn;

    fill_noise(area_states(), PAGE);
    fill_noise(area_data(), area.nr_data * PAGE);
    if (++turn > 100)
        fill_noise(area_global(), (area.nr_global + 1) * PAGE);
}

/* Positions that decrease, jump, and layouts that change. */
static void write_positions(void)
{
    for (uint32_t i = 0; i < area.nr_files; i++) {
        volatile struct xen_schedlog_state *state = &area_states()[i];

        state->pos = (uint64_t)lrand48() << (lrand48() % 33);
        state->layout_pos = state->pos - lrand48() % 64;
        state->lcr = lrand48();
        state->row_size = 1U << (lrand48() % 33);
        state->layout_seq += lrand48() % 3;
        state->layout_gap = lrand48() % 128;
    }
}

/* Writes where the scheduler finds everything; see list_one(). */
static void write_one(void)
{
    fill_noise(area_global(), PAGE);
}

/* Begins when the scheduler has written to the pages, because it has mapped them then. */
static void give_back(void)
{
    static bool given;
    const uint64_t *word = (void *)area_global();
    bool mapped = false;

    for (uint32_t i = 0; i < (area.nr_global + 1) * PAGE / 8; i++)
        mapped |= word[i];
    if (given || !mapped)
        return;
    given = true;
    munmap(area.pages, area.nr * PAGE);
    if (xc_domain_decrease_reservation_exact(xch, DOMID_SELF, area.nr, 0,
                                             area.frames))
        err(1, "cannot give the frames back");
    puts("given back");
    fflush(stdout);
    for (;;)
        pause();
}

static const struct lie lies[] = {
    { "error",       say_error,       NULL },
    { "version",     say_version,     NULL },
    { "nr-cpus",     say_nr_cpus,     NULL },
    { "many-cpus",   say_many_cpus,   NULL },
    { "many-logs",   say_many_logs,   write_forged },
    { "nr-acct",     say_nr_acct,     NULL },
    { "sizes",       say_sizes,       NULL },
    { "text",        say_text,        NULL },
    { "numbers",     say_numbers,     NULL },
    { "noise-list",  list_noise,      NULL },
    { "frames",      list_frames,     NULL },
    { "wild-frame",  list_wild,       NULL },
    { "one-frame",   list_one,        write_one },
    { "page-table",  list_page_table, NULL },
    { "mmio",        list_device,     NULL },
    { "forged",      NULL,            write_forged },
    { "noise",       NULL,            write_noise },
    { "positions",   NULL,            write_positions },
    { "busy",        NULL,            write_busy },
    { "absurd",      NULL,            write_absurd },
    { "flood",       NULL,            write_flood },
    { "processes",   say_guest,       write_processes },
    { "given-back",  NULL,            give_back },
};

const struct lie *find_lie(const char *name)
{
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
        if (!strcmp(name, lies[i].name))
            return &lies[i];

    return NULL;
}
