/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces Xen's header in test-xen-off. */
#define NR_GIC_SGI 16
