/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A driver domain that lies about its log: it answers the scheduler's request
 * in schedlog/area/ (docs/ring-log.md) as no honest one would.  It runs in an
 * unprivileged guest, until it is killed, and answers again when asked again.
 *
 *   lie LIE [FRAME...]
 *
 * Its area is one CPU's.  The frames are new ones that its Linux knows nothing
 * of, so the guest may need more than it has: xl mem-max.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xencall.h>
#include <xenctrl.h>
#include <xen/schedlog.h>
#include <xenforeignmemory.h>
#include <xenstore.h>

#define PAGE 4096U
#define ENTRIES (PAGE / sizeof(uint64_t))      /* of a directory page */
#define MAX_FILES 64
#define MAX_DIRECTORY 128                      /* Pages that may be said. */
#define TURN_US 10000
#define NODES_EVERY 10                         /* Turns. */

#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_COUNTER64)

struct row {
    uint16_t event, current, correspondent;
    uint64_t counter;
};

/*
 * What was asked for, and the memory for it: directory pages, then the area,
 * then the pages of a larger directory.
 */
static struct {
    uint32_t nr_acct, nr_files, sizes[MAX_FILES], offsets[MAX_FILES];
    uint32_t nr_directory, nr_global, nr_data, nr;      /* pages */
    xen_pfn_t *frames;
    uint8_t *pages;
} area;

/* The nodes of schedlog/area.  Empty: not written. */
static struct answer {
    char version[16], nr_cpus[16], nr_acct[16], events[16], built[16];
    char error[1500];   /* xenstored takes 2048. */
    char *sizes, *directory;
} answer;

static xc_interface *xch;
static xenforeignmemory_handle *fmem;
static struct xs_handle *xs;
static char **arguments;

static char *node(const char *format, const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), format, name);

    return xs_read(xs, XBT_NULL, path, NULL);
}

static uint32_t node_number(const char *format, const char *name)
{
    char *value = node(format, name);
    uint32_t n = value ? strtoul(value, NULL, 10) : 0;

    free(value);

    return n;
}

/* The accounting domain of a domain, as the scheduler says. */
static uint32_t accounting_domain(const char *domid)
{
    char *value = node("schedlog/acct/%s", domid);

    free(value);

    return value ? node_number("schedlog/acct/%s", domid)
                 : strtoul(domid, NULL, 10);
}

static void fill_noise(void *memory, size_t bytes)
{
    uint64_t *word = memory;

    for (size_t i = 0; i < bytes / sizeof(*word); i++)
        word[i] = (uint64_t)mrand48() << 32 ^ mrand48();
}

static uint8_t *global(void)
{
    return area.pages + area.nr_directory * PAGE;
}

static uint8_t *control(void)
{
    return global() + area.nr_global * PAGE;
}

static struct xen_schedlog_state *states(void)
{
    return (void *)(control() + PAGE);
}

static uint8_t *data(void)
{
    return control() + 2 * PAGE;
}

/* The first page of the larger directory. */
static uint32_t spare(void)
{
    return area.nr - MAX_DIRECTORY;
}

static uint32_t pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE;
}

static void read_sizes(void)
{
    char *value = node("schedlog/request/%s", "sizes"), *rest = value;
    uint32_t end = 0;

    area.nr_files = 0;
    while (rest && *rest && area.nr_files < MAX_FILES) {
        uint32_t size = strtoul(rest, &rest, 10), align;

        align = size < PAGE ? size : PAGE;
        if (!align)
            break;
        end = (end + align - 1) / align * align;
        area.sizes[area.nr_files] = size;
        area.offsets[area.nr_files++] = end;
        end += size;
    }
    area.nr_data = pages(end);
    free(value);
}

/* Once: a later request has the same geometry, or a scheduler has failed. */
static void make_area(void)
{
    read_sizes();
    area.nr_acct = node_number("schedlog/request/%s", "nr-acct");
    area.nr_global = pages(XEN_SCHEDLOG_ROUTES_OFFSET + sizeof(uint64_t) *
                           XEN_SCHEDLOG_NR_EVENTS * area.nr_acct);
    area.nr = area.nr_global + 2 + area.nr_data;
    area.nr_directory = (area.nr + ENTRIES - 1) / ENTRIES;
    area.nr += area.nr_directory + MAX_DIRECTORY;
    area.frames = calloc(area.nr, sizeof(*area.frames));
    if (xc_domain_increase_reservation_exact(xch, DOMID_SELF, area.nr, 0, 0,
                                             area.frames))
        err(1, "no %u frames: xl mem-max", area.nr);
    area.pages = xenforeignmemory_map(fmem, DOMID_SELF, PROT_READ | PROT_WRITE,
                                      area.nr, area.frames, NULL);
    if (!area.pages)
        err(1, "cannot map them");
}

static char *list(uint32_t nr, uint64_t (*number)(uint32_t i))
{
    char *text = calloc(nr + 1, 21);

    for (uint32_t i = 0; i < nr; i++)
        sprintf(text + strlen(text), "%s%llu", i ? " " : "",
                (unsigned long long)number(i));

    return text;
}

static uint64_t directory_frame(uint32_t i)
{
    return area.frames[i];
}

static uint64_t file_size(uint32_t i)
{
    return area.sizes[i];
}

/* The truth, to begin with. */
static void answer_honestly(void)
{
    uint64_t *entry = (void *)area.pages;

    memset(area.pages, 0, area.nr * PAGE);
    for (uint32_t i = area.nr_directory; i < spare(); i++)
        *entry++ = area.frames[i];
    for (uint32_t i = 0; i < area.nr_files; i++)
        states()[i] = (struct xen_schedlog_state){
            .lcr = LCR, .row_size = sizeof(struct row), .layout_seq = 2,
        };
    memset(&answer, 0, sizeof(answer));
    sprintf(answer.version, "%u", XEN_SCHEDLOG_ABI_VERSION);
    strcpy(answer.nr_cpus, "1");
    sprintf(answer.nr_acct, "%u", area.nr_acct);
    sprintf(answer.events, "%u", node_number("schedlog/request/%s", "events"));
    sprintf(answer.built, "%u", 1U << XEN_SCHEDLOG_EV_RING_PAGES);
    answer.sizes = list(area.nr_files, file_size);
    answer.directory = list(area.nr_directory, directory_frame);
}

static void write_node(const char *name, const char *value)
{
    char path[64];

    snprintf(path, sizeof(path), "schedlog/area/%s", name);
    if (!value || !*value)
        xs_rm(xs, XBT_NULL, path);
    else if (!xs_write(xs, XBT_NULL, path, value, strlen(value)))
        warn("cannot write %s", path);
}

/* A request asks for no events first, and for events when all is mapped. */
static void follow_events(void)
{
    char events[16];

    sprintf(events, "%u", node_number("schedlog/request/%s", "events"));
    if (strcmp(events, answer.events))
        write_node("events", events);
    strcpy(answer.events, events);
}

static void write_answer(void)
{
    write_node("version", answer.version);
    write_node("nr-cpus", answer.nr_cpus);
    write_node("nr-acct", answer.nr_acct);
    write_node("sizes", answer.sizes);
    write_node("tsc-khz", *answer.version ? "1000000" : "");
    write_node("events-built", answer.built);
    write_node("events", answer.events);
    write_node("error", answer.error);
    write_node("directory", answer.directory);
}

static void say_nothing(void)
{
    memset(&answer, 0, sizeof(answer));
    write_answer();
}

/* Lies in the nodes. */

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
    return area.frames[spare() + i];
}

/* As many CPUs as can be, all with the same frames. */
static void say_cpus(uint64_t (*frame)(uint32_t i))
{
    uint32_t of_cpu = 2 + area.nr_data;
    uint32_t nr_cpus = (MAX_DIRECTORY * ENTRIES - area.nr_global) / of_cpu;
    uint64_t *first = (void *)(area.pages + spare() * PAGE), *entry = first;

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

/* What is said agrees with itself, but is much: no CPU has a log... */
static void say_many_cpus(void)
{
    say_cpus(no_frame);
}

/* ... or all have one, and what is in it is there a thousand times. */
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

/* Lies in the directory. */

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
    for (uint32_t i = 0; nr && i < spare() - area.nr_directory; i++)
        list_frame(i, strtoull(arguments[i % nr], NULL, 10));
}

/* All but the last page are right. */
static void list_wild(void)
{
    list_frame(spare() - area.nr_directory - 1, 1ULL << 39);
}

/* One frame is all of them. */
static void list_one(void)
{
    for (uint32_t i = 0; i < spare() - area.nr_directory; i++)
        list_frame(i, area.frames[area.nr_directory]);
}

/* GLOBAL is a page table, which nobody may write to. */
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

/* Lies in what is mapped.  Called all the time. */

/* The log file that the scheduler wants ring-pages in. */
static uint32_t chosen_file(uint32_t current)
{
    const uint64_t *routes = (void *)(global() + XEN_SCHEDLOG_ROUTES_OFFSET);
    uint64_t route = routes[current * XEN_SCHEDLOG_NR_EVENTS +
                            XEN_SCHEDLOG_EV_RING_PAGES];

    return (route >> XEN_SCHEDLOG_ROUTE_FILE_SHIFT) % area.nr_files;
}

static void write_row(uint32_t file, uint16_t event, uint16_t current,
                      uint16_t correspondent, uint64_t counter)
{
    volatile struct xen_schedlog_state *state = &states()[file];
    struct row row = { event, current, correspondent, counter };

    memcpy(data() + area.offsets[file] + state->pos % area.sizes[file], &row,
           sizeof(row));
    __asm__ volatile ( "" ::: "memory" );
    state->pos += sizeof(row);
}

static uint32_t own_acct(void)
{
    char domid[16];

    snprintf(domid, sizeof(domid), "%u", node_number("%s", "domid"));

    return accounting_domain(domid);
}

/* Everybody is said to do everything with everybody, by the million. */
static void write_forged(void)
{
    static const uint16_t events[] = {
        XEN_SCHEDLOG_EV_RING_PAGES, XEN_SCHEDLOG_EV_EVTCHN_SEND,
        XEN_SCHEDLOG_EV_GRANT_MAP, XEN_SCHEDLOG_EV_SERVICE_NS, 27, 0xffff,
    };
    static uint32_t turn, own;
    uint32_t file;

    /* Not each time: this is not about keeping xenstored busy. */
    if (!own)
        own = own_acct();
    file = chosen_file(own);

    for (uint32_t i = 0; i < 256; i++, turn++) {
        write_row(file, events[turn / 4096 % 6], turn % 64, turn / 64 % 64,
                  1000000);
        write_row(file, XEN_SCHEDLOG_EV_RING_PAGES, own, turn % 64, ~0ULL);
    }
}

/* Of STATE and DATA at first; in the end of what is the scheduler's, too. */
static void write_noise(void)
{
    static uint32_t turn;

    fill_noise(states(), PAGE);
    fill_noise(data(), area.nr_data * PAGE);
    if (++turn > 100)
        fill_noise(global(), (area.nr_global + 1) * PAGE);
}

/* Positions that go back, jump, and layouts that change. */
static void write_positions(void)
{
    for (uint32_t i = 0; i < area.nr_files; i++) {
        volatile struct xen_schedlog_state *state = &states()[i];

        state->pos = (uint64_t)lrand48() << (lrand48() % 33);
        state->layout_pos = state->pos - lrand48() % 64;
        state->lcr = lrand48();
        state->row_size = 1U << (lrand48() % 33);
        state->layout_seq += lrand48() % 3;
        state->layout_gap = lrand48() % 128;
    }
}

/* Where the scheduler finds everything; see list_one(). */
static void write_one(void)
{
    fill_noise(global(), PAGE);
}

/* Once the scheduler has written to them, which is when it has mapped them. */
static void give_back(void)
{
    static bool given;
    const uint64_t *word = (void *)global();
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

static const struct lie {
    const char *name;
    void (*spoil)(void);        /* The answer, before it is written. */
    void (*go_on)(void);
} lies[] = {
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
    { "forged",      NULL,            write_forged },
    { "noise",       NULL,            write_noise },
    { "positions",   NULL,            write_positions },
    { "given-back",  NULL,            give_back },
};

static const struct lie *find_lie(const char *name)
{
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
        if (name && !strcmp(name, lies[i].name))
            return &lies[i];
    errx(2, "usage: lie LIE [FRAME...]: see lie.c");
}

static void reply(const struct lie *lie)
{
    if (!area.pages)
        make_area();
    answer_honestly();
    if (lie->spoil)
        lie->spoil();
    write_answer();
}

/* A scheduler that asks again has removed the answer. */
static bool answer_is_there(void)
{
    char *version = node("schedlog/area/%s", "version");
    bool there = version;

    free(version);

    return there;
}

/* Is there a request, which has been answered? */
static bool look_at_nodes(const struct lie *lie, bool replied)
{
    char *version = node("schedlog/request/%s", "version");
    bool asked = version;

    if (asked && !(replied && answer_is_there()))
        reply(lie);
    else if (!asked && replied)
        say_nothing();
    else if (asked)
        follow_events();
    free(version);

    return asked;
}

int main(int argc, char **argv)
{
    const struct lie *lie = find_lie(argv[1]);
    bool replied = false;

    arguments = argv + 2;
    (void)argc;
    xch = xc_interface_open(NULL, NULL, 0);
    fmem = xenforeignmemory_open(NULL, 0);
    xs = xs_open(0);
    if (!xch || !fmem || !xs)
        err(1, "cannot talk to Xen");

    say_nothing();
    for (uint32_t turn = 0;; turn++, usleep(TURN_US)) {
        if (turn % NODES_EVERY == 0)
            replied = look_at_nodes(lie, replied);
        if (replied && lie->go_on)
            lie->go_on();
    }
}
