/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record-sources.h - whose logs are recorded: the hypervisor's, that of dom0's Linux,
 * those of driver domains, and of guests whose configuration allows it.
 *
 * What others have turned on is looked at, read-only.  Guests are asked for
 * their logs, if no program did, and let go at the end.  All but the first source
 * come and go.
 */
#ifndef XENSCHED_RECORD_SOURCES_H
#define XENSCHED_RECORD_SOURCES_H

#include <xensched/recording.h>

#include "filter.h"

struct recorded_sources;

/*
 * @spec: that source only; NULL: all there are.  Fails as opening the first
 * one does.
 */
int recorded_sources_open(const char *spec, struct filter *filter,
                          struct recorded_sources **sources, struct xensched_error *err);

/* Of the host, as the first source says. */
uint64_t recorded_sources_tsc_khz(const struct recorded_sources *sources);

/*
 * Look for sources that have come or gone, for answers, and for the clocks of
 * all; about once per second.  An error: the first source is gone.
 */
int recorded_sources_look(struct recorded_sources *sources, struct xensched_recorder *recorder,
                          uint64_t now_ns, struct xensched_error *err);

/* All rows which there are, and the round that they are. */
int recorded_sources_read(struct recorded_sources *sources, struct xensched_recorder *recorder,
                          struct xensched_error *err);

struct recorded_sources_numbers {
    unsigned int nr;
    uint64_t rows, lost_rows;
};

void recorded_sources_numbers(const struct recorded_sources *sources,
                              struct recorded_sources_numbers *numbers);

/* NULL is allowed. */
void recorded_sources_close(struct recorded_sources *sources);

#endif /* XENSCHED_RECORD_SOURCES_H */
