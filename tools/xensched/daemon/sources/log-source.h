/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log-source.h - one source of rows, from its request to its rows and back: its states
 * (log-sources.h), when the daemon tries it again, and which events are on.  Private to this
 * folder.
 */
#ifndef XENSCHED_DAEMON_SOURCES_LOG_SOURCE_H
#define XENSCHED_DAEMON_SOURCES_LOG_SOURCE_H

#include "log-sources.h"

/* Indices in log_sources.source. */
enum { HYPERVISOR_LOG, LINUX_OF_DOM0, FIRST_DOMAIN };

/* The number of domains among the sources that are @producer. */
unsigned int log_sources_count(const struct log_sources *sources,
                               enum producer producer);

/* The pause after the first failure; it doubles with each one. */
#define LOG_SOURCE_FIRST_PAUSE_NS 1000000000ULL

/* True for a driver domain and a guest, false for dom0 and the hypervisor. */
bool log_source_is_domains(const struct log_source *source);

static inline const struct logs *log_source_logs(const struct log_sources *sources,
                                                 const struct log_source *source)
{
    return &sources->logs[source->producer];
}

void log_source_enter(struct log_source *source, enum log_source_state state, const char *reason,
                      uint64_t now_ns);

/* Writes an entry @what to the journal, with name, state and reason. */
void log_source_journal(struct log_sources *sources, const struct log_source *source,
                        const char *what);

void log_source_add_stats(struct xensched_source_stats *sum,
                          const struct xensched_source_stats *stats);

/* Unmaps its log, and changes nothing else. */
void log_source_close(struct log_source *source);

/* Closes it until its pause is over.  The daemon logs each reason once. */
void log_source_fail(struct log_sources *sources, struct log_source *source, const char *reason,
                     uint64_t now_ns);

/* Checks whether a driver domain has answered the request for a log. */
void log_source_poll(struct log_sources *sources, struct log_source *source, uint64_t now_ns);

/* Takes the next step from its state. */
void log_source_step(struct log_sources *sources, struct log_source *source, uint64_t now_ns);

/*
 * The area of a source.  A driver domain's is requested through xenstore, so the daemon's urgent
 * work continues meanwhile (base/blocking-call.h).  Otherwise as in xensched/area.h.
 */

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

/*
 * The accounting domain of each domid.  A Linux that writes a log receives them through
 * xenstore; validation of its rows needs them as well.
 */

/*
 * Writes to xenstore the numbers that @self, the domain of @source, needs, and removes those
 * that it no longer needs.  It writes only what has changed.
 */
void accounting_numbers_write(struct log_sources *sources, struct log_source *source,
                              const struct domain *self, const struct domains *domains);

/* Accepts rows about @self and about the guests whose back end it is. */
void accounting_numbers_set_validation(struct log_source *source,
                                       const struct domain *self,
                                       const struct domains *domains);

/*
 * Counters of a driver domain that has no log.  xensched-disks runs there and writes to
 * xenstore, below the domain's own data/, how much its disks did for each guest.
 *
 * The counters are validated as rows are (validation.h): only guests count that the
 * toolstack names as clients, only up to what their notifications allow, and only as much
 * at a time as a disk can do.
 */

#define REPORTED_COUNTERS_REASON "no log; xensched-disks there reports what its disks do"

/* Adds the increases to the matrix.  Called in each round. */
void reported_counters_read(struct log_sources *sources, struct log_source *source,
                            uint64_t now_ns);

/* Forgets the last values, because its log had the requests since. */
void reported_counters_forget(struct log_source *source);

#endif /* XENSCHED_DAEMON_SOURCES_LOG_SOURCE_H */
