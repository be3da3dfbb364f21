/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks a region for the machine model, in a script: region ID begins one, region
 * 0 ends it.
 */
#include <err.h>

#include "region.h"

int main(int argc, char **argv)
{
    if (argc != 2)
        errx(2, "usage: region ID");
    region(region_id(argv[1]));

    return 0;
}
