/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xapi.h - recognises a host of XenServer or XCP-ng, whose toolstack is xapi.
 *
 * xapi chooses NUMA nodes and sets soft affinities itself, and stores no configuration
 * that says whether an operator named one.  So a guest that xapi has placed counts as
 * placed by an operator, and xensched leaves it alone.
 */
#ifndef XENSCHED_HOST_XAPI_H
#define XENSCHED_HOST_XAPI_H

#include <stdbool.h>

#define XAPI_MEANS "this host's toolstack is xapi: guests that it has placed count " \
                   "as placed by an operator, and are not moved"

bool xapi_is_here(void);

#endif /* XENSCHED_HOST_XAPI_H */
