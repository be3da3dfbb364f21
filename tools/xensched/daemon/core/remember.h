/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remember.h - what guests have to do with each other, and need, over minutes: when
 * one ends that becomes its history (act/history.h).
 *
 * The matrix knows the last seconds, in which a guest shuts down or is saved;
 * what it did before is what it will do again.  So rates are smoothed here,
 * and a guest that lived too shortly for that leaves the history it had.
 */
#ifndef XENSCHED_DAEMON_REMEMBER_H
#define XENSCHED_DAEMON_REMEMBER_H

#include "core.h"

/* In each run, with a fresh look at the host. */
void remember_run(struct core *core, uint64_t now_ns);

/* The daemon ends: what is known by now is kept for the next one. */
void remember_end(struct core *core);
void remember_free(struct core *core);

/*
 * Of who is there, or ended since the last run, if it is there for long
 * enough, else of the last time.  False: nothing is known.
 */
bool remember_find(const struct core *core, const char *uuid,
                   struct history_guest *guest);

#endif /* XENSCHED_DAEMON_REMEMBER_H */
