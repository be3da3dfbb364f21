/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accounting-numbers.h - the accounting domain of each domid.  A Linux that writes a log
 * gets them through xenstore; validation of its rows needs them as well.
 */
#ifndef XENSCHED_DAEMON_ACCOUNTING_NUMBERS_H
#define XENSCHED_DAEMON_ACCOUNTING_NUMBERS_H

#include "log-sources.h"

/*
 * Write to xenstore what @self, whose log @source is, needs to know; and remove
 * what it no longer needs.  Only what has changed is written.
 */
void accounting_numbers_write(struct log_sources *sources, struct log_source *source,
                   const struct domain *self, const struct domains *domains);

/* Accept rows about @self and about the guests whose back end it is. */
void accounting_numbers_set_validation(struct log_source *source, const struct domain *self,
                       const struct domains *domains);

#endif /* XENSCHED_DAEMON_ACCOUNTING_NUMBERS_H */
