/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reason.h - declares the codes and numbers of reasons: why a domain should be at a place, and
 * why the plan leaves, moves or keeps it.
 *
 * The policy sets and compares codes; reason-text.c alone makes sentences of them.
 */
#ifndef XENSCHED_POLICY_REASON_H
#define XENSCHED_POLICY_REASON_H

#include "placement/term.h"
#include "location.h"

/* Savings and costs of one move of a unit, for each term, and the numbers behind them. */
struct savings {
    struct spot spot;
    double gain_ns, least_ns;  /* per second */
    double saved_ns[NR_TERMS]; /* per second; negative: it costs */
    /* TERM_TALK: the partner whose price changes most; NULL: there is none. */
    const struct domain *with;
    unsigned int with_vcpu; /* ALL_VCPUS, or the one that serves it */
    unsigned int more;      /* partners */
    unsigned int learned;   /* moves that taught the price; 0: assumed */
    double notifications, pages; /* per second */
    double apart, apart_then;    /* parts of these that cross places */
    /* TERM_MEMORY: the place that has most of it. */
    unsigned int memory_place;
    double memory_share;
    double misses; /* per second; TERM_CACHE as well */
    bool misses_counted;
    /* TERM_WAITING, TERM_QUEUEING, TERM_SMT: the most loaded place that the move changes. */
    unsigned int busy_place;
    double runnable, cores, pcpus;
    bool needs; /* @runnable counts the unit */
    double counted;    /* TERM_QUEUEING: part of the waits by chance that is counted */
    double horizon_s;  /* TERM_MOVING */
    double more_wakes; /* TERM_WAKES, per second */
    double migrations; /* TERM_MIGRATIONS, per second */
    double need, server_need; /* TERM_SHARING: pCPUs, of itself and of its back end */
};

#define ALL_VCPUS (~0U)

enum grounds {
    GROUNDS_NONE,
    GROUNDS_GAIN,       /* of @savings */
    GROUNDS_WORTH,      /* of being where it is */
    GROUNDS_LEAST_GAIN, /* @savings of the best other spot; see struct opinion.full */
    GROUNDS_TOO_WIDE,   /* @count vCPUs, @of cores */
    GROUNDS_ONE_SPOT,
    /* For a guest that does not exist yet. */
    GROUNDS_HISTORY,
    GROUNDS_BACK_ENDS,  /* @count of its @of disks */
    GROUNDS_NEVER_RAN,
    GROUNDS_ALL_GONE,   /* those with which it communicated */
    GROUNDS_HISTORY_GAIN,
    GROUNDS_HISTORY_SPREAD,
    GROUNDS_NO_DISKS,
    GROUNDS_BACK_END_SPREAD,
    GROUNDS_BACK_ENDS_EVEN,
};

enum want {
    WANT_NOTHING, /* no opinion, for a reason */
    WANT_STAY,    /* enough reason to stay at the place, not to go there */
    WANT_GO,      /* it should be at the place */
};

/* The opinion about one domain. */
struct opinion {
    enum want want;
    struct spot spot; /* a cache, or all of a place that has several */
    bool full; /* with WANT_NOTHING: a move would gain enough, but has no room, or is shunned */
    enum grounds fact; /* to be there */
    enum grounds lack; /* with WANT_NOTHING and WANT_STAY: to go nowhere else */
    unsigned int members; /* of the group, all prices are of; 1: of no group */
    bool follows;      /* the rest of its group is there */
    bool absent;       /* it runs elsewhere */
    bool others;       /* GROUNDS_BACK_ENDS: more domains than the partner */
    unsigned int count, of;
    struct savings savings;
    struct location location; /* of the partner of a guest that does not exist yet */
    /* Evidence; partner is NULL when there is none. */
    const struct domain *partner; /* its main partner, in input.domains */
    double rate;                  /* interactions per second with it */
    double share;                 /* of all interactions, 0 ... 1 */
    double gain;  /* ns/s, of a move */
    double worth; /* ns/s, of staying where it is; 0: unknown */
    double crossings; /* notifications/s that will cross places after a move */
    double others_ns; /* ns/s that the terms without a partner save after it */
};

enum reason_code {
    REASON_NONE,
    /* Constraints. */
    REASON_DRIVER,
    REASON_OPERATOR,
    REASON_CONFIGURED,
    REASON_HELD,
    REASON_ASIDE,
    REASON_ONE_PLACE,
    REASON_ONE_NODE,
    REASON_NO_POOL,
    REASON_NEW,            /* for @time_ns; the limit is @least_ns */
    REASON_DEVICE_MODEL,   /* @other stays */
    REASON_GOES_ALONG,     /* with @other */
    REASON_UNDONE,         /* for the verdict of the decision */
    REASON_STAYS,          /* for @time_ns of at least @least_ns */
    REASON_JUDGED,         /* moved @time_ns ago */
    REASON_NOTHING,        /* no reason to be there for @time_ns; it returns */
    REASON_NOTHING_NOW,    /* as above; it stays for now */
    /* The guard's decision about the opinion. */
    REASON_OPINION,        /* it should be there */
    REASON_LACK,           /* it should move nowhere */
    REASON_PREFERS,        /* it should be at @spot, and is: for a @share of its time */
    REASON_UNCONFIRMED,    /* by @count of @of runs */
    REASON_WAITS_FOR_OTHERS, /* without their moves it has no room, or gains nothing */
    REASON_WORSE_THERE,    /* not tried again for @time_ns */
    REASON_NO_HELP,        /* not tried again for @time_ns */
    REASON_FEW_CORES,      /* @spot has only @count for its @of vCPUs */
    REASON_NO_ROOM,        /* in the @count cores of @spot */
};

struct reason {
    enum reason_code code;
    struct spot spot;
    uint64_t time_ns, least_ns;
    unsigned int count, of;
    double share; /* of its time that it runs at @spot; -1: unknown, or not needed */
    bool prefers; /* REASON_OPINION: @spot, by an affinity that is ignored */
    /* REASON_NO_ROOM: pCPUs that all domains bound there need, @other needs, and it needs. */
    double taken, other_need, need;
    const struct domain *other; /* NULL: none */
};

#endif /* XENSCHED_POLICY_REASON_H */
