/* SPDX-License-Identifier: GPL-2.0-only */
/* caveats.h - what makes figures of an experiment worth less, or nothing. */
#ifndef XENSCHED_COMMAND_RUNS_CAVEATS_H
#define XENSCHED_COMMAND_RUNS_CAVEATS_H

#include "runs/groups.h"

/* Call @take with each of them; @groups are its figures.  As store_rows(). */
int caveats_visit(const struct store *store, int64_t experiment,
                  const struct groups *groups, void (*take)(void *arg, const char *text), void *arg,
                  struct xensched_error *err);

/* A line "! ..." on stdout for each of them.  As store_rows(). */
int caveats_print(const struct store *store, int64_t experiment,
                  const struct groups *groups, struct xensched_error *err);

#endif /* XENSCHED_COMMAND_RUNS_CAVEATS_H */
