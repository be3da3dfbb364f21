/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feeds.h - where the daemon's rows come from: the hypervisor's log, without
 * which there is no daemon; that of dom0's Linux; one of each driver domain; and
 * one of each guest whose configuration lets it be read, if processes of guests
 * are to be told apart.
 *
 * All but the first come and go while the daemon runs.  One that is missing,
 * dies, is silent or lies does nothing to the others: what it costs is bounded
 * in each round, and what a driver domain says has to pass a validation (validation.h).
 *
 *   absent   there is no such log
 *   asked    a driver domain was asked to log, and has not answered yet
 *   reading  its rows are read; its lease is renewed
 *   failed   and why; it is tried again, later each time
 */
#ifndef XENSCHED_DAEMON_FEEDS_H
#define XENSCHED_DAEMON_FEEDS_H

#include <xensched/source.h>

#include "daemon/core/core.h"
#include "daemon/log/logs.h"
#include "model/processes.h"
#include "disks.h"
#include "validation.h"
#include "host/xenstore.h"

enum feed_state { FEED_ABSENT, FEED_ASKED, FEED_READING, FEED_FAILED };

const char *feed_state_name(enum feed_state state);

#define FEED_NAME_TEXT 24

/* What a producer was told: @domid has number @acct. */
struct feed_number {
    uint32_t domid;
    uint16_t acct;
    bool wanted; /* still */
};

/* What a driver domain said last of a front end (reported-counters.h). */
struct told {
    uint32_t domid;
    uint64_t pages; /* ever */
    bool seen;
};

struct feed {
    char name[FEED_NAME_TEXT]; /* as a source is named */
    enum feed_state state;
    char reason[400];          /* why it is not reading; "": no need to say */
    char said[400];            /* what was said of its latest failure */
    struct xensched_area *area;
    struct xensched_source *source;
    struct xensched_source_stats former; /* of sources which are closed */

    enum producer producer;

    /* Of all but the hypervisor's. */
    uint32_t domid; /* whose it is */
    char uuid[DOMAIN_UUID_TEXT];
    uint16_t acct;  /* of that domain */
    bool seen;      /* in the present look at the host */
    bool poll_again; /* its area is mapped part by part */
    uint32_t on;    /* events which were to be turned on last */
    uint64_t again_ns; /* not to be tried, or asked, before */
    uint64_t look_ns;  /* to be looked at then, whatever happens */
    uint64_t pause_ns; /* the next time for so much longer */
    uint64_t since_ns; /* when it got into its state */
    unsigned int nr_numbers;
    struct feed_number *numbers;
    struct validation validation;
    unsigned int nr_told;
    struct told *told;
    uint64_t reported_again_ns; /* not to be read before */
    uint64_t refused;   /* rows which did not pass it */
    uint64_t capped;    /* rounds in which it claimed more than can be */
    bool fresh;         /* there are rows of it in this round */
    bool refusal_said;
    struct processes *processes; /* a guest's own; else NULL */
};

struct feeds_settings {
    const struct choice *choice;
    uint32_t nr_acct;
    uint32_t lease_ms; /* of each */
    bool replace_area; /* of dom0's Linux */
};

struct feeds {
    struct feeds_settings settings;
    struct core *core;
    struct xenstore *xs;
    struct logs logs[NR_PRODUCERS]; /* but the hypervisor's */
    struct disks disks; /* dom0's, while its Linux does not log requests */
    uint64_t domains_hash;     /* as they were in the last look; 0: never */
    uint64_t domains_again_ns; /* to be gone through then, changed or not */
    bool full[NR_PRODUCERS];   /* a domain of that kind is left out, which was logged */
    unsigned int nr;
    struct feed **feed; /* the hypervisor's first, then dom0's */
};

/*
 * The hypervisor's has to be set by feeds_set_hypervisor().  Numbers which a
 * daemon that was killed left in dom0's xenstore are removed.
 */
void feeds_init(struct feeds *feeds, const struct feeds_settings *settings,
                struct core *core, struct xenstore *xs);

/* @source stays the caller's; NULL: it was lost. */
void feeds_set_hypervisor(struct feeds *feeds, struct xensched_source *source);

/*
 * @domains is a fresh look at the host, with accounting domains.  Logs of
 * domains which are gone are unmapped, new ones are asked for, what failed is
 * tried again if its time has come, and numbers get to who needs them.  What
 * has not changed is left alone, so that a host in which nothing happens costs
 * nothing; so is all of it when nothing of a Linux is to be logged.
 */
void feeds_look(struct feeds *feeds, const struct domains *domains,
                uint64_t now_ns);

/*
 * Put the rows which there are into the matrix, and renew leases, the
 * hypervisor's last.  Returns as core_read() of the hypervisor's.
 */
int feeds_read(struct feeds *feeds, uint64_t now_ns,
               struct xensched_error *err);

/* Is the log of dom0's Linux read, and has a doorbell? */
bool feeds_linux_rings(const struct feeds *feeds);

/*
 * Is a log read in which something is on, or one asked for, that cannot say when
 * it has to be read?  That of dom0's Linux can if somebody listens to it.
 */
bool feeds_are_polled(const struct feeds *feeds, bool listens_to_linux);

/* Drop all but the hypervisor's and begin anew: the daemon stood still. */
void feeds_begin_anew(struct feeds *feeds, uint64_t now_ns);

/* Of a guest; NULL: its log is not asked for. */
const struct feed *feeds_of_guest(const struct feeds *feeds,
                                  const struct domain *d);

/* Sums of a feed, and of all of them. */
void feed_stats(const struct feed *feed, struct xensched_source_stats *stats);
void feeds_stats(const struct feeds *feeds,
                 struct xensched_source_stats *stats);

/* Events off, areas given up, requests and numbers removed. */
void feeds_free(struct feeds *feeds);

#endif /* XENSCHED_DAEMON_FEEDS_H */
