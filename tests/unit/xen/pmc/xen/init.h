/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc: the test calls what Xen's start
 * would, and can do so again. */
#define __init
#define __ro_after_init
#define __read_mostly
#define cf_check

#define presmp_initcall(fn) static int (*const fake_start)(void) = fn
