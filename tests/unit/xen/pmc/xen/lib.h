/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc. */
#define min_t(type, x, y) ((type)(x) < (type)(y) ? (type)(x) : (type)(y))
