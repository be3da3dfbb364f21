/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record-sources.h - the sources of a recording: the hypervisor, dom0's Linux, driver domains, and
 * guests whose configuration allows it.
 *
 * Logs that other programs have turned on are read, read-only.  Guests are asked for their logs if
 * no other program did, and released at the end.  All but the first source may come and go.
 */
#ifndef XENSCHED_RECORD_SOURCES_H
#define XENSCHED_RECORD_SOURCES_H

#include <xensched/recording.h>

#include "filter.h"

struct recorded_sources;

/*
 * @spec selects one source; NULL: all.  Fails if the first source cannot be opened.
 */
int recorded_sources_open(const char *spec, struct filter *filter,
                          struct recorded_sources **sources, struct xensched_error *err);

/* Returns the host's rate, according to the first source. */
uint64_t recorded_sources_tsc_khz(const struct recorded_sources *sources);

/*
 * Looks for new and ended sources, for answers, and for the clocks of all; about once per second.
 * An error means that the first source is gone.
 */
int recorded_sources_look(struct recorded_sources *sources, struct xensched_recorder *recorder,
                          uint64_t now_ns, struct xensched_error *err);

/* Writes all present rows, and a round. */
int recorded_sources_read(struct recorded_sources *sources, struct xensched_recorder *recorder,
                          struct xensched_error *err);

struct recorded_sources_numbers {
    unsigned int nr;
    uint64_t rows, lost_rows;
};

void recorded_sources_numbers(const struct recorded_sources *sources,
                              struct recorded_sources_numbers *numbers);

/* @sources may be NULL. */
void recorded_sources_close(struct recorded_sources *sources);

#endif /* XENSCHED_RECORD_SOURCES_H */
