/* SPDX-License-Identifier: GPL-2.0-only */
/* logs.c - see logs.h.  A new event is a row of the table, or joins one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "logs.h"

#define KIB 1024U

#define IDS (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER)

/*
 * 16 bytes: ids, 32-bit counter, TSC / 1024 (32 bits last for 29 minutes).  Time
 * on a pCPU comes in parts of 10 ms at most, so 32 bits are enough for it, too.
 */
#define ROW (IDS | XEN_SCHEDLOG_LCR_TIME_TSC | \
             10U << XEN_SCHEDLOG_LCR_TSC_SHIFT)

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

#define DEFAULT (EVENT(SERVICE_NS) | EVENT(WAKE_DELAY) | EVENT(EVTCHN_SEND) | \
                 EVENT(GRANT_MAP) | EVENT(GRANT_COPY) | EVENT(GRANT_UNMAP) | \
                 EVENT(RING_PAGES))

/*
 * A log file per row, if one of its events is chosen.  The sizes last for
 * 100 ms of about 160,000 context switches and notifications each, 40,000 pages
 * that are granted and mapped or copied and 20,000 that are unmapped per
 * second on each pCPU, and 160,000 requests per second on each CPU of a back
 * end; when there are more, the oldest rows are lost, and counted.
 *
 * Of the performance counters there is the first one, of which host-xen.c says
 * what it counts; the others count nothing before somebody has chosen what.
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
    { HYPERVISOR, EVENT(SERVICE_TSC) | EVENT(PMC0), 256 * KIB, ROW },
    { HYPERVISOR, EVENT(EVTCHN_RECV), 256 * KIB, ROW },
    { HYPERVISOR, EVENT(WAKE_DELAY), 256 * KIB, ROW },
    { HYPERVISOR, EVENT(MEMORY) | EVENT(RUNQ) | EVENT(MIGRATE) | EVENT(MARK),
      64 * KIB, ROW },
    { LINUX, EVENT(RING_PAGES), 256 * KIB, ROW },
    { LINUX, EVENT(RING_SECTORS), 256 * KIB, ROW },
    { LINUX, EVENT(GUEST_RUNQ), 64 * KIB, ROW },
};

#define NR_ROWS (sizeof(table) / sizeof(table[0]))

static void choose(struct choice *choice, uint32_t events)
{
    unsigned int event;

    memset(choice, 0, sizeof(*choice));
    choice->events = choice->files = events;
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        choice->threshold[event] = 1;
}

void choice_default(struct choice *choice)
{
    choose(choice, DEFAULT);
}

void choice_add(struct choice *choice, uint32_t events)
{
    choice->events |= events;
    choice->files |= events;
}

static uint32_t all_events(void)
{
    uint32_t events = 0;
    unsigned int i;

    for (i = 0; i < NR_ROWS; i++)
        events |= table[i].events;

    return events;
}

static bool parse_threshold(const char *text, uint32_t *threshold)
{
    unsigned long long number;
    char *end;

    if (*text < '1' || *text > '9')
        return false;
    errno = 0;
    number = strtoull(text, &end, 10);
    *threshold = number;

    return !errno && !*end && number <= UINT32_MAX;
}

static bool add_event(struct choice *choice, char *text)
{
    char *threshold = strchr(text, ':');
    int event;

    if (threshold)
        *threshold++ = '\0';
    event = xensched_event_number(text);
    if (event < 0 || !(all_events() & 1U << event) ||
        choice->events & 1U << event)
        return false;
    choice->events |= 1U << event;
    choice->files |= 1U << event;

    return !threshold || parse_threshold(threshold, &choice->threshold[event]);
}

static bool parse_list(struct choice *choice, const char *text)
{
    char *copy = strdup(text), *rest = copy, *item;
    bool good = copy;

    choose(choice, 0);
    while (good && (item = strsep(&rest, ",")))
        good = add_event(choice, item);
    free(copy);

    return good;
}

bool choice_parse(struct choice *choice, const char *text)
{
    if (!strcmp(text, "all")) {
        choose(choice, all_events() & ~EVENT(PMC0));
        choice->all = true;
        return true;
    }
    if (!strcmp(text, "none")) {
        /* What reading costs is what reading the usual log files costs. */
        choose(choice, DEFAULT);
        choice->events = 0;
        return true;
    }

    return parse_list(choice, text);
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
        logs->sizes[logs->nr] = table[i].size;
        logs->nr++;
    }
    while (nr_files < logs->nr)
        nr_files *= 2;
    /* There is a power of two of them; nothing is routed to the others. */
    for (i = logs->nr; i < nr_files; i++)
        logs->sizes[i] = XEN_SCHEDLOG_MIN_FILE_SIZE;
    logs->geometry = (struct xensched_geometry){
        .nr_acct = nr_acct,
        .nr_files = nr_files,
        .sizes = logs->sizes,
    };
}

static void route(const struct choice *choice, struct xensched_area *area,
                  uint16_t acct, unsigned int event, unsigned int file,
                  bool on)
{
    if (on)
        xensched_area_set_route(area, acct, event, file,
                                choice->threshold[event]);
    else
        xensched_area_clear_route(area, acct, event);
}

void logs_route(const struct logs *logs, const struct choice *choice,
                struct xensched_area *area, uint16_t acct, uint32_t events,
                bool on)
{
    unsigned int event, i;

    for (i = 0; i < logs->nr; i++)
        for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
            if (logs->events[i] & events & 1U << event)
                route(choice, area, acct, event, i, on);
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

void logs_prepare(const struct logs *logs, struct xensched_area *area)
{
    unsigned int acct, event, i;

    for (acct = 0; acct < logs->geometry.nr_acct; acct++)
        for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
            xensched_area_clear_route(area, acct, event);
    for (i = 0; i < logs->geometry.nr_files; i++)
        xensched_area_set_lcr(area, i, logs->lcr[i]);
}
