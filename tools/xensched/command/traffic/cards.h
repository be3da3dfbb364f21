/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cards.h - the network cards of this host's guests, by xenstore: which MAC is whose.
 */
#ifndef XENSCHED_TRAFFIC_CARDS_H
#define XENSCHED_TRAFFIC_CARDS_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

#include "mac.h"

/* As Linux has it, with its end. */
#define CARD_INTERFACE_TEXT 16

struct card {
    uint32_t domid, number;
    char interface[CARD_INTERFACE_TEXT]; /* vifname=; empty: vifDOMID.NUMBER */
    char mac[MAC_TEXT];
    char uuid[40];
    char name[128]; /* empty: a driver domain is not told whose it is */
};

struct cards {
    struct card *card;
    size_t nr, room;
};

/* To be freed. */
int cards_read(struct cards *cards, struct xensched_error *err);
void cards_free(struct cards *cards);

/* NULL: there is none. */
const struct card *cards_find(const struct cards *cards, uint32_t domid,
                              uint32_t number);

/* The card of a network interface, which may be its emulated one, or NULL. */
const struct card *cards_of_interface(const struct cards *cards,
                                      const char *name);

#endif /* XENSCHED_TRAFFIC_CARDS_H */
