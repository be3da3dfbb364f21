/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps events to log buffers and their registers.  A new event is a new row of the table, or is
 * added to one.
 */
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "cli/option.h"
#include "logs.h"

#define KIB 1024U

#define IDS (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER)

/*
 * 16 bytes: ids, 32-bit counter, TSC in units of at most 1024 ns (logs_register(); 32 bits
 * suffice for 29 minutes).  Time on a pCPU comes in parts of at most 10 ms, so 32 bits suffice for it, too.
 */
#define MAX_SHIFT 10U
#define ROW (IDS | XEN_SCHEDLOG_LCR_TIME_TSC | \
             MAX_SHIFT << XEN_SCHEDLOG_LCR_TSC_SHIFT)

/* Rows of waits contain their reasons. */
#define WAIT_ROW (ROW | XEN_SCHEDLOG_LCR_REASON)

/* 32 bytes, for counters that need 64 bits, and the whole TSC. */
#define WIDE_ROW (IDS | XEN_SCHEDLOG_LCR_COUNTER64 | \
                  XEN_SCHEDLOG_LCR_TIME_TSC | XEN_SCHEDLOG_LCR_TIME64)

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

#define PMCS (EVENT(PMC0) | EVENT(PMC1) | EVENT(PMC2) | EVENT(PMC3))

#define WAITS (EVENT(WAKE_DELAY) | EVENT(PREEMPT_DELAY) | EVENT(WAIT_PART) | EVENT(MIGRATE))

#define WORK (EVENT(HYPERCALL_TIME) | EVENT(IRQ_TIME) | EVENT(EXIT_TIME) | \
              EVENT(FLUSH_WAIT))

#define DEFAULT (EVENT(SERVICE_NS) | WAITS | EVENT(EVTCHN_SEND) | \
                 EVENT(GRANT_MAP) | EVENT(GRANT_COPY) | EVENT(GRANT_UNMAP) | \
                 EVENT(RING_PAGES))

/*
 * Each row is a log buffer, if one of its events is chosen.  The usual sizes suffice for 100 ms of
 * about 160,000 context switches and notifications each, 40,000 pages that are granted and mapped
 * or copied and 20,000 that are unmapped per second on each pCPU, and 160,000 requests per second
 * on each CPU of a back end; if there are more, the oldest rows are lost, and counted.
 */
static const struct {
    enum producer producer;
    uint32_t events; /* mask */
    uint32_t size;   /* bytes */
    uint32_t lcr;
} table[] = {
    { HYPERVISOR, EVENT(SERVICE_NS), 256 * KIB, ROW },
    { HYPERVISOR, EVENT(EVTCHN_SEND), 256 * KIB, ROW },
    { HYPERVISOR, EVENT(GRANT_MAP) | EVENT(GRANT_COPY), 64 * KIB, ROW },
    { HYPERVISOR, EVENT(GRANT_UNMAP), 32 * KIB, ROW },
    { HYPERVISOR, EVENT(SERVICE_TSC) | PMCS, 256 * KIB, ROW },
    { HYPERVISOR, EVENT(EVTCHN_RECV), 256 * KIB, ROW },
    { HYPERVISOR, WAITS | EVENT(OFF_CPU) | EVENT(REPLENISH), 256 * KIB, WAIT_ROW },
    { HYPERVISOR, WORK, 64 * KIB, WIDE_ROW },
    { HYPERVISOR, EVENT(MEMORY) | EVENT(RUNQ) | EVENT(MARK), 64 * KIB, ROW },
    { LINUX, EVENT(RING_PAGES), 256 * KIB, ROW },
    { LINUX, EVENT(RING_SECTORS), 256 * KIB, ROW },
    { LINUX, EVENT(GUEST_RUNQ), 64 * KIB, ROW },
    { LINUX, EVENT(GUEST_SWITCH) | EVENT(GUEST_WAKE) | EVENT(GUEST_NAME),
      512 * KIB, WIDE_ROW },
    { GUEST, EVENT(PROCESS_IO), 64 * KIB, WIDE_ROW },
};

/*
 * From these, an agent in a guest makes rows of PROCESS_IO.  It reads ten times per second, so this
 * suffices for 80,000 requests per second and vCPU.
 */
#define PRELIMINARY (EVENT(GUEST_REQUEST) | EVENT(GUEST_NAME))
#define PRELIMINARY_SIZE (256 * KIB)

/* The rows of these are sums already. */
#define SUMS (EVENT(PROCESS_IO) | WORK)

#define NR_ROWS (sizeof(table) / sizeof(table[0]))

static void choose_events(struct choice *choice, uint32_t events)
{
    unsigned int event;

    choice->all = false;
    choice->events = choice->files = events;
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        choice->threshold[event] = 1;
}

void choice_default(struct choice *choice)
{
    unsigned int event, i;

    memset(choice, 0, sizeof(*choice));
    choose_events(choice, DEFAULT);
    for (i = 0; i < NR_ROWS; i++)
        for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
            if (table[i].events & 1U << event)
                choice->size[event] = table[i].size;
}

void choice_add(struct choice *choice, uint32_t events)
{
    choice->events |= events;
    choice->files |= events;
}

uint32_t choice_possible(void)
{
    uint32_t events = 0;
    unsigned int i;

    for (i = 0; i < NR_ROWS; i++)
        events |= table[i].events;

    return events;
}

/* The event before the colon of @item; *rest is the text after it, or NULL. */
static int event_of(char *item, const char **rest)
{
    char *colon = strchr(item, ':');
    int event;

    if (colon)
        *colon++ = '\0';
    *rest = colon;
    event = xensched_event_number(item);

    return event >= 0 && choice_possible() & 1U << event ? event : -1;
}

static bool add_event(struct choice *choice, char *item)
{
    const char *threshold;
    int event = event_of(item, &threshold);
    uint64_t number = 1;

    if (event < 0 || choice->events & 1U << event ||
        (threshold && (SUMS & 1U << event ||
                       !option_number(threshold, 1, UINT32_MAX, &number))))
        return false;
    choice->events |= 1U << event;
    choice->files |= 1U << event;
    choice->threshold[event] = number;

    return true;
}

static bool set_size(struct choice *choice, char *item)
{
    const char *size;
    int event = event_of(item, &size);
    uint64_t bytes;

    if (event < 0 || !size ||
        !option_size(size, 1, XEN_SCHEDLOG_MIN_FILE_SIZE,
                     XEN_SCHEDLOG_MAX_FILE_SIZE, &bytes) ||
        bytes & (bytes - 1))
        return false;
    choice->size[event] = bytes;

    return true;
}

static bool parse_list(struct choice *choice, const char *text,
                       bool (*take)(struct choice *choice, char *item))
{
    char *copy = strdup(text), *rest = copy, *item;
    bool good = copy;

    while (good && (item = strsep(&rest, ",")))
        good = take(choice, item);
    free(copy);

    return good;
}

bool choice_parse_sizes(struct choice *choice, const char *text)
{
    struct choice changed = *choice;

    if (!parse_list(&changed, text, set_size))
        return false;
    *choice = changed;

    return true;
}

bool choice_parse(struct choice *choice, const char *text)
{
    if (!strcmp(text, "all")) {
        choose_events(choice, choice_possible() & ~PMCS);
        choice->all = true;
        return true;
    }
    if (!strcmp(text, "none")) {
        /* Reading costs the same as reading the usual log buffers. */
        choose_events(choice, DEFAULT);
        choice->events = 0;
        return true;
    }

    choose_events(choice, 0);

    return parse_list(choice, text, add_event);
}

uint32_t choice_events(const struct choice *choice, enum producer producer)
{
    uint32_t events = 0;
    unsigned int i;

    for (i = 0; i < NR_ROWS; i++)
        if (table[i].producer == producer)
            events |= table[i].events;

    return events & choice->events;
}

static uint32_t size_for(const struct choice *choice, uint32_t events)
{
    uint32_t size = XEN_SCHEDLOG_MIN_FILE_SIZE;
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        if (events & 1U << event && choice->size[event] > size)
            size = choice->size[event];

    return size;
}

static void add_preliminary(struct logs *logs)
{
    logs->preliminary = logs->events[logs->nr] = PRELIMINARY;
    logs->lcr[logs->nr] = WIDE_ROW;
    logs->sizes[logs->nr] = PRELIMINARY_SIZE;
    logs->not_ours = 1U << logs->nr;
    logs->nr++;
}

void logs_init(struct logs *logs, const struct choice *choice,
               enum producer producer, uint32_t nr_acct)
{
    unsigned int i, nr_files = 1;

    memset(logs, 0, sizeof(*logs));
    for (i = 0; i < NR_ROWS; i++) {
        if (table[i].producer != producer ||
            !(table[i].events & choice->files))
            continue;
        logs->events[logs->nr] = table[i].events & choice->files;
        logs->lcr[logs->nr] = table[i].lcr;
        logs->sizes[logs->nr] = size_for(choice, logs->events[logs->nr]);
        logs->nr++;
    }
    if (producer == GUEST && logs->nr)
        add_preliminary(logs);
    while (nr_files < logs->nr)
        nr_files *= 2;
    /* Their number is a power of two; nothing is routed to the remaining ones. */
    for (i = logs->nr; i < nr_files; i++)
        logs->sizes[i] = XEN_SCHEDLOG_MIN_FILE_SIZE;
    logs->geometry = (struct xensched_geometry){
        .nr_acct = nr_acct,
        .nr_files = nr_files,
        .sizes = logs->sizes,
    };
}

static uint32_t threshold_of(const struct logs *logs,
                             const struct choice *choice, unsigned int event)
{
    return logs->preliminary ? 1 : choice->threshold[event];
}

void logs_route(const struct logs *logs, const struct choice *choice,
                struct xensched_area *area, uint16_t acct, uint32_t events,
                bool on)
{
    unsigned int event, i;

    for (i = 0; i < logs->nr; i++)
        for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++) {
            if (!(logs->events[i] & events & 1U << event))
                continue;
            if (on)
                xensched_area_set_route(area, acct, event, i,
                                        threshold_of(logs, choice, event));
            else
                xensched_area_clear_route(area, acct, event);
        }
}

void logs_route_xen(const struct logs *logs, const struct choice *choice,
                    struct xensched_area *area)
{
    logs_route(logs, choice, area, XEN_SCHEDLOG_ACCT_XEN, EVENT(RUNQ) | EVENT(IRQ_TIME), true);
}

void logs_set_threshold(const struct logs *logs, struct xensched_area *area,
                        uint16_t acct, unsigned int event,
                        uint32_t threshold)
{
    unsigned int i;

    for (i = 0; i < logs->nr; i++)
        if (logs->events[i] & 1U << event)
            xensched_area_set_route(area, acct, event, i, threshold);
}

/* Counters of arm64 are slow: 1024 ticks can take 43 us. */
uint32_t logs_register(const struct logs *logs, unsigned int file, uint64_t tsc_khz)
{
    uint32_t lcr = logs->lcr[file];
    uint32_t shift = (lcr & XEN_SCHEDLOG_LCR_TSC_MASK) >> XEN_SCHEDLOG_LCR_TSC_SHIFT;

    while (tsc_khz && shift && (UINT64_C(1000000) << shift) > 1024 * tsc_khz)
        shift--;

    return (lcr & ~XEN_SCHEDLOG_LCR_TSC_MASK) | shift << XEN_SCHEDLOG_LCR_TSC_SHIFT;
}

void logs_prepare(const struct logs *logs, struct xensched_area *area)
{
    uint64_t tsc_khz = xensched_area_tsc_khz(area);
    unsigned int acct, event, i;

    for (acct = 0; acct < logs->geometry.nr_acct; acct++)
        for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
            xensched_area_clear_route(area, acct, event);
    for (i = 0; i < logs->geometry.nr_files; i++)
        xensched_area_set_lcr(area, i, logs_register(logs, i, tsc_khz));
}
