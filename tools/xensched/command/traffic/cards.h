/* SPDX-License-Identifier: GPL-2.0-only */
/* cards.h - network cards of guests, and MAC addresses. */
#ifndef XENSCHED_COMMAND_CARDS_H
#define XENSCHED_COMMAND_CARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <xensched/error.h>

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

/* As Linux has it, with its end. */
#define CARD_INTERFACE_TEXT 16

struct card {
    uint32_t domid, number;
    char interface[CARD_INTERFACE_TEXT]; /* vifname=; empty: vifDOMID.NUMBER */
    char mac[MAC_TEXT];
    char uuid[40];
    char name[128]; /* empty: a driver domain cannot read the guest's name */
};

struct cards {
    struct card *card;
    size_t nr, room;
};

/* To be freed. */
int cards_read(struct cards *cards, struct xensched_error *err);
void cards_free(struct cards *cards);

/* The card of a network interface, which may be its emulated one, or NULL. */
const struct card *cards_of_interface(const struct cards *cards,
                                      const char *name);

#endif /* XENSCHED_COMMAND_CARDS_H */
