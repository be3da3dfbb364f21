/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps one source through its states: asked, mapped, read, tried again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/blocking-call.h"
#include "base/message.h"
#include "log-source.h"

#define NS_PER_S 1000000000ULL

/* The longest pause before the next attempt. */
#define LAST_PAUSE_NS  (300 * NS_PER_S)

/* The reason that is shown for a guest. */
#define NO_AGENT "xensched-agent does not run there"

/* A source that was read for this time starts again with the first pause. */
#define GOOD_NS (60 * NS_PER_S)

const char *log_source_state_name(enum log_source_state state)
{
    static const char *const names[] = {
        [LOG_SOURCE_ABSENT] = "absent",
        [LOG_SOURCE_ASKED] = "asked",
        [LOG_SOURCE_READING] = "reading",
        [LOG_SOURCE_FAILED] = "failed",
    };

    return names[state];
}

bool log_source_is_domains(const struct log_source *source)
{
    return source->domid != 0;
}

/* The area: calls that may wait for xenstored block no other work of the daemon. */

struct area_call {
    struct log_source *source;
    const struct xensched_geometry *geometry;
    struct xensched_area_info *info;
    uint32_t domid, events, lease_ms;
    struct xensched_error *err;
};

static int call_request(void *arg)
{
    const struct area_call *c = arg;

    return xensched_area_request(c->source->domid, c->geometry, &c->source->area,
                                 c->err);
}

static int call_poll(void *arg)
{
    const struct area_call *c = arg;

    return xensched_area_poll(c->source->area, c->err);
}

static int call_info(void *arg)
{
    const struct area_call *c = arg;

    return xensched_area_info(c->source->area, c->info, c->err);
}

static int call_events(void *arg)
{
    const struct area_call *c = arg;

    return xensched_area_events(c->source->area, c->events, c->lease_ms, c->err);
}

static int call_refresh(void *arg)
{
    const struct area_call *c = arg;

    return xensched_area_refresh(c->source->area, c->err);
}

static int call_withdraw(void *arg)
{
    const struct area_call *c = arg;

    return xensched_area_withdraw(c->domid, c->err);
}

int log_source_area_request(struct log_source *source,
                            const struct xensched_geometry *geometry,
                            struct xensched_error *err)
{
    struct area_call c = { .source = source, .geometry = geometry, .err = err };

    return blocking_call(call_request, &c);
}

int log_source_area_poll(struct log_source *source, struct xensched_error *err)
{
    struct area_call c = { .source = source, .err = err };

    return blocking_call(call_poll, &c);
}

int log_source_area_info(struct log_source *source, struct xensched_area_info *facts,
                         struct xensched_error *err)
{
    struct area_call c = { .source = source, .info = facts, .err = err };

    return blocking_call(call_info, &c);
}

int log_source_area_events(struct log_source *source, uint32_t mask, uint32_t lease_ms,
                           struct xensched_error *err)
{
    struct area_call c = {
        .source = source, .events = mask, .lease_ms = lease_ms, .err = err,
    };

    return blocking_call(call_events, &c);
}

int log_source_area_refresh(struct log_source *source, struct xensched_error *err)
{
    struct area_call c = { .source = source, .err = err };

    return blocking_call(call_refresh, &c);
}

int log_source_area_withdraw(uint32_t domid, struct xensched_error *err)
{
    struct area_call c = { .domid = domid, .err = err };

    return blocking_call(call_withdraw, &c);
}

/* States. */

void log_source_journal(struct log_sources *sources, const struct log_source *source,
                        const char *what)
{
    json_object *details = json_object_new_object();

    json_add_text(details, "source", source->name);
    json_add_text(details, "state", log_source_state_name(source->state));
    json_add_text(details, "reason", source->reason);
    journal_write(&sources->core->journal, what, details);
}

void log_source_enter(struct log_source *source, enum log_source_state state,
                      const char *reason, uint64_t now_ns)
{
    source->state = state;
    source->since_ns = now_ns;
    snprintf(source->reason, sizeof(source->reason), "%s", reason);
}

/* Allows the next try after the pause, and doubles the pause. */
static void pause_source(struct log_source *source, uint64_t now_ns)
{
    source->again_ns = now_ns + source->pause_ns;
    if (source->look_ns > source->again_ns)
        source->look_ns = source->again_ns;
    source->pause_ns *= 2;
    if (source->pause_ns > LAST_PAUSE_NS)
        source->pause_ns = LAST_PAUSE_NS;
}

void log_source_close(struct log_source *source)
{
    log_source_stats(source, &source->former);
    xensched_source_close(source->reader);
    xensched_area_close(source->area);
    source->reader = NULL;
    source->area = NULL;
}

void log_source_fail(struct log_sources *sources, struct log_source *source,
                     const char *reason, uint64_t now_ns)
{
    if (source->state == LOG_SOURCE_READING && now_ns - source->since_ns >= GOOD_NS)
        source->pause_ns = LOG_SOURCE_FIRST_PAUSE_NS;
    log_source_close(source);
    log_source_enter(source, LOG_SOURCE_FAILED, reason, now_ns);
    pause_source(source, now_ns);
    if (!strcmp(source->said, source->reason))
        return;
    memcpy(source->said, source->reason, sizeof(source->said));
    say("source %s: %s", source->name, source->reason);
    log_source_journal(sources, source, "source");
}

/* Events. */

/* Preliminary rows are useful only if other events complete them. */
static uint32_t wanted_events(const struct log_sources *sources,
                              const struct log_source *source, uint32_t built)
{
    uint32_t events = choice_events(sources->settings.choice, source->producer) &
                      built;

    return events ? events | (log_source_logs(sources, source)->preliminary & built) : 0;
}

/* Like apply_thresholds() of the core.  Each row of a guest counts. */
static void apply_thresholds(struct log_sources *sources, struct log_source *source)
{
    unsigned int event;

    if (source->producer == GUEST)
        return;
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        logs_set_threshold(log_source_logs(sources, source), source->area, source->acct, event,
                           governor_threshold(&sources->core->governor, event,
                                              source->acct));
}

static int turn_on(struct log_sources *sources, struct log_source *source, uint32_t events,
                   struct xensched_error *err)
{
    int rc = log_source_area_refresh(source, err);

    if (rc < 0)
        return rc;
    source->on = events;
    if (source->producer == GUEST && !source->refusal_said)
        snprintf(source->reason, sizeof(source->reason), "%s",
                 events ? "" : NO_AGENT);

    return log_source_area_events(source, events,
                                  events ? sources->settings.lease_ms : 0, err);
}

/* Starts to read the mapped area. */
static int start_reading(struct log_sources *sources, struct log_source *source,
                         struct xensched_error *err)
{
    struct xensched_area_info info;
    int rc = log_source_area_events(source, 0, 0, err);

    if (rc)
        return rc;
    /* A Linux logs only its own events. */
    logs_prepare(log_source_logs(sources, source), source->area);
    logs_route(log_source_logs(sources, source), sources->settings.choice, source->area,
               source->acct, ~0U, true);
    apply_thresholds(sources, source);
    rc = xensched_source_open(source->name, source->area, &source->reader, err);
    if (rc)
        return rc;
    xensched_source_leave(source->reader, log_source_logs(sources, source)->not_ours);
    rc = log_source_area_info(source, &info, err);

    return rc ? rc : turn_on(sources, source,
                             wanted_events(sources, source, info.events_built),
                             err);
}

static void try_reading(struct log_sources *sources, struct log_source *source,
                        uint64_t now_ns)
{
    struct xensched_error err;

    source->reason[0] = '\0';
    if (start_reading(sources, source, &err)) {
        log_source_fail(sources, source, err.text, now_ns);
        return;
    }
    source->state = LOG_SOURCE_READING;
    source->since_ns = now_ns;
    source->said[0] = '\0';
    say("source %s: reading", source->name);
    log_source_journal(sources, source, "source");
}

/*
 * Sites come and go with their modules, and a lease can end.  A source that leaves its events
 * off after requests is asked ever less often.
 */
static int check_events(struct log_sources *sources, struct log_source *source,
                        const struct xensched_area_info *info,
                        uint64_t now_ns, struct xensched_error *err)
{
    uint32_t wanted = wanted_events(sources, source, info->events_built);

    if (!log_source_is_domains(source) && source->on && !info->lease_ms)
        return xensched_fail(err, ESTALE, "its lease has ended");
    if (wanted == info->events_enabled) {
        if (now_ns - source->since_ns >= GOOD_NS)
            source->pause_ns = LOG_SOURCE_FIRST_PAUSE_NS;
        return 0;
    }
    if (now_ns < source->again_ns)
        return 0;
    pause_source(source, now_ns);

    return turn_on(sources, source, wanted, err);
}

/*
 * A domain that restarts its Linux waits until its request is removed, so nothing may
 * be mapped by then.
 */
static void accept_end(struct log_sources *sources, struct log_source *source, uint64_t now_ns)
{
    struct xensched_error err;

    log_source_fail(sources, source, "it has given its log up", now_ns);
    if (log_source_is_domains(source) && log_source_area_withdraw(source->domid, &err))
        say("source %s: %s", source->name, err.text);
}

static void check_reading(struct log_sources *sources, struct log_source *source,
                          uint64_t now_ns)
{
    struct xensched_area_info info;
    struct xensched_error err;
    int rc = log_source_area_info(source, &info, &err);

    if (!rc && !info.nr_cpus) {
        accept_end(sources, source, now_ns);
        return;
    }
    if (!rc)
        rc = check_events(sources, source, &info, now_ns, &err);
    if (rc)
        log_source_fail(sources, source, err.text, now_ns);
}

/* Steps towards reading. */

static void try_linux(struct log_sources *sources, struct log_source *source, uint64_t now_ns)
{
    const struct log_sources_settings *s = &sources->settings;
    struct xensched_error err;
    int rc = xensched_area_setup_linux(&log_source_logs(sources, source)->geometry,
                                       s->replace_area, sources->core->cookie,
                                       &source->area, &err);

    if (!rc)
        try_reading(sources, source, now_ns);
    else if (rc == -ENOENT)
        log_source_enter(source, LOG_SOURCE_ABSENT, "", now_ns);
    else
        log_source_fail(sources, source, err.text, now_ns);
}

static void ask_domain(struct log_sources *sources, struct log_source *source,
                       uint64_t now_ns)
{
    struct xensched_error err;

    log_source_close(source);
    if (log_source_area_request(source, &log_source_logs(sources, source)->geometry, &err)) {
        log_source_fail(sources, source, err.text, now_ns);
        return;
    }
    log_source_enter(source, LOG_SOURCE_ASKED, "it has not answered yet; is the module "
          "xensched_log loaded there?", now_ns);
    pause_source(source, now_ns);
}

void log_source_poll(struct log_sources *sources, struct log_source *source,
                     uint64_t now_ns)
{
    struct xensched_error err;
    int rc = log_source_area_poll(source, &err);

    source->poll_again = rc == XENSCHED_PART;
    if (rc < 0)
        log_source_fail(sources, source, err.text, now_ns);
    else if (rc == XENSCHED_MAPPED)
        try_reading(sources, source, now_ns);
    else if (rc == XENSCHED_NO_ANSWER && now_ns >= source->again_ns)
        ask_domain(sources, source, now_ns);
}

void log_source_step(struct log_sources *sources, struct log_source *source, uint64_t now_ns)
{
    /* There are too many domains; it may get a number later. */
    if (source->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    switch (source->state) {
    case LOG_SOURCE_READING:
        check_reading(sources, source, now_ns);
        break;
    case LOG_SOURCE_ASKED:
        log_source_poll(sources, source, now_ns);
        break;
    default:
        if (now_ns < source->again_ns)
            break;
        if (log_source_is_domains(source))
            ask_domain(sources, source, now_ns);
        else
            try_linux(sources, source, now_ns);
    }
}

void log_source_add_stats(struct xensched_source_stats *sum,
                          const struct xensched_source_stats *stats)
{
    sum->batches += stats->batches;
    sum->rows += stats->rows;
    sum->bytes += stats->bytes;
    sum->lost_rows += stats->lost_rows;
    sum->lost_bytes += stats->lost_bytes;
    sum->nonsense += stats->nonsense;
}

void log_source_stats(const struct log_source *source, struct xensched_source_stats *stats)
{
    struct xensched_source_stats now;

    *stats = source->former;
    if (!source->reader)
        return;
    xensched_source_stats(source->reader, &now);
    log_source_add_stats(stats, &now);
}
