/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mac.h - the address of a network card, always written in the same way, so that two
 * texts of one address are equal.
 */
#ifndef XENSCHED_TRAFFIC_MAC_H
#define XENSCHED_TRAFFIC_MAC_H

#include <stdbool.h>
#include <stdio.h>

#define MAC_TEXT sizeof("00:00:00:00:00:00")

/* False: @text is none. */
static inline bool mac_read(const char *text, char mac[MAC_TEXT])
{
    unsigned int b[6];
    int end = 0;

    if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3],
               &b[4], &b[5], &end) != 6 || text[end])
        return false;
    snprintf(mac, MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", b[0] & 255,
             b[1] & 255, b[2] & 255, b[3] & 255, b[4] & 255, b[5] & 255);

    return true;
}

#endif /* XENSCHED_TRAFFIC_MAC_H */
