/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * census.h - estimates on which nodes the memory of all domains is, from a sample of the machine's
 * frames.
 *
 * A count reads every nth frame once, about a quarter of a million in all, whatever the size of the
 * machine.  It is done in parts, because no part may take long: nearly each frame is a cache miss,
 * so a count takes about 30 ms.  It is repeated after five minutes, because only a balloon changes
 * where a guest's memory is; or sooner if there are domains that it does not include.  Domains have
 * the results of the latest complete count.
 *
 * A guest with a thousandth of the machine's memory has 250 frames in the sample; its shares have a
 * standard deviation of 3 %.  A guest with fewer than CENSUS_LEAST frames gets no result.
 */
#ifndef XENSCHED_MODEL_CENSUS_H
#define XENSCHED_MODEL_CENSUS_H

#include "model/domain.h"
#include "model/domids.h"

#define CENSUS_FRAMES (1U << 18) /* frames of a sample, at most */
#define CENSUS_LEAST 32U

/* Times from the beginning of a count to the beginning of the next one. */
#define CENSUS_AGAIN_NS (300 * 1000000000ULL)
#define CENSUS_SOONEST_NS (10 * 1000000000ULL)

struct census_count {
    uint64_t at_ns; /* when the count began */
    uint32_t step;  /* every step-th frame is read */
    unsigned int nr, room;
    struct domids domids;
    uint64_t *on;   /* [domain][node]: number of frames in the sample */
};

struct census {
    unsigned int nr_nodes;
    bool counting;
    bool known;     /* there is a complete count */
    unsigned int nr_counts;
    struct census_count whole, part;
};

void census_init(struct census *c, unsigned int nr_nodes);
void census_free(struct census *c);

/*
 * Is a new count due, for these @domains?  False during a count.
 */
bool census_is_due(const struct census *c, const struct domains *domains,
                   uint64_t now_ns);

/*
 * Begins a count of a machine with about @nr_frames frames.  Returns the first frame to read; the
 * others follow at distances of part.step.
 */
uint64_t census_begin(struct census *c, uint64_t nr_frames, uint64_t now_ns);

/* Adds a frame of @domid.  Ignores nodes that do not exist. */
void census_add(struct census *c, uint32_t domid, unsigned int node);

/* Ends the count; @whole: all frames were read. */
void census_end(struct census *c, bool whole);

/* Sets pages of the domains that existed before the latest complete count began. */
void census_tell(const struct census *c, struct domains *domains);

#endif /* XENSCHED_MODEL_CENSUS_H */
