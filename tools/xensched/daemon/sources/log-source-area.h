/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed-area.h - the area of a feed, asked for or about.  That of a driver domain is
 * a matter of xenstore, so what cannot wait goes on meanwhile (daemon/aside.h).
 * Otherwise as in xensched/area.h.
 */
#ifndef XENSCHED_DAEMON_FEED_AREA_H
#define XENSCHED_DAEMON_FEED_AREA_H

#include "log-sources.h"

int feed_area_request(struct feed *feed,
                      const struct xensched_geometry *geometry,
                      struct xensched_error *err);
int feed_area_poll(struct feed *feed, struct xensched_error *err);
int feed_area_info(struct feed *feed, struct xensched_area_info *info,
                   struct xensched_error *err);
int feed_area_events(struct feed *feed, uint32_t events, uint32_t lease_ms,
                     struct xensched_error *err);
int feed_area_refresh(struct feed *feed, struct xensched_error *err);
int feed_area_withdraw(uint32_t domid, struct xensched_error *err);

#endif /* XENSCHED_DAEMON_FEED_AREA_H */
