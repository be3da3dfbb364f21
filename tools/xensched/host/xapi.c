/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks for the file by which XenServer and XCP-ng identify a host; see xapi.h. */
#include <unistd.h>

#include "xapi.h"

#ifndef XAPI_INVENTORY
#define XAPI_INVENTORY "/etc/xensource-inventory"
#endif

bool xapi_is_here(void)
{
    return !access(XAPI_INVENTORY, F_OK);
}
