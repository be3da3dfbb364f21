/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves one source through its states: asked, mapped, read, tried again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/say.h"
#include "log-source.h"
#include "log-source-area.h"

#define NS_PER_S 1000000000ULL

/* Until something is tried again: at most. */
#define LAST_PAUSE_NS  (300 * NS_PER_S)

/* Of a guest. */
#define NO_AGENT "xensched-agent does not run there"

/* What was good for so long begins with the first pause when it fails. */
#define GOOD_NS (60 * NS_PER_S)

const char *feed_state_name(enum feed_state state)
{
    static const char *const names[] = {
        [FEED_ABSENT] = "absent",
        [FEED_ASKED] = "asked",
        [FEED_READING] = "reading",
        [FEED_FAILED] = "failed",
    };

    return names[state];
}

bool feed_is_domains(const struct feed *feed)
{
    return feed->domid != 0;
}

/* States. */

void feed_journal(struct feeds *feeds, const struct feed *feed,
                         const char *what)
{
    json_object *details = json_object_new_object();

    json_add_text(details, "source", feed->name);
    json_add_text(details, "state", feed_state_name( feed->state));
    json_add_text(details, "reason", feed->reason);
    journal_write(&feeds->core->journal, what, details);
}

void feed_enter(struct feed *feed, enum feed_state state,
                  const char *reason, uint64_t now_ns)
{
    feed->state = state;
    feed->since_ns = now_ns;
    snprintf(feed->reason, sizeof(feed->reason), "%s", reason);
}

/* The next try is not before the pause is over, which grows. */
static void pause_feed(struct feed *feed, uint64_t now_ns)
{
    feed->again_ns = now_ns + feed->pause_ns;
    if (feed->look_ns > feed->again_ns)
        feed->look_ns = feed->again_ns;
    feed->pause_ns *= 2;
    if (feed->pause_ns > LAST_PAUSE_NS)
        feed->pause_ns = LAST_PAUSE_NS;
}

/* Unmap it, and leave everything else as it is. */
void feed_close(struct feed *feed)
{
    feed_stats(feed, &feed->former);
    xensched_source_close(feed->source);
    xensched_area_close(feed->area);
    feed->source = NULL;
    feed->area = NULL;
}

void feed_fail(struct feeds *feeds, struct feed *feed,
                      const char *reason, uint64_t now_ns)
{
    if (feed->state == FEED_READING && now_ns - feed->since_ns >= GOOD_NS)
        feed->pause_ns = FEED_FIRST_PAUSE_NS;
    feed_close(feed);
    feed_enter(feed, FEED_FAILED, reason, now_ns);
    pause_feed(feed, now_ns);
    if (!strcmp(feed->said, feed->reason))
        return;
    memcpy(feed->said, feed->reason, sizeof(feed->said));
    say("source %s: %s", feed->name, feed->reason);
    feed_journal(feeds, feed, "source");
}

/* Events. */

/* If the preliminary rows are not completed, they are of no use. */
static uint32_t wanted_events(const struct feeds *feeds,
                              const struct feed *feed, uint32_t built)
{
    uint32_t events = choice_events(feeds->settings.choice, feed->producer) &
                      built;

    return events ? events | (feed_logs(feeds, feed)->preliminary & built) : 0;
}

/* As apply_thresholds() of the core.  Of a guest each row counts. */
static void apply_thresholds(struct feeds *feeds, struct feed *feed)
{
    unsigned int event;

    if (feed->producer == GUEST)
        return;
    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++)
        logs_set_threshold(feed_logs(feeds, feed), feed->area, feed->acct, event,
                           governor_threshold(&feeds->core->governor, event,
                                              feed->acct));
}

static int turn_on(struct feeds *feeds, struct feed *feed, uint32_t events,
                   struct xensched_error *err)
{
    int rc = feed_area_refresh(feed, err);

    if (rc < 0)
        return rc;
    feed->on = events;
    if (feed->producer == GUEST && !feed->refusal_said)
        snprintf(feed->reason, sizeof(feed->reason), "%s",
                 events ? "" : NO_AGENT);

    return feed_area_events(feed, events,
                            events ? feeds->settings.lease_ms : 0, err);
}

/* The area is mapped: from nothing to rows. */
static int start_reading(struct feeds *feeds, struct feed *feed,
                         struct xensched_error *err)
{
    struct xensched_area_info info;
    int rc = feed_area_events(feed, 0, 0, err);

    if (rc)
        return rc;
    /* All that a Linux logs is what it does itself. */
    logs_prepare(feed_logs(feeds, feed), feed->area);
    logs_route(feed_logs(feeds, feed), feeds->settings.choice, feed->area,
               feed->acct, ~0U, true);
    apply_thresholds(feeds, feed);
    rc = xensched_source_open(feed->name, feed->area, &feed->source, err);
    if (rc)
        return rc;
    xensched_source_leave(feed->source, feed_logs(feeds, feed)->not_ours);
    rc = feed_area_info(feed, &info, err);

    return rc ? rc : turn_on(feeds, feed,
                             wanted_events(feeds, feed, info.events_built),
                             err);
}

static void try_reading(struct feeds *feeds, struct feed *feed,
                        uint64_t now_ns)
{
    struct xensched_error err;

    feed->reason[0] = '\0';
    if (start_reading(feeds, feed, &err)) {
        feed_fail(feeds, feed, err.text, now_ns);
        return;
    }
    feed->state = FEED_READING;
    feed->since_ns = now_ns;
    feed->said[0] = '\0';
    say("source %s: reading", feed->name);
    feed_journal(feeds, feed, "source");
}

/*
 * Sites come and go with their modules, and a lease can end.  Who says that
 * nothing is on, whatever it is asked, is asked less and less often.
 */
static int check_events(struct feeds *feeds, struct feed *feed,
                        const struct xensched_area_info *info,
                        uint64_t now_ns, struct xensched_error *err)
{
    uint32_t wanted = wanted_events(feeds, feed, info->events_built);

    if (!feed_is_domains(feed) && feed->on && !info->lease_ms)
        return xensched_fail(err, ESTALE, "its lease has ended");
    if (wanted == info->events_enabled) {
        if (now_ns - feed->since_ns >= GOOD_NS)
            feed->pause_ns = FEED_FIRST_PAUSE_NS;
        return 0;
    }
    if (now_ns < feed->again_ns)
        return 0;
    pause_feed(feed, now_ns);

    return turn_on(feeds, feed, wanted, err);
}

/*
 * A domain that restarts its Linux waits until its request is removed, so nothing may
 * be mapped by then.
 */
static void accept_end(struct feeds *feeds, struct feed *feed, uint64_t now_ns)
{
    struct xensched_error err;

    feed_fail(feeds, feed, "it has given its log up", now_ns);
    if (feed_is_domains(feed) && feed_area_withdraw(feed->domid, &err))
        say("source %s: %s", feed->name, err.text);
}

static void check_reading(struct feeds *feeds, struct feed *feed,
                          uint64_t now_ns)
{
    struct xensched_area_info info;
    struct xensched_error err;
    int rc = feed_area_info(feed, &info, &err);

    if (!rc && !info.nr_cpus) {
        accept_end(feeds, feed, now_ns);
        return;
    }
    if (!rc)
        rc = check_events(feeds, feed, &info, now_ns, &err);
    if (rc)
        feed_fail(feeds, feed, err.text, now_ns);
}

/* Getting there. */

static void try_linux(struct feeds *feeds, struct feed *feed, uint64_t now_ns)
{
    const struct feeds_settings *s = &feeds->settings;
    struct xensched_error err;
    int rc = xensched_area_setup_linux(&feed_logs(feeds, feed)->geometry,
                                       s->replace_area, feeds->core->cookie,
                                       &feed->area, &err);

    if (!rc)
        try_reading(feeds, feed, now_ns);
    else if (rc == -ENOENT)
        feed_enter(feed, FEED_ABSENT, "", now_ns);
    else
        feed_fail(feeds, feed, err.text, now_ns);
}

static void ask_domain(struct feeds *feeds, struct feed *feed,
                       uint64_t now_ns)
{
    struct xensched_error err;

    feed_close(feed);
    if (feed_area_request(feed, &feed_logs(feeds, feed)->geometry, &err)) {
        feed_fail(feeds, feed, err.text, now_ns);
        return;
    }
    feed_enter(feed, FEED_ASKED, "it has not answered yet; is the module "
          "xensched_log loaded there?", now_ns);
    pause_feed(feed, now_ns);
}

void feed_poll(struct feeds *feeds, struct feed *feed,
                        uint64_t now_ns)
{
    struct xensched_error err;
    int rc = feed_area_poll(feed, &err);

    feed->poll_again = rc == XENSCHED_PART;
    if (rc < 0)
        feed_fail(feeds, feed, err.text, now_ns);
    else if (rc == XENSCHED_MAPPED)
        try_reading(feeds, feed, now_ns);
    else if (rc == XENSCHED_NO_ANSWER && now_ns >= feed->again_ns)
        ask_domain(feeds, feed, now_ns);
}

void feed_step(struct feeds *feeds, struct feed *feed, uint64_t now_ns)
{
    /* Too many domains; it may get a number later. */
    if (feed->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    switch (feed->state) {
    case FEED_READING:
        check_reading(feeds, feed, now_ns);
        break;
    case FEED_ASKED:
        feed_poll(feeds, feed, now_ns);
        break;
    default:
        if (now_ns < feed->again_ns)
            break;
        if (feed_is_domains(feed))
            ask_domain(feeds, feed, now_ns);
        else
            try_linux(feeds, feed, now_ns);
    }
}

void feed_stats(const struct feed *feed, struct xensched_source_stats *stats)
{
    struct xensched_source_stats now;

    *stats = feed->former;
    if (!feed->source)
        return;
    xensched_source_stats(feed->source, &now);
    stats->batches += now.batches;
    stats->rows += now.rows;
    stats->bytes += now.bytes;
    stats->lost_rows += now.lost_rows;
    stats->lost_bytes += now.lost_bytes;
    stats->nonsense += now.nonsense;
}
