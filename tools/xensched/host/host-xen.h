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
 * Connects to Xen.  @llc is an operator's list of caches, or NULL (llc.h); -EINVAL: it is
 * impossible on this host.  @soft_pools are the names of cpupools in which no domain gets a hard
 * affinity, or NULL.  @choice, @pmc, @llc and @soft_pools have to stay valid.
 */
int host_xen_open(struct host_xen **hx, const struct choice *choice,
                  const struct pmc *pmc,
                  const char *llc, const char *soft_pools,
                  struct xensched_error *err);

/*
 * Connects to xenstore, which only domains() of struct host needs.  A daemon restores affinities
 * before it calls this, because the connection to a hanging xenstored never returns.
 */
int host_xen_connect(struct host_xen *hx, struct xensched_error *err);

/* The interface for the daemon's core. */
const struct host *host_xen_host(const struct host_xen *hx);

/*
 * Makes the log area: no domain is bound and no event is on.  Before that, domains cannot be bound.
 * @replace, @cookie: as for xensched_area_setup().  -EEXIST: another scheduler holds the log.
 */
int host_xen_make_area(struct host_xen *hx, bool replace, uint64_t cookie,
                       struct xensched_error *err);

/* Leaves the area as it is, because another program owns it now. */
void host_xen_drop_area(struct host_xen *hx);

/* The area, for the source of rows. */
struct xensched_area *host_xen_area(const struct host_xen *hx);

/* The daemon's connection to xenstore. */
struct xenstore *host_xen_xenstore(const struct host_xen *hx);

/* As xenstore_check(). */
int host_xen_check_xenstore(struct host_xen *hx, struct xensched_error *err);

/* Is there a cpupool of this name?  Needs host_xen_connect(). */
bool host_xen_has_pool(struct host_xen *hx, const char *name);

/* Readable when domains may have started or ended; then call host_xen_changed(). */
int host_xen_watch_fd(const struct host_xen *hx);
bool host_xen_changed(struct host_xen *hx);

/* Reads the logs of new pCPUs, too. */
int host_xen_refresh(struct host_xen *hx, struct xensched_error *err);

/* Turns events off, releases the area, and closes everything.  NULL is allowed. */
void host_xen_close(struct host_xen *hx);

#endif /* XENSCHED_HOST_HOST_XEN_H */
