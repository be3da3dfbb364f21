/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets a paused guest, which was restored, do a number of units of its work (parts/work-count.h) on
 * the machine model:
 *
 *   run-units DOMID UNITS COUNTED
 *
 * COUNTED is the model's output (machine.jsonl), which has each unit that has ended.  The program
 * unpauses the guest, and pauses it when UNITS have ended.  Prints REGION ENTRY of the first one.
 * It runs on another pCPU, and mostly sleeps.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xenctrl.h>

#include "region.h"

#define PAUSE_NS 2000000
#define FIRST_PCPU "\"pcpu\": 0,"

/* The first unit that ended. */
static unsigned int region_of, entry_of;

/* Returns the number of regions that ended since the last call; keeps the first one. */
static unsigned int ended(FILE *counted)
{
    unsigned int found = 0, id, entry;
    char line[1024];

    clearerr(counted);
    while (fgets(line, sizeof(line), counted)) {
        if (!strchr(line, '\n')) {
            /* The model is still writing this line. */
            fseek(counted, -(long)strlen(line), SEEK_CUR);
            break;
        }
        if (!strstr(line, FIRST_PCPU) ||
            sscanf(line, "{\"region\": %u, \"entry\": %u,", &id, &entry) != 2)
            continue;
        if (!region_of) {
            region_of = id;
            entry_of = entry;
        }
        found++;
    }

    return found;
}

int main(int argc, char **argv)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    unsigned long left;
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    uint32_t domid;
    FILE *counted;

    if (argc != 4)
        errx(2, "usage: run-units DOMID UNITS COUNTED");
    domid = atoi(argv[1]);
    left = strtoul(argv[2], NULL, 10);
    counted = fopen(argv[3], "r");
    if (!xch || !counted || fseek(counted, 0, SEEK_END))
        err(1, "no Xen, or no %s", argv[3]);
    if (xc_domain_unpause(xch, domid))
        err(1, "cannot unpause domain %u", domid);
    for (;;) {
        unsigned int more = ended(counted);

        if (more >= left)
            break;
        left -= more;
        nanosleep(&pause, NULL);
    }
    if (xc_domain_pause(xch, domid))
        err(1, "cannot pause domain %u", domid);
    region(0);
    printf("%u %u\n", region_of, entry_of);

    return 0;
}
