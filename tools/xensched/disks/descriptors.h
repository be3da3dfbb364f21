/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * descriptors.h - of requests in a block ring of which only the sums are known: how many
 * have more segments than a request has room for?  Each of those names its segments in a
 * page of its own, which is shared as well (struct blkif_request_indirect in
 * xen/include/public/io/blkif.h).
 */
#ifndef XENSCHED_DISKS_DESCRIPTORS_H
#define XENSCHED_DISKS_DESCRIPTORS_H

#include <stdint.h>

/*
 * Such pages, that can be expected of @requests that had @pages of data in all.  0 to
 * @requests; exact if there is one request, or all are of one size.  Linux counts a request
 * before its sectors: @under_way is 1 if the last one seems to have none yet, so that it is to
 * be told of again, and otherwise 0.
 */
double descriptors_expected(uint64_t requests, uint64_t pages,
                            unsigned int *under_way);

#endif /* XENSCHED_DISKS_DESCRIPTORS_H */
