/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log-source-area.h - the area of a source, asked for or about.  That of a driver domain is
 * a matter of xenstore, so what cannot wait goes on meanwhile (daemon/aside.h).
 * Otherwise as in xensched/area.h.
 */
#ifndef XENSCHED_DAEMON_LOG_SOURCE_AREA_H
#define XENSCHED_DAEMON_LOG_SOURCE_AREA_H

#include "log-sources.h"

int log_source_area_request(struct log_source *source,
                            const struct xensched_geometry *geometry,
                            struct xensched_error *err);
int log_source_area_poll(struct log_source *source, struct xensched_error *err);
int log_source_area_info(struct log_source *source, struct xensched_area_info *info,
                         struct xensched_error *err);
int log_source_area_events(struct log_source *source, uint32_t events, uint32_t lease_ms,
                           struct xensched_error *err);
int log_source_area_refresh(struct log_source *source, struct xensched_error *err);
int log_source_area_withdraw(uint32_t domid, struct xensched_error *err);

#endif /* XENSCHED_DAEMON_LOG_SOURCE_AREA_H */
