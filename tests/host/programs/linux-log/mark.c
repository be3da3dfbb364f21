/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes marks of a guest, as a guest's kernel does.
 *
 * Usage: mark FIRST N [MS]
 *
 * Codes FIRST ... FIRST + N - 1, one after the other, with a pause of MS milliseconds after every
 * 50.  Prints "ok N", or the name of Xen's errno and the number of accepted marks.  Exit code: 0,
 * or 1 if Xen refused.
 */

/* A guest's kernel defines this; without it the numbers are those of Xen 3.0. */
#define __XEN_INTERFACE_VERSION__ __XEN_LATEST_INTERFACE_VERSION__

#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xencall.h>
#include <xen/xen.h>
#include <xen/sched.h>

int main(int argc, char **argv)
{
    xencall_handle *xcall = xencall_open(NULL, 0);
    struct sched_schedlog_mark *mark;
    unsigned long n = argc >= 3 ? strtoul(argv[2], NULL, 0) : 0;
    unsigned long pause = argc >= 4 ? strtoul(argv[3], NULL, 0) : 0;

    if (!n || argc > 4)
        errx(2, "usage: mark FIRST N [MS]");
    mark = xcall ? xencall_alloc_buffer(xcall, sizeof(*mark)) : NULL;
    if (!mark)
        err(1, "cannot make hypercalls");

    *mark = (struct sched_schedlog_mark){ .code = strtoul(argv[1], NULL, 0) };
    for (unsigned long i = 0; i < n; i++, mark->code++) {
        if (pause && i % 50 == 49)
            usleep(pause * 1000);
        if (xencall2(xcall, __HYPERVISOR_sched_op, SCHEDOP_schedlog_mark,
                     (uintptr_t)mark) < 0) {
            printf("%s %lu\n", strerrorname_np(errno), i);
            return 1;
        }
    }
    printf("ok %lu\n", n);

    return 0;
}
