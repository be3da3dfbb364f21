/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prices queueing below saturation: a place has pCPUs for the mean demand, and by chance more
 * vCPUs than pCPUs are runnable at once.
 *
 * Guests that take turns wait less than by chance, so the price uses the part of these waits
 * that Xen counts on this host.
 */
#include "term.h"

static double price_queueing(const struct placement *p, unsigned int unit,
                             unsigned int spot)
{
    return p->queueing > 0
           ? p->queueing * crowd_price(p, unit, spot, crowd_queue, p->place_threads) : 0;
}

const struct term term_queueing = { "queueing", price_queueing };
