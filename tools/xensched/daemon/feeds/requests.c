/* SPDX-License-Identifier: GPL-2.0-only */
/* requests.c - see requests.h. */
#include "daemon/say.h"
#include "feed.h"
#include "numbers.h"
#include "requests.h"
#include "requests-area.h"

#define REQUESTS (1U << XEN_SCHEDLOG_EV_RING_PAGES)

bool requests_are_on(const struct feed *feed)
{
    return feed->state == FEED_READING && feed->on & REQUESTS;
}

static bool is_wanted(const struct feeds *feeds, const struct feed *log)
{
    return choice_events(feeds->settings.choice, LINUX) & REQUESTS &&
           !requests_are_on(log) && vbds_are_there(&feeds->disks.vbds);
}

static void let_go(struct feed *feed, uint64_t now_ns)
{
    struct xensched_error err;

    if (!feed->area)
        return;
    feed_stats(feed, &feed->former);
    xensched_source_close(feed->source);
    feed->source = NULL;
    if (xensched_area_release(feed->area, &err))
        say("source %s: %s", feed->name, err.text);
    feed->area = NULL;
    feed_enter(feed, FEED_ABSENT, "", now_ns);
    say("source %s: not needed any more", feed->name);
}

void requests_step(struct feeds *feeds, struct feed *feed,
                   const struct feed *log, const struct domains *domains,
                   uint64_t now_ns)
{
    const struct domain *dom0 = domains_find(domains, 0);

    feed->acct = log->acct;
    if (!is_wanted(feeds, log)) {
        let_go(feed, now_ns);
        return;
    }
    if (dom0)
        numbers_set_sieve(feed, dom0, domains);
    feed_step(feeds, feed, now_ns);
    requests_write_numbers(feed, domains);
}
