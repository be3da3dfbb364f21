/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * condition.h - parses the condition of a reaction:
 *
 *   mark GUEST CODE              the guest logs a mark with this code
 *   switch-to GUEST THREAD       a thread (PID or name) of the guest gets a vCPU
 *   switch-from GUEST THREAD     a thread of the guest leaves a vCPU
 *   EVENT [GUEST] > LIMIT        a row of EVENT has a counter above LIMIT: wake-delay,
 *                                preempt-delay, service-ns (with ns, us, ms or s), runq,
 *                                memory, pmc0 to pmc3
 *   ready GUEST > N%             the guest's vCPUs wait for a pCPU, for N % of the time of one
 *   wait GUEST > N%              the same after wake-ups only
 *   service GUEST > N%           the guest uses more than N % of a pCPU
 *   rate GUEST OTHER > N         the guest sends OTHER more than N notifications per second
 *   request-latency GUEST [BACKEND] > TIME
 *                                a back end answers the guest's notification later than this
 *   loss                         rows were lost
 *   regret                       a move was rolled back
 *   now                          at once
 *
 * After ready, wait, service and rate, "for TIME" requires the condition for all of that time.
 *
 * GUEST is a name or a domid, see domain_is_number().  A name with blanks is in quotes, ' or ".
 */
#ifndef XENSCHED_REACTION_CONDITION_H
#define XENSCHED_REACTION_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>

#include "model/domain.h"

enum condition_kind {
    CONDITION_MARK, CONDITION_SWITCH_TO, CONDITION_SWITCH_FROM, CONDITION_ROW,
    CONDITION_READY, CONDITION_WAIT, CONDITION_SERVICE, CONDITION_RATE, CONDITION_REQUEST,
    CONDITION_LOSS, CONDITION_REGRET, CONDITION_NOW,
};

/* Size of the words of a condition with two names, with the terminating byte. */
#define CONDITION_TEXT 1024

/* Size of a thread's name in Linux, with the terminating byte. */
#define CONDITION_THREAD_TEXT 16

struct condition {
    enum condition_kind kind;
    char domain[DOMAIN_NAME_TEXT]; /* or its number; "": any */
    char other[DOMAIN_NAME_TEXT];
    char thread[CONDITION_THREAD_TEXT]; /* a PID, or a name */
    bool is_pid;
    unsigned int event;
    double limit;                  /* or the code of a mark */
    uint64_t for_ns;               /* time for which it has to be above the limit; 0: none */
};

/* Returns 0, or -EINVAL if the condition is wrong; the text states the mistake. */
int condition_parse(const char *text, struct condition *c,
                    struct xensched_error *err);

/* The end of the word that begins at @word, quotes included; NULL: the quotes do not close. */
const char *condition_word_end(const char *word);

/* The events that the condition needs (mask); 0: it needs none. */
uint32_t condition_events(const struct condition *c);

/* The unit of the figure: "ns", "%"; "" for a code or a plain number. */
const char *condition_unit(const struct condition *c);

/* Can the guest be stopped at the moment when it meets the condition? */
bool condition_can_stop(const struct condition *c);

#endif /* XENSCHED_REACTION_CONDITION_H */
