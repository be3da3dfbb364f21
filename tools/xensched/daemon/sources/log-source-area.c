/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks for a source's area without blocking on xenstore. */
#include "base/blocking-call.h"
#include "log-source.h"

struct call {
    struct log_source *source;
    const struct xensched_geometry *geometry;
    struct xensched_area_info *info;
    uint32_t domid, events, lease_ms;
    struct xensched_error *err;
};

static int request(void *arg)
{
    const struct call *c = arg;

    return xensched_area_request(c->source->domid, c->geometry, &c->source->area,
                                 c->err);
}

static int poll(void *arg)
{
    const struct call *c = arg;

    return xensched_area_poll(c->source->area, c->err);
}

static int info(void *arg)
{
    const struct call *c = arg;

    return xensched_area_info(c->source->area, c->info, c->err);
}

static int events(void *arg)
{
    const struct call *c = arg;

    return xensched_area_events(c->source->area, c->events, c->lease_ms, c->err);
}

static int refresh(void *arg)
{
    const struct call *c = arg;

    return xensched_area_refresh(c->source->area, c->err);
}

static int withdraw(void *arg)
{
    const struct call *c = arg;

    return xensched_area_withdraw(c->domid, c->err);
}

int log_source_area_request(struct log_source *source,
                            const struct xensched_geometry *geometry,
                            struct xensched_error *err)
{
    struct call c = { .source = source, .geometry = geometry, .err = err };

    return blocking_call(request, &c);
}

int log_source_area_poll(struct log_source *source, struct xensched_error *err)
{
    struct call c = { .source = source, .err = err };

    return blocking_call(poll, &c);
}

int log_source_area_info(struct log_source *source, struct xensched_area_info *facts,
                         struct xensched_error *err)
{
    struct call c = { .source = source, .info = facts, .err = err };

    return blocking_call(info, &c);
}

int log_source_area_events(struct log_source *source, uint32_t mask, uint32_t lease_ms,
                           struct xensched_error *err)
{
    struct call c = {
        .source = source, .events = mask, .lease_ms = lease_ms, .err = err,
    };

    return blocking_call(events, &c);
}

int log_source_area_refresh(struct log_source *source, struct xensched_error *err)
{
    struct call c = { .source = source, .err = err };

    return blocking_call(refresh, &c);
}

int log_source_area_withdraw(uint32_t domid, struct xensched_error *err)
{
    struct call c = { .domid = domid, .err = err };

    return blocking_call(withdraw, &c);
}
