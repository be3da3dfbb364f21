/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * descriptors.h - estimates, from sums of requests in a block ring, how many have more segments
 * than fit into a request.  Such a request names its segments in a page of its own, which is shared
 * as well (struct blkif_request_indirect in xen/include/public/io/blkif.h).
 */
#ifndef XENSCHED_DISKS_DESCRIPTORS_H
#define XENSCHED_DISKS_DESCRIPTORS_H

#include <stdint.h>

/*
 * Returns the expected number of such pages for @requests with @pages of data in all, from 0 to
 * @requests; exact for one request, or if all have one size.  Linux counts a request before its
 * sectors: *@under_way is 1 if the last one seems to have no sectors yet, so that it counts in the
 * next call, and otherwise 0.
 */
double descriptors_expected(uint64_t requests, uint64_t pages,
                            unsigned int *under_way);

#endif /* XENSCHED_DISKS_DESCRIPTORS_H */
