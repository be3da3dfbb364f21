/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps or copies granted pages of another domain an exact number of times.
 *
 *   grant-map offer NODE DOMID PAGES  grants PAGES pages to DOMID and waits
 *                                     until the other side is done
 *   grant-map map   NODE DOMID N      maps all pages which DOMID offers, and
 *                                     unmaps them, N times
 *   grant-map copy  NODE DOMID N      copies all of them to its own memory, N
 *                                     times
 *   grant-map hold  NODE DOMID N      maps all of them N times, and keeps them
 *
 * NODE is the xenstore node where the two meet.  In a PV domain Linux maps each page twice, for the
 * program and for itself: Xen sees 2 * N * PAGES maps and unmaps.  Other domains map each page
 * once.  Xen sees N * PAGES copies.
 */

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xengnttab.h>
#include <xen/grant_table.h>

#include "exchange.h"

/* All references fit into one xenstore value (4096 bytes). */
#define MAX_PAGES 256

#define PAGE_SIZE 4096

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

/* Reads the other side's references, and their number. */
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

/* Lets the other side end. */
static void tell_done(const char *what, uint32_t pages, unsigned long n)
{
    exchange_put("mapped", "");
    printf("%s %u pages %lu times\n", what, pages, n);
}

static void map(uint32_t domid, unsigned long n)
{
    xengnttab_handle *xgt = xengnttab_open(NULL, 0);
    uint32_t refs[MAX_PAGES], pages = read_refs(refs);

    if (!xgt)
        err(1, "/dev/xen/gntdev");

    for (unsigned long i = 0; i < n; i++) {
        void *area = xengnttab_map_domain_grant_refs(xgt, pages, domid, refs,
                                                     PROT_READ | PROT_WRITE);

        if (!area || xengnttab_unmap(xgt, area, pages))
            err(1, "mapping %u pages of domain %u", pages, domid);
    }
    tell_done("mapped", pages, n);
}

/* Waits until its domain is destroyed. */
static void hold(uint32_t domid, unsigned long n)
{
    xengnttab_handle *xgt = xengnttab_open(NULL, 0);
    uint32_t refs[MAX_PAGES], pages = read_refs(refs);

    if (!xgt)
        err(1, "/dev/xen/gntdev");

    for (unsigned long i = 0; i < n; i++)
        if (!xengnttab_map_domain_grant_refs(xgt, pages, domid, refs,
                                             PROT_READ | PROT_WRITE))
            err(1, "mapping %u pages of domain %u", pages, domid);
    tell_done("holds", pages, n);
    fflush(stdout);
    pause();
}

static void copy(uint32_t domid, unsigned long n)
{
    static uint8_t buffer[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
    xengnttab_handle *xgt = xengnttab_open(NULL, 0);
    xengnttab_grant_copy_segment_t segments[MAX_PAGES];
    uint32_t refs[MAX_PAGES], pages = read_refs(refs);

    if (!xgt)
        err(1, "/dev/xen/gntdev");

    for (uint32_t i = 0; i < pages; i++)
        segments[i] = (xengnttab_grant_copy_segment_t){
            .source.foreign = { .ref = refs[i], .domid = domid },
            .dest.virt = buffer,
            .len = PAGE_SIZE,
            .flags = GNTCOPY_source_gref,
        };
    for (unsigned long i = 0; i < n; i++)
        if (xengnttab_grant_copy(xgt, pages, segments))
            err(1, "copying %u pages of domain %u", pages, domid);
    for (uint32_t i = 0; i < pages; i++)
        if (segments[i].status)
            errx(1, "page %u was not copied: %d", i, segments[i].status);
    tell_done("copied", pages, n);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(uint32_t domid, unsigned long n);
    } commands[] = {
        { "offer", offer }, { "map", map }, { "hold", hold }, { "copy", copy },
    };

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (argc == 5 && !strcmp(argv[1], commands[i].name)) {
            exchange_open(argv[2]);
            commands[i].run(number(argv[3], "DOMID"), number(argv[4], "N"));
            return 0;
        }
    fprintf(stderr, "usage: grant-map offer NODE DOMID PAGES\n"
                    "       grant-map map|hold|copy NODE DOMID N\n");

    return 2;
}
