/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka-tap.h - cmocka with what it needs, and results as TAP. */
#ifndef CMOCKA_TAP_H
#define CMOCKA_TAP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define run_tap_tests(tests)                       \
    (cmocka_set_message_output(CM_OUTPUT_TAP),     \
     cmocka_run_group_tests(tests, NULL, NULL))

#endif /* CMOCKA_TAP_H */
