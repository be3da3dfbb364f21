/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * census.h - on which nodes the memory of all domains is, by a sample of the
 * machine's frames.
 *
 * A count looks at each so-many-th frame once, about a quarter of a million in
 * all, however large the machine is.  It is made in parts, since no part may
 * take long, and made again after a minute; sooner when there are domains which
 * it does not know.  What the latest whole count found is what domains have.
 *
 * A guest with a thousandth of the machine's memory has 250 frames in the sample:
 * its shares are off by 3 % (one standard deviation).  Of one with fewer than
 * CENSUS_LEAST nothing is said.
 */
#ifndef XENSCHED_MODEL_CENSUS_H
#define XENSCHED_MODEL_CENSUS_H

#include "model/domain.h"
#include "model/domids.h"

#define CENSUS_FRAMES (1U << 18) /* of a sample, at most */
#define CENSUS_LEAST 32U

/* From the beginning of a count to that of the next one. */
#define CENSUS_AGAIN_NS (60 * 1000000000ULL)
#define CENSUS_SOONEST_NS (10 * 1000000000ULL)

struct census_count {
    uint64_t at_ns; /* when it began */
    uint32_t step;  /* one frame stands for so many */
    unsigned int nr, room;
    struct domids domids;
    uint64_t *on;   /* [domain][node]: frames of the sample */
};

struct census {
    unsigned int nr_nodes;
    bool counting;
    bool known;     /* there is a whole count */
    unsigned int nr_counts;
    struct census_count whole, part;
};

void census_init(struct census *c, unsigned int nr_nodes);
void census_free(struct census *c);

/*
 * Is it time to begin?  @domains are those that there are.  Never while
 * counting.
 */
bool census_is_due(const struct census *c, const struct domains *domains,
                   uint64_t now_ns);

/*
 * Begins.  The frames to be looked at are each part.step-th from what this
 * returns on; the machine has about @nr_frames.
 */
uint64_t census_begin(struct census *c, uint64_t nr_frames, uint64_t now_ns);

/* One of them is of @domid.  Nodes that there are not are not counted. */
void census_add(struct census *c, uint32_t domid, unsigned int node);

/* All of them have been looked at; or something went wrong (@whole false). */
void census_end(struct census *c, bool whole);

/* Fill in pages of domains that were seen before the latest whole count began. */
void census_tell(const struct census *c, struct domains *domains);

#endif /* XENSCHED_MODEL_CENSUS_H */
