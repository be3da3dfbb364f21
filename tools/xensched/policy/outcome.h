/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outcome.h - reports the result of a move: whether the domain runs at its target, and
 * how much its work costs there.
 *
 * A soft affinity binds nothing, so after each move the log shows how much of its time
 * the domain spends at the target.  Then its cost per unit of work is compared with the
 * cost before the move (place-cost.h): a lower cost ends the judgement, a higher one undoes
 * the move, and a difference that chance may explain extends the judgement.  Each comparison
 * also teaches what distance costs on this host (learned.h).
 *
 * The code reports, and keeps state per domain; guard.h and lever.h decide what follows.
 */
#ifndef XENSCHED_POLICY_OUTCOME_H
#define XENSCHED_POLICY_OUTCOME_H

#include "place-cost.h"
#include "policy.h"

/* A domain that spends this part of its time at its place is there. */
#define OUTCOME_THERE 0.95

/* A domain may take this time to get there ... */
#define OUTCOME_PATIENCE_NS 1500000000ULL
/* ... and may later be elsewhere for this time. */
#define OUTCOME_TRIP_NS 3000000000ULL

/*
 * The length of a window over which costs are added up: half of the time that a domain
 * stays at least (struct policy_input), within these bounds.
 */
#define OUTCOME_WINDOW_NS       5000000000ULL
#define OUTCOME_WINDOW_LEAST_NS 250000000ULL

/*
 * Costs are added up in parts of a window, so that a guest which is moved soon after it was
 * found has a variance before the move.
 */
#define OUTCOME_PARTS 4U

/* After this number of windows the judgement ends, even if chance may explain the result. */
#define OUTCOME_WINDOWS 8U

/*
 * A move teaches something if it changed the share of notifications that are with back
 * ends elsewhere by this much.
 */
#define OUTCOME_TEACHES 0.4

/*
 * At least this part of the notifications that a policy predicted to cross places no more must
 * have ceased to do so, if the prediction is at least OUTCOME_LEAST per second.
 */
#define OUTCOME_CAME  0.6
#define OUTCOME_LEAST 10.0

enum outcome_news {
    OUTCOME_NONE,
    OUTCOME_ARRIVED,  /* it is there now */
    OUTCOME_ABSENT,   /* it had time to arrive, and is elsewhere; reported once */
    OUTCOME_GOOD,     /* it is there, and its work costs no more */
    OUTCOME_WORSE,    /* it is there, and its work costs more, waiting included */
    OUTCOME_REGRET,   /* it is there, and the predicted effect is missing */
};

enum outcome_where { OUTCOME_UNKNOWN, OUTCOME_AT_PLACE, OUTCOME_ELSEWHERE };

struct outcome {
    struct place_cost before, here; /* before the move; where it is now */
    uint64_t counts_ns; /* windows that began before this mix two places */
    double crossings; /* per second, before the move; -1: not known */
    uint64_t sent_ns; /* when the move was decided */
    enum outcome_where where;
    double share;     /* of its recent time at the place; -1: not known */
    uint64_t measured_ns, ran_ns, there_ns; /* at the latest check */
    uint64_t absent_ns; /* since when it is elsewhere; 0: it is there */
    uint64_t since_ns;  /* when it was last sent or its affinity set again */
    bool told;          /* OUTCOME_ABSENT was reported since it was last there */
    bool judged;        /* the move has been judged */
    uint64_t arrived_ns; /* or when the latest window ended; 0: not yet, or judged */
    unsigned int windows, worse; /* that were judged; the latest bad ones in a row */
    double crossings_now; /* as judged; -1: not known */
    /* Notifications per second, and those predicted to cross places. */
    double talked, talked_now, predicted; /* -1: not predicted */
    double others_ns; /* ns/s that the terms without a partner were predicted to save */
    double crossed_sum, talked_sum; /* since it arrived ... */
    unsigned int samples;           /* ... in this number of runs */
};

/* Call this before any other function. */
void outcome_init(struct outcome *o);

/*
 * Adds the work of a window that began at @began_ns.  A window without rows of wake-delay does
 * not count: if an operator does not log them, waiting and cost are not judged.
 */
void outcome_window(struct outcome *o, const struct policy_input *input,
                    const struct domain *d, const struct work *work,
                    uint64_t began_ns);

/* The effect that the policy expects of a move. */
struct outcome_promise {
    double crossings; /* notifications/s between places; -1: not predicted */
    double others_ns; /* see struct outcome */
};

/* Call this when the domain is sent to @cpus. */
void outcome_send(struct outcome *o, const struct policy_input *input,
                  const struct domain *d, const struct cpumap *cpus,
                  struct outcome_promise promise);

/* Call this when the domain has its original affinity again. */
void outcome_return(struct outcome *o, uint64_t now_ns);

/* Returns whether the domain is at its place and its move is not judged yet. */
bool outcome_is_open(const struct outcome *o);

/* Call this in each run for a domain that was sent to @cpus. */
enum outcome_news outcome_check(struct outcome *o,
                               const struct policy_input *input,
                               const struct domain *d,
                               const struct cpumap *cpus);

/* Returns the kind of back end that serves work in this unit. */
enum back_end_kind outcome_kind(enum work_unit unit, bool copied);

/* Call this after another attempt to move the domain there: its time starts again. */
void outcome_again(struct outcome *o, uint64_t now_ns);

/* A new result of a move, and its numbers. */
struct verdict {
    enum outcome_news news;
    struct outcome outcome; /* at that time */
    uint64_t after_ns;      /* time since the move */
    /* OUTCOME_ABSENT: @busy of @cpus are busy at its place, mostly with these two domains. */
    double busy, first_use, second_use;
    unsigned int cpus;
    const struct domain *first, *second; /* NULL: none */
};

/* Returns the result, with its numbers, for a domain that was moved to @cpus. */
struct verdict outcome_verdict(const struct outcome *o, enum outcome_news news,
                               const struct policy_input *input,
                               const struct domain *d, const struct cpumap *cpus);

#endif /* XENSCHED_POLICY_OUTCOME_H */
