/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log-source.h - one source of rows, from its request to its rows and back: its states
 * (log-sources.h), when the daemon tries it again, and which events are on.  Private to this
 * folder.
 */
#ifndef XENSCHED_DAEMON_SOURCES_LOG_SOURCE_H
#define XENSCHED_DAEMON_SOURCES_LOG_SOURCE_H

#include "log-sources.h"

/* Until something is tried again, at first; each time twice as long. */
#define LOG_SOURCE_FIRST_PAUSE_NS 1000000000ULL

/* A driver domain's, or a guest's; else dom0's. */
bool log_source_is_domains(const struct log_source *source);

static inline const struct logs *log_source_logs(const struct log_sources *sources,
                                                 const struct log_source *source)
{
    return &sources->logs[source->producer];
}

void log_source_enter(struct log_source *source, enum log_source_state state, const char *reason,
                      uint64_t now_ns);

/* An entry @what of the journal, with name, state and reason. */
void log_source_journal(struct log_sources *sources, const struct log_source *source,
                        const char *what);

/* Unmap it, and leave everything else as it is. */
void log_source_close(struct log_source *source);

/* Closed, and tried again when its pause is over.  Each reason is said once. */
void log_source_fail(struct log_sources *sources, struct log_source *source, const char *reason,
                     uint64_t now_ns);

/* Of a driver domain which was asked: has it answered? */
void log_source_poll(struct log_sources *sources, struct log_source *source, uint64_t now_ns);

/* Do what there is to be done in its state. */
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
 * Write to xenstore what @self, whose log @source is, needs to know; and remove
 * what it no longer needs.  Only what has changed is written.
 */
void accounting_numbers_write(struct log_sources *sources, struct log_source *source,
                   const struct domain *self, const struct domains *domains);

/* Accept rows about @self and about the guests whose back end it is. */
void accounting_numbers_set_validation(struct log_source *source, const struct domain *self,
                       const struct domains *domains);

/*
 * Counters of a driver domain that has no log.  In it,
 * xensched-disks writes to xenstore, below the domain's own data/, how much its disks
 * did for each guest.
 *
 * They are validated as rows are (validation.h): only guests that the toolstack names as
 * its clients count, only up to what their notifications allow, and only as much at a
 * time as a disk can do.
 */

#define REPORTED_COUNTERS_REASON "no log; what its disks do is what xensched-disks there says"

/* Add what is new to the matrix.  Call it with each round. */
void reported_counters_read(struct log_sources *sources, struct log_source *source, uint64_t now_ns);

/* Forget the last values: meanwhile its log had the requests. */
void reported_counters_forget(struct log_source *source);

#endif /* XENSCHED_DAEMON_SOURCES_LOG_SOURCE_H */
