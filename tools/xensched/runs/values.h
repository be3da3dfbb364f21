/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - figures that a workload prints, each in a line of its own:
 *
 *     value NAME NUMBER [UNIT]
 */
#ifndef XENSCHED_RUNS_VALUES_H
#define XENSCHED_RUNS_VALUES_H

#include "store.h"

/* Fill in the values of @o from @output. */
void values_find(struct run_outcome *o, const char *output);
void values_free(struct run_outcome *o);

#endif /* XENSCHED_RUNS_VALUES_H */
