/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log-source.h - one source, from nothing to rows and back: its states (log-sources.h), when
 * it is tried again, and which events are on.  For the files of this folder.
 */
#ifndef XENSCHED_DAEMON_LOG_SOURCE_H
#define XENSCHED_DAEMON_LOG_SOURCE_H

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

#endif /* XENSCHED_DAEMON_LOG_SOURCE_H */
