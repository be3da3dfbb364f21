/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures the cost of single operations in TSC cycles: the least of many.
 *
 * Meant for a host in exact mode, where a cycle of the TSC is an instruction, so that two
 * hypervisors can be compared exactly.  dom0 does everything to itself, so the scheduler takes no
 * part:
 *
 *   send    notify through an interdomain event channel
 *   map     map a page that was granted
 *   unmap   unmap it
 *
 * Each is a system call with one hypercall in it (the kernel makes two for map
 * and unmap: one for its own mapping, one for the process's).
 *
 * Usage: op-cost [ROUNDS]
 * Prints a line per operation: NAME CYCLES
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <xenevtchn.h>
#include <xengnttab.h>

#include "ticks.h"

#define DOM0 0

static void note(uint64_t *least, uint64_t begin, uint64_t end)
{
    if (end - begin < *least)
        *least = end - begin;
}

static void cost_of_send(int rounds)
{
    xenevtchn_handle *near = xenevtchn_open(NULL, 0);
    xenevtchn_handle *far = xenevtchn_open(NULL, 0);
    xenevtchn_port_or_error_t to, from;
    uint64_t least = UINT64_MAX;

    if (!near || !far)
        err(1, "cannot open /dev/xen/evtchn");
    to = xenevtchn_bind_unbound_port(far, DOM0);
    if (to < 0)
        err(1, "cannot make an event channel");
    from = xenevtchn_bind_interdomain(near, DOM0, to);
    if (from < 0)
        err(1, "cannot connect to the event channel");

    /* No program receives it, so all but the first notification cost the same. */
    for (int i = 0; i < rounds; i++) {
        uint64_t begin = ticks();

        if (xenevtchn_notify(near, from) < 0)
            err(1, "cannot notify");
        note(&least, begin, ticks());
    }
    printf("send %llu\n", (unsigned long long)least);

    xenevtchn_close(near);
    xenevtchn_close(far);
}

static void cost_of_map_and_unmap(int rounds)
{
    uint64_t map = UINT64_MAX, unmap = UINT64_MAX;
    xengntshr_handle *shr = xengntshr_open(NULL, 0);
    xengnttab_handle *tab = xengnttab_open(NULL, 0);
    uint32_t ref;
    void *page;

    if (!shr || !tab)
        err(1, "cannot open /dev/xen/gntalloc or /dev/xen/gntdev");
    page = xengntshr_share_pages(shr, DOM0, 1, &ref, 1);
    if (!page)
        err(1, "cannot grant a page");

    for (int i = 0; i < rounds; i++) {
        uint64_t begin = ticks();
        void *mapped = xengnttab_map_grant_ref(tab, DOM0, ref,
                                               PROT_READ | PROT_WRITE);

        if (!mapped)
            err(1, "cannot map the granted page");
        note(&map, begin, ticks());

        begin = ticks();
        if (xengnttab_unmap(tab, mapped, 1))
            err(1, "cannot unmap the granted page");
        note(&unmap, begin, ticks());
    }
    printf("map %llu\nunmap %llu\n", (unsigned long long)map,
           (unsigned long long)unmap);

    xengntshr_unshare(shr, page, 1);
    xengntshr_close(shr);
    xengnttab_close(tab);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2000;

    if (argc > 2 || rounds < 1)
        errx(2, "usage: op-cost [ROUNDS]");

    cost_of_send(rounds);
    cost_of_map_and_unmap(rounds);

    return 0;
}
