/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fits.h - reports settings that have no effect on this host.
 *
 * Such a setting is no error: the pool, the node or the guest may appear later.  But without a
 * report it would look effective.
 */
#ifndef XENSCHED_DAEMON_FITS_H
#define XENSCHED_DAEMON_FITS_H

#include "host/host-xen.h"
#include "options.h"

struct fits {
    const struct options *options;
    const struct topology *topology;
    const struct domains *domains;
    struct host_xen *host;
    void (*tell)(void *arg, const char *text);
    void *arg;
};

/* Calls @tell for each of them, with a sentence that names the setting. */
void fits_check(const struct fits *f);

#endif /* XENSCHED_DAEMON_FITS_H */
