/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces Xen's header in test-xen-work. */
#define INVALIDATE_TLB_VECTOR 0xfd
#define EVENT_CHECK_VECTOR    0xfc
#define CALL_FUNCTION_VECTOR  0xfb
#define LOCAL_TIMER_VECTOR    0xfa
