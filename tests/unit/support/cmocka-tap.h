/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka-tap.h - includes cmocka with the headers that it needs, and prints results as TAP. */
#ifndef CMOCKA_TAP_H
#define CMOCKA_TAP_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * A shell ignores these two signals in its background processes, and a shell that a test starts
 * cannot trap a signal that was ignored when it started.
 */
static inline void restore_default_signals(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
}

#define run_tap_tests(tests)                       \
    (restore_default_signals(),                    \
     cmocka_set_message_output(CM_OUTPUT_TAP),     \
     cmocka_run_group_tests(tests, NULL, NULL))

#endif /* CMOCKA_TAP_H */
