/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc. */
void on_each_cpu(void (*fn)(void *data), void *data, int wait);
