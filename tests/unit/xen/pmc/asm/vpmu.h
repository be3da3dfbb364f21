/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc. */
#define XENPMU_MODE_OFF 0
#define XENPMU_MODE_SELF (1 << 0)

extern unsigned int vpmu_mode;
