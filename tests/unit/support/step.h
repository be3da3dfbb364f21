/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * step.h - for tests which kill what they test at each of its steps, or let
 * each of its system calls fail: WRAP_NAME in the Makefile says which calls
 * are theirs, and before and after each of them a step is counted.
 */
#ifndef TESTS_UNIT_STEP_H
#define TESTS_UNIT_STEP_H

/* At one of the steps something happens. */
extern struct step {
    unsigned int nr;
    unsigned int at;   /* 0: never */
    int error;         /* what happens: this, or with 0 the process dies */
    unsigned int done; /* by the test, which counts for itself */
} *step; /* shared between processes; made by the test */

/* Is this the step?  Then it is an error, or the end. */
int is_time(void);

/* Before a system call, and after it has done its work. */
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
