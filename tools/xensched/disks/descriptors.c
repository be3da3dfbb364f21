/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Estimates how many pages of descriptors requests needed, from the sums of their pages.
 *
 * If pages can be divided evenly among the requests, they are: most loads have one size, and mixed
 * sizes rarely add up to such a sum.  Otherwise sizes are assumed as different as possible, with
 * their mean and the most that a front end puts into a request: the distribution of largest entropy
 * (E. T. Jaynes, 1957), in which the frequency of sizes is a geometric series.
 */
#include <stdint.h>

#include <xen/xen.h>
#include <xen/io/blkif.h>

#include "descriptors.h"

#define ROOM BLKIF_MAX_SEGMENTS_PER_REQUEST

/* Linux's front end by default.  If others have more, nearly all requests are large. */
#define MOST 32

/* With fewer requests it is unknown whether one more has been counted. */
#define ENOUGH 4

#define STEPS 40 /* of a bisection */

/* Returns the mean of sizes 1 to MOST, each @ratio times as frequent as the one below. */
static double mean_of(double ratio)
{
    double frequency = 1, sum = 0, all = 0;
    unsigned int size;

    for (size = 1; size <= MOST; size++) {
        sum += size * frequency;
        all += frequency;
        frequency *= ratio;
    }

    return sum / all;
}

/* Returns the share of sizes up to @limit. */
static double share_up_to(unsigned int limit, double ratio)
{
    double frequency = 1, part = 0, all = 0;
    unsigned int size;

    for (size = 1; size <= MOST; size++) {
        all += frequency;
        if (size <= limit)
            part += frequency;
        frequency *= ratio;
    }

    return part / all;
}

/* Returns the ratio for this mean, which is not in the upper half. */
static double ratio_for(double mean)
{
    double low = 0, high = 1;
    unsigned int step;

    for (step = 0; step < STEPS; step++) {
        double middle = (low + high) / 2;

        if (mean_of(middle) < mean)
            low = middle;
        else
            high = middle;
    }

    return low;
}

/* In the upper half counts from the other end, so that no frequency grows large. */
static double share_of_large(double mean)
{
    if (mean > (1 + MOST) / 2.0)
        return share_up_to(MOST - ROOM, ratio_for(1 + MOST - mean));

    return 1 - share_up_to(ROOM, ratio_for(mean));
}

static double of_one_size(uint64_t requests, uint64_t pages)
{
    return pages / requests > ROOM ? requests : 0;
}

double descriptors_expected(uint64_t requests, uint64_t pages,
                            unsigned int *under_way)
{
    *under_way = 0;
    if (pages <= requests)
        return 0;
    if (!requests || pages / MOST >= requests)
        return requests;
    if (pages % requests == 0)
        return of_one_size(requests, pages);
    if (requests >= ENOUGH && pages % (requests - 1) == 0) {
        *under_way = 1;
        return of_one_size(requests - 1, pages);
    }

    return requests * share_of_large((double)pages / requests);
}
