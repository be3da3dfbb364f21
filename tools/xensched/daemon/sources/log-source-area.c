/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks for a source's area without blocking on xenstore. */
#include "base/blocking-call.h"
#include "log-source-area.h"

struct call {
    struct feed *feed;
    const struct xensched_geometry *geometry;
    struct xensched_area_info *info;
    uint32_t domid, events, lease_ms;
    struct xensched_error *err;
};

static int request(void *arg)
{
    const struct call *c = arg;

    return xensched_area_request(c->feed->domid, c->geometry, &c->feed->area,
                                 c->err);
}

static int poll(void *arg)
{
    const struct call *c = arg;

    return xensched_area_poll(c->feed->area, c->err);
}

static int info(void *arg)
{
    const struct call *c = arg;

    return xensched_area_info(c->feed->area, c->info, c->err);
}

static int events(void *arg)
{
    const struct call *c = arg;

    return xensched_area_events(c->feed->area, c->events, c->lease_ms, c->err);
}

static int refresh(void *arg)
{
    const struct call *c = arg;

    return xensched_area_refresh(c->feed->area, c->err);
}

static int withdraw(void *arg)
{
    const struct call *c = arg;

    return xensched_area_withdraw(c->domid, c->err);
}

int feed_area_request(struct feed *feed,
                      const struct xensched_geometry *geometry,
                      struct xensched_error *err)
{
    struct call c = { .feed = feed, .geometry = geometry, .err = err };

    return blocking_call(request, &c);
}

int feed_area_poll(struct feed *feed, struct xensched_error *err)
{
    struct call c = { .feed = feed, .err = err };

    return blocking_call(poll, &c);
}

int feed_area_info(struct feed *feed, struct xensched_area_info *facts,
                   struct xensched_error *err)
{
    struct call c = { .feed = feed, .info = facts, .err = err };

    return blocking_call(info, &c);
}

int feed_area_events(struct feed *feed, uint32_t mask, uint32_t lease_ms,
                     struct xensched_error *err)
{
    struct call c = {
        .feed = feed, .events = mask, .lease_ms = lease_ms, .err = err,
    };

    return blocking_call(events, &c);
}

int feed_area_refresh(struct feed *feed, struct xensched_error *err)
{
    struct call c = { .feed = feed, .err = err };

    return blocking_call(refresh, &c);
}

int feed_area_withdraw(uint32_t domid, struct xensched_error *err)
{
    struct call c = { .domid = domid, .err = err };

    return blocking_call(withdraw, &c);
}
