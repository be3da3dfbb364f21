/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remember.h - averages over minutes how guests communicate and what they need; when a guest
 * ends, that becomes its history (act/history.h).
 *
 * The matrix has the last seconds, in which a guest shuts down or is saved; its behaviour
 * before that is likely to return.  So rates are smoothed here, and a guest that ran too
 * shortly for that keeps its former history.
 */
#ifndef XENSCHED_DAEMON_REMEMBER_H
#define XENSCHED_DAEMON_REMEMBER_H

#include "core.h"

/* Called in each run, with the host's current state. */
void remember_run(struct core *core, uint64_t now_ns);

/* The daemon ends: writes all histories for the next one. */
void remember_end(struct core *core);
void remember_free(struct core *core);

/*
 * The history of a guest that runs, or ended since the last run; if it ran too shortly, its
 * former history.  False if it has none.
 */
bool remember_find(const struct core *core, const char *uuid,
                   struct history_guest *guest);

#endif /* XENSCHED_DAEMON_REMEMBER_H */
