/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report-steal.h - writes to xenstore how long the vCPUs of a guest waited for a pCPU, by the
 * class of domains that had the pCPU.
 *
 * A guest whose steal time grows cannot see whether its neighbours, dom0 or its own vCPUs
 * have the pCPU.  The daemon reports that only if an operator allows it, and never names another
 * guest: the text is "dom0:NS own:NS others:NS xen:NS unknown:NS", sums since the first report.
 */
#ifndef XENSCHED_DAEMON_REPORT_STEAL_H
#define XENSCHED_DAEMON_REPORT_STEAL_H

#include "daemon/core/core.h"
#include "host/xenstore.h"

enum steal_class {
    STEAL_DOM0, STEAL_OWN, STEAL_OTHERS, STEAL_XEN, STEAL_UNKNOWN, NR_STEAL_CLASSES,
};

struct steal_guest {
    uint32_t domid;
    char uuid[DOMAIN_UUID_TEXT];
    double ns[NR_STEAL_CLASSES];
    bool seen;
    char told[128]; /* the latest text; "": none */
};

struct report_steal {
    unsigned int nr;
    struct steal_guest *guest;
    uint64_t next_s;    /* of the daemon's clock: earlier seconds are summed up; 0: none is */
    uint64_t told_ns;
};

/* Called about every second; writes every few seconds. */
void report_steal(struct report_steal *t, const struct core *core, struct xenstore *xs,
                  uint64_t now_ns);

/* Removes the reports when the daemon ends. */
void report_steal_end(struct report_steal *t, struct xenstore *xs);

#endif /* XENSCHED_DAEMON_REPORT_STEAL_H */
