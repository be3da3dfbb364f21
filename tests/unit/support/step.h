/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * step.h - for tests that kill their subject at each of its steps, or let each of its system calls
 * fail: WRAP_NAME in the Makefile lists the calls, and there is a step before and after each.
 */
#ifndef TESTS_UNIT_STEP_H
#define TESTS_UNIT_STEP_H

/* Something happens at one of the steps. */
extern struct step {
    unsigned int nr;
    unsigned int at;   /* 0: never */
    int error;         /* errno value of that step; 0: the process dies */
    unsigned int done; /* a counter for the test */
} *step; /* shared between processes; made by the test */

/* Counts a step.  Returns the error of that step, or dies, if this is the step. */
int is_time(void);

/* Step before a system call, and after it has done its work. */
#define WRAP(call, args, ...)                      \
    {                                              \
        int rc;                                    \
                                                   \
        if (is_time())                             \
            return -1;                             \
        rc = __real_##call args;                   \
        if (!step->error)                          \
            is_time();                             \
        return rc;                                 \
    }

#endif /* TESTS_UNIT_STEP_H */
