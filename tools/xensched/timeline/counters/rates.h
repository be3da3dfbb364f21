/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rates.h - how many notifications per second there are from domain to domain, as
 * counters.  There are none where a threshold was set: not each notification made
 * a row then.
 */
#ifndef XENSCHED_TIMELINE_RATES_H
#define XENSCHED_TIMELINE_RATES_H

#include "counters.h"

/* Add those of the pairs that talk most, at most RATES_MOST. */
void rates_make(struct counters *counters, const struct rows *rows);

#endif /* XENSCHED_TIMELINE_RATES_H */
