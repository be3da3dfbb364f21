/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outcome.h - what came of a move: does the domain run where it was sent, and
 * was it worth it?
 *
 * A soft affinity is a wish, and what was set says nothing of what happened.
 * So after each move it is looked in the log how much of its time the domain
 * spends at the place, and whether it waits longer for a pCPU than before.
 *
 * Only looks, and remembers per domain; what follows from it is decided by
 * guard.h and lever.h.  Not for domains that share an accounting domain: the
 * log does not say where each of them ran.
 */
#ifndef XENSCHED_POLICY_OUTCOME_H
#define XENSCHED_POLICY_OUTCOME_H

#include "policy.h"

#define OUTCOME_TEXT 400

/* A domain that spends this part of its time at its place is there. */
#define OUTCOME_THERE 0.95

/* For so long it may take to get there ... */
#define OUTCOME_PATIENCE_NS 1500000000ULL
/* ... and this long a domain that was there may be elsewhere. */
#define OUTCOME_TRIP_NS 3000000000ULL

/*
 * Waiting is compared over so long a time, before the move and after it: half of
 * what a domain stays at least (struct policy_input), within these bounds.
 */
#define OUTCOME_WINDOW_NS       5000000000ULL
#define OUTCOME_WINDOW_LEAST_NS 250000000ULL

/*
 * Waiting goes up and down by itself.  It has become worse only by more than
 * this part of what it was, and this part of all time; what it was counts for
 * as many notifications as there are now, if these have become more.
 */
#define OUTCOME_NOISE      0.5
#define OUTCOME_NOISE_TIME 0.01

/*
 * Of what a policy predicted that would not cross places any more so much has
 * to come, if it is so many notifications per second at all.
 */
#define OUTCOME_CAME  0.6
#define OUTCOME_LEAST 10.0

enum outcome_news {
    OUTCOME_NONE,
    OUTCOME_ARRIVED,  /* it is there now */
    OUTCOME_ABSENT,   /* it isn't, though it had time to get there; once */
    OUTCOME_GOOD,     /* it is there, and waits no more than it gained */
    OUTCOME_WORSE,    /* it is there, and waits more than it gained */
    OUTCOME_REGRET,   /* it is there, and what was predicted did not come */
};

enum outcome_where { OUTCOME_UNKNOWN, OUTCOME_AT_PLACE, OUTCOME_ELSEWHERE };

/* At a time, what had been counted until then. */
struct outcome_mark {
    uint64_t at_ns;
    uint64_t waited_ns;
};

struct outcome {
    struct outcome_mark older, newer; /* the latest two windows */
    double crossings; /* per second, before the move; -1: not known */
    double waited;    /* s of each second, likewise */
    uint64_t sent_ns; /* when the move was decided */
    enum outcome_where where;
    double share;     /* of its time at the place, of late; -1: not known */
    uint64_t look_ns, ran_ns, there_ns; /* of the latest look */
    uint64_t absent_ns; /* since then it isn't there; 0: it is */
    uint64_t since_ns;  /* when something was last done about it */
    bool told;          /* OUTCOME_ABSENT, since it was there */
    bool judged;        /* what the move was worth */
    struct outcome_mark arrived; /* .at_ns 0: not yet, or judged */
    unsigned int worse; /* so many windows in a row */
    double crossings_now, waited_now; /* as judged; -1: not known */
    /* Notifications per second, and how many were to cross places then. */
    double talked, talked_now, predicted; /* -1: not predicted */
    double crossed_sum, talked_sum; /* since it arrived ... */
    unsigned int looks;             /* ... in so many runs */
};

/* Before anything else. */
void outcome_init(struct outcome *o);

/* In each run, before anything else. */
void outcome_watch(struct outcome *o, const struct policy_input *input,
                   const struct domain *d);

/* It is sent to @cpus, now; @predicted crossings, -1: unknown. */
void outcome_send(struct outcome *o, const struct policy_input *input,
                  const struct domain *d, const struct cpumap *cpus,
                  double predicted);

/* It is there, and it is not known yet if what was predicted comes. */
bool outcome_is_open(const struct outcome *o);

/* In each run, of a domain which was sent to @cpus. */
enum outcome_news outcome_look(struct outcome *o,
                               const struct policy_input *input,
                               const struct domain *d,
                               const struct cpumap *cpus);

/* Something was done to get it there: it has time again. */
void outcome_again(struct outcome *o, uint64_t now_ns);

/* "97 % of its time at its place 1.0 s after the move", or the like. */
void outcome_describe(const struct outcome *o, enum outcome_news news,
                      const struct policy_input *input,
                      const struct domain *d, const struct cpumap *cpus,
                      char text[OUTCOME_TEXT]);

#endif /* XENSCHED_POLICY_OUTCOME_H */
