/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands in for Xen's header in test-pmc. */
#define NMI_NONE 0
#define NMI_LOCAL_APIC 1

extern unsigned int nmi_watchdog;
