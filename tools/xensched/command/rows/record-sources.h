/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sources.h - whose logs are recorded: the hypervisor's, that of dom0's Linux,
 * those of driver domains, and of guests whose configuration allows it.
 *
 * What others have turned on is looked at, read-only.  Guests are asked for
 * their logs, if no program did, and let go at the end.  All but the first source
 * come and go.
 */
#ifndef XENSCHED_SOURCES_H
#define XENSCHED_SOURCES_H

#include <xensched/recording.h>

#include "filter.h"

struct sources;

/*
 * @spec: that source only; NULL: all there are.  Fails as opening the first
 * one does.
 */
int sources_open(const char *spec, struct filter *filter,
                 struct sources **sources, struct xensched_error *err);

/* Of the host, as the first source says. */
uint64_t sources_tsc_khz(const struct sources *sources);

/*
 * Look for sources that have come or gone, for answers, and for the clocks of
 * all; about once per second.  An error: the first source is gone.
 */
int sources_look(struct sources *sources, struct xensched_recorder *recorder,
                 uint64_t now_ns, struct xensched_error *err);

/* All rows which there are, and the round that they are. */
int sources_read(struct sources *sources, struct xensched_recorder *recorder,
                 struct xensched_error *err);

struct sources_numbers {
    unsigned int nr;
    uint64_t rows, lost_rows;
};

void sources_numbers(const struct sources *sources,
                     struct sources_numbers *numbers);

/* NULL is allowed. */
void sources_close(struct sources *sources);

#endif /* XENSCHED_SOURCES_H */
