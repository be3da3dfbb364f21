/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * numbers.h - which accounting domain stands for which domid: told to those
 * Linuxes which log, and kept in mind when their rows are believed or not.
 */
#ifndef XENSCHED_DAEMON_NUMBERS_H
#define XENSCHED_DAEMON_NUMBERS_H

#include "feeds.h"

/*
 * Write to xenstore what @self, whose log @feed is, needs to know; and remove
 * what it no longer needs.  Only what has changed is written.
 */
void numbers_write(struct feeds *feeds, struct feed *feed,
                   const struct domain *self, const struct domains *domains);

/* It is believed about itself and those whose back end it is. */
void numbers_set_sieve(struct feed *feed, const struct domain *self,
                       const struct domains *domains);

#endif /* XENSCHED_DAEMON_NUMBERS_H */
