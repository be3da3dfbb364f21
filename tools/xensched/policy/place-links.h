/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-links.h - finds the pairs of units that communicate: their notifications, pages and
 * cache lines, and the additional wake-ups of a pair if both are together.
 */
#ifndef XENSCHED_POLICY_PLACE_LINKS_H
#define XENSCHED_POLICY_PLACE_LINKS_H

#include "place.h"
#include "talk.h"

struct link {
    unsigned int a, b; /* units */
    double notifications, pages, lines; /* per second */
    enum back_end_kind kind; /* NR_BACK_END_KINDS: neither is a back end */
    double more_wakes; /* per second, if both are together */
};

struct links {
    unsigned int nr;
    struct link *link; /* the caller frees it */
};

/*
 * Makes a link for each pair of domains, so two units that are groups can have several.  The
 * caller has filled in h->unit, h->server, h->notifications and h->ran.
 */
struct links links_find(const struct place_host *h, const struct talk_pair *pairs,
                        unsigned int nr);

/* Joins the links of two units into one, with a < b. */
struct links links_join(const struct links *links);

/* Make both units of each pair partners of each other. */
void links_add_partners(struct placement *p, const struct links *links);

#endif /* XENSCHED_POLICY_PLACE_LINKS_H */
