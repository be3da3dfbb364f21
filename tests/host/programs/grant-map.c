/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps granted pages of another domain an exact number of times.
 *
 *   grant-map offer NODE DOMID PAGES  grants PAGES pages to DOMID and waits
 *                                     until the other side is done
 *   grant-map map   NODE DOMID N      maps all pages which DOMID offers, and
 *                                     unmaps them, N times
 *
 * NODE is the xenstore node where the two meet.  In a PV domain Linux maps
 * each page twice, for the program and for itself: Xen sees 2 * N * PAGES
 * maps, and as many unmaps.
 */

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xengnttab.h>

#include "exchange.h"

/* So that all references fit into one xenstore value (4096 bytes). */
#define MAX_PAGES 256

static void offer(uint32_t domid, unsigned long pages)
{
    xengntshr_handle *xgs = xengntshr_open(NULL, 0);
    char text[MAX_PAGES * 12] = "", *end = text;
    uint32_t refs[MAX_PAGES];

    if (!pages || pages > MAX_PAGES)
        errx(2, "PAGES has to be 1 to %d", MAX_PAGES);
    if (!xgs || !xengntshr_share_pages(xgs, domid, pages, refs, 1))
        err(1, "granting %lu pages to domain %u", pages, domid);

    for (unsigned long i = 0; i < pages; i++)
        end += sprintf(end, "%u ", refs[i]);
    exchange_put("refs", text);
    free(exchange_wait("mapped"));
    printf("offered %lu\n", pages);
}

/* The references that the other side offers, and how many. */
static uint32_t read_refs(uint32_t *refs)
{
    char *text = exchange_wait("refs");
    uint32_t pages = 0;

    for (char *ref = strtok(text, " "); ref; ref = strtok(NULL, " ")) {
        if (pages == MAX_PAGES)
            errx(1, "more than %d pages are offered", MAX_PAGES);
        refs[pages++] = number(ref, "reference");
    }
    free(text);

    return pages;
}

static void map(uint32_t domid, unsigned long n)
{
    xengnttab_handle *xgt = xengnttab_open(NULL, 0);
    uint32_t refs[MAX_PAGES], pages = read_refs(refs);
    char text[24];

    if (!xgt)
        err(1, "/dev/xen/gntdev");

    for (unsigned long i = 0; i < n; i++) {
        void *area = xengnttab_map_domain_grant_refs(xgt, pages, domid, refs,
                                                     PROT_READ | PROT_WRITE);

        if (!area || xengnttab_unmap(xgt, area, pages))
            err(1, "mapping %u pages of domain %u", pages, domid);
    }
    snprintf(text, sizeof(text), "%lu", n);
    exchange_put("mapped", text);
    printf("mapped %u pages %lu times\n", pages, n);
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";

    if (argc != 5 || (strcmp(command, "offer") && strcmp(command, "map"))) {
        fprintf(stderr, "usage: grant-map offer NODE DOMID PAGES\n"
                        "       grant-map map NODE DOMID N\n");
        return 2;
    }

    exchange_open(argv[2]);
    if (command[0] == 'o')
        offer(number(argv[3], "DOMID"), number(argv[4], "PAGES"));
    else
        map(number(argv[3], "DOMID"), number(argv[4], "N"));

    return 0;
}
