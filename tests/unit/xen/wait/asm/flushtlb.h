/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces Xen's header in test-xen-work. */
#define FLUSH_TLB        0x100
#define FLUSH_TLB_GLOBAL 0x200
#define FLUSH_CACHE      0x400
#define FLUSH_VCPU_STATE 0x1000
