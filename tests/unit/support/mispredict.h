/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs code as a processor does that predicts one branch wrongly: the branch goes the
 * other way, and the sanitizers check what the code accesses then.  A test includes
 * this header last before a file of the hypervisor, and "#undef if" after that file.
 */
#ifndef TESTS_UNIT_MISPREDICT_H
#define TESTS_UNIT_MISPREDICT_H

#include <stdbool.h>

/* Counts down to the branch that goes the other way; 0 if all go right. */
static unsigned int mispredict_in;

static bool goes(bool condition)
{
    return mispredict_in && !--mispredict_in ? !condition : condition;
}

#define if(condition...) if (goes(condition))

#endif /* TESTS_UNIT_MISPREDICT_H */
