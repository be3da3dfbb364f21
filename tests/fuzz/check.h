/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.h - how a fuzz target says that a promise was broken: the fuzzer keeps
 * the input when the process aborts.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(promise)                                        \
    do {                                                      \
        if (!(promise)) {                                     \
            fprintf(stderr, "%s:%d: %s: broken: %s\n",        \
                    __FILE__, __LINE__, __func__, #promise);  \
            abort();                                          \
        }                                                     \
    } while (0)

#endif /* CHECK_H */
