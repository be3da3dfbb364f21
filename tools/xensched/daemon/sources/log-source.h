/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed.h - one feed, from nothing to rows and back: its states (feeds.h), when
 * it is tried again, and which events are on.  For the files of this folder.
 */
#ifndef XENSCHED_DAEMON_FEED_H
#define XENSCHED_DAEMON_FEED_H

#include "log-sources.h"

/* Until something is tried again, at first; each time twice as long. */
#define FEED_FIRST_PAUSE_NS 1000000000ULL

/* A driver domain's, or a guest's; else dom0's. */
bool feed_is_domains(const struct feed *feed);

static inline const struct logs *feed_logs(const struct feeds *feeds,
                                           const struct feed *feed)
{
    return &feeds->logs[feed->producer];
}

void feed_enter(struct feed *feed, enum feed_state state, const char *reason,
                uint64_t now_ns);

/* An entry @what of the journal, with name, state and reason. */
void feed_journal(struct feeds *feeds, const struct feed *feed,
                  const char *what);

/* Unmap it, and leave everything else as it is. */
void feed_close(struct feed *feed);

/* Closed, and tried again when its pause is over.  Each reason is said once. */
void feed_fail(struct feeds *feeds, struct feed *feed, const char *reason,
               uint64_t now_ns);

/* Of a driver domain which was asked: has it answered? */
void feed_poll(struct feeds *feeds, struct feed *feed, uint64_t now_ns);

/* Do what there is to be done in its state. */
void feed_step(struct feeds *feeds, struct feed *feed, uint64_t now_ns);

#endif /* XENSCHED_DAEMON_FEED_H */
