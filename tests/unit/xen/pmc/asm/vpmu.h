/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc. */
bool vpmu_bar(bool bar);
