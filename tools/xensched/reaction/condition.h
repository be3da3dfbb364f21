/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * condition.h - what a reaction waits for, as an operator says it:
 *
 *   mark GUEST CODE              it logs a mark with this code
 *   switch-to GUEST THREAD       a thread (PID or name) of it gets a vCPU
 *   switch-from GUEST THREAD     leaves one
 *   EVENT [GUEST] > LIMIT        a row of EVENT has a counter above that:
 *                                wake-delay, preempt-delay, service-ns (with ns,
 *                                us, ms or s),
 *                                runq, memory, pmc0 to pmc3
 *   ready GUEST > N%             its vCPUs wait for a pCPU, so much of one's time
 *   wait GUEST > N%              the same, after wake-ups only
 *   service GUEST > N%           it uses so much of a pCPU
 *   rate GUEST OTHER > N         so many notifications a second, to OTHER
 *   request-latency GUEST [BACKEND] > TIME
 *                                from its notification of a back end until that notifies
 *                                it
 *   loss                         rows were lost
 *   regret                       a move was undone, being of no use
 *   now                          at once
 *
 * After ready, wait, service and rate, "for TIME" asks that it is so all of that time.
 *
 * GUEST is a name or a domid, see domain_is_number().  A name with blanks is in
 * quotes, ' or ".
 *
 * Parsing only: nothing here knows a host.
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

/* The words of a condition with two names, and its end. */
#define CONDITION_TEXT 1024

/* As Linux has it, with its end. */
#define CONDITION_THREAD_TEXT 16

struct condition {
    enum condition_kind kind;
    char domain[DOMAIN_NAME_TEXT]; /* or its number; "": any */
    char other[DOMAIN_NAME_TEXT];
    char thread[CONDITION_THREAD_TEXT]; /* a PID, or a name */
    bool is_pid;
    unsigned int event;
    double limit;                  /* or the code of a mark */
    uint64_t for_ns;               /* above the limit all of this time; 0: at all */
};

/* -EINVAL: the text says what is wrong with it. */
int condition_parse(const char *text, struct condition *c,
                    struct xensched_error *err);

/* Where the word ends that begins here, quotes included; NULL: they do not close. */
const char *condition_word_end(const char *word);

/* Which events tell: mask; 0: none, it is looked at by other ways. */
uint32_t condition_events(const struct condition *c);

/* The unit of the figure that meets it: "ns", "%"; "" for a code or a plain number. */
const char *condition_unit(const struct condition *c);

/* Can the guest be stopped at the very moment? */
bool condition_can_stop(const struct condition *c);

#endif /* XENSCHED_REACTION_CONDITION_H */
