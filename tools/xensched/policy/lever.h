/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lever.h - by which affinity a domain is kept at its place.
 *
 * Xen may ignore soft affinity; with hard affinity a guest waits for these pCPUs
 * even if others are idle.  So hard affinity is set only where an
 * operator allows it and there is room, and taken back as soon as there is
 * none, or no reason any more.  Where prices are known it has to be worth it: what
 * an order costs in waiting is less than what a wish loses while it is elsewhere.
 *
 * It decides for one domain, from what came of the move so far (outcome.h).
 */
#ifndef XENSCHED_POLICY_LEVER_H
#define XENSCHED_POLICY_LEVER_H

#include "outcome.h"

enum pull {
    PULL_NOTHING, /* leave the affinity as it is */
    PULL_REMIND,  /* set the same soft affinity again, so Xen considers it */
    PULL_HARDEN,  /* hard affinity to the same pCPUs as well */
    PULL_SOFTEN,  /* give the original hard affinity back */
};

const char *pull_name(enum pull pull);

/* What is remembered of a domain which was moved. */
struct lever {
    bool reminded;        /* since it is not at its place */
    uint64_t reminded_ns; /* when; 0: never */
    uint64_t softened_ns; /* likewise */
};

struct lever_input {
    enum affinity_lever allowed; /* to this domain */
    bool hard;         /* it has a hard affinity of ours */
    bool reason, room; /* to be at its place; soft is enough without */
    bool room_to_go;   /* there would be room for it if it were not there */
    /* ns/s: what being there is worth (0: not known), what an order would cost. */
    double worth, order;
    const struct outcome *outcome;
    uint64_t stay_ns;  /* between two reminders, or two orders */
    uint64_t now_ns;
};

enum pull_code {
    PULL_FOR_NOTHING,
    PULL_TO_BE_SOFT,
    PULL_FILLED_UP,
    PULL_COSTS_MORE, /* its waiting, @order_ns, exceeds what the place is worth, @worth_ns */
    PULL_WITHOUT_REASON,
    PULL_ABSENT,     /* it spends only @share of its time there */
    PULL_IGNORED,    /* likewise; if @worth_ns > 0, it loses @lost_ns elsewhere */
    PULL_ROOM_AGAIN,
};

/* Why the affinity changes between soft and hard; prices are per second. */
struct pull_reason {
    enum pull_code code;
    double share, order_ns, worth_ns, lost_ns;
};

/* The first affinity of a move: is it hard as well? */
bool lever_begins_hard(enum affinity_lever allowed);

enum pull lever_decide(struct lever *lever, const struct lever_input *input,
                       struct pull_reason *why);

/* What was decided is done. */
void lever_pulled(struct lever *lever, enum pull pull, uint64_t now_ns);

#endif /* XENSCHED_POLICY_LEVER_H */
