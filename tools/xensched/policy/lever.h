/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lever.h - chooses the affinity, soft or hard, that keeps a domain at its place.
 *
 * Xen may ignore a soft affinity.  With a hard affinity, a guest waits for these pCPUs even if
 * others are idle.  So the daemon sets a hard affinity only if an operator allows it and the
 * place has room, and removes it once the room or the reason is gone.  If prices are known,
 * the waiting under a hard affinity must also cost less than the time that the guest loses
 * elsewhere under a soft one.
 *
 * It decides for one domain, from the results of the move so far (outcome.h).
 */
#ifndef XENSCHED_POLICY_LEVER_H
#define XENSCHED_POLICY_LEVER_H

#include "outcome.h"

enum pull {
    PULL_NOTHING, /* leave the affinity as it is */
    PULL_REMIND,  /* set the same soft affinity again, so Xen considers it */
    PULL_HARDEN,  /* hard affinity to the same pCPUs as well */
    PULL_SOFTEN,  /* restore the original hard affinity */
};

const char *pull_name(enum pull pull);

/* The state of a moved domain. */
struct lever {
    bool reminded;        /* since it left its place */
    uint64_t reminded_ns; /* when; 0: never */
    uint64_t softened_ns; /* when; 0: never */
};

struct lever_input {
    enum affinity_lever allowed; /* for this domain */
    bool hard;         /* the daemon has set its hard affinity */
    bool reason, room; /* to be at its place; a hard affinity needs both */
    bool room_to_go;   /* there would be room for it if it were not there */
    /* ns/s: the worth of its place (0: unknown), the cost of a hard affinity. */
    double worth, hard_ns;
    const struct outcome *outcome;
    uint64_t stay_ns;  /* between two reminders, or two hard affinities */
    uint64_t now_ns;
};

enum pull_code {
    PULL_FOR_NOTHING,
    PULL_TO_BE_SOFT,
    PULL_FILLED_UP,
    PULL_COSTS_MORE, /* its waiting, @hard_ns, exceeds what the place is worth, @worth_ns */
    PULL_WITHOUT_REASON,
    PULL_ABSENT,     /* it spends only @share of its time there */
    PULL_IGNORED,    /* as above; if @worth_ns > 0, it loses @lost_ns elsewhere */
    PULL_ROOM_AGAIN,
};

/* Why the affinity changes between soft and hard; prices are per second. */
struct pull_reason {
    enum pull_code code;
    double share, hard_ns, worth_ns, lost_ns;
};

/* Returns whether the first affinity of a move is hard as well. */
bool lever_begins_hard(enum affinity_lever allowed);

enum pull lever_decide(struct lever *lever, const struct lever_input *input,
                       struct pull_reason *why);

/* Call this when the decision has been carried out. */
void lever_pulled(struct lever *lever, enum pull pull, uint64_t now_ns);

#endif /* XENSCHED_POLICY_LEVER_H */
