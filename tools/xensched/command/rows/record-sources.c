/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens and closes the logs of a host as their domains come and go. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xenstore.h>

#include <xensched/area.h>
#include <xensched/clock.h>
#include <xensched/source.h>

#include "command/command.h"
#include "lib/area/xenstore-open.h"
#include "base/alloc.h"
#include "record-sources.h"

/* The size of a guest's log, for each of its vCPUs. */
#define GUEST_FILE_SIZE (1U << 20)
#define GUEST_EVENTS    (1U << XEN_SCHEDLOG_EV_GUEST_RUNQ | \
                         1U << XEN_SCHEDLOG_EV_GUEST_SWITCH | \
                         1U << XEN_SCHEDLOG_EV_GUEST_WAKE | \
                         1U << XEN_SCHEDLOG_EV_GUEST_NAME)
#define GUEST_LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
                   XEN_SCHEDLOG_LCR_CORRESPONDENT | \
                   XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_COUNTER64 | \
                   XEN_SCHEDLOG_LCR_TIME_TSC | XEN_SCHEDLOG_LCR_TIME64)
#define LEASE_MS 5000U

/* The most polls for which a domain that logs nothing is not asked. */
#define MAX_WAIT 7U

struct one {
    struct xensched_source_info info;
    char spec[24];
    struct xensched_area *area;
    struct xensched_source *source; /* NULL: no answer yet */
    bool asked;                     /* by this program */
    bool refused;                   /* it is not tried again */
    bool told;                      /* the recording has the source */
    bool seen;                      /* in the present poll */
    uint32_t nr_clocks;             /* clocks of vCPUs in the recording */
    struct xensched_clock *clock;   /* the latest of these */
    uint32_t events;                /* that were requested */
    uint64_t renewed_ns;            /* renewal of its lease, CLOCK_MONOTONIC; 0: never */
    struct xensched_source_stats former;
};

/* A domain that is not a source yet. */
struct stranger {
    uint8_t looks, wait; /* polls since it was asked; polls to leave out */
};

struct recorded_sources {
    unsigned int nr;
    struct one **one;
    uint32_t next_id;
    bool full; /* a domain is left out, after a message */
    bool all;
    uint64_t tsc_khz;
    struct filter *filter;
    struct xs_handle *xs;
    struct stranger *stranger; /* by domid */
    struct recorded_sources_numbers former; /* of sources that are gone */
};

/* One source. */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static struct one *add_source(struct recorded_sources *s, enum xensched_kind kind,
                              uint32_t domid, const char *name)
{
    struct one *one;

    if (s->next_id == XENSCHED_MAX_SOURCES) {
        if (!s->full)
            complain("note: %s '%s' and later ones are not recorded: a recording holds at "
                     "most %u sources", xensched_kind_name(kind), name, XENSCHED_MAX_SOURCES);
        s->full = true;
        return NULL;
    }
    one = need_memory(1, sizeof(*one));
    s->one = need_more_memory(s->one, s->nr + 1, sizeof(*s->one));
    one->info.id = s->next_id++;
    one->info.kind = kind;
    one->info.domid = domid;
    snprintf(one->info.name, sizeof(one->info.name), "%s", name);
    if (kind == XENSCHED_KIND_DRIVER || kind == XENSCHED_KIND_GUEST)
        snprintf(one->spec, sizeof(one->spec), "domain:%u", domid);
    else
        snprintf(one->spec, sizeof(one->spec), "%s", xensched_kind_name(kind));
    s->one[s->nr++] = one;

    return one;
}

static int attach_one(struct one *one, struct xensched_error *err)
{
    int rc = xensched_source_attach(one->spec, &one->area, err);

    if (!rc)
        rc = xensched_source_open(one->spec, one->area, &one->source, err);
    if (!rc)
        one->info.tsc_khz = xensched_source_tsc_khz(one->source);

    return rc;
}

static void close_one(struct one *one)
{
    bool mapped = one->source;
    struct xensched_error err;

    xensched_source_close(one->source);
    one->source = NULL;
    if (one->asked && mapped)
        xensched_area_events(one->area, 0, 0, &err);
    xensched_area_close(one->area);
    one->area = NULL;
    free(one->clock);
    one->clock = NULL;
    one->nr_clocks = 0;
    if (one->asked && xensched_area_withdraw(one->info.domid, &err))
        complain("note: domain %u: %s", one->info.domid, err.text);
}

static void add_numbers(struct recorded_sources_numbers *n, const struct one *one)
{
    struct xensched_source_stats stats = { 0 };

    if (one->source)
        xensched_source_stats(one->source, &stats);
    n->rows += stats.rows;
    n->lost_rows += stats.lost_rows;
}

static void drop_source(struct recorded_sources *s, unsigned int i, const char *why)
{
    struct one *one = s->one[i];

    complain("note: source %s (%s): %s", one->spec, one->info.name, why);
    add_numbers(&s->former, one);
    close_one(one);
    free(one);
    s->one[i] = s->one[--s->nr];
}

/* Guests that are asked for their logs. */

static int request_log(struct one *one, struct xensched_error *err)
{
    static const uint32_t sizes[] = { GUEST_FILE_SIZE };
    struct xensched_geometry geometry = {
        .nr_acct = 2,
        .nr_files = 1,
        .sizes = sizes,
    };

    while (geometry.nr_acct <= one->info.domid)
        geometry.nr_acct *= 2;
    one->asked = true;

    return xensched_area_request(one->info.domid, &geometry, &one->area, err);
}

/* A guest that is not wanted here logs nothing. */
static uint32_t wanted_of_guests(const struct recorded_sources *s)
{
    return s->filter->events ? GUEST_EVENTS & s->filter->events : GUEST_EVENTS;
}

/* Called when its area is mapped. */
static int turn_on(struct recorded_sources *s, struct one *one,
                   struct xensched_error *err)
{
    struct xensched_area_info info;
    unsigned int event;
    int rc;

    xensched_area_set_lcr(one->area, 0, GUEST_LCR);
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        if (GUEST_EVENTS & 1U << event)
            xensched_area_set_route(one->area, one->info.domid, event, 0, 1);
    rc = xensched_source_open(one->spec, one->area, &one->source, err);
    if (!rc)
        rc = xensched_area_info(one->area, &info, err);
    if (!rc) {
        one->events = wanted_of_guests(s) & info.events_built;
        one->renewed_ns = now_ns();
        rc = xensched_area_events(one->area, one->events, LEASE_MS, err);
    }
    if (!rc)
        one->info.tsc_khz = xensched_source_tsc_khz(one->source);

    return rc;
}

static int poll_answer(struct recorded_sources *s, struct one *one,
                       struct xensched_error *err)
{
    int rc;

    do
        rc = xensched_area_poll(one->area, err);
    while (rc == XENSCHED_PART);

    return rc == XENSCHED_MAPPED ? turn_on(s, one, err) : rc < 0 ? rc : 0;
}

/* Finding domains. */

static char *read_node(struct recorded_sources *s, const char *format, uint32_t domid)
{
    unsigned int length;
    char path[96];

    snprintf(path, sizeof(path), format, domid);

    return xs_read(s->xs, XBT_NULL, path, &length);
}

static bool is_node(struct recorded_sources *s, const char *format, uint32_t domid)
{
    char *value = read_node(s, format, domid);

    free(value);

    return value;
}

static bool is_allowed(struct recorded_sources *s, uint32_t domid)
{
    char *value = read_node(s, "/local/domain/%u/platform/vm-affinity-log",
                            domid);
    bool allowed = value && !strcmp(value, "1");

    free(value);

    return allowed;
}

static struct one *find_source(struct recorded_sources *s, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < s->nr; i++)
        if (s->one[i]->info.domid == domid &&
            s->one[i]->info.kind != XENSCHED_KIND_HYPERVISOR)
            return s->one[i];

    return NULL;
}

static void name_it(struct recorded_sources *s, struct one *one)
{
    char *vm = read_node(s, "/local/domain/%u/vm", one->info.domid);

    if (vm && !strncmp(vm, "/vm/", 4))
        snprintf(one->info.uuid, sizeof(one->info.uuid), "%s", vm + 4);
    free(vm);
}

/* A guest whose configuration allows its log may also make marks in the hypervisor's log. */
static void allow_marks(const struct recorded_sources *s, uint32_t domid)
{
    struct xensched_error err;

    if (s->filter->events && !(s->filter->events & 1U << XEN_SCHEDLOG_EV_MARK))
        return;
    if (xensched_allow_marks(domid, true, &err))
        complain("note: domain %u cannot make marks: %s", domid, err.text);
}

/*
 * A domain that logs nothing is asked after 1 s, 2 s, 4 s, ... again: reading logs must not keep
 * xenstored busy.
 */
static bool is_due(struct recorded_sources *s, uint32_t domid)
{
    struct stranger *stranger;

    if (domid >= DOMID_FIRST_RESERVED)
        return false;
    stranger = &s->stranger[domid];
    if (stranger->looks++ < stranger->wait)
        return false;
    stranger->looks = 0;
    stranger->wait = stranger->wait < MAX_WAIT ? 2 * stranger->wait + 1
                                               : stranger->wait;

    return true;
}

/* Another program asked it already, or this program may ask it. */
static void look_at_domain(struct recorded_sources *s, uint32_t domid)
{
    struct one *one = find_source(s, domid);
    struct xensched_clock clock;
    struct xensched_error err;
    bool asked, allowed;
    char *name;
    int rc;

    if (one) {
        one->seen = true;
        return;
    }
    if (!domid || !is_due(s, domid) || !filter_takes_domain(s->filter, domid))
        return;
    allowed = is_allowed(s, domid);
    asked = is_node(s, "/local/domain/%u/schedlog/request/events", domid);
    if (!(asked ? is_node(s, "/local/domain/%u/schedlog/area/directory", domid)
                : allowed))
        return;
    name = read_node(s, "/local/domain/%u/name", domid);
    one = add_source(s, asked && !allowed ? XENSCHED_KIND_DRIVER
                                   : XENSCHED_KIND_GUEST, domid,
                     name ? name : "");
    free(name);
    if (!one)
        return;
    one->seen = true;
    name_it(s, one);
    if (allowed)
        allow_marks(s, domid);
    rc = xensched_clocks_of_domain(domid, 1, &clock, &err);
    if (!rc)
        rc = asked ? attach_one(one, &err) : request_log(one, &err);
    if (rc) {
        complain("note: domain %u is not recorded: %s", domid, err.text);
        close_one(one);
        one->asked = false;
        one->refused = true;
    }
}

/* An older Xen does not report clocks: then dom0 is PV, and has the host's. */
static bool has_clock(struct one *one)
{
    struct xensched_clock clock;
    struct xensched_error err;

    if (xensched_clocks_of_domain(one->info.domid, 1, &clock, &err) != -ENODATA)
        return true;
    complain("note: dom0's Linux is not recorded: %s", err.text);

    return false;
}

static void look_at_linux(struct recorded_sources *s)
{
    struct one *one = find_source(s, 0);
    struct xensched_error err;

    if (one) {
        one->seen = true;
        return;
    }
    if (!filter_takes_domain(s->filter, 0))
        return;
    one = add_source(s, XENSCHED_KIND_LINUX, 0, "Domain-0");
    if (!one)
        return;
    one->seen = true;
    if (attach_one(one, &err)) {
        close_one(one);
        free(one);
        s->nr--;
        s->next_id--;
    } else if (!has_clock(one)) {
        close_one(one);
        one->refused = true;
    }
}

static void look_for_sources(struct recorded_sources *s)
{
    unsigned int nr = 0, i;
    char **domids = NULL;

    for (i = 0; i < s->nr; i++)
        s->one[i]->seen = s->one[i]->info.kind == XENSCHED_KIND_HYPERVISOR;
    look_at_linux(s);
    if (s->xs)
        domids = xs_directory(s->xs, XBT_NULL, "/local/domain", &nr);
    for (i = 0; domids && i < nr; i++)
        look_at_domain(s, strtoul(domids[i], NULL, 10));
    free(domids);
    for (i = s->nr; i-- > 0;)
        if (!s->one[i]->seen)
            drop_source(s, i, "gone");
}

/* Writing the recording. */

/* A clock that follows from the previous one is not written. */
static int tell_clock(struct xensched_recorder *recorder, struct one *one,
                      const struct xensched_clock *before,
                      struct xensched_clock *clock, uint64_t now_ns,
                      struct xensched_error *err)
{
    uint64_t apart = before ? xensched_clock_distance(before, clock) : 0;

    if (before && !apart && clock->flags == before->flags) {
        *clock = *before;
        return 0;
    }
    /* The drift in the time since the last poll is unknown. */
    clock->error += apart;

    return xensched_recorder_clock(recorder, now_ns, one->info.id, clock, err);
}

/* Each vCPU has a clock, and may set it at any time. */
static int tell_clocks(struct xensched_recorder *recorder, struct one *one,
                       uint64_t now_ns, struct xensched_error *err)
{
    uint32_t nr = xensched_area_cpus(one->area), i;
    struct xensched_clock *clock;
    int rc = 0;

    if (one->info.kind == XENSCHED_KIND_HYPERVISOR || !nr)
        return 0;
    clock = need_memory(nr, sizeof(*clock));
    /* A dying domain is dropped soon. */
    if (xensched_clocks_of_domain(one->info.domid, nr, clock, NULL)) {
        free(clock);
        return 0;
    }
    for (i = 0; !rc && i < nr; i++)
        rc = tell_clock(recorder, one, i < one->nr_clocks ? &one->clock[i]
                                                          : NULL,
                        &clock[i], now_ns, err);
    free(one->clock);
    one->clock = clock;
    one->nr_clocks = nr;

    return rc;
}

/* An older Xen does not report the system time: then the recording lacks it. */
static int tell_system_time(struct xensched_recorder *recorder,
                            uint64_t now_ns, struct xensched_error *err)
{
    struct xensched_clock clock;

    if (xensched_system_time(&clock, NULL))
        return 0;

    return xensched_recorder_system_time(recorder, now_ns, &clock, err);
}

/*
 * A Linux measures the frequency of its TSC itself, with an error.  Xen knows the frequency that
 * the domain has, and the clocks in the recording have it.
 */
static void know_frequency(struct one *one)
{
    struct xensched_clock clock;

    if (one->info.kind == XENSCHED_KIND_HYPERVISOR ||
        xensched_clocks_of_domain(one->info.domid, 1, &clock, NULL))
        return;
    one->info.tsc_khz = clock.guest_khz ? clock.guest_khz : clock.host_khz;
}

static int record_source(struct xensched_recorder *recorder, struct one *one,
                         uint64_t now_ns, struct xensched_error *err)
{
    int rc = 0;

    if (!one->told)
        know_frequency(one);
    if (!one->told)
        rc = xensched_recorder_source(recorder, now_ns, &one->info, err);
    one->told = true;

    return rc ? rc : tell_clocks(recorder, one, now_ns, err);
}

int recorded_sources_look(struct recorded_sources *s, struct xensched_recorder *recorder,
                          uint64_t now_ns, struct xensched_error *err)
{
    unsigned int i;
    int rc = xensched_area_check(s->one[0]->area, err);

    if (rc)
        return rc;
    if (s->all) {
        look_for_sources(s);
        rc = tell_system_time(recorder, now_ns, err);
    }
    for (i = s->nr; !rc && i-- > 0;) {
        struct one *one = s->one[i];
        struct xensched_error why;
        int lost = 0;

        if (one->refused)
            continue;
        if (one->area && !one->source)
            lost = poll_answer(s, one, &why);
        else if (one->asked)
            lost = xensched_area_check(one->area, &why);
        if (lost)
            drop_source(s, i, why.text);
        else if (one->source)
            rc = record_source(recorder, one, now_ns, err);
    }

    return rc;
}

/* An error of the recorder is final; an error of the source ends the source. */
static int read_one(struct recorded_sources *s, struct one *one,
                    struct xensched_recorder *recorder, int *lost,
                    struct xensched_error *err)
{
    struct xensched_batch batch;
    int rc = 0;

    while (!rc && (*lost = xensched_source_next(one->source, &batch, err)) ==
           XENSCHED_BATCH) {
        batch.source = one->info.id;
        if (filter_batch(s->filter, &batch))
            rc = xensched_recorder_write(recorder, &batch, err);
    }

    return rc;
}

/*
 * The guest turns its events off when the lease ends, for example while the recorder was stopped,
 * and leaves them off.
 */
static int keep_lease(struct one *one, struct xensched_error *err)
{
    uint64_t now = now_ns(), before = one->renewed_ns;

    if (!one->asked)
        return 0;
    xensched_area_renew_lease(one->area);
    one->renewed_ns = now;
    if (now - before < LEASE_MS * 1000000ULL / 2)
        return 0;
    complain("note: source %s (%s) was not read for %.1f s, and may have "
             "stopped logging meanwhile", one->spec, one->info.name,
             (now - before) / 1e9);

    return xensched_area_events(one->area, one->events, LEASE_MS, err);
}

int recorded_sources_read(struct recorded_sources *s, struct xensched_recorder *recorder,
                          struct xensched_error *err)
{
    uint64_t begin = xensched_time_stamp();
    unsigned int i;
    int rc = 0, lost = 0;

    for (i = s->nr; !rc && i-- > 0;) {
        if (!s->one[i]->source || !s->one[i]->told)
            continue;
        rc = read_one(s, s->one[i], recorder, &lost, err);
        if (!rc && lost >= 0)
            lost = keep_lease(s->one[i], err);
        if (!rc && lost < 0 && !i)
            rc = lost;
        else if (!rc && lost < 0)
            drop_source(s, i, err->text);
    }

    return rc ? rc : xensched_recorder_round(recorder, now_ns(), begin, err);
}

void recorded_sources_numbers(const struct recorded_sources *s, struct recorded_sources_numbers *n)
{
    unsigned int i;

    *n = s->former;
    n->nr = s->nr;
    for (i = 0; i < s->nr; i++)
        add_numbers(n, s->one[i]);
}

uint64_t recorded_sources_tsc_khz(const struct recorded_sources *s)
{
    return s->tsc_khz;
}

static enum xensched_kind kind_of(const char *spec, uint32_t *domid)
{
    *domid = 0;
    if (!strcmp(spec, "linux"))
        return XENSCHED_KIND_LINUX;
    if (strncmp(spec, "domain:", 7))
        return XENSCHED_KIND_HYPERVISOR;
    *domid = strtoul(spec + 7, NULL, 10);

    return XENSCHED_KIND_DRIVER;
}

int recorded_sources_open(const char *spec, struct filter *filter,
                          struct recorded_sources **sources, struct xensched_error *err)
{
    struct recorded_sources *s = calloc(1, sizeof(*s));
    struct xensched_area_info info;
    enum xensched_kind kind;
    struct one *one;
    uint32_t domid;
    int rc;

    if (!s)
        return xensched_fail(err, ENOMEM, "out of memory");
    s->all = !spec;
    s->filter = filter;
    if (!spec)
        spec = "hypervisor";
    kind = kind_of(spec, &domid);
    one = add_source(s, kind, domid, spec);
    if (!one) {
        recorded_sources_close(s);
        return xensched_fail(err, ENOMEM, "out of memory");
    }
    snprintf(one->spec, sizeof(one->spec), "%s", spec);
    rc = attach_one(one, err);
    if (!rc)
        rc = xensched_area_info(one->area, &info, err);
    if (rc) {
        recorded_sources_close(s);
        return rc;
    }
    if (!info.events_enabled)
        complain("note: no event is on; xenschedd turns them on");
    s->tsc_khz = one->info.tsc_khz;
    if (s->all)
        s->xs = xensched_xenstore_open(NULL);
    s->stranger = need_memory(DOMID_FIRST_RESERVED, sizeof(*s->stranger));
    *sources = s;

    return 0;
}

void recorded_sources_close(struct recorded_sources *s)
{
    if (!s)
        return;
    while (s->nr) {
        close_one(s->one[--s->nr]);
        free(s->one[s->nr]);
    }
    if (s->xs)
        xs_close(s->xs);
    free(s->one);
    free(s->stranger);
    free(s);
}
