/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-xen.h - the real host: libxenctrl, xenstore and the log area.
 */
#ifndef XENSCHED_HOST_HOST_XEN_H
#define XENSCHED_HOST_HOST_XEN_H

#include <stdbool.h>

#include <xensched/area.h>

#include "host.h"
#include "daemon/log/logs.h"

struct host_xen;
struct pmc;

/*
 * Connect to Xen.  @llc is what an operator has named, or NULL; see llc.h:
 * -EINVAL if this host's cannot be so.  @soft_pools are the names of cpupools in
 * which no domain gets a hard affinity, or NULL.  @choice, @pmc, @llc and
 * @soft_pools have to stay valid.
 */
int host_xen_open(struct host_xen **hx, const struct choice *choice,
                  const struct pmc *pmc,
                  const char *llc, const char *soft_pools,
                  struct xensched_error *err);

/*
 * Connects to xenstore, which only domains() of struct host needs.  A daemon restores
 * affinities before it calls this, since a hanging xenstored gives no sign.
 */
int host_xen_connect(struct host_xen *hx, struct xensched_error *err);

/* What the daemon's core gets to see. */
const struct host *host_xen_host(const struct host_xen *hx);

/*
 * Make the log area: nothing is bound, no event is on.  Before that, domains
 * cannot be bound.  @replace, @cookie: as for xensched_area_setup().  -EEXIST:
 * another scheduler holds the log.
 */
int host_xen_make_area(struct host_xen *hx, bool replace, uint64_t cookie,
                       struct xensched_error *err);

/* Leave the area as it is: it isn't ours any more. */
void host_xen_drop_area(struct host_xen *hx);

/* For the source of rows. */
struct xensched_area *host_xen_area(const struct host_xen *hx);

/* The daemon's connection to xenstore. */
struct xenstore *host_xen_xenstore(const struct host_xen *hx);

/* As xenstore_check(). */
int host_xen_check_xenstore(struct host_xen *hx, struct xensched_error *err);

/* Is there a cpupool of this name?  Once connected. */
bool host_xen_has_pool(struct host_xen *hx, const char *name);

/* Readable when domains may have come or gone; then call the second one. */
int host_xen_watch_fd(const struct host_xen *hx);
bool host_xen_changed(struct host_xen *hx);

/* pCPUs may have come: read their logs, too. */
int host_xen_refresh(struct host_xen *hx, struct xensched_error *err);

/* Events off, area given up, everything closed.  NULL is allowed. */
void host_xen_close(struct host_xen *hx);

#endif /* XENSCHED_HOST_HOST_XEN_H */
