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

struct card {
    uint32_t domid, number;
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

#endif /* XENSCHED_TRAFFIC_CARDS_H */
