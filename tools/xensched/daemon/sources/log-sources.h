/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log-sources.h - the sources of the daemon's rows: the hypervisor's log, without which the
 * daemon does not run; that of dom0's Linux; one of each driver domain; and one of each guest
 * whose configuration allows it, if the daemon counts processes of guests.
 *
 * All but the first come and go while the daemon runs.  A source that is missing, dies, is
 * silent or forges rows does not affect the others: its cost is bounded in each round, and
 * rows of a driver domain have to pass a validation (validation.h).
 *
 *   absent   there is no such log
 *   asked    the daemon has requested a log, and the driver domain has not answered yet
 *   reading  the daemon reads its rows and renews its lease
 *   failed   with a reason; the daemon tries again, after a longer pause each time
 */
#ifndef XENSCHED_DAEMON_LOG_SOURCES_H
#define XENSCHED_DAEMON_LOG_SOURCES_H

#include <xensched/source.h>

#include "daemon/core/core.h"
#include "daemon/log/logs.h"
#include "model/matrix/processes.h"
#include "disk-counters.h"
#include "validation.h"
#include "host/xenstore.h"

enum log_source_state {
    LOG_SOURCE_ABSENT,
    LOG_SOURCE_ASKED,
    LOG_SOURCE_READING,
    LOG_SOURCE_FAILED,
};

const char *log_source_state_name(enum log_source_state state);

#define LOG_SOURCE_NAME_TEXT 24

/* A number that a producer received: @domid has number @acct. */
struct log_source_number {
    uint32_t domid;
    uint16_t acct;
    bool wanted; /* it is still needed */
};

/* The last counter that a driver domain reported for a front end (disk-counters.c). */
struct reported {
    uint32_t domid;
    uint64_t pages; /* total */
    bool seen;
};

struct log_source {
    char name[LOG_SOURCE_NAME_TEXT]; /* in the form of a source */
    enum log_source_state state;
    char reason[400];          /* why it is not read, or "" */
    char said[400];            /* the message about its latest failure */
    struct xensched_area *area;
    struct xensched_source *reader;
    struct xensched_source_stats former; /* of readers that are closed */

    enum producer producer;

    /* For all but the hypervisor's. */
    uint32_t domid; /* of its domain */
    char uuid[DOMAIN_UUID_TEXT];
    uint16_t acct;  /* of its domain */
    bool seen;      /* in the present list of domains */
    bool poll_again; /* its area is being mapped part by part */
    uint32_t on;    /* events that were requested last */
    uint64_t again_ns; /* the earliest time of the next try or request */
    uint64_t look_ns;  /* the latest time of the next check */
    uint64_t pause_ns; /* before the next attempt, if this one fails */
    uint64_t since_ns; /* when its state began */
    unsigned int nr_numbers;
    struct log_source_number *numbers;
    struct validation validation;
    unsigned int nr_reported;
    struct reported *reported;
    uint64_t reported_again_ns; /* time of the next read */
    uint64_t refused;   /* rows that failed validation */
    uint64_t capped;    /* rounds in which it reported more than possible */
    bool fresh;         /* it had rows in this round */
    bool refusal_said; /* logged already */
    struct processes *processes; /* a guest's own; else NULL */
};

struct log_sources_settings {
    const struct choice *choice;
    uint32_t nr_acct;
    uint32_t lease_ms; /* of each source */
    bool replace_area; /* of dom0's Linux */
};

struct log_sources {
    struct log_sources_settings settings;
    struct core *core;
    struct xenstore *xs;
    struct logs logs[NR_PRODUCERS]; /* for all but the hypervisor's */
    struct disks disks; /* dom0's, if its Linux does not log requests */
    uint64_t domains_hash;     /* at the last update; 0: never */
    uint64_t domains_again_ns; /* time of the next update, even without a change */
    bool full[NR_PRODUCERS];   /* a domain of that kind is left out; logged already */
    unsigned int nr;
    struct log_source **source; /* the hypervisor's first, then dom0's */
};

/*
 * log_sources_set_hypervisor() has to set the hypervisor's source.  Removes numbers that a killed
 * daemon left in dom0's xenstore.
 */
void log_sources_init(struct log_sources *sources, const struct log_sources_settings *settings,
                      struct core *core, struct xenstore *xs);

/* The caller keeps @reader; NULL: the log was lost. */
void log_sources_set_hypervisor(struct log_sources *sources, struct xensched_source *reader);

/*
 * @domains is the current state of the host, with accounting domains.  Unmaps the logs of
 * domains that are gone, requests new ones, retries failed ones if it is time, and sends
 * accounting numbers to the sources that need them.  It leaves alone what has not changed, so
 * an idle host costs nothing; and does nothing if no Linux is to be logged.
 */
void log_sources_look(struct log_sources *sources, const struct domains *domains,
                      uint64_t now_ns);

/*
 * Puts the rows of all sources but the hypervisor's into the matrix, and renews their leases.
 * The caller then calls core_read() for the hypervisor's, and log_sources_cap(): a
 * notification is logged before the request that it announces, so the hypervisor's rows are
 * read last.
 */
void log_sources_read(struct log_sources *sources, uint64_t now_ns);

/* Caps what driver domains report at what their notifications allow (validation.h). */
void log_sources_cap(struct log_sources *sources, uint64_t now_ns);

/* Is the log of dom0's Linux read, and has a doorbell? */
bool log_sources_linux_rings(const struct log_sources *sources);

/*
 * Is there a source with events on, or one that is being mapped, without a doorbell?  dom0's Linux
 * has one, if @listens_to_linux.  A domain that was asked for its log may never answer.
 */
bool log_sources_are_polled(const struct log_sources *sources, bool listens_to_linux);

/* Drops all but the hypervisor's and restarts them, after the daemon stood still. */
void log_sources_begin_anew(struct log_sources *sources, uint64_t now_ns);

/* The source of a guest; NULL: the daemon does not request its log. */
const struct log_source *log_sources_of_guest(const struct log_sources *sources,
                                              const struct domain *d);

/* Statistics of a source, and of all of them. */
void log_source_stats(const struct log_source *source, struct xensched_source_stats *stats);
void log_sources_stats(const struct log_sources *sources,
                       struct xensched_source_stats *stats);

/* Turns events off, releases areas, and removes requests and numbers. */
void log_sources_free(struct log_sources *sources);

#endif /* XENSCHED_DAEMON_LOG_SOURCES_H */
