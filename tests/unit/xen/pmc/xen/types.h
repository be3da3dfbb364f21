/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
