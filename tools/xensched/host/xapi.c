/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out whether the host is XenServer or XCP-ng, by the file with which they identify
 * it.
 */
#include <unistd.h>

#include "xapi.h"

#ifndef XAPI_INVENTORY
#define XAPI_INVENTORY "/etc/xensource-inventory"
#endif

bool xapi_is_here(void)
{
    return !access(XAPI_INVENTORY, F_OK);
}
