/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports what a guest has done, in a page that dom0 reads while the guest is stopped.
 *
 *   witness run NODE     in a guest: one thread makes marks 0 ... 999, again and
 *                        again; another one never sleeps; a third, "victim", mostly
 *                        sleeps.  Until it is killed
 *   witness look NODE DOMID   in dom0: prints "MARKED DONE OTHER ASLEEP VICTIM NOW":
 *                        marks that were begun and that returned, the loops of the
 *                        second thread, whether the victim has not run since it
 *                        went to sleep, its PID, and the TSC now
 *
 * NODE is the xenstore node where the two meet.
 */

/* A guest's kernel defines this; without it the numbers are those of Xen 3.0. */
#define __XEN_INTERFACE_VERSION__ __XEN_LATEST_INTERFACE_VERSION__

#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <xencall.h>
#include <xengnttab.h>

#include <xen/xen.h>
#include <xen/sched.h>

#include "exchange.h"
#include "ticks.h"

#define CODES 1000U

struct page {
    volatile uint64_t marked, done;
    volatile uint64_t other;
    volatile uint64_t asleep, victim;
};

static void *never_sleep(void *arg)
{
    struct page *page = arg;

    for (;;)
        if (++page->other % 1024 == 0)
            end_turn();

    return NULL;
}

static void *be_victim(void *arg)
{
    const struct timespec pause = { .tv_nsec = 20000000 };
    struct page *page = arg;

    prctl(PR_SET_NAME, "victim");
    page->victim = gettid();
    for (;;) {
        page->asleep = 1;
        nanosleep(&pause, NULL);
        page->asleep = 0;
        for (volatile unsigned int i = 0; i < 10000; i++)
            ;
    }

    return NULL;
}

static void make_marks(struct page *page)
{
    const struct timespec pause = { .tv_nsec = 1000000 };
    xencall_handle *xcall = xencall_open(NULL, 0);
    struct sched_schedlog_mark *mark;

    mark = xcall ? xencall_alloc_buffer(xcall, sizeof(*mark)) : NULL;
    if (!mark)
        err(1, "cannot make hypercalls");
    for (;;) {
        *mark = (struct sched_schedlog_mark){ .code = page->marked % CODES };
        page->marked++;
        /* Without a client the marks are refused. */
        xencall2(xcall, __HYPERVISOR_sched_op, SCHEDOP_schedlog_mark,
                 (uintptr_t)mark);
        page->done++;
        nanosleep(&pause, NULL);
    }
}

static void run(void)
{
    xengntshr_handle *xgs = xengntshr_open(NULL, 0);
    pthread_t thread;
    struct page *page;
    uint32_t ref;
    char text[16];

    page = xgs ? xengntshr_share_pages(xgs, 0, 1, &ref, 1) : NULL;
    if (!page)
        err(1, "granting a page to dom0");
    memset(page, 0, sizeof(*page));
    if (pthread_create(&thread, NULL, never_sleep, page) ||
        pthread_create(&thread, NULL, be_victim, page))
        errx(1, "no threads");
    snprintf(text, sizeof(text), "%u", ref);
    exchange_put("ref", text);
    make_marks(page);
}

static void look(uint32_t domid)
{
    xengnttab_handle *xgt = xengnttab_open(NULL, 0);
    char *text = exchange_wait("ref");
    const struct page *page;

    page = xgt ? xengnttab_map_grant_ref(xgt, domid, number(text, "reference"),
                                         PROT_READ | PROT_WRITE) : NULL;
    if (!page)
        err(1, "mapping the page of domain %u", domid);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
           "\n",
           page->marked, page->done, page->other, page->asleep, page->victim,
           ticks());
    xengnttab_unmap(xgt, (void *)page, 1);
    free(text);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "run")) {
        exchange_open(argv[2]);
        run();
    } else if (argc == 4 && !strcmp(argv[1], "look")) {
        exchange_open(argv[2]);
        look(number(argv[3], "DOMID"));
    } else {
        errx(2, "usage: witness run NODE, witness look NODE DOMID");
    }

    return 0;
}
