/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Yields or polls as a guest's kernel does when it waits for a spin lock.
 *
 * Usage: sched-op yield|poll N
 *
 * N times. Polls for nothing, so the next interrupt of the vCPU ends each poll: that
 * of its tick, if there is no other. Exit code: 0, 1 if Xen refused.
 */
#define __XEN_INTERFACE_VERSION__ __XEN_LATEST_INTERFACE_VERSION__

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xencall.h>
#include <xen/xen.h>
#include <xen/event_channel.h>
#include <xen/sched.h>

int main(int argc, char **argv)
{
    xencall_handle *xcall = xencall_open(NULL, 0);
    bool poll = argc == 3 && !strcmp(argv[1], "poll");
    unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 0) : 0;
    struct sched_poll *arg;

    if (!n || (!poll && strcmp(argv[1], "yield")))
        errx(2, "usage: sched-op yield|poll N");
    arg = xcall ? xencall_alloc_buffer(xcall, sizeof(*arg)) : NULL;
    if (!arg)
        err(1, "cannot make hypercalls");

    memset(arg, 0, sizeof(*arg));
    while (n--)
        if (xencall2(xcall, __HYPERVISOR_sched_op, poll ? SCHEDOP_poll : SCHEDOP_yield,
                     (uintptr_t)arg) < 0)
            err(1, "%s", argv[1]);

    return 0;
}
